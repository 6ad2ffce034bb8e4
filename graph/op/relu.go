package op

import "github.com/taso-go/taso/graph"

// Relu is max(x, 0), element by element.
var Relu = graph.Register(pointwise("relu", "Rectifier, max(x, 0), element by element.", true))

// pointwise declares a function of one element.
func pointwise(name, doc string, zeroAtZero bool) *graph.Op {
	return &graph.Op{
		Name: name, In: 1, Out: 1, Pointwise: true, ZeroAtZero: zeroAtZero, Doc: doc,
		Infer: func(_ *graph.Facts, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) { return one(in[0]) },
		Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
			return graph.EntryFn(graph.NameValue(name), graph.EntryRead(0, at...)), nil
		},
		Mean: func(_ graph.Attrs, in, _ [][]int) (*graph.Meaning, error) {
			return &graph.Meaning{
				Steps: []graph.Step{{Kind: graph.StepMap, N: graph.NumElements(in[0]), X: 0, Fn: name}},
				Outs:  []int{0},
			}, nil
		},
	}
}
