package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Reshape gives a tensor another shape with as many elements; the row-major
// order of the elements stays. In a law, axis runs may stand at both ends of
// the two shapes, the same in both.
var Reshape = graph.Register(&graph.Op{
	Name: "reshape", In: 1, Out: 1,
	Rearranges: true,
	Class:      "view", Moves: true,
	Doc:    "The same elements in the same row-major order in another shape.",
	Params: []graph.Param{{Name: "shape", Sort: "shape", Doc: "shape of the result"}},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		to, err := targetShape(f, a[0])
		if err != nil {
			return nil, err
		}
		x := f.NormShape(in[0])
		if f.Empty(x) && f.Empty(to) {
			return one(to) // none are as many as none, whatever the other sizes are
		}
		front, back := shared(x, to)
		n, err := sizeProduct(x[front : len(x)-back])
		if err != nil {
			return nil, fmt.Errorf("shape %s cannot become %s: %w", x, to, err)
		}
		m, err := sizeProduct(to[front : len(to)-back])
		if err != nil {
			return nil, fmt.Errorf("shape %s cannot become %s: %w", x, to, err)
		}
		if err := f.Eq(n, m); err != nil {
			return nil, fmt.Errorf("shape %s cannot become %s: %w", x, to, err)
		}
		return one(f.NormShape(to))
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		to, _ := a[0].Shape()
		return graph.EntryRead(0, unravel(s, in[0], to, at)...), nil
	},
	FLOPs: noFLOPs,
	Grad: func(b *graph.Backward) []graph.Tensor {
		return []graph.Tensor{b.Reshape(b.D[0], b.Sizes(b.In[0])...)}
	},
})

// sizeProduct is the number of elements of a shape without runs.
func sizeProduct(s graph.Shape) (graph.Dim, error) {
	n := graph.Int(1)
	for _, it := range s {
		if it.AxisRun != "" {
			return n, fmt.Errorf("shape %s: an axis run has no size", s)
		}
		n = n.Mul(it.Dim)
	}
	return n, nil
}

// shared counts the axes at the front and at the back that two shapes have in
// common.
func shared(x, y graph.Shape) (front, back int) {
	n := min(len(x), len(y))
	for front < n && x[front] == y[front] {
		front++
	}
	for back < n-front && x[len(x)-1-back] == y[len(y)-1-back] {
		back++
	}
	return front, back
}
