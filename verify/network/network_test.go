package network_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/verify/network"
)

// read is a model without weights of floating-point numbers, from its text.
func read(t *testing.T, text string) *model.Model {
	t.Helper()
	g, err := graph.ParseText("model", text)
	if err != nil {
		t.Fatal(err)
	}
	m := &model.Model{Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			m.Weights[id] = model.Random(model.Seed(1, g.Name(id)), g.Sizes(id.Out(0)), 1)
		}
	}
	return m
}

func equation(t *testing.T, text string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw("rule network " + text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func ExampleCheck() {
	g, err := graph.ParseText("a", "x : float32[2]\ny = ewadd(x, x)\nreturn y")
	if err != nil {
		fmt.Println(err)
		return
	}
	h, _ := graph.ParseText("b", "x : float32[2]\ny = neg(x)\nz = ewsub(x, y)\nreturn z")
	eq, err := law.ParseLaw("rule network given X : [2] then ewadd(X, X) == ewsub(X, neg(X))")
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := &model.Model{Name: "a", Graph: g}, &model.Model{Name: "b", Graph: h}
	// That the equation holds is for package check to say.
	rep, err := network.Check(eq, a, b)
	fmt.Println(rep.Inputs, rep.Outputs, err)
	_, err = network.Check(eq, b, a)
	fmt.Println(err)
	// Output:
	// 1 1 <nil>
	// first model: output 0: node z is ewsub, the equation has ewadd
}

// Operands of commutative operators are found in either order, also where what was noted
// on the way has to be taken back: one variable stands for nodes that compute the same,
// and for no others.
func TestTwins(t *testing.T) {
	const head = "x : float32[2]\ni : int64[2]\nj : int64[2]\n"
	const given = "given X : [2], I : [2], J : [2], Z0 : [2], Z1 : [2] then "
	const f, g = "cast[to=float32](Z0)", "cast[to=float32](Z1)"
	sum := func(parts string) string {
		return "p = ewmul(i, j)\nq = ewadd(i, j)\nr = ewmul(i, j)\n" + parts + "return s"
	}
	text := head + sum("a = cast[to=float32](p)\nb = cast[to=float32](q)\nc = cast[to=float32](r)\nd = ewadd(a, b)\ne = ewadd(c, x)\ns = ewmul(d, e)\n")
	a := read(t, text)
	all := func(term string) string { return "(" + term + ", I, J, I, J)" }
	for _, c := range []struct {
		term, why string
	}{
		{"ewmul(ewadd(" + f + ", " + g + "), ewadd(" + f + ", X))", ""},
		{"ewmul(ewadd(" + f + ", X), ewadd(" + g + ", " + f + "))", ""},
		{"ewmul(ewadd(X, " + f + "), ewadd(" + f + ", " + g + "))", ""},
		// The sum is not the product.
		{"ewmul(ewadd(" + f + ", " + f + "), ewadd(" + f + ", X))", "is another tensor"},
		{"ewmul(ewadd(" + f + ", " + g + "), ewadd(" + g + ", X))", "is another tensor"},
	} {
		// Which of Z0 and Z1 is met first, the terms decide.
		eq := equation(t, given+all(c.term)+" == "+all(c.term))
		_, err := network.Check(eq, a, a)
		if c.why == "" && err != nil || c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)) {
			t.Errorf("%s: %v, want %q", c.term, err, c.why)
		}
		// The result has each node once, in any order of operands.
		b := read(t, head+"p = ewmul(i, j)\nq = ewadd(i, j)\na = cast[to=float32](p)\nb = cast[to=float32](q)\nd = ewadd(b, a)\ne = ewadd(x, a)\ns = ewmul(e, d)\nreturn s")
		if _, err := network.Check(eq, a, b); (err == nil) != (c.why == "") {
			t.Errorf("%s: %v", c.term, err)
		}
		// Another one adds where it should multiply.
		b = read(t, head+"p = ewmul(i, j)\nq = ewadd(i, j)\na = cast[to=float32](p)\nb = cast[to=float32](q)\nd = ewadd(b, a)\ne = ewadd(x, b)\ns = ewmul(e, d)\nreturn s")
		if _, err := network.Check(eq, a, b); err == nil {
			t.Errorf("%s: accepted for another model", c.term)
		}
	}
	// A node with other operands is no twin.
	other := read(t, strings.Replace(text, "r = ewmul(i, j)", "r = ewmul(i, i)", 1))
	term := all("ewmul(ewadd(" + f + ", " + g + "), ewadd(" + f + ", X))")
	if _, err := network.Check(equation(t, given+term+" == "+term), other, a); err == nil {
		t.Error("what has other operands is taken for a twin")
	}
}

// Weights without numbers are not the same weights.
func TestWithoutNumbers(t *testing.T) {
	m := read(t, "x : float32[2]\nw : weight float32[2]\nz = ewadd(x, w)\nreturn z")
	m.Weights = nil
	if _, err := network.Check(equation(t, "given X : [2], W : [2] then ewadd(X, W) == ewadd(X, W)"), m, m); err == nil {
		t.Error("accepted")
	}
}

// What is deeper than the stack allows, or takes too much to compute again, is refused.
func TestLimits(t *testing.T) {
	var b graph.Builder
	x, err := b.AddInput("x", graph.Float32, 1)
	if err != nil {
		t.Fatal(err)
	}
	y, u := x, law.V("X")
	for range 100_001 {
		id, err := b.Apply("", op.Relu, nil, y)
		if err != nil {
			t.Fatal(err)
		}
		y, u = id.Out(0), law.Apply(op.Relu, nil, u)
	}
	g, err := b.Finish(y)
	if err != nil {
		t.Fatal(err)
	}
	deep := &model.Model{Graph: g}
	eq := &law.Law{Name: "network", Given: []law.Declaration{{Name: "X", Shape: graph.Sizes(1)}}, LHS: []*law.Term{u}, RHS: []*law.Term{u}}
	if _, err := network.Check(eq, deep, deep); err == nil || !strings.Contains(err.Error(), "operators below") {
		t.Errorf("got %v", err)
	}
	// A sum over what is repeated 100,000 times.
	const repeated = "reducesum[axes=(0)](broadcast[shape=[100000, 50000]](W))"
	a := read(t, "x : float32[50000]\nw : weight float32[1, 50000]\nc = broadcast[shape=[100000, 50000]](w)\nd = reducesum[axes=(0)](c)\nz = ewadd(x, d)\nreturn z")
	c := read(t, "x : float32[50000]\nd : weight float32[50000]\nz = ewadd(x, d)\nreturn z")
	side := "ewadd(X, " + repeated + ")"
	if _, err := network.Check(equation(t, "given X : [50000], W : [1, 50000] then "+side+" == "+side), a, c); err == nil || !strings.Contains(err.Error(), "numbers to compute") {
		t.Errorf("got %v", err)
	}
}
