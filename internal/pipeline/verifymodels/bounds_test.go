package verifymodels

import (
	"context"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// What networks compute lies between the bounds of it.
func TestBounds(t *testing.T) {
	seen, bounded := 0, 0
	for _, name := range []string{"resnet50-tiny", "inceptionv3-full-tiny", "mobilenetv2-full-tiny", "nasrnn-tiny", "bert-base-64-tiny"} {
		m, err := models.Build(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := rangesOf(m, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(2) {
			in := make([]interp.Tensor[float64], len(m.Inputs()))
			for i, id := range m.Inputs() {
				in[i] = interp.Tensor[float64]{Sizes: m.Graph.Sizes(id.Out(0)), Data: make([]float64, graph.NumElements(m.Graph.Sizes(id.Out(0))))}
				for j := range in[i].Data {
					in[i].Data[j] = 4 * unit(draw(seed, 0, input{name: m.Graph.Name(id)}, j))
				}
			}
			e := interp.Evaluator[float64]{Ring: floats{}, Input: func(id graph.NodeID) (interp.Tensor[float64], error) {
				for i, x := range m.Inputs() {
					if x == id {
						return in[i], nil
					}
				}
				return loadWeight(floats{}, m.Weights[id])
			}, Done: func(id graph.NodeID, out []interp.Tensor[float64]) {
				for k, y := range out {
					b := r.of[id.Out(k)]
					if seen++; b != anything {
						bounded++
					}
					for _, x := range y.Data {
						if !(b.lo <= x && x <= b.hi) {
							t.Fatalf("%s: %s is %v, not between %v and %v", name, m.Graph.Name(id), x, b.lo, b.hi)
						}
					}
				}
			}}
			if _, err := e.Run(context.Background(), m.Graph); err != nil {
				t.Fatal(err)
			}
		}
	}
	if bounded < seen/10 {
		t.Errorf("%d of %d tensors have bounds", bounded, seen)
	}
}
