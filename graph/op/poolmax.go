package op

import "github.com/taso-go/taso/graph"

// PoolMax is the maximum over a sliding window; cells outside the image are
// left out.
var PoolMax = graph.Register(&graph.Op{
	Name: "poolmax", In: 1, Out: 1, Params: poolParams(),
	Doc:   "Maximum over a sliding window; cells outside the image do not take part.",
	Infer: inferPool,
	Mean: func(a graph.Attrs, in, out [][]int) (*graph.Meaning, error) {
		start, cells, err := poolCells(a, in, out)
		if err != nil {
			return nil, err
		}
		return &graph.Meaning{
			Steps: []graph.Step{{Kind: graph.StepMax, N: graph.NumElements(out[0]), X: 0, Start: start, A: cells}},
			Outs:  []int{0},
		}, nil
	},
	FLOPs: poolFLOPs,
})
