package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Partition deals the places along an axis of size g*n out to g members of n places
// each, in order.
var Partition = movesMesh(graph.LayoutMakes, &graph.Op{
	Name:  "partition",
	Turns: 1,
	Moves: true, Rearranges: true,
	Doc: "A tensor split into equal shards along an axis, one for each device of a mesh axis.",
	Params: []graph.Param{
		{Name: "axis", Sort: axisSort, Doc: "axis that is split"}, degree,
	},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x := f.NormShape(in[0])
		i, err := x.Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		g, err := members(f, a, 1)
		if err != nil {
			return nil, err
		}
		n, err := f.Quotient(x[i].Dim, g)
		if err != nil {
			return nil, fmt.Errorf("shape %s in %s parts along axis %s: %w", x, g, dim(a, 0), err)
		}
		return one(append(graph.ShapeOf(g), f.NormShape(x).With(i, n)...))
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		i, err := in[0].Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		g := dim(a, 1)
		n, ok := in[0][i].Dim.Quo(g)
		if !ok {
			return nil, fmt.Errorf("%s is no multiple of %s", in[0][i].Dim, g)
		}
		from := append([]graph.Index{}, at[1:]...)
		from[i] = digitAt(s, g, n, at[0], at[1+i])
		return graph.EntryRead(0, from...), nil
	},
	Grad: func(b *graph.Backward) []graph.Tensor {
		return []graph.Tensor{b.Op("combine", graph.Named{"axis": b.Attrs[0]}, b.D[0])}
	},
})

// Combine puts the members of a family side by side along an axis.
var Combine = movesMesh(graph.LayoutEnds, &graph.Op{
	Name:  "combine",
	Turns: 1,
	Moves: true, Rearranges: true,
	Doc:    "The shards of all devices of a mesh axis, concatenated along an axis.",
	Params: []graph.Param{{Name: "axis", Sort: axisSort, Doc: "axis of concatenation, counted in a member"}},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		g, x, i, err := familyAxis(f, in[0], dim(a, 0))
		if err != nil {
			return nil, err
		}
		return one(x.With(i, g.Mul(x[i].Dim)))
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		g, x := in[0][0].Dim, in[0][1:]
		i, err := x.Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		from := append([]graph.Index{{}}, at...)
		from[0], from[1+i] = memberAt(s, g, x[i].Dim, at[i])
		return graph.EntryRead(0, from...), nil
	},
	Grad: func(b *graph.Backward) []graph.Tensor {
		return []graph.Tensor{b.Op("partition", graph.Named{"axis": b.Attrs[0], "on": graph.IntValue(b.Sizes(b.In[0])[0])}, b.D[0])}
	},
})
