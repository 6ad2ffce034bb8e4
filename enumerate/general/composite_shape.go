package general

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// Composites of shapes: a reshape says what shape it makes, which depends on
// what it is applied to; these say what they do, and so have a principal typing.

// Join makes one axis of two neighbours.
var Join = newComposite(composite{
	Op: &graph.Op{Name: "join", In: 1, Doc: "Two neighbouring axes made one: [P.., a, b, S..] is [P.., a*b, S..].",
		Params: []graph.Param{{Name: "axis", Sort: "axis", Doc: "the first of the two"}},
		Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			d, _ := a[0].Dim()
			i, err := in[0].Index(d)
			if err != nil {
				return nil, err
			}
			x := in[0]
			if i+1 >= len(x) || x[i+1].AxisRun != "" {
				return nil, fmt.Errorf("shape %s has no axis behind axis %s", x, d)
			}
			out := append(x[:i:i], graph.Axis(x[i].Dim.Mul(x[i+1].Dim)))
			return []graph.Shape{f.NormShape(append(out, x[i+2:]...))}, nil
		},
		AxisOf: func(a graph.Attrs, _ []int, axis int) []graph.OperandAxis {
			switch at := int(lit(a[0])); {
			case axis < at:
				return ofFirst(nil, nil, axis)
			case axis > at:
				return ofFirst(nil, nil, axis+1)
			}
			return nil
		}},
	expand: reshaped,
})

// Part makes two axes of one.
var Part = newComposite(composite{
	Op: &graph.Op{Name: "part", In: 1, Doc: "An axis made two: [P.., a*b, S..] is [P.., a, b, S..].",
		Params: []graph.Param{{Name: "axis", Sort: "axis", Doc: "the axis"}, {Name: "first", Sort: "int", Doc: "a"},
			{Name: "second", Sort: "int", Doc: "b"}},
		Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			d, _ := a[0].Dim()
			first, _ := a[1].Dim()
			second, _ := a[2].Dim()
			x := in[0]
			i, err := x.Index(d)
			if err != nil {
				return nil, err
			}
			if err := f.Eq(x[i].Dim, first.Mul(second)); err != nil {
				return nil, fmt.Errorf("axis %s of %s is not %s times %s: %w", d, x, first, second, err)
			}
			out := append(x[:i:i], graph.Axis(first), graph.Axis(second))
			return []graph.Shape{f.NormShape(append(out, x[i+1:]...))}, nil
		},
		AxisOf: func(a graph.Attrs, _ []int, axis int) []graph.OperandAxis {
			switch at := int(lit(a[0])); {
			case axis < at:
				return ofFirst(nil, nil, axis)
			case axis > at+1:
				return ofFirst(nil, nil, axis-1)
			}
			return nil
		}},
	expand: reshaped,
	free: func(b *builder, a graph.Attrs) {
		a[1], a[2] = graph.DimValue(b.fresh(lit(a[1]))), graph.DimValue(b.fresh(lit(a[2])))
	},
})

func reshaped(x *expansion) *law.Term { return apply(op.Reshape, shapeAttr(x.out), x.args[0]) }
