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

// Stretch2 repeats two axes of size 1.
var Stretch2 = newComposite(composite{
	Op: &graph.Op{Name: "stretch2", In: 1, Doc: "Two axes of size 1 repeated: [P.., 1, Q.., 1, S..] is [P.., m, Q.., n, S..].",
		Params: []graph.Param{{Name: "axis", Sort: "axis", Doc: "the first axis"}, {Name: "behind", Sort: "axis", Doc: "the second axis"},
			{Name: "m", Sort: "int", Doc: "how often the first"}, {Name: "n", Sort: "int", Doc: "how often the second"}},
		Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			x := f.NormShape(in[0])
			for k := range 2 {
				d, _ := a[k].Dim()
				n, _ := a[k+2].Dim()
				i, err := x.Index(d)
				if err != nil {
					return nil, err
				}
				if err := f.Eq(x[i].Dim, graph.Int(1)); err != nil {
					return nil, fmt.Errorf("axis %s of %s has not size 1: %w", d, x, err)
				}
				x = x.With(i, n)
			}
			return []graph.Shape{f.NormShape(x)}, nil
		},
		AxisOf: func(a graph.Attrs, _ []int, axis int) []graph.OperandAxis {
			if axis == int(lit(a[0])) || axis == int(lit(a[1])) {
				return nil
			}
			return ofFirst(nil, nil, axis)
		}},
	expand: copied,
	free: func(b *builder, a graph.Attrs) {
		a[2], a[3] = graph.DimValue(b.fresh(lit(a[2]))), graph.DimValue(b.fresh(lit(a[3])))
	},
})

// Lead2 repeats a tensor along two new axes in front.
var Lead2 = newComposite(composite{
	Op: &graph.Op{Name: "lead2", In: 1, Doc: "A tensor repeated along two new axes in front: [S..] is [m, n, S..].",
		Params: []graph.Param{{Name: "m", Sort: "int", Doc: "how often along the first"}, {Name: "n", Sort: "int", Doc: "how often along the second"}},
		Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			m, _ := a[0].Dim()
			n, _ := a[1].Dim()
			return []graph.Shape{f.NormShape(append(graph.Shape{graph.Axis(m), graph.Axis(n)}, in[0]...))}, nil
		},
		AxisOf: func(_ graph.Attrs, _ []int, axis int) []graph.OperandAxis {
			if axis < 2 {
				return nil
			}
			return ofFirst(nil, nil, axis-2)
		}},
	expand: copied,
	free: func(b *builder, a graph.Attrs) {
		a[0], a[1] = graph.DimValue(b.fresh(lit(a[0]))), graph.DimValue(b.fresh(lit(a[1])))
	},
})

// LeadStretch repeats an axis of size 1, and the result along a new axis in front.
var LeadStretch = newComposite(composite{
	Op: &graph.Op{Name: "leadstretch", In: 1, Doc: "A first axis of size 1 repeated, and a new axis in front of it: [1, S..] is [m, n, S..].",
		Params: []graph.Param{{Name: "m", Sort: "int", Doc: "the size of the new axis"}, {Name: "n", Sort: "int", Doc: "how often the first axis is repeated"}},
		Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			m, _ := a[0].Dim()
			n, _ := a[1].Dim()
			x := f.NormShape(in[0])
			if len(x) == 0 || x[0].AxisRun != "" {
				return nil, fmt.Errorf("shape %s: want [1, S..]", x)
			}
			if err := f.Eq(x[0].Dim, graph.Int(1)); err != nil {
				return nil, fmt.Errorf("axis 0 of %s has not size 1: %w", x, err)
			}
			return []graph.Shape{f.NormShape(append(graph.Shape{graph.Axis(m)}, x.With(0, n)...))}, nil
		},
		AxisOf: func(_ graph.Attrs, _ []int, axis int) []graph.OperandAxis {
			if axis < 2 {
				return nil
			}
			return ofFirst(nil, nil, axis-1)
		}},
	expand: copied,
	free: func(b *builder, a graph.Attrs) {
		a[0], a[1] = graph.DimValue(b.fresh(lit(a[0]))), graph.DimValue(b.fresh(lit(a[1])))
	},
})
