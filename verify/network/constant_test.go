package network_test

import (
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/verify/network"
)

// A weight is the term of a number where all of its elements are that number, and nowhere
// else: an equation that says so of other weights is about other models.
func TestConstant(t *testing.T) {
	const head = "x : float32[2, 3]\nw : weight float32[2, 3]\nr : weight float32[3]\n"
	const given = "given X : [2, 3], W : [2, 3], R : [3] then "
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	all := func(x float32) []float32 { return []float32{x, x, x, x, x, x} }
	sum := func(term string) string { return given + "ewadd(X, " + term + ") == X" }
	const zeros = "fill[shape=[2, 3], value=0]()"
	for _, c := range []struct {
		name, body, eq string
		w              []float32
		is             bool
	}{
		{"zeros", "y = ewadd(x, w)", sum(zeros), all(0), true},
		{"negative zeros", "y = ewadd(x, w)", sum(zeros), all(float32(math.Copysign(0, -1))), true},
		{"halves", "y = ewadd(x, w)", sum("fill[shape=[2, 3], value=0.5]()"), all(0.5), true},
		{"ones", "y = ewadd(x, w)", sum("one[shape=[2, 3]]()"), all(1), true},
		{"zeros in rows", "b = broadcast[shape=[2, 3]](r)\ny = ewadd(x, b)", sum(zeros), all(0), true},
		{"zeros that are moved", "b = transpose(w)\nc = transpose(b)\ny = ewadd(x, c)", sum(zeros), all(0), true},
		{"not all are zero", "y = ewadd(x, w)", sum(zeros), []float32{0, 0, 0, 0, 0, 1e-30}, false},
		{"tiny numbers", "y = ewadd(x, w)", sum(zeros), all(1e-30), false},
		{"another number", "y = ewadd(x, w)", sum("one[shape=[2, 3]]()"), all(0), false},
		{"a part of the number", "y = ewadd(x, w)", sum("fill[shape=[2, 3], value=1, den=2]()"), all(1), false},
		{"another shape", "b = broadcast[shape=[2, 3]](r)\ny = ewadd(x, b)", given + "ewadd(X, broadcast[shape=[2, 3]](fill[shape=[1, 3], value=0]())) == X", all(0), false},
		{"infinite", "y = ewadd(x, w)", sum("fill[shape=[2, 3], value=inf]()"), all(inf), false},
		{"not a number", "y = ewadd(x, w)", sum("fill[shape=[2, 3], value=nan]()"), all(nan), false},
		{"what is computed with", "b = exp(w)\ny = ewadd(x, b)", sum("one[shape=[2, 3]]()"), all(0), false},
		{"an input", "y = ewadd(x, x)", given + "ewadd(X, " + zeros + ") == X", all(0), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := read(t, head+c.body+"\nreturn y"), read(t, head+"return x")
			for id := range a.Weights {
				sizes := a.Graph.Sizes(id.Out(0))
				a.Weights[id] = model.FromFloat32(sizes, c.w[:graph.NumElements(sizes)])
			}
			if _, err := network.Check(equation(t, c.eq), a, b); (err == nil) != c.is {
				t.Errorf("got %v, want an equation about the models: %t", err, c.is)
			}
		})
	}
}
