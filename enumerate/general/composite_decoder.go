package general

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// Composites of language models: what their layers have beside linear ones.

// Mask adds what all matrices share.
var Mask = newComposite(composite{
	Op: &graph.Op{Name: "mask", In: 2, AxisOf: ofFirst, Doc: "The sum of matrices and one matrix: [P.., m, n] and [m, n].",
		Infer: func(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			x, m := in[0], in[1]
			r := len(x)
			if r < 3 || x[r-1].AxisRun != "" || x[r-2].AxisRun != "" {
				return nil, fmt.Errorf("shape %s: want [P.., m, n]", x)
			}
			if err := f.EqShape(x[r-2:], m); err != nil {
				return nil, fmt.Errorf("shapes %s and %s: want [P.., m, n] and [m, n]: %w", x, m, err)
			}
			return []graph.Shape{f.NormShape(x)}, nil
		}},
	expand: func(x *expansion) *law.Term { return apply(op.EWAdd, nil, x.args[0], repeated(x)) },
})

// Silu is x * sigmoid(x).
var Silu = newComposite(composite{
	Op: &graph.Op{Name: "silu", In: 1, AxisOf: ofFirst, Doc: "The product of x and sigmoid(x), element by element.",
		Infer: func(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			return []graph.Shape{f.NormShape(in[0])}, nil
		}},
	expand: func(x *expansion) *law.Term {
		return apply(op.EWMul, nil, x.args[0], apply(op.Sigmoid, nil, x.args[0]))
	},
})

// RMSNorm divides rows by the root of their mean square, plus a number, and multiplies
// each feature with one of its own. These gains take no part in what is enumerated: those
// of all applications to rows of one length are the same.
var RMSNorm = newComposite(composite{
	Op: &graph.Op{Name: "rmsnorm", In: 1, Infer: inferRows, AxisOf: ofFirst, Doc: "RMS normalization of the last axis, with a gain of its own."},
	expand: func(x *expansion) *law.Term {
		r := len(x.out)
		all := shapeAttr(x.out)
		mean := apply(op.ReduceMean, named{"axes": graph.TupleValue(r - 1), "keep": graph.IntValue(1)},
			apply(op.EWMul, nil, x.args[0], x.args[0]))
		root := apply(op.Broadcast, all, apply(op.Rsqrt, named{"eps": x.number}, mean))
		return apply(op.EWMul, nil, apply(op.EWMul, nil, x.args[0], root), apply(op.Broadcast, all, x.weight("G", x.out[r-1:])))
	},
})

// Rotary multiplies positions with their cosines, and adds the halves of their features,
// exchanged and one of them negated, times their sines. The tables take no part in what is
// enumerated: those of all applications to matrices of one shape are the same.
var Rotary = newComposite(composite{
	Op: &graph.Op{Name: "rotary", In: 1, Doc: "Rotary positions: [P.., s, 2*d], with tables of its own.",
		Params: []graph.Param{{Name: "half", Sort: "int", Doc: "d"}},
		Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			d, _ := a[0].Dim()
			x := in[0]
			r := len(x)
			if r < 2 || x[r-1].AxisRun != "" || x[r-2].AxisRun != "" {
				return nil, fmt.Errorf("shape %s: want [P.., s, 2*d]", x)
			}
			if err := f.Eq(x[r-1].Dim, d.Scale(2)); err != nil {
				return nil, fmt.Errorf("shape %s: want [P.., s, 2*d] with d = %s: %w", x, d, err)
			}
			return []graph.Shape{f.NormShape(x)}, nil
		},
		AxisOf: func(a graph.Attrs, ranks []int, axis int) []graph.OperandAxis {
			if axis == ranks[0]-1 {
				return nil
			}
			return ofFirst(a, ranks, axis)
		}},
	expand: func(x *expansion) *law.Term {
		r := len(x.out)
		all, last := shapeAttr(x.out), graph.DimValue(x.out.AxisOf(r-1))
		d, _ := x.attrs[0].Dim()
		part := func(lo, hi graph.Dim) *law.Term {
			return apply(op.Slice, named{"axis": last, "lo": graph.DimValue(lo), "hi": graph.DimValue(hi)}, x.args[0])
		}
		turned := apply(op.Concat, named{"axis": last}, apply(op.Neg, nil, part(d, d.Scale(2))), part(graph.Int(0), d))
		times := func(y *law.Term, table string) *law.Term {
			return apply(op.EWMul, nil, y, apply(op.Broadcast, all, x.weight(table, x.out[r-2:])))
		}
		return apply(op.EWAdd, nil, times(x.args[0], "C"), times(turned, "S"))
	},
	free: func(b *builder, a graph.Attrs) { a[0] = graph.DimValue(b.fresh(lit(a[0]))) },
})

// Repeat gives each of the heads that several queries share as often as these want it.
var Repeat = newComposite(composite{
	Op: &graph.Op{Name: "repeat", In: 1, Doc: "Each matrix of a sample several times, one after the other: [b, g, s, d] is [b, g*r, s, d].",
		Params: []graph.Param{{Name: "times", Sort: "int", Doc: "r"}},
		Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			r, _ := a[0].Dim()
			x := in[0]
			if len(x) != 4 || x.HasAxisRun() {
				return nil, fmt.Errorf("shape %s: want [b, g, s, d]", x)
			}
			return []graph.Shape{f.NormShape(x.With(1, x[1].Dim.Mul(r)))}, nil
		},
		AxisOf: func(a graph.Attrs, ranks []int, axis int) []graph.OperandAxis {
			if axis == 1 {
				return nil
			}
			return ofFirst(a, ranks, axis)
		}},
	expand: func(x *expansion) *law.Term {
		in := x.in[0]
		r, _ := x.attrs[0].Dim()
		of := func(n graph.Dim) graph.Shape {
			return graph.Shape{in[0], in[1], graph.Axis(n), in[2], in[3]}
		}
		one := apply(op.Reshape, shapeAttr(of(graph.Int(1))), x.args[0])
		return apply(op.Reshape, shapeAttr(x.out), apply(op.Broadcast, shapeAttr(of(r)), one))
	},
	free: func(b *builder, a graph.Attrs) { a[0] = graph.DimValue(b.fresh(lit(a[0]))) },
})
