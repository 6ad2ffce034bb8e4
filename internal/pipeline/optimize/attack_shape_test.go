package optimize_test

import (
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
)

// A weight that is computed ahead has the sizes of its term, too: the same numbers as
// three rows of two are another matrix than two rows of three.
func TestComputedSizes(t *testing.T) {
	a := written(t, "x : float32[6]\nw : weight float32[3, 2]\nu = transpose[perm=(1, 0)](w)\nv = reshape[shape=[6]](u)\nz = ewadd(x, v)\nreturn z")
	b := written(t, "x : float32[6]\nw : weight float32[2, 3]\nu = transpose[perm=(1, 0)](w)\nv = reshape[shape=[6]](u)\nz = ewadd(x, v)\nreturn z")
	numbers := []float32{1, 2, 3, 4, 5, 6}
	for id := range a.Weights {
		a.Weights[id] = model.FromFloat32([]int{3, 2}, numbers)
	}
	for id := range b.Weights {
		b.Weights[id] = model.FromFloat32([]int{2, 3}, numbers)
	}
	const left = "ewadd(X, reshape[shape=[6]](transpose(W)))"
	const given = "rule network given X : [6], W : [3, 2] then "
	refused(t, forged(t, given+left+" == "+left, nil, ""), a, b, "variable W is")
	cert := forged(t, given+left+" == ewadd(X, reshape[shape=[6]](transpose(transpose(transpose(W)))))",
		[]law.InstanceText{{Law: "transpose_inverse", Tensors: map[string]string{"X": "W"}, Runs: map[string]string{"S": "[3, 2]"}, Attrs: map[string]string{"q": "(1, 0)"}}}, "")
	refused(t, cert, a, b, "sizes")
}

// numbered gives the weights of a model these numbers, in the order of the weights.
func numbered(t *testing.T, m *model.Model, numbers ...[]float32) *model.Model {
	t.Helper()
	for _, id := range m.Graph.Inputs() {
		if m.Graph.IsWeight(id) {
			m.Weights[id] = model.FromFloat32(m.Graph.Sizes(id.Out(0)), numbers[0])
			numbers = numbers[1:]
		}
	}
	if len(numbers) > 0 {
		t.Fatalf("%d weights too many", len(numbers))
	}
	return m
}

// A weight that is computed ahead has to have what its term is, not what rounding leaves
// of it: sums may be taken in any order, but not all orders have the same result.
func TestComputedByRounding(t *testing.T) {
	const a = "x : float32[1]\nu : weight float32[1]\nv : weight float32[1]\nw : weight float32[1]\np = ewadd(v, w)\nq = ewadd(u, p)\nz = ewmul(x, q)\nreturn z"
	const b = "x : float32[1]\nw : weight float32[1]\nz = ewmul(x, w)\nreturn z"
	const given = "rule network given X : [1], U : [1], V : [1], W : [1] then "
	one := map[string]string{"P": "[1]"}
	sum := forged(t, given+"ewmul(X, ewadd(U, ewadd(V, W))) == ewmul(X, ewadd(ewadd(U, V), W))",
		[]law.InstanceText{{Law: "ewadd_assoc", Tensors: map[string]string{"X": "U", "Y": "V", "Z": "W"}, Runs: one}}, "")
	model1 := func(u, v, w float32) *model.Model {
		return numbered(t, written(t, a), []float32{u}, []float32{v}, []float32{w})
	}
	folded := func(w float32) *model.Model { return numbered(t, written(t, b), []float32{w}) }
	accepted(t, sum, model1(1, 3, -3), folded(1))
	accepted(t, sum, model1(1, 3, -4), folded(0))
	accepted(t, sum, model1(0.1, 1e3, -1e3+1), folded(float32(float64(float32(0.1))+1e3-1e3+1)))
	refused(t, sum, model1(1, 1e20, -1e20), folded(0), "rounding")
	refused(t, sum, model1(1, 1e12, -1e12), folded(float32(1+1e12-1e12)+1), "numbers differ")
	refused(t, sum, model1(1.0000001, 3e16, -3e16), folded(0), "rounding")

	// What is too small for its type is not 0.
	const c = "x : float32[1]\nu : weight float32[1]\nv : weight float32[1]\nw : weight float32[1]\np = ewmul(x, u)\nq = ewmul(p, w)\nz = ewmul(q, v)\nreturn z"
	const d = "x : float32[1]\nk : weight float32[1]\nw : weight float32[1]\np = ewmul(x, k)\nz = ewmul(p, w)\nreturn z"
	product := forged(t, given+"ewmul(ewmul(ewmul(X, U), W), V) == ewmul(ewmul(X, ewmul(U, V)), W)", []law.InstanceText{
		{Law: "ewmul_assoc", Tensors: map[string]string{"X": "X", "Y": "U", "Z": "W"}, Runs: one},
		{Law: "ewmul_assoc", Tensors: map[string]string{"X": "X", "Y": "ewmul(U, W)", "Z": "V"}, Runs: one},
		{Law: "ewmul_assoc", Tensors: map[string]string{"X": "U", "Y": "W", "Z": "V"}, Runs: one},
		{Law: "ewmul_comm", Tensors: map[string]string{"X": "W", "Y": "V"}, Runs: one},
		{Law: "ewmul_assoc", Tensors: map[string]string{"X": "U", "Y": "V", "Z": "W"}, Runs: one},
		{Law: "ewmul_assoc", Tensors: map[string]string{"X": "X", "Y": "ewmul(U, V)", "Z": "W"}, Runs: one},
	}, "")
	first := func(u, v, w float32) *model.Model {
		return numbered(t, written(t, c), []float32{u}, []float32{v}, []float32{w})
	}
	second := func(k, w float32) *model.Model { return numbered(t, written(t, d), []float32{k}, []float32{w}) }
	accepted(t, product, first(0.5, 0.25, 3), second(0.125, 3))
	refused(t, product, first(1e-30, 1e-30, 1e30), second(0, 1e30), "rounding")
}
