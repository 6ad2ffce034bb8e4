package general

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// The meaning of a composite with weights of its own is that of the operator it
// stands for, with those numbers.
func TestHiddenWeights(t *testing.T) {
	sizes := [][]int{{2, 3, 4}}
	m, err := LayerNorm.Op.Program(nil, sizes, sizes)
	if err != nil {
		t.Fatal(err)
	}
	in := [][]float64{{1, 2, 4, 8, 1, 1, 3, 9, 5, 0, 2, 2, 7, 1, 0, 4, 3, 3, 1, 6, 2, 9, 9, 1}}
	got := interp.Run[float64](interp.Float{}, m, in)[0]
	var consts [][]int64
	for _, st := range m.Steps {
		if st.Kind == graph.StepConst && st.N == 4 {
			consts = append(consts, st.C)
		}
	}
	if len(consts) != 2 {
		t.Fatalf("%d constants of four elements, want a scale and a bias", len(consts))
	}
	op, _ := graph.Lookup("layernorm")
	real, err := op.Program(graph.Attrs{graph.IntValue(2), graph.NumberValue(0.5)}, [][]int{{2, 3, 4}, {4}, {4}}, sizes)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range consts {
		var xs []float64
		for _, v := range c {
			xs = append(xs, float64(v))
		}
		in = append(in, xs)
	}
	want := interp.Run[float64](interp.Float{}, real, in)[0]
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
