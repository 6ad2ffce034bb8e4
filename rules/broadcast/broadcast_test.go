package broadcast_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/broadcast"
	"pgregory.net/rapid"
)

func parseLaw(t testing.TB, text string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return l
}

type tensor = interp.Tensor[float64]

// spreadTo is a tensor repeated to a shape, cell by cell.
func spreadTo(x tensor, sizes []int) (tensor, error) {
	front := len(sizes) - len(x.Sizes)
	if front < 0 {
		return x, errors.New("too many axes")
	}
	for i, n := range x.Sizes {
		if n != 1 && n != sizes[front+i] {
			return x, fmt.Errorf("%v does not fit %v", x.Sizes, sizes)
		}
	}
	y := tensor{Sizes: sizes}
	graph.Each(sizes, func(_ int, at []int) {
		p := 0
		for i, n := range x.Sizes {
			p *= n
			if n > 1 {
				p += at[front+i]
			}
		}
		y.Data = append(y.Data, x.Data[p])
	})
	return y, nil
}

// evaluate reads a term with broadcasting: an account of it of its own, which
// knows neither the operator broadcast nor patterns.
func evaluate(t *law.Term, in map[string]tensor) (tensor, error) {
	if t.IsVar() {
		return in[t.Var], nil
	}
	args := make([]tensor, len(t.Args))
	for i, a := range t.Args {
		var err error
		if args[i], err = evaluate(a, in); err != nil {
			return tensor{}, err
		}
	}
	if t.Op == op.EWAdd || t.Op == op.EWMul {
		x, y := args[0].Sizes, args[1].Sizes
		n := max(len(x), len(y))
		sizes := make([]int, n)
		for i := range sizes {
			sizes[i] = 1
			if k := i - n + len(x); k >= 0 {
				sizes[i] = max(sizes[i], x[k])
			}
			if k := i - n + len(y); k >= 0 {
				sizes[i] = max(sizes[i], y[k])
			}
		}
		for i := range args {
			var err error
			if args[i], err = spreadTo(args[i], sizes); err != nil {
				return tensor{}, err
			}
		}
	}
	if t.Fn != "" { // some function that keeps nothing
		y := tensor{Sizes: args[0].Sizes}
		for _, v := range args[0].Data {
			y.Data = append(y.Data, v*v*v-7*v+3)
		}
		return y, nil
	}
	out, err := interp.Apply(interp.Float{}, t.Op, t.Attrs, args)
	if err != nil {
		return tensor{}, err
	}
	return out[t.Out], nil
}

// sized draws inputs of a law's shapes, with axes of size 1 instead, and
// missing in front, if that is wanted.
func sized(t *rapid.T, l *law.Law, missing bool) map[string]tensor {
	b := &graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}}
	draw := func(a graph.Atom) {
		switch a.Kind {
		case graph.AtomVar:
			if _, ok := b.Dims[a.Name]; !ok {
				b.Dims[a.Name] = graph.Int(rapid.Int64Range(1, 3).Draw(t, a.Name))
			}
		case graph.AtomAxisRun:
			if _, ok := b.Runs[a.Name]; !ok {
				b.Runs[a.Name] = graph.Sizes(rapid.SliceOfN(rapid.IntRange(1, 3), 0, 2).Draw(t, a.Name)...)
			}
		}
	}
	out := map[string]tensor{}
	for _, g := range l.Given {
		if g.Sort != "" {
			continue
		}
		g.Shape.Walk(draw)
		sizes, _ := g.Shape.Subst(b).Concrete()
		sizes = slices.Clone(sizes)
		for i := range sizes {
			if rapid.IntRange(0, 3).Draw(t, "single") == 0 {
				sizes[i] = 1
			}
		}
		if missing && len(sizes) > 0 && rapid.IntRange(0, 5).Draw(t, "missing") == 0 {
			sizes = sizes[rapid.IntRange(0, len(sizes)).Draw(t, "front"):]
		}
		x := tensor{Sizes: sizes}
		for range graph.NumElements(sizes) {
			x.Data = append(x.Data, float64(rapid.IntRange(-3, 3).Draw(t, "cell")))
		}
		out[g.Name] = x
	}
	return out
}

// agree says whether the sides of a law are equal under broadcasting; defined
// is whether the left side is.
func agree(l *law.Law, in map[string]tensor) (defined bool, fault string) {
	for i := range l.LHS {
		x, err := evaluate(l.LHS[i], in)
		if err != nil {
			return false, ""
		}
		y, err := evaluate(l.RHS[i], in)
		switch {
		case err != nil:
			return true, "only the left side is defined: " + err.Error()
		case !slices.Equal(x.Sizes, y.Sizes):
			return true, fmt.Sprintf("shapes %v and %v", x.Sizes, y.Sizes)
		case !slices.Equal(x.Data, y.Data):
			return true, fmt.Sprintf("%v and %v", x.Data, y.Data)
		}
	}
	return true, ""
}

