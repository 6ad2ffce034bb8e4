package enumerate

import (
	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// permutations are those of attention: matrices of a batch transposed, heads to
// the front and back, matrices of heads transposed, and both at once, for keys.
var permutations = [][]int64{{0, 2, 1}, {0, 2, 1, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}}

// partFactor is the first factor of an axis that is parted in the case.
const partFactor = 2

// sequenceFamilies are the operators of networks over sequences.
var sequenceFamilies = []family{
	{name: "linear", add: func(u *Universe) { u.when(general.Linear.Op, nil, rank(3, 4)) }, types: sequenceTypes},
	{name: "bias", add: func(u *Universe) { u.when(general.Bias.Op, nil, rank(2, 3, 4)) }, types: sequenceTypes},
	{name: "scale", add: func(u *Universe) { u.when(general.Scale.Op, nil, rank(2, 3, 4)) }, types: sequenceTypes},
	{name: "reshape", add: addReshape, types: sequenceTypes},
	{name: "layernorm", add: func(u *Universe) { u.when(general.LayerNorm.Op, nil, rank(2, 3, 4)) }, types: sequenceTypes},
	reduction(op.ReduceSum), reduction(op.ReduceMean), reduction(op.ReduceMax),
	{name: "slice", add: func(u *Universe) {
		for axis := range u.joints() {
			n := named{"axis": graph.IntValue(int64(axis)), "lo": graph.IntValue(0), "hi": graph.IntValue(1)}
			u.when(op.Slice, n, func(a, _ []int) bool { return len(a) >= 2 && len(a) > axis && a[axis] > 1 })
		}
	}},
	{name: "gather", add: func(u *Universe) {
		u.when(op.Gather, named{"axis": graph.IntValue(0)}, func(a, b []int) bool { return len(a) == 2 && len(b) == 1 })
	}, types: sequenceTypes},
}

// addReshape adds the reshapes that join two neighbouring axes and those that
// part one. Any other between tensors without axes of size 1 is made of these.
func addReshape(u *Universe) {
	for axis := range maxAxes - 1 {
		u.when(general.Join.Op, named{"axis": graph.IntValue(int64(axis))}, func(a, _ []int) bool { return len(a) > axis+1 })
	}
	for axis := range maxAxes - 1 {
		var list [maxCut + 1]uint16
		for n := 2; n*partFactor <= maxCut; n++ {
			list[n] = u.add(general.Part.Op, named{"axis": graph.IntValue(int64(axis)), "first": graph.IntValue(partFactor),
				"second": graph.IntValue(int64(n))})
		}
		u.template(general.Part.Op, func(a, _ []int, _ seamSet) []uint16 {
			if len(a) <= axis || len(a) >= maxAxes || a[axis]%partFactor != 0 || a[axis] == partFactor || a[axis] > maxCut {
				return nil
			}
			return list[a[axis]/partFactor:][:1]
		})
	}
}

// reduction is along the last axis, which stays with size 1; of images over height and width; of
// matrices and vectors also along any axes, which are removed.
func reduction(o *graph.Op) family {
	return family{name: o.Name, add: func(u *Universe) {
		if !u.seq {
			u.when(o, named{"axes": graph.TupleValue(2, 3), "keep": graph.IntValue(1)}, rank(4))
			u.when(o, named{"axes": graph.TupleValue(1), "keep": graph.IntValue(1)}, rank(2))
			for _, axes := range [][]int64{{0}, {1}, {0, 1}} {
				u.when(o, named{"axes": graph.TupleValue(axes...)}, rank(2))
			}
			u.when(o, named{"axes": graph.TupleValue(0)}, rank(1))
			return
		}
		for r := 2; r <= maxAxes; r++ {
			u.when(o, named{"axes": graph.TupleValue(int64(r - 1)), "keep": graph.IntValue(1)}, rank(r))
		}
	}}
}
