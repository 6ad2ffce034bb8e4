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
	Doc:    "The same elements in the same row-major order in another shape.",
	Params: []graph.Param{{Name: "shape", Sort: "shape", Doc: "shape of the result"}},
	Infer: func(f *graph.Facts, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		to, ok := a[0].Shape()
		if !ok {
			return nil, fmt.Errorf("%s is not a shape", a[0])
		}
		x, to := f.NormShape(in[0]), f.NormShape(to)
		for _, it := range to {
			if it.Run == "" {
				if err := f.Le(graph.Int(1), it.Dim); err != nil {
					return nil, err
				}
			}
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
	Mean: func(_ graph.Attrs, in, out [][]int) (*graph.Meaning, error) {
		idx := make([]int32, graph.NumElements(out[0]))
		for i := range idx {
			idx[i] = int32(i)
		}
		return graph.Gather(idx), nil
	},
	FLOPs: noFLOPs,
})

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

// unravel is the index in shape x of the element that is at index at of shape
// y. Axes of size 1 come and go; where sizes are numbers the rest is worked out
// by division, and where they are not it is an unknown place that depends on
// the shapes and the index alone.
func unravel(s *graph.Space, x, y graph.Shape, at []graph.Index) []graph.Index {
	front, back := shared(x, y)
	from := make([]graph.Index, len(x))
	copy(from[:front], at[:front])
	copy(from[len(x)-back:], at[len(y)-back:])
	x, y = x[front:len(x)-back], y[front:len(y)-back]
	at, rest := at[front:front+len(y)], from[front:front+len(x)]
	long := func(sh graph.Shape) (axes []int) {
		for i, it := range sh {
			if it.Dim != graph.Int(1) {
				axes = append(axes, i)
			}
		}
		return axes
	}
	lx, ly := long(x), long(y)
	same := len(lx) == len(ly)
	for i := 0; same && i < len(lx); i++ {
		same = x[lx[i]] == y[ly[i]]
	}
	if same {
		for i := range lx {
			rest[lx[i]] = at[ly[i]]
		}
		return from
	}
	nx, okx := x.Concrete()
	ny, oky := y.Concrete()
	if okx && oky {
		flat := graph.IndexInt(0)
		for i, k := range graph.Strides(ny) {
			flat = flat.AddScaled(at[i], int64(k))
		}
		for i, k := range graph.Strides(nx) {
			rest[i] = s.Div(flat, int64(k)).AddScaled(s.Div(flat, int64(k*nx[i])), -int64(nx[i]))
		}
		return from
	}
	for i := range rest {
		n := x[i].Dim
		rest[i] = s.Func(fmt.Sprintf("axis %d of %s in %s", i, y, x), func(s *graph.Space, self graph.Index, _ []graph.Index) []graph.Fact {
			return []graph.Fact{{Any: []graph.Guard{graph.GuardLe(graph.IndexInt(0), self)}},
				{Any: []graph.Guard{graph.GuardLt(self, s.Size(n))}}}
		}, at...)
	}
	return from
}
