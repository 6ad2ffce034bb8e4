package enumerate

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// meshOf is the number of axes of the mesh that a tensor of these sizes is on.
func (u *Universe) meshOf(sizes []int) int {
	n := slices.IndexFunc(sizes, func(k int) bool { return k != u.mesh })
	if n < 0 {
		return len(sizes)
	}
	return n
}

// overMesh is a mesh of that many axes.
func (u *Universe) overMesh(axes int) graph.Value {
	return graph.ShapeValue(graph.Sizes(slices.Repeat([]int{u.mesh}, axes)...))
}

// each adds an instance for each member of families over a mesh.
func (u *Universe) each(axes int, in inst) uint16 {
	e := in.op.Each()
	if axes == 0 || e == in.op {
		e = in.op
	} else {
		in.attrs = append(graph.Attrs{u.overMesh(axes)}, in.attrs...)
	}
	for i := range u.insts {
		if u.insts[i].op == e && u.insts[i].attrs.Equal(in.attrs) {
			return uint16(i)
		}
	}
	u.insts = append(u.insts, newInst(e, in.attrs))
	return uint16(len(u.insts) - 1)
}

// onMesh tries an operator with operands that are on one mesh, on each member. What
// instances of it there are is said for a member.
func (u *Universe) onMesh(o *graph.Op, insts choice) choice {
	if o.Each() == nil { // a composite, which is applied to tensors only
		return func(a, b []int, seams seamSet) []uint16 {
			if u.meshOf(a) > 0 {
				return nil
			}
			return insts(a, b, seams)
		}
	}
	var lifted [maxMesh + 1][]uint16 // by instance
	for i := range u.insts {
		if u.insts[i].op != o {
			continue
		}
		for axes := range lifted {
			if n := i + 1 - len(lifted[axes]); n > 0 {
				lifted[axes] = append(lifted[axes], make([]uint16, n)...)
			}
			lifted[axes][i] = u.each(axes, u.insts[i])
		}
	}
	return func(a, b []int, seams seamSet) []uint16 {
		axes := u.meshOf(a)
		if o.In == 2 && (axes > maxMesh || u.meshOf(b) != axes) {
			return nil
		}
		if o.In > 0 {
			a = a[axes:]
		}
		if o.In == 2 {
			b = b[axes:]
		}
		list := insts(a, b, seams)
		if axes == 0 {
			return list
		}
		out := make([]uint16, len(list))
		for i, in := range list {
			out[i] = lifted[axes][in]
		}
		return out
	}
}
