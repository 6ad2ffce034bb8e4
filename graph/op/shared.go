package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// What operators of several files share.

var (
	intSort  = "int"
	axisSort = "axis"
	none     = graph.NameValue("none")
	unit     = graph.TupleValue(1, 1)
)

func dim(a graph.Attrs, i int) graph.Dim { d, _ := a[i].Dim(); return d }

func num(a graph.Attrs, i int) int { n, _ := dim(a, i).Const(); return int(n) }

func one(s graph.Shape) ([]graph.Shape, error) { return []graph.Shape{s}, nil }

// ints are the numbers of a tuple as ints.
func ints(v graph.Value) []int {
	xs, _ := v.Tuple()
	out := make([]int, len(xs))
	for i, x := range xs {
		out[i] = int(x)
	}
	return out
}

// targetShape is an attribute that is a shape, normalized.
func targetShape(f *graph.Unifier, v graph.Value) (graph.Shape, error) {
	to, ok := v.Shape()
	if !ok {
		return nil, fmt.Errorf("%s is not a shape", v)
	}
	to = f.NormShape(to)
	for _, it := range to {
		if it.AxisRun == "" {
			if err := f.Le(f.Least(), it.Dim); err != nil {
				return nil, err
			}
		}
	}
	return to, nil
}

// sameAxis: an axis of the result is that of the first operand.
func sameAxis(_ graph.Attrs, _ []int, axis int) []graph.OperandAxis {
	return []graph.OperandAxis{{Operand: 0, Axis: axis}}
}

// beforeImage is sameAxis for the axes before height and width, along which windows
// and borders lie.
func beforeImage(a graph.Attrs, ranks []int, axis int) []graph.OperandAxis {
	if axis >= 2 {
		return nil
	}
	return sameAxis(a, ranks, axis)
}

// afterFirst: all operands but the first usually are weights.
func afterFirst(operand int, _ []int) bool { return operand > 0 }

// perElement counts k operations for each element of the first input.
func perElement(k int) func(graph.Attrs, [][]int, [][]int) int64 {
	return func(_ graph.Attrs, in, _ [][]int) int64 { return graph.Product(append([]int{k}, in[0]...)...) }
}

// noFLOPs is for operators that only move elements.
func noFLOPs(graph.Attrs, [][]int, [][]int) int64 { return 0 }

// minus is -e.
func minus(e *graph.Expr) *graph.Expr {
	return graph.EntryMul(graph.EntryNumber(graph.IndexInt(-1)), e)
}

// text names a function of one element in an entry.
func text(name string, params ...graph.Value) graph.Value {
	return graph.NameValue(graph.FuncText(name, params...))
}

// cut is the part of a tensor that begins at from and has these sizes.
func cut(c *graph.Calc, x graph.Tensor, from, sizes []int) graph.Tensor {
	for i, n := range sizes {
		x = c.Slice(x, i, from[i], from[i]+n)
	}
	return x
}
