package coverage

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Sizes says how general the sizes of an equality are.
type Sizes string

// The sizes that are tried, in this order.
const (
	General Sizes = "general" // as different as the operators permit
	Tied    Sizes = "tied"    // equal where TASO's are, and otherwise free
	Literal Sizes = "literal" // TASO's own
)

// tasoShape is the shape of the inputs of TASO's generator: -1 to -3 are
// matrices of a batch of 2, -4 to -6 square ones, -7 to -9 images, -10 to -12
// kernels 3x3, -13 to -15 kernels 1x3, -16 to -18 kernels 3x1, -19 a kernel of
// one channel, -20 a scalar. ok is false for other ids.
func tasoShape(id int) (s []int64, ok bool) {
	switch n := -id; {
	case n < 1 || n > 20:
		return nil, false
	case n <= 3:
		return []int64{2, 4}, true
	case n <= 6:
		return []int64{4, 4}, true
	case n <= 9:
		return []int64{2, 4, 5, 5}, true
	case n <= 12:
		return []int64{4, 4, 3, 3}, true
	case n <= 15:
		return []int64{4, 4, 1, 3}, true
	case n <= 18:
		return []int64{4, 4, 3, 1}, true
	case n == 19:
		return []int64{4, 1, 3, 3}, true
	}
	return nil, true
}

// tasoImage is the shape of TASO's constant One, tasoChannels the size of its
// other constants.
var tasoImage = []int64{2, 4, 5, 5}

const tasoChannels = 4

// size is a number of TASO's: itself, or the variable that stands for it.
// Kernels keep their numbers (1 and 3).
func size(n int64, how Sizes) graph.Dim {
	names := map[int64]string{2: "batch", 4: "channels", 5: "side"}
	if name, ok := names[n]; ok && how == Tied {
		return graph.Var(name)
	}
	return graph.Int(n)
}

func shapeOf(s []int64, how Sizes) graph.Shape {
	out := make(graph.Shape, len(s))
	for i, n := range s {
		out[i] = graph.Axis(size(n, how))
	}
	return out
}

// specialize gives a translated law TASO's sizes. The error says why it has
// none: inputs that are not TASO's, or types that do not fit.
func specialize(l *law.Law, how Sizes) (*law.Law, error) {
	if how == General {
		return l, nil
	}
	want := map[string]graph.Shape{}
	runs := &graph.Binding{Runs: map[string]graph.Shape{}}
	for _, g := range l.Given {
		if g.Sort != "" {
			continue
		}
		n, err := strconv.Atoi(strings.TrimPrefix(g.Name, "X"))
		s, ok := tasoShape(-n)
		if err != nil || !ok {
			return nil, fmt.Errorf("%s is no input of TASO's generator", g.Name)
		}
		want[g.Name] = shapeOf(s, how)
		if len(g.Shape) == 1 && g.Shape[0].Run != "" {
			runs.Runs[g.Shape[0].Run] = want[g.Name]
		}
	}
	l = l.Subst(runs)
	f := graph.Solver()
	equal := func(what string, a, b graph.Shape) error {
		if err := f.EqShape(a, b); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	}
	for _, g := range l.Given {
		if s, ok := want[g.Name]; ok {
			if err := equal(g.Name, g.Shape, s); err != nil {
				return nil, err
			}
		}
	}
	var err error
	for _, side := range [][]*law.Term{l.LHS, l.RHS} {
		for _, t := range side {
			t.Walk(func(u *law.Term) {
				if u.Op == nil || err != nil {
					return
				}
				switch u.Op.Name {
				case "imatmul", "iconv", "cpool":
					d, _ := u.Attrs[0].Dim()
					err = equal(u.Op.Name, graph.Shape{graph.Axis(d)}, shapeOf([]int64{tasoChannels}, how))
				case "one":
					s, _ := u.Attrs[0].Shape()
					err = equal("one", s, shapeOf(tasoImage, how))
				}
			})
		}
	}
	if err != nil {
		return nil, err
	}
	out := l.Subst(f.Solution())
	if _, err := out.Types(); err != nil {
		return nil, err
	}
	return out, nil
}

// withPadding puts a padding in the place of the variable of sort same; ok is
// false if the law has none.
func withPadding(l *law.Law, pad string) (out *law.Law, ok bool) {
	b := &graph.Binding{Attrs: map[string]graph.Value{}}
	for _, g := range l.Given {
		if g.Sort == graph.SortSame {
			b.Attrs[g.Name] = graph.NameValue(pad)
		}
	}
	if len(b.Attrs) == 0 {
		return l, false
	}
	return l.Subst(b), true
}
