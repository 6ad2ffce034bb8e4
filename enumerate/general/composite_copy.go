package general

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// Composites of copies: a broadcast names the shape it makes, and does not tell whether an axis was
// there before; these do.

// Stretch repeats an axis of size 1.
var Stretch = newComposite(composite{
	Op: &graph.Op{Name: "stretch", In: 1, Doc: "An axis of size 1 repeated: [P.., 1, S..] is [P.., n, S..].",
		Params: []graph.Param{{Name: "axis", Sort: "axis", Doc: "the axis"}, {Name: "n", Sort: "int", Doc: "how often"}},
		Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			d, _ := a[0].Dim()
			n, _ := a[1].Dim()
			x := f.NormShape(in[0])
			i, err := x.Index(d)
			if err != nil {
				return nil, err
			}
			if err := f.Eq(x[i].Dim, graph.Int(1)); err != nil {
				return nil, fmt.Errorf("axis %s of %s has not size 1: %w", d, x, err)
			}
			return []graph.Shape{f.NormShape(x.With(i, n))}, nil
		},
		AxisOf: func(a graph.Attrs, _ []int, axis int) []graph.OperandAxis {
			if axis == int(lit(a[0])) {
				return nil
			}
			return ofFirst(nil, nil, axis)
		}},
	expand: copied,
	free:   func(b *builder, a graph.Attrs) { a[1] = graph.DimValue(b.fresh(lit(a[1]))) },
})

// Lead repeats a tensor along a new axis in front.
var Lead = newComposite(composite{
	Op: &graph.Op{Name: "lead", In: 1, Doc: "A tensor repeated along a new axis in front: [S..] is [n, S..].",
		Params: []graph.Param{{Name: "n", Sort: "int", Doc: "how often"}},
		Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			n, _ := a[0].Dim()
			return []graph.Shape{f.NormShape(append(graph.Shape{graph.Axis(n)}, in[0]...))}, nil
		},
		AxisOf: func(_ graph.Attrs, _ []int, axis int) []graph.OperandAxis {
			if axis == 0 {
				return nil
			}
			return ofFirst(nil, nil, axis-1)
		}},
	expand: copied,
	free:   func(b *builder, a graph.Attrs) { a[0] = graph.DimValue(b.fresh(lit(a[0]))) },
})

func copied(x *expansion) *law.Term { return apply(op.Broadcast, shapeAttr(x.out), x.args[0]) }
