package general

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// PickOwn looks positions up in parts of a table: each member reads the rows that it has,
// and zeros for the others. Keys are the numbers of the rows, dealt out as these are.
var PickOwn = newComposite(composite{
	Op: &graph.Op{Name: "pickown", In: 2, Doc: "What each member finds in its part of a table: [g, n, S..] and positions [g, P..].",
		Infer: func(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			x, at := in[0], in[1]
			if len(x) < 2 || x[:2].HasAxisRun() || len(at) < 1 || at.HasAxisRun() {
				return nil, fmt.Errorf("shapes %s and %s: want [g, n, S..] and [g, ...]", x, at)
			}
			if err := f.EqShape(x[:1], at[:1]); err != nil {
				return nil, fmt.Errorf("shapes %s and %s: want families over one mesh: %w", x, at, err)
			}
			return []graph.Shape{f.NormShape(append(at.Clone(), x[2:]...))}, nil
		},
		AxisOf: func(_ graph.Attrs, ranks []int, axis int) []graph.OperandAxis {
			switch {
			case axis == 0:
				return []graph.OperandAxis{{Operand: 0}, {Operand: 1}}
			case axis < ranks[1]:
				return []graph.OperandAxis{{Operand: 1, Axis: axis}}
			}
			return []graph.OperandAxis{{Operand: 0, Axis: axis - ranks[1] + 2}}
		}},
	expand: func(x *expansion) *law.Term {
		mesh := x.in[0][:1]
		n := graph.DimValue(mesh[0].Dim.Mul(x.in[0][1].Dim))
		keys := apply(op.Partition, named{"axis": graph.IntValue(0), "on": graph.DimValue(mesh[0].Dim)}, apply(op.Iota, named{"n": n}))
		return apply(op.Pick.Each(), named{"over": graph.ShapeValue(mesh), "n": n}, x.args[0], keys, x.args[1])
	},
})

// Haloed deals an axis out and gives each shard rows of its neighbours.
var Haloed = newComposite(composite{
	Op: &graph.Op{Name: "haloed", In: 1, Doc: "Shards with rows of their neighbours: halo(partition(X)).",
		Params: []graph.Param{{Name: "axis", Sort: "axis", Doc: "the axis"}, {Name: "on", Sort: "int", Doc: "number of shards"},
			{Name: "before", Sort: "int", Doc: "rows of the shard before"}, {Name: "after", Sort: "int", Doc: "rows of the shard behind"}},
		Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			shards, err := op.Partition.InferShapes(f, op.Partition.MustAttr(named{"axis": a[0], "on": a[1]}), in)
			if err != nil {
				return nil, err
			}
			return op.Halo.InferShapes(f, op.Halo.MustAttr(named{"axis": a[0], "before": a[2], "after": a[3]}), shards)
		},
		AxisOf: func(a graph.Attrs, _ []int, axis int) []graph.OperandAxis {
			if axis == 0 || axis == int(lit(a[0]))+1 {
				return nil
			}
			return ofFirst(nil, nil, axis-1)
		}},
	expand: func(x *expansion) *law.Term {
		shards := apply(op.Partition, named{"axis": x.attrs[0], "on": x.attrs[1]}, x.args[0])
		return apply(op.Halo, named{"axis": x.attrs[0], "before": x.attrs[2], "after": x.attrs[3]}, shards)
	},
	free: func(b *builder, a graph.Attrs) { a[1] = graph.DimValue(b.fresh(lit(a[1]))) },
})
