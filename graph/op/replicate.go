package op

import "github.com/taso-go/taso/graph"

// onMesh declares an operator that makes a family of one tensor; of is what member d
// has at the places where the tensor has x, adjoint the operator back.
func onMesh(name, doc, adjoint string, moves bool, of func(d graph.Index, x *graph.Expr) *graph.Expr) *graph.Op {
	return movesMesh(graph.LayoutMakes, &graph.Op{
		Name: name, Doc: doc, Moves: true, Rearranges: moves, Turns: 1,
		Params: []graph.Param{degree},
		Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			g, err := members(f, a, 0)
			if err != nil {
				return nil, err
			}
			return one(append(graph.ShapeOf(g), f.NormShape(in[0])...))
		},
		Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
			return of(at[0], graph.EntryRead(0, at[1:]...)), nil
		},
		Grad: func(b *graph.Backward) []graph.Tensor { return []graph.Tensor{b.Op(adjoint, nil, b.D[0])} },
	})
}

// offMesh declares an operator that makes one tensor of a family; of is its element,
// given the members' elements at its place, and adjoint the operator back.
func offMesh(o *graph.Op, adjoint string, of func(s *graph.Space, g graph.Dim, x func(d graph.Index) *graph.Expr) *graph.Expr) *graph.Op {
	o.Turns = 1
	o.Infer = func(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		_, x, err := familyOf(f, in[0])
		if err != nil {
			return nil, err
		}
		return one(x)
	}
	o.Entry = func(s *graph.Space, _ graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		return of(s, in[0][0].Dim, func(d graph.Index) *graph.Expr {
			return graph.EntryRead(0, append([]graph.Index{d}, at...)...)
		}), nil
	}
	o.Grad = func(b *graph.Backward) []graph.Tensor {
		return []graph.Tensor{b.Op(adjoint, graph.Named{"on": graph.IntValue(b.Sizes(b.In[0])[0])}, b.D[0])}
	}
	return movesMesh(graph.LayoutEnds, o)
}

var (
	// Replicate copies a tensor.
	Replicate = onMesh("replicate", "Copies of a tensor, one for each device of a mesh axis.", "reduce", true,
		func(_ graph.Index, x *graph.Expr) *graph.Expr { return x })

	// Reduce adds the members of a family.
	Reduce = offMesh(&graph.Op{
		Name: "reduce", Doc: "The sum of the members of a mesh axis.", Class: "reduce",
		FLOPs: func(_ graph.Attrs, in, _ [][]int) int64 { return graph.Product(1, graph.NumElements(in[0])) },
	}, "replicate", func(s *graph.Space, g graph.Dim, x func(graph.Index) *graph.Expr) *graph.Expr {
		d := s.Var("d")
		return graph.EntrySum(x(d.Index()), []graph.Bound{{Var: d, N: s.Size(g)}})
	})

	// Lift is a tensor and zeros, which add up to it.
	Lift = onMesh("lift", "A tensor as the first member of a mesh axis; the others are zeros.", "drop", false,
		func(d graph.Index, x *graph.Expr) *graph.Expr {
			return graph.EntryWhen(x, graph.GuardEq(d, graph.IndexInt(0)))
		})

	// Drop is the first member of a family.
	Drop = offMesh(&graph.Op{Name: "drop", Doc: "The first member of a mesh axis.", Moves: true, Rearranges: true}, "lift",
		func(_ *graph.Space, _ graph.Dim, x func(graph.Index) *graph.Expr) *graph.Expr {
			return x(graph.IndexInt(0))
		})
)
