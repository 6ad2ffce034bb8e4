package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Enlarge pads a convolution kernel with zeros to kh by kw cells; the old
// kernel sits at floor((kh - h)/2), floor((kw - w)/2).
var Enlarge = graph.Register(&graph.Op{
	Name: "enlarge", In: 1, Out: 1,
	Class: "copy", Moves: true, AxisOf: beforeImage,
	Doc: "A kernel [o, c, h, w] centrally padded with zeros to [o, c, kh, kw].",
	Params: []graph.Param{
		{Name: "kh", Sort: intSort, Doc: "new height"},
		{Name: "kw", Sort: intSort, Doc: "new width"},
	},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		w := in[0]
		if len(w) != 4 || w.HasAxisRun() {
			return nil, fmt.Errorf("shape %s: want [o, c, kh, kw]", w)
		}
		out := f.NormShape(w)
		for i := 0; i < 2; i++ {
			k := f.Norm(dim(a, i))
			if err := f.Le(w[2+i].Dim, k); err != nil {
				return nil, fmt.Errorf("kernel %s is not smaller: %w", w, err)
			}
			out[2+i].Dim = k
		}
		return one(out)
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		from := append([]graph.Index{}, at...)
		var inside []graph.Guard
		for i := 2; i < 4; i++ {
			n := s.Size(in[0][i].Dim)
			from[i] = at[i].Sub(s.Div(s.Size(dim(a, i-2)).Sub(n), 2))
			inside = append(inside, graph.GuardLe(graph.IndexInt(0), from[i]), graph.GuardLt(from[i], n))
		}
		return graph.EntryWhen(graph.EntryRead(0, from...), inside...), nil
	},
	Grad: func(b *graph.Backward) []graph.Tensor {
		w := b.Sizes(b.In[0])
		return []graph.Tensor{cut(b.Calc, b.D[0], []int{0, 0, (num(b.Attrs, 0) - w[2]) / 2, (num(b.Attrs, 1) - w[3]) / 2}, w)}
	},
})
