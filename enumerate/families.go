package enumerate

import (
	"slices"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// families are all that can be enumerated, in canonical order: those of the
// default and then those that are enumerated when asked for.
var families = slices.Concat(matrixFamilies, imageFamilies, shapeFamilies, constantFamilies,
	elementFamilies, functionFamilies(), sequenceFamilies, channelFamilies, layoutFamilies, decoderFamilies,
	copyFamilies, trainingFamilies)

// defaults is the number of families of the default universe.
var defaults = len(matrixFamilies) + len(imageFamilies) + len(shapeFamilies) + len(constantFamilies)

// OperatorNames are the operators that can be enumerated, in canonical order:
// those of the default and then those that are enumerated when asked for.
func OperatorNames() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// DefaultNames are the operators of the default universe, in canonical order.
func DefaultNames() []string { return OperatorNames()[:defaults] }

var matrixFamilies = []family{
	{name: "matmul", add: func(u *Universe) {
		// Of matrices; broaden finds the batched form. Of sequences also with
		// batch axes: there transpositions and reshapes tell the axes apart.
		u.when(op.MatMul, nil, func(a, b []int) bool {
			return len(a) == 2 && len(b) == 2 || u.seq && len(a) == len(b) && len(a) > 2
		})
	}},
	always(op.EWAdd), always(op.EWMul), always(op.SMul), always(op.Relu),
}

var shapeFamilies = []family{
	{name: "concat", add: func(u *Universe) {
		for axis := range u.joints() {
			u.always(op.Concat, named{"axis": graph.IntValue(int64(axis))})
		}
	}},
	{name: "split", add: addSplit},
	{name: "transpose", add: func(u *Universe) {
		u.always(op.Transpose, nil)
		if u.seq {
			for _, perm := range permutations {
				u.when(op.Transpose, named{"perm": graph.TupleValue(perm...)}, rank(len(perm)))
			}
		}
	}},
}

// joints is the number of axes along which tensors are joined.
func (u *Universe) joints() int {
	if u.seq {
		return 3
	}
	return 2
}

func addSplit(u *Universe) {
	for axis := range u.joints() {
		var at [maxCut + 1]uint16
		for p := 1; p <= maxCut; p++ {
			at[p] = u.add(op.Split, named{"axis": graph.IntValue(int64(axis)), "at": graph.IntValue(int64(p))})
		}
		u.template(op.Split, func(a, _ []int, seams seamSet) []uint16 {
			if len(a) < 2 || len(a) <= axis || seams[axis] == 0 {
				return nil
			}
			var out []uint16
			for p := 1; p <= maxCut && p < a[axis]; p++ {
				if seams[axis]&(1<<p) != 0 {
					out = append(out, at[p])
				}
			}
			return out
		})
	}
}

var constantFamilies = []family{
	{name: "enlarge", add: func(u *Universe) {
		u.when(op.Enlarge, named{"kh": graph.IntValue(general.CaseKernel), "kw": graph.IntValue(general.CaseKernel)}, func(a, _ []int) bool {
			return len(a) == 4 && a[2] <= general.CaseKernel && a[3] <= general.CaseKernel && (a[2] < general.CaseKernel || a[3] < general.CaseKernel)
		})
	}},
	{name: "iconv", add: func(u *Universe) {
		u.always(op.IConv, named{"c": graph.IntValue(2), "kh": graph.IntValue(general.CaseKernel), "kw": graph.IntValue(general.CaseKernel)})
	}},
	{name: "imatmul", add: func(u *Universe) { u.always(op.IMatMul, named{"n": graph.IntValue(3)}) }},
	{name: "one", add: func(u *Universe) {
		u.always(op.One, named{"shape": graph.ShapeValue(graph.Sizes(1, 2, 4, 5))})
		u.always(op.One, named{"shape": graph.ShapeValue(graph.Sizes(2, 3))})
	}},
	{name: "cpool", add: func(u *Universe) {
		u.always(op.CPool, named{"c": graph.IntValue(2), "kh": graph.IntValue(general.CaseKernel), "kw": graph.IntValue(general.CaseKernel)})
	}},
}

var elementFamilies = []family{
	always(op.EWSub), always(op.EWDiv), always(op.EWMax), always(op.EWMin), always(op.Neg),
	{name: "softmax", add: func(u *Universe) {
		for axis := range 2 {
			u.when(op.Softmax, named{"axis": graph.IntValue(int64(axis))}, rank(2))
		}
		if u.seq { // over the last axis
			for axis := 2; axis < maxAxes; axis++ {
				u.when(op.Softmax, named{"axis": graph.IntValue(int64(axis))}, rank(axis+1))
			}
		}
	}},
}

// functions are the functions of one element beside the relu. Modulo a
// prime each is an arbitrary function, so that what is found for one holds for
// any; see anyFunction.
var functions = []*graph.Op{op.Sigmoid, op.Tanh, op.Gelu, op.Exp, op.Sqrt, op.Erf, op.Reciprocal, op.Abs, op.Log, op.HardSwish}

func functionFamilies() []family {
	var out []family
	for _, o := range functions {
		out = append(out, always(o))
	}
	return out
}
