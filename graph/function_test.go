package graph_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	_ "github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

// drawFunction draws a function of one element; with variables some of its
// parameters are some.
func drawFunction(t *rapid.T, variables bool) (*graph.Op, graph.Attrs) {
	var ops []*graph.Op
	for _, op := range graph.Ops() {
		if op.IsFunction() {
			ops = append(ops, op)
		}
	}
	op := rapid.SampledFrom(ops).Draw(t, "op")
	a := make(graph.Attrs, len(op.Params))
	for i := range a {
		x := rapid.SampledFrom([]float64{0, 1, -1, 0.1, 6, 1e-5, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1)}).Draw(t, "x")
		a[i] = graph.NumberValue(x)
		if variables && rapid.Bool().Draw(t, "variable") {
			a[i] = graph.VarValue("e", graph.SortNumber)
		}
	}
	return op, a
}

// A function's name says which function it is.
func TestFunctionNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		op, a := drawFunction(t, true)
		name := graph.FunctionName(op, a)
		back, b, ok := graph.ParseFunctionName(name)
		if !ok || back != op || !a.Equal(b) {
			t.Fatalf("%s is read as %v%v (%v)", name, back, b, ok)
		}
	})
	for _, bad := range []string{"", "f", "ewadd", "concat[axis=0]", "batchnorm[eps=0.1]", "cast[to=bool]", "leakyrelu", "leakyrelu[]",
		"leakyrelu[alpha=0.1", "leakyrelu[alpha=0.1]x", "leakyrelu[alpha=0.1, alpha=0.1]", "leakyrelu[alpha=0.1, beta=1.0]",
		"leakyrelu[alpha=]", "leakyrelu[0.1]", "leakyrelu(0.1)", "relu[alpha=0.1]", "clip[lo=0.0]"} {
		if op, _, ok := graph.ParseFunctionName(bad); ok {
			t.Errorf("%q is read as %s", bad, op.Name)
		}
	}
	if op, _, ok := graph.ParseFunctionName("clip[ hi = 6, lo=e ]"); !ok || op.Name != "clip" {
		t.Error("attributes are read in one order only")
	}
}

// What is said to be 0 at 0 is, in float64 arithmetic and among the rationals,
// if these know the function; and what both say is 0 there, with finite
// parameters, is said to be.
func TestKeepsZero(t *testing.T) {
	met := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		op, a := drawFunction(t, false)
		text := graph.FuncText(op.Name, a...)
		keeps := op.KeepsZero(a)
		if keeps != graph.FuncKeepsZero(text) {
			t.Fatalf("%s: the name and the operator do not agree", text)
		}
		met[keeps]++
		f, q := interp.Float{}.Fn(text, 0), interp.Rational{}.Fn(text, interp.Q{Den: 1})
		if keeps && (f != 0 || !q.IsBad() && q.Num != 0) {
			t.Fatalf("%s is %v at 0, %v among the rationals", text, f, q)
		}
		finite := true
		for i := range a {
			x, _ := a[i].Number()
			finite = finite && !math.IsInf(x, 0)
		}
		if finite && !keeps && f == 0 && !q.IsBad() && q.Num == 0 {
			t.Fatalf("%s is 0 at 0 and not said to be", text)
		}
		for i := range a {
			with := append(graph.Attrs{}, a...)
			with[i] = graph.VarValue("e", graph.SortNumber)
			if op.KeepsZero(with) {
				t.Fatalf("%s%v: of a variable nothing is known", op.Name, with)
			}
		}
	})
	if met[true] == 0 || met[false] == 0 {
		t.Errorf("met %v", met)
	}
	for _, name := range []string{"", "f", "ewadd", "leakyrelu", "leakyrelu(nan)", "relu(0.1)", "clip(0.0)"} {
		if graph.FuncKeepsZero(name) {
			t.Errorf("%q is no function that keeps zero", name)
		}
	}
}

// A slope is part of a function's name: two slopes are two functions.
func ExampleFunctionName() {
	op, attrs, _ := graph.ParseFunctionName("leakyrelu[alpha=0.1]")
	fmt.Println(graph.FunctionName(op, attrs), op.KeepsZero(attrs))
	clip, _ := graph.Lookup("clip")
	fmt.Println(clip.KeepsZero(graph.Attrs{graph.NumberValue(1), graph.NumberValue(6)}))
	// Output:
	// leakyrelu[alpha=0.1] true
	// false
}
