package genrules

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// tasoInputs are the shapes of the inputs -1 to -20 of TASO's generator, tasoOne
// that of its constant One, and tasoChannels the size of its other constants.
var tasoInputs = [][]int64{
	{2, 4}, {2, 4}, {2, 4}, {4, 4}, {4, 4}, {4, 4}, // of a batch, and square
	{2, 4, 5, 5}, {2, 4, 5, 5}, {2, 4, 5, 5}, // images
	{4, 4, 3, 3}, {4, 4, 3, 3}, {4, 4, 3, 3}, {4, 4, 1, 3}, {4, 4, 1, 3}, {4, 4, 1, 3},
	{4, 4, 3, 1}, {4, 4, 3, 1}, {4, 4, 3, 1}, {4, 1, 3, 3}, // kernels
	{}, // a scalar
}

var (
	tasoOne      = []int64{2, 4, 5, 5}
	tasoChannels = []int64{4}
)

// tied is the variable that stands for a size of TASO's, so that sizes are equal
// where TASO's are. Kernels keep their numbers (1 and 3).
func tied(n int64) graph.Dim {
	if name, ok := map[int64]string{2: "batch", 4: "channels", 5: "side"}[n]; ok {
		return graph.Var(name)
	}
	return graph.Int(n)
}

// eachPadding puts every padding in the place of the variable of sort same.
func eachPadding(l *law.Law) (out []*law.Law) {
	for _, pad := range []string{graph.SameUpper, graph.SameLower} {
		b := &graph.Substitution{Attrs: map[string]graph.Value{}}
		for _, g := range l.Given {
			if g.Sort == graph.SortSame {
				b.Attrs[g.Name] = graph.NameValue(pad)
			}
		}
		if len(b.Attrs) == 0 {
			return []*law.Law{l}
		}
		out = append(out, l.Subst(b))
	}
	return out
}

// withTASOSizes gives a translated law TASO's sizes, written by size. There is no
// such law if inputs are not TASO's or types do not fit.
func withTASOSizes(l *law.Law, size func(int64) graph.Dim) []*law.Law {
	out, err := sized(l, size)
	if err != nil {
		return nil
	}
	return []*law.Law{out}
}

func sized(l *law.Law, size func(int64) graph.Dim) (*law.Law, error) {
	shape := func(s []int64) graph.Shape {
		out := make(graph.Shape, len(s))
		for i, n := range s {
			out[i] = graph.Axis(size(n))
		}
		return out
	}
	want := map[string]graph.Shape{}
	runs := &graph.Substitution{Runs: map[string]graph.Shape{}}
	for _, g := range l.Given {
		if g.Sort != "" {
			continue
		}
		n, err := strconv.Atoi(strings.TrimPrefix(g.Name, "X"))
		if err != nil || n < 1 || n > len(tasoInputs) {
			return nil, fmt.Errorf("%s is no input of TASO's generator", g.Name)
		}
		want[g.Name] = shape(tasoInputs[n-1])
		if len(g.Shape) == 1 && g.Shape[0].AxisRun != "" {
			runs.Runs[g.Shape[0].AxisRun] = want[g.Name]
		}
	}
	l = l.Subst(runs)
	f := graph.Solver()
	for _, g := range l.Given {
		if s, ok := want[g.Name]; ok {
			if err := f.EqShape(g.Shape, s); err != nil {
				return nil, err
			}
		}
	}
	var err error
	equal := func(a graph.Shape, b []int64) {
		if e := f.EqShape(a, shape(b)); e != nil && err == nil {
			err = e
		}
	}
	for _, side := range [][]*law.Term{l.LHS, l.RHS} {
		for _, t := range side {
			t.Walk(func(u *law.Term) {
				switch {
				case u.Op == nil || len(u.Args) > 0:
				case u.Op.Name == "one":
					s, _ := u.Attrs[0].Shape()
					equal(s, tasoOne)
				default: // imatmul, iconv, cpool
					d, _ := u.Attrs[0].Dim()
					equal(graph.Shape{graph.Axis(d)}, tasoChannels)
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
