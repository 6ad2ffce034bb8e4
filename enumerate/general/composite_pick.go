package general

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// Composites of operators of three operands: the keys of a pick and the condition of a choice take
// no part in what is enumerated.

// inferPick is the shape rule of rows that are looked up: [k, S..] and [m] are [m, S..].
func inferPick(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
	x, at := f.NormShape(in[0]), in[1]
	if len(x) == 0 || x[0].AxisRun != "" || len(at) != 1 || at.HasAxisRun() {
		return nil, fmt.Errorf("shapes %s and %s: want [k, S..] and [m]", x, at)
	}
	return []graph.Shape{f.NormShape(append(at.Clone(), x[1:]...))}, nil
}

func pickAxes(_ graph.Attrs, _ []int, axis int) []graph.OperandAxis {
	if axis == 0 {
		return []graph.OperandAxis{{Operand: 1}}
	}
	return []graph.OperandAxis{{Operand: 0, Axis: axis}}
}

var pickSize = []graph.Param{{Name: "n", Sort: "int", Doc: "number of rows of the table"}}

// freePick gives all look-ups of a pair the same number of rows.
func freePick(b *builder, a graph.Attrs) {
	if b.rows == nil {
		rows := b.fresh(lit(a[0]))
		b.rows = &rows
	}
	a[0] = graph.DimValue(*b.rows)
}

// Pick looks up rows by keys: all applications to as many rows have the same keys.
var Pick = newComposite(composite{
	Op: &graph.Op{Name: "pickkeys", In: 2, Infer: inferPick, AxisOf: pickAxes, Params: pickSize, Doc: "Rows looked up by keys of their own."},
	expand: func(x *expansion) *law.Term {
		return apply(op.Pick, named{"n": x.attrs[0]}, x.args[0], x.weight("K", x.in[0][:1]), x.args[1])
	},
	free: freePick,
})

// PickAll looks up rows whose keys are their numbers.
var PickAll = newComposite(composite{
	Op: &graph.Op{Name: "pickall", In: 2, Infer: inferPick, AxisOf: pickAxes, Doc: "Rows looked up, where the key of each is its number."},
	expand: func(x *expansion) *law.Term {
		n := named{"n": graph.DimValue(x.in[0][0].Dim)}
		return apply(op.Pick, n, x.args[0], apply(op.Iota, n), x.args[1])
	},
})

// Choose takes each element from one of two tensors.
var Choose = newComposite(composite{
	Op: &graph.Op{Name: "choose", In: 2, AxisOf: ofFirst, Doc: "Each element of one of two tensors, by a condition of its own.",
		Infer: func(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			if err := f.EqShape(in[0], in[1]); err != nil {
				return nil, err
			}
			return []graph.Shape{f.NormShape(in[0])}, nil
		}},
	expand: func(x *expansion) *law.Term {
		return apply(op.EWWhere, nil, x.weight("C", x.out), x.args[0], x.args[1])
	},
})
