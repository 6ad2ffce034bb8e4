package enumerate

import (
	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// copyFamilies are the broadcasts: of an axis of size 1, and along a new axis in front.
var copyFamilies = []family{
	{name: "stretch", add: func(u *Universe) {
		for axis := range maxAxes {
			n := copiesOf(axis)
			u.when(general.Stretch.Op, named{"axis": graph.IntValue(axis), "n": graph.IntValue(n)},
				func(a, _ []int) bool { return len(a) > axis && a[axis] == 1 })
		}
	}, types: copyTypes},
	{name: "lead", add: func(u *Universe) {
		u.when(general.Lead.Op, named{"n": graph.IntValue(copiesOf(0))}, func(a, _ []int) bool { return len(a) < maxAxes })
	}, types: copyTypes},
}

// copiesOf is the size that an axis is repeated to. Three concats make no more than four copies, so
// that rules about repeated axes are not stated as rules about concats.
func copiesOf(axis int) int {
	if axis == 0 {
		return 5
	}
	return 7
}

// copyTypes are rows, columns and matrices, which are as large as repeated rows and columns, and
// images and kernels of one sample or channel.
func copyTypes() []InputType {
	return []InputType{
		{Name: "f", Sizes: []int{1, 7}, Count: 2},
		{Name: "g", Sizes: []int{5, 1}, Count: 2},
		{Name: "x", Sizes: []int{5, 7}, Count: 1},
		{Name: "w", Sizes: []int{7, 7}, Count: 1},
		{Name: "i", Sizes: []int{1, 2, 4, 5}, Count: 1},
		{Name: "j", Sizes: []int{2, 1, 4, 5}, Count: 1},
		{Name: "u", Sizes: []int{2, 2, 3, 3}, Count: 1, Weight: true},
		{Name: "v", Sizes: []int{1, 2, 3, 3}, Count: 1, Weight: true},
		{Name: "t", Sizes: []int{2, 1, 1, 3}, Count: 1, Weight: true},
		{Name: "s", Sizes: []int{}, Count: 2},
	}
}

// trainingFamilies are the operators of derivatives, and constants of one number.
var trainingFamilies = []family{
	{name: "reverse", add: func(u *Universe) {
		for _, axes := range [][]int64{{0}, {1}, {0, 1}} {
			u.when(op.Reverse, named{"axes": graph.TupleValue(axes...)}, rank(2))
		}
	}},
	{name: "scatteradd", add: func(u *Universe) {
		u.when(op.ScatterAdd, named{"axis": graph.IntValue(0), "n": graph.IntValue(tableRows)}, func(a, b []int) bool {
			return len(a) == 2 && len(b) == 1 && a[0] == b[0]
		})
	}, types: indexTypes},
	{name: "unit", add: func(u *Universe) { u.always(op.One, named{"shape": graph.ShapeValue(graph.Shape{})}) }},
	{name: "fill", add: func(u *Universe) {
		u.always(op.Fill, named{"shape": graph.ShapeValue(graph.Sizes(2, 3))})
		u.always(op.Fill, named{"shape": graph.ShapeValue(graph.Shape{})})
		u.always(op.Fill, named{"shape": graph.ShapeValue(graph.Shape{}), "den": graph.IntValue(2)})
	}},
	{name: "clip", add: func(u *Universe) { u.always(op.Clip, named{"lo": graph.NumberValue(0), "hi": graph.NumberValue(6)}) }},
	{name: "leakyrelu", add: func(u *Universe) { u.always(op.LeakyRelu, named{"alpha": graph.NumberValue(0)}) }},
	always(op.EWLess), always(op.EWPow),
}

// tableRows is the number of rows of a table that positions are added to.
const tableRows = 5

// indexTypes are rows with positions.
func indexTypes() []InputType {
	return []InputType{
		{Name: "x", Sizes: []int{2, 3}, Count: 2},
		{Name: "y", Sizes: []int{4, 3}, Count: 1},
		{Name: "w", Sizes: []int{3, 3}, Count: 1},
		{Name: "n", Sizes: []int{2}, Count: 1},
		{Name: "m", Sizes: []int{4}, Count: 1},
		{Name: "s", Sizes: []int{}, Count: 1},
	}
}

// elementTypes are matrices and a scalar.
func elementTypes() []InputType {
	return []InputType{
		{Name: "x", Sizes: []int{2, 3}, Count: 3},
		{Name: "w", Sizes: []int{3, 3}, Count: 1},
		{Name: "s", Sizes: []int{}, Count: 1},
	}
}

// reductionTypes are matrices that can be multiplied, and a scalar.
func reductionTypes() []InputType {
	return []InputType{
		{Name: "x", Sizes: []int{2, 3}, Count: 2},
		{Name: "y", Sizes: []int{3, 4}, Count: 1},
		{Name: "s", Sizes: []int{}, Count: 1},
	}
}

// sliceTypes are matrices that can be joined, and kernels.
func sliceTypes() []InputType {
	return []InputType{
		{Name: "x", Sizes: []int{2, 3}, Count: 2},
		{Name: "w", Sizes: []int{3, 3}, Count: 1},
		{Name: "e", Sizes: []int{2, 2, 3, 1}, Count: 2},
	}
}
