package check_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/check"
)

// Laws with permutation variables may be used at permutations that are written out, of as
// many axes as there are, and say nothing but what they say of these.
func TestPermutationInstances(t *testing.T) {
	parse := func(text string) *law.Law {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	laws := check.Laws{}
	for _, text := range []string{
		"axiom there given X : [S..], q : perm then transpose[perm=inverse(q)](transpose[perm=q](X)) == X",
		"axiom twice given X : [S..], p : perm, q : perm then transpose[perm=p](transpose[perm=q](X)) == transpose[perm=after(q, p)](X)",
		"axiom side given X : [A.., m, B..], Y : [A.., n, B..], q : perm then transpose[perm=q](concat[axis=#A](X, Y)) == concat[axis=at(inverse(q), #A)](transpose[perm=q](X), transpose[perm=q](Y))",
	} {
		l := parse(text)
		laws[l.Name] = l
	}
	perm := func(ns ...int) graph.Value { return graph.TupleValue(ns...) }
	shape := func(names ...string) graph.Shape {
		var s graph.Shape
		for _, n := range names {
			s = append(s, graph.Axis(graph.Var(n)))
		}
		return s
	}
	x, y := law.V("X"), law.V("Y")
	there := "rule r given X : [a, b, c] then transpose[perm=(2, 0, 1)](transpose[perm=(1, 2, 0)](X)) == X"
	back := "rule r given X : [n, n, n] then transpose[perm=(1, 2, 0)](transpose[perm=(1, 2, 0)](X)) == X"
	side := "rule r given X : [a, b, c], Y : [d, b, c] then transpose[perm=(1, 2, 0)](concat[axis=0](X, Y)) == concat[axis=2](transpose[perm=(1, 2, 0)](X), transpose[perm=(1, 2, 0)](Y))"
	wrong := "rule r given X : [n, n, n], Y : [n, n, n] then transpose[perm=(1, 2, 0)](concat[axis=0](X, Y)) == concat[axis=1](transpose[perm=(1, 2, 0)](X), transpose[perm=(1, 2, 0)](Y))"
	use := func(name string, attrs map[string]graph.Value, dims map[string]graph.Dim, runs map[string]graph.Shape, two bool) law.Instance {
		in := law.Instance{Law: name, Tensors: map[string]*law.Term{"X": x}, Attrs: attrs, Dims: dims, Runs: runs}
		if two {
			in.Tensors["Y"] = y
		}
		return in
	}
	abc := map[string]graph.Shape{"S": shape("a", "b", "c")}
	nnn := map[string]graph.Shape{"S": shape("n", "n", "n")}
	beside := map[string]graph.Shape{"A": {}, "B": shape("b", "c")}
	q := func(v graph.Value) map[string]graph.Value { return map[string]graph.Value{"q": v} }
	md := map[string]graph.Dim{"m": graph.Var("a"), "n": graph.Var("d")}
	for _, c := range []struct {
		rule string
		in   law.Instance
		want string // of the error; "": accepted
	}{
		{there, use("there", q(perm(1, 2, 0)), nil, abc, false), ""},
		{there, use("there", q(perm(2, 0, 1)), nil, abc, false), "do not make"},
		{there, use("there", q(perm(0, 1, 2)), nil, abc, false), "do not make"},
		{there, use("there", q(perm(1, 0)), nil, abc, false), "do not fit"},
		{there, use("there", q(perm(1, 2, 0, 3)), nil, abc, false), "do not fit"},
		{there, use("there", q(perm(1, 1, 0)), nil, abc, false), "not of sort perm"},
		{there, use("there", q(perm(1, 2, 3)), nil, abc, false), "not of sort perm"},
		{there, use("there", q(graph.IntValue(1)), nil, abc, false), "not of sort perm"},
		{there, use("there", q(graph.VarValue("q", "perm")), nil, abc, false), "q"},
		{there, use("twice", map[string]graph.Value{"q": perm(1, 2, 0), "p": perm(2, 0, 1)}, nil, abc, false), "do not make"}, // the order of before, and not X
		{back, use("there", q(perm(1, 2, 0)), nil, nnn, false), "do not make"},
		{back, use("twice", map[string]graph.Value{"q": perm(1, 2, 0), "p": perm(1, 2, 0)}, nil, nnn, false), "do not make"},
		{side, use("side", q(perm(1, 2, 0)), md, beside, true), ""},
		{side, use("side", q(perm(2, 0, 1)), md, beside, true), "do not make"},
		{side, use("side", q(perm(1, 2, 0)), md, map[string]graph.Shape{"A": shape("b"), "B": shape("c")}, true), "has shape"},
		{wrong, use("side", q(perm(1, 2, 0)), map[string]graph.Dim{"m": graph.Var("n"), "n": graph.Var("n")},
			map[string]graph.Shape{"A": {}, "B": shape("n", "n")}, true), "shape"},
		{wrong, use("side", q(perm(2, 0, 1)), map[string]graph.Dim{"m": graph.Var("n"), "n": graph.Var("n")},
			map[string]graph.Shape{"A": {}, "B": shape("n", "n")}, true), "shape"},
	} {
		_, err := check.Rule(parse(c.rule), &law.Proof{Instances: []law.Instance{c.in}}, laws)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\nby %s with %v: %v, want %q", c.rule, c.in.Law, c.in.Attrs, err, c.want)
		}
	}
	// What two permutations make depends on their order.
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"rule r given X : [n, n, n] then transpose[perm=(1, 2, 0)](transpose[perm=(1, 0, 2)](X)) == transpose[perm=(0, 2, 1)](X)", true},
		{"rule r given X : [n, n, n] then transpose[perm=(1, 2, 0)](transpose[perm=(1, 0, 2)](X)) == transpose[perm=(2, 1, 0)](X)", false},
	} {
		in := use("twice", map[string]graph.Value{"q": perm(1, 0, 2), "p": perm(1, 2, 0)}, nil, nnn, false)
		if _, err := check.Rule(parse(c.rule), &law.Proof{Instances: []law.Instance{in}}, laws); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.rule, err)
		}
	}
}
