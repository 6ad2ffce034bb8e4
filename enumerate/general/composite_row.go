package general

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// Composites of rows: the last axis is that of features.

// ofFirst says that every axis of the result is that of the first operand.
func ofFirst(_ graph.Attrs, _ []int, axis int) []graph.OperandAxis {
	return []graph.OperandAxis{{Operand: 0, Axis: axis}}
}

type named = map[string]graph.Value

func apply(o *graph.Op, n named, args ...*law.Term) *law.Term {
	return law.Apply(o, o.MustAttr(n), args...)
}

func shapeAttr(s graph.Shape) named { return named{"shape": graph.ShapeValue(s)} }

// inferRows is the shape rule of an operator that takes one number a feature.
func inferRows(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
	x := in[0]
	if len(x) < 2 || x[len(x)-1].AxisRun != "" {
		return nil, fmt.Errorf("shape %s: want [P.., n]", x)
	}
	if len(in) == 2 {
		if err := f.EqShape(x[len(x)-1:], in[1]); err != nil {
			return nil, fmt.Errorf("shapes %s and %s: want [P.., n] and [n]: %w", x, in[1], err)
		}
	}
	return []graph.Shape{f.NormShape(x)}, nil
}

// repeated is the second operand in the shape of the first.
func repeated(x *expansion) *law.Term { return apply(op.Broadcast, shapeAttr(x.out), x.args[1]) }

// Bias adds one number a feature.
var Bias = newComposite(composite{
	Op:     &graph.Op{Name: "bias", In: 2, Infer: inferRows, AxisOf: ofFirst, Doc: "The sum of rows and a bias: [P.., n] and [n]."},
	expand: func(x *expansion) *law.Term { return apply(op.EWAdd, nil, x.args[0], repeated(x)) },
})

// Scale multiplies each feature by a number.
var Scale = newComposite(composite{
	Op:     &graph.Op{Name: "scale", In: 2, Infer: inferRows, AxisOf: ofFirst, Doc: "The product of rows and a scale of each feature: [P.., n] and [n]."},
	expand: func(x *expansion) *law.Term { return apply(op.EWMul, nil, x.args[0], repeated(x)) },
})

// LayerNorm normalizes the last axis. Its scale and bias take no part in what is
// enumerated: those of all applications to rows of one length are the same.
var LayerNorm = newComposite(composite{
	Op: &graph.Op{Name: "layernorm", In: 1, Infer: inferRows, AxisOf: ofFirst, Doc: "Layer normalization of the last axis, with weights of its own."},
	expand: func(x *expansion) *law.Term {
		r := len(x.out)
		n := x.out[r-1:]
		return apply(op.LayerNorm, named{"axis": graph.DimValue(x.out.AxisOf(r - 1)), "eps": x.number},
			x.args[0], x.weight("K", n), x.weight("L", n))
	},
})

// Linear multiplies all rows by one matrix.
var Linear = newComposite(composite{
	Op: &graph.Op{Name: "linear", In: 2, Doc: "The product of all rows of a batch and one matrix: [P.., m, k] and [k, n].",
		Infer: func(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			x, w := in[0], in[1]
			r := len(x)
			if r < 3 || x[r-1].AxisRun != "" || x[r-2].AxisRun != "" || len(w) != 2 || w.HasAxisRun() {
				return nil, fmt.Errorf("shapes %s and %s: want [P.., m, k] and [k, n]", x, w)
			}
			if err := f.Eq(x[r-1].Dim, w[0].Dim); err != nil {
				return nil, fmt.Errorf("shapes %s and %s: inner sizes differ: %w", x, w, err)
			}
			return []graph.Shape{f.NormShape(x.With(r-1, w[1].Dim))}, nil
		},
		AxisOf: func(a graph.Attrs, ranks []int, axis int) []graph.OperandAxis {
			if axis == ranks[0]-1 {
				return []graph.OperandAxis{{Operand: 1, Axis: 1}}
			}
			return ofFirst(a, ranks, axis)
		}},
	expand: func(x *expansion) *law.Term {
		r := len(x.out)
		to := append(x.out[:r-2:r-2], x.in[1]...)
		return apply(op.MatMul, nil, x.args[0], apply(op.Broadcast, shapeAttr(to), x.args[1]))
	},
})