var cellwiseLaws = []struct {
	text     string
	cellwise bool // the theorem applies
	equal    bool // as polynomials
}{
	{"rule a given X : [P..], Y : [P..], Z : [P..] then ewadd(X, ewadd(Y, Z)) == ewadd(Y, ewadd(Z, X))", true, true},
	{"rule b given X : [P..], Y : [P..], Z : [P..] then ewmul(X, ewadd(Y, Z)) == ewadd(ewmul(Z, X), ewmul(X, Y))", true, true},
	{"rule c given X : [P..], Y : [P..], A : [] then smul(ewmul(X, Y), A) == ewmul(smul(Y, A), X)", true, true},
	{"rule d given X : [P..], Y : [P..] then relu(ewadd(X, relu(relu(Y)))) == relu(ewadd(X, relu(Y)))", true, false},
	{"rule e given f : pointwise1, X : [P..], Y : [P..] then f(ewadd(X, Y)) == f(ewadd(Y, X))", true, true},
	{"rule f given X : [m, n], Y : [m, n] then matmul(ewadd(X, Y), transpose(X)) == matmul(ewadd(Y, X), transpose(X))", false, true},
	{"rule g given X : [m, n], Y : [m, n] then transpose(ewadd(X, Y)) == ewadd(transpose(X), transpose(Y))", false, false},
	{"rule h given X : [P..], Y : [P..] then ewmul(X, one[shape=[P..]]()) == X", false, false},
	{"rule i given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(X, X)", false, false},
	{"rule j given X : [n], Y : [n] where 2 <= n then ewadd(X, Y) == ewadd(Y, X)", false, true},
}

func TestCellwise(t *testing.T) {
	for _, c := range cellwiseLaws {
		l := parseLaw(t, c.text)
		if got := broadcast.Cellwise(l); got != c.cellwise {
			t.Errorf("%s: cell by cell is %v", c.text, got)
		}
		if got := broadcast.EqualCellwise(l.LHS[0], l.RHS[0]); got != c.equal {
			t.Errorf("%s: equal as polynomials is %v", c.text, got)
		}
	}
}

// The theorem: such laws hold under broadcasting, both ways.
func TestCellwiseLawsBroadcast(t *testing.T) {
	for _, c := range cellwiseLaws {
		l := parseLaw(t, c.text)
		if !c.cellwise && !c.equal {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			defined := 0
			rapid.Check(t, func(t *rapid.T) {
				in := sized(t, l, true)
				if len(l.Given) > 0 && l.Given[len(l.Given)-1].Name == "A" {
					in["A"] = tensor{Data: []float64{2}}
				}
				ok, fault := agree(l, in)
				back := *l
				back.LHS, back.RHS = l.RHS, l.LHS
				okBack, faultBack := agree(&back, in)
				if fault != "" || faultBack != "" || ok != okBack {
					t.Fatalf("%v: %s; %s", in, fault, faultBack)
				}
				if ok {
					defined++
				}
			})
			if defined == 0 {
				t.Error("never defined")
			}
		})
	}
}

// Polynomials too large to write out are compared as they stand.
func TestEqualCellwiseLarge(t *testing.T) {
	x, y := law.V("X"), law.V("Y")
	sum := func(a, b *law.Term) *law.Term { return law.Apply(op.EWAdd, graph.Attrs{}, a, b) }
	power := func(a *law.Term) *law.Term {
		for range 12 {
			a = law.Apply(op.EWMul, graph.Attrs{}, a, a)
		}
		return a
	}
	if !broadcast.EqualCellwise(power(sum(x, y)), power(sum(y, x))) {
		t.Error("powers of one sum differ")
	}
	if broadcast.EqualCellwise(power(sum(x, y)), power(sum(x, x))) {
		t.Error("powers of two sums are equal")
	}
}

