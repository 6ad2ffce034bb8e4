package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Halo gives each member of a family, which are parts along an axis, also the last
// places of the member before it and the first ones of the one behind, or zeros where
// there is none: what a sliding window over the parts put together reads from one of
// them. It takes from next neighbours only.
var Halo = movesMesh(graph.LayoutKeeps, &graph.Op{
	Name:  "halo",
	Moves: true,
	Doc:   "Halo exchange: each shard along an axis is extended by the nearest elements of its neighbours, zeros at both ends.",
	Params: []graph.Param{
		{Name: "axis", Sort: axisSort, Doc: "axis that is sharded, counted in a member"},
		{Name: "before", Sort: intSort, Doc: "elements taken from the previous member, at most its size"},
		{Name: "after", Sort: intSort, Doc: "elements taken from the next member, at most its size"},
	},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		g, x, i, err := familyAxis(f, in[0], dim(a, 0))
		if err != nil {
			return nil, err
		}
		n := x[i].Dim
		for _, k := range []int{1, 2} {
			w := f.Norm(dim(a, k))
			if err := f.Le(graph.Int(0), w); err != nil {
				return nil, fmt.Errorf("places of a neighbour: %w", err)
			}
			if err := f.Le(w, x[i].Dim); err != nil {
				return nil, fmt.Errorf("halo of a part of %s places: %w", x[i].Dim, err)
			}
			n = n.Add(w)
		}
		return one(append(graph.ShapeOf(g), x.With(i, n)...))
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		g, x := s.Size(in[0][0].Dim), in[0][1:]
		i, err := x.Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		n, zero := s.Size(x[i].Dim), graph.IndexInt(0)
		j := at[1+i].Sub(s.Size(dim(a, 1))) // place in the member itself
		read := func(d, j graph.Index, where ...graph.Guard) *graph.Expr {
			from := append([]graph.Index{}, at...)
			from[0], from[1+i] = d, j
			return graph.EntryWhen(graph.EntryRead(0, from...), where...)
		}
		prev, next := at[0].AddInt(-1), at[0].AddInt(1)
		return graph.EntryAdd(
			read(prev, j.Add(n), graph.GuardLt(j, zero), graph.GuardLe(zero, prev)),
			read(at[0], j, graph.GuardLe(zero, j), graph.GuardLt(j, n)),
			read(next, j.Sub(n), graph.GuardLe(n, j), graph.GuardLt(next, g)),
		), nil
	},
	// What neighbours have read of a member is added at its ends.
	Grad: func(b *graph.Backward) []graph.Tensor {
		axis, before, after := num(b.Attrs, 0)+1, num(b.Attrs, 1), num(b.Attrs, 2)
		d, g, n := b.D[0], b.Sizes(b.In[0])[0], b.Sizes(b.In[0])[axis]
		dx := b.Slice(d, axis, before, before+n)
		if before > 0 && g > 1 {
			from := b.PadAxis(b.Slice(b.Slice(d, axis, 0, before), 0, 1, g), 0, 0, 1)
			dx = b.Add(dx, b.PadAxis(from, axis, n-before, 0))
		}
		if after > 0 && g > 1 {
			from := b.PadAxis(b.Slice(b.Slice(d, axis, before+n, before+n+after), 0, 0, g-1), 0, 1, 0)
			dx = b.Add(dx, b.PadAxis(from, axis, 0, n-after))
		}
		return []graph.Tensor{dx}
	},
})
