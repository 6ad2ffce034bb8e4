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
		[]law.InstanceText{{Law: "transpose_transpose", Tensors: map[string]string{"X": "W"}, Dims: map[string]string{"m": "3", "n": "2"}}}, "")
	refused(t, cert, a, b, "sizes")
}
