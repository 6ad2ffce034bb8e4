package enumerate

import (
	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// Families over meshes of devices. In the case every axis of a mesh has as many members as
// the preset says, and no other axis has that size, so that the axes in front of a shape tell
// the mesh: graphs that mix tensors on different meshes, or take an axis of a mesh for
// one of a tensor, are not met. What is found is stated with a size of its own for each
// axis.
const (
	// maxMesh is the most axes of a mesh in the case.
	maxMesh = 2
	// wholeAxis is the size of the axes that are dealt out and put together again. What else is
	// a multiple of the size of a mesh comes from concats and copies in the case only, and
	// what is found with it holds for that size; where meshes have two members, two axes
	// put side by side are dealt out, too.
	wholeAxis = 6
)

// layout adds an operator that makes an axis of a mesh, in front of the tensor's own
// (makes), or takes it away. along says for which axes of a member it is tried; nil: it
// has no axis.
func (u *Universe) layout(o *graph.Op, makes bool, along func(n int) bool, more named) {
	var list [maxMesh][maxAxes][]uint16
	for axes := range maxMesh {
		for axis := range maxAxes {
			n := named{}
			for k, v := range more {
				n[k] = v
			}
			if along != nil {
				n["axis"] = graph.IntValue(int64(axis))
			} else if axis > 0 {
				continue
			}
			if o.ParamIndex("on") >= 0 {
				n["on"] = graph.IntValue(int64(u.mesh))
			}
			list[axes][axis] = []uint16{u.each(axes, newInst(o, o.MustAttr(n)))}
		}
	}
	u.tmpls = append(u.tmpls, template{op: o, arity: 1, insts: func(a, _ []int, _ seamSet) []uint16 {
		axes := u.meshOf(a)
		a = a[axes:]
		if !makes {
			axes--
		}
		if axes < 0 || axes >= maxMesh || len(a) > maxAxes {
			return nil
		}
		if along == nil {
			return list[axes][0]
		}
		var out []uint16
		for axis, n := range a {
			if along(n) {
				out = append(out, list[axes][axis]...)
			}
		}
		return out
	}})
}

var layoutFamilies = []family{
	{name: "partition", add: func(u *Universe) {
		u.layout(op.Partition, true, func(n int) bool { return n == wholeAxis || u.mesh == 2 && n == 2*wholeAxis }, nil)
	}, types: meshMatrixTypes},
	{name: "combine", add: func(u *Universe) {
		u.layout(op.Combine, false, func(n int) bool { return u.mesh*n == wholeAxis }, nil)
	}, types: meshMatrixTypes},
	{name: "replicate", add: func(u *Universe) { u.layout(op.Replicate, true, nil, nil) }, types: meshMatrixTypes},
	{name: "reduce", add: func(u *Universe) { u.layout(op.Reduce, false, nil, nil) }, types: meshMatrixTypes},
	{name: "lift", add: func(u *Universe) { u.layout(op.Lift, true, nil, nil) }, types: meshMatrixTypes},
	{name: "drop", add: func(u *Universe) { u.layout(op.Drop, false, nil, nil) }, types: meshMatrixTypes},
	{name: "halo", add: func(u *Universe) {
		u.layout(op.Halo, false, func(n int) bool { return u.mesh*n == wholeAxis }, named{"before": graph.IntValue(1), "after": graph.IntValue(1)})
	}, types: meshImageTypes},
	{name: "pickown", add: func(u *Universe) {
		list := []uint16{u.add(general.PickOwn.Op, nil)}
		u.tmpls = append(u.tmpls, template{op: general.PickOwn.Op, arity: 2, insts: func(a, b []int, _ seamSet) []uint16 {
			if u.mesh == 0 || u.meshOf(a) != 1 || u.meshOf(b) != 1 || len(a) != 3 || len(b) != 2 || u.mesh*a[1] != wholeAxis {
				return nil
			}
			return list
		}})
	}, types: meshTableTypes},
}

// Sizes below are 2*3, so that an axis can be dealt out to two members or to three, or
// numbers that are no part of others.

func meshPairTypes() []InputType {
	return []InputType{
		{Name: "x", Sizes: []int{6, 6}, Count: 2},
		{Name: "w", Sizes: []int{6, 5}, Count: 2},
	}
}

func meshMatrixTypes() []InputType {
	return append(meshPairTypes(), InputType{Name: "s", Sizes: []int{}, Count: 1})
}

func meshHeadTypes() []InputType {
	return []InputType{
		{Name: "q", Sizes: []int{6, 6, 3}, Count: 2},
		{Name: "k", Sizes: []int{6, 3, 6}, Count: 2},
	}
}

func meshImageTypes() []InputType {
	return []InputType{
		{Name: "i", Sizes: []int{6, 6, 5, 1}, Count: 2},
		{Name: "u", Sizes: []int{6, 6, 3, 1}, Count: 2, Weight: true},
	}
}

func meshTableTypes() []InputType {
	return []InputType{
		{Name: "t", Sizes: []int{5, 6}, Count: 2},
		{Name: "n", Sizes: []int{6}, Count: 2},
		{Name: "w", Sizes: []int{6, 5}, Count: 1},
	}
}

// meshFamilyTypes are matrices, and families of matrices that are no shards of one.
func meshFamilyTypes() []InputType {
	return []InputType{
		{Name: "x", Sizes: []int{6, 5}, Count: 2},
		{Name: "m", Sizes: []int{3, 2, 5}, Count: 2},
		{Name: "w", Sizes: []int{3, 5, 5}, Count: 1},
		{Name: "s", Sizes: []int{}, Count: 1},
	}
}

// meshShapeTypes are tensors whose axes are merged and split, and families of them.
func meshShapeTypes() []InputType {
	return []InputType{
		{Name: "y", Sizes: []int{6, 2, 4}, Count: 1},
		{Name: "x", Sizes: []int{4, 6}, Count: 1},
		{Name: "m", Sizes: []int{3, 2, 4}, Count: 1},
	}
}