func TestBroadcastings(t *testing.T) {
	for _, c := range []struct {
		text           string
		laws, oneSided int
		bound          string
	}{
		// Rows of size 1 on either side, and the law itself.
		{"rule a given X : [m, k], Y : [m, k], Z : [k, n] then ewadd(matmul(X, Z), matmul(Y, Z)) == matmul(ewadd(X, Y), Z)", 3, 0, ""},
		// Right to left, an inner axis of size 1 has no product, and nor has a
		// vector: six patterns, and eight with fewer axes.
		{"rule b given X : [m, k], Y : [m, k], Z : [k, n] then matmul(ewadd(X, Y), Z) == ewadd(matmul(X, Z), matmul(Y, Z))", 3, 14, ""},
		{"rule c given X : [n, a], Y : [n, b], Z : [a, m], W : [b, m] then ewadd(matmul(X, Z), matmul(Y, W)) == matmul(concat[axis=1](X, Y), concat[axis=0](Z, W))", 1, 8, ""},
		// No element-wise operator on the left side; or nothing else.
		{"rule d given X : [m, k], Y : [k, n] then transpose(matmul(X, Y)) == matmul(transpose(Y), transpose(X))", 1, 0, ""},
		{"rule e given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)", 1, 0, ""},
		// Axis runs.
		{"rule f given X : [P.., n], Y : [P.., n] then ewadd(slice[axis=#P, lo=0, hi=1](X), slice[axis=#P, lo=0, hi=1](Y)) == slice[axis=#P, lo=0, hi=1](ewadd(X, Y))", 3, 0, ""},
		{"rule g given X : [P..], Y : [P..] then ewadd(X, slice[axis=0, lo=0, hi=1](concat[axis=0](one[shape=[1, #P]](), one[shape=[2, #P]]()))) == X", 0, 0, "error"},
	} {
		l, err := law.ParseLaw(c.text)
		var got *broadcast.Patterns
		if err == nil {
			got, err = broadcast.All(l, broadcast.Options{})
		}
		if c.bound == "error" {
			if err == nil {
				t.Errorf("%s: no error", c.text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if len(got.Laws) != c.laws || len(got.OneSided) != c.oneSided || got.Bound != c.bound || got.Complete != (c.bound == "") {
			t.Errorf("%s: %d laws and %d one-sided, %q", c.text, len(got.Laws), len(got.OneSided), got.Bound)
			for _, b := range slices.Concat(got.Laws, got.OneSided) {
				t.Logf("%d axes, %v\n%s", b.Axes, b.Err, law.Format(b.Law))
			}
		}
		axes := 0
		for _, b := range got.Laws {
			if _, err := b.Law.Types(); err != nil || !b.Law.OneWay || b.Axes < axes {
				t.Errorf("%d axes after %d: %v\n%s", b.Axes, axes, err, law.Format(b.Law))
			}
			axes = b.Axes
		}
		for _, b := range got.OneSided {
			if _, err := b.Law.Types(); err == nil || !errors.Is(b.Err, broadcast.ErrNotDefined) && !errors.Is(b.Err, broadcast.ErrOtherShape) {
				t.Errorf("%v, %v\n%s", b.Err, err, law.Format(b.Law))
			}
		}
	}
}

func TestBroadcastingsBound(t *testing.T) {
	l := parseLaw(t, "rule a given X : [m, k], Y : [m, k], Z : [k, n] then matmul(ewadd(X, Y), Z) == ewadd(matmul(X, Z), matmul(Y, Z))")
	got, err := broadcast.All(l, broadcast.Options{Patterns: 4})
	if err != nil || got.Complete || got.Bound != "more than 4 patterns" || len(got.Laws)+len(got.OneSided) != 4 {
		t.Errorf("%+v, %v", got, err)
	}
	n := 0
	bound, err := broadcast.Each(l, broadcast.Options{}, func(broadcast.Pattern) bool { n++; return n < 3 })
	if err != nil || n != 3 || bound != "not all patterns were asked for" {
		t.Errorf("%d patterns, %q, %v", n, bound, err)
	}
	l.LHS[0] = law.V("Z")
	if _, err := broadcast.All(l, broadcast.Options{}); err == nil || !strings.Contains(err.Error(), "broadcast: law a") {
		t.Errorf("an ill-typed law: %v", err)
	}
}

// Sizes that only broadcasting's absence made equal come apart.
func TestBroadcastingsGeneral(t *testing.T) {
	l := parseLaw(t, "rule a given X : [m, n], Y : [m, n], Z : [m, n] then concat[axis=1](ewadd(X, Y), ewadd(Y, Z)) == ewadd(concat[axis=1](X, Y), concat[axis=1](Y, Z))")
	got, err := broadcast.All(l, broadcast.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range got.OneSided {
		if s := b.Law.VarShapes(); s["X"].String() == "[m, n]" && s["Y"].String() == "[m, 1]" && s["Z"].String() == "[m, nb]" {
			return
		}
	}
	t.Error("no pattern with X : [m, n], Y : [m, 1], Z : [m, nb]")
}

// An input of the law's shapes, with ones, for which the left side is defined,
// is an instance of a pattern: of which the sides agree as the law's do.
func TestPatternsCover(t *testing.T) {
	for _, text := range []string{
		"rule a given X : [m, k], Y : [m, k], Z : [k, n] then ewadd(matmul(X, Z), matmul(Y, Z)) == matmul(ewadd(X, Y), Z)",
		"rule b given X : [m, k], Y : [m, k], Z : [k, n] then matmul(ewadd(X, Y), Z) == ewadd(matmul(X, Z), matmul(Y, Z))",
		"rule c given X : [m, n], Y : [m, n], Z : [n, m] then ewmul(transpose(ewadd(X, Y)), Z) == ewadd(ewmul(transpose(X), Z), ewmul(Z, transpose(Y)))",
		"rule d given X : [m, 1], Y : [m, 1], Z : [m, 1], W : [m, 1] then ewadd(concat[axis=1](X, Y), concat[axis=1](Z, W)) == concat[axis=1](ewadd(X, Z), ewadd(Y, W))",
	} {
		l := parseLaw(t, text)
		got, err := broadcast.All(l, broadcast.Options{})
		if err != nil || !got.Complete {
			t.Fatalf("%s: %v", text, err)
		}
		t.Run(l.Name, func(t *testing.T) {
			met := 0
			rapid.Check(t, func(t *rapid.T) {
				in := sized(t, l, false) // fewer axes may be left to the pattern with all
				if ok, _ := agree(l, in); !ok {
					return
				}
				for _, b := range slices.Concat(got.Laws, got.OneSided) {
					f := graph.Solver()
					fits := true
					for v, s := range b.Law.VarShapes() {
						fits = fits && f.EqShape(s, graph.Sizes(in[v].Sizes...)) == nil
					}
					if fits {
						met++
						return
					}
				}
				t.Fatalf("%v is an instance of no pattern", in)
			})
			if met == 0 {
				t.Error("never defined")
			}
		})
	}
}

func ExampleAll() {
	l, _ := law.ParseLaw("rule add given X : [m, k], Y : [m, k], Z : [k, n] then ewadd(matmul(X, Z), matmul(Y, Z)) == matmul(ewadd(X, Y), Z)")
	b, err := broadcast.All(l, broadcast.Options{})
	fmt.Println(len(b.Laws), len(b.OneSided), b.Complete, err)
	fmt.Print(law.Format(b.Laws[1].Law))
	// Output:
	// 3 0 true <nil>
	// rule add
	//   given X : [1, k], Y : [m, k], Z : [k, n]
	//   then  ewadd(broadcast[shape=[m, n]](matmul(X, Z)), matmul(Y, Z))
	//      => matmul(ewadd(broadcast[shape=[m, k]](X), Y), Z)
}

func ExampleEach() {
	l, _ := law.ParseLaw("rule rows given X : [n, a], Y : [n, a], Z : [m, a], W : [m, a] then concat[axis=0](ewadd(X, Y), ewadd(Z, W)) == ewadd(concat[axis=0](X, Z), concat[axis=0](Y, W))")
	broadcast.Each(l, broadcast.Options{}, func(b broadcast.Pattern) bool {
		if b.Err != nil {
			fmt.Println(b.Law.VarShapes()["X"], errors.Is(b.Err, broadcast.ErrNotDefined))
		}
		return b.Err == nil
	})
	// Output: [1, a] true
}

func ExampleExplicit() {
	l := &law.Law{Kind: law.Rule, Name: "bias"}
	l.Given = []law.Declaration{
		{Name: "X", Shape: graph.ShapeOf(graph.Var("m"), graph.Var("n"))},
		{Name: "B", Shape: graph.ShapeOf(graph.Var("n"))},
	}
	x, b := law.V("X"), law.V("B")
	l.LHS = []*law.Term{law.Apply(op.EWAdd, graph.Attrs{}, x, b)}
	l.RHS = []*law.Term{law.Apply(op.EWAdd, graph.Attrs{}, b, x)}
	m, err := broadcast.Explicit(l, broadcast.Options{})
	fmt.Println(m.LHS[0], err)
	// Output: ewadd(X, broadcast[shape=[m, n]](B)) <nil>
}

func ExampleCellwise() {
	l, _ := law.ParseLaw("rule r given X : [P..], Y : [P..] then relu(ewadd(X, relu(relu(Y)))) == relu(ewadd(X, relu(Y)))")
	fmt.Println(broadcast.Cellwise(l), broadcast.EqualCellwise(l.LHS[0], l.RHS[0]))
	// Output: true false
}

func ExampleEqualCellwise() {
	l, _ := law.ParseLaw("rule r given X : [m, n], Y : [m, n] then transpose(ewmul(X, ewadd(X, Y))) == transpose(ewadd(ewmul(Y, X), ewmul(X, X)))")
	fmt.Println(broadcast.EqualCellwise(l.LHS[0], l.RHS[0]))
	// Output: true
}
