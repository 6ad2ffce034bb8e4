package op

import "github.com/taso-go/taso/graph"

// What ewadd and ewmul share.

func sameShape(f *graph.Facts, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
	if err := f.EqShape(in[0], in[1]); err != nil {
		return nil, err
	}
	return one(f.NormShape(in[0]))
}

func binary(k graph.StepKind, in [][]int) *graph.Meaning {
	return &graph.Meaning{
		Steps: []graph.Step{{Kind: k, N: graph.NumElements(in[0]), X: 0, Y: 1}},
		Outs:  []int{0},
	}
}
