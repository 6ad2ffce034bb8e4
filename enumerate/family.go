package enumerate

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// family is what one name of --ops stands for: an operator with the attribute
// values worth trying. Each group of operators has a file with its families; a
// new one takes a line there.
type family struct {
	name string
	add  func(u *Universe)
	// types are the inputs without which the operator is of no use, nil if those
	// of the default will do.
	types func() []InputType
}

type named = map[string]graph.Value

// choice lists the instances worth trying for operands of certain sizes.
type choice = func(a, b []int, seams seamSet) []uint16

func (u *Universe) template(o *graph.Op, insts choice) {
	if u.mesh > 0 {
		insts = u.onMesh(o, insts)
	}
	u.tmpls = append(u.tmpls, template{op: o, arity: o.In, image: o.ParamIndex("stride") >= 0, insts: insts})
}

// always tries an instance with all operands.
func (u *Universe) always(o *graph.Op, n named) {
	list := []uint16{u.add(o, n)}
	u.template(o, func(_, _ []int, _ seamSet) []uint16 { return list })
}

// when tries an instance where fits says so.
func (u *Universe) when(o *graph.Op, n named, fits func(a, b []int) bool) {
	list := []uint16{u.add(o, n)}
	u.template(o, func(a, b []int, _ seamSet) []uint16 {
		if !fits(a, b) {
			return nil
		}
		return list
	})
}

// rank accepts first operands of some numbers of axes.
func rank(ranks ...int) func(a, b []int) bool {
	return func(a, _ []int) bool { return slices.Contains(ranks, len(a)) }
}

// always is the family of an operator that is tried with all operands.
func always(o *graph.Op) family {
	return family{name: o.Name, add: func(u *Universe) { u.always(o, nil) }}
}

// add is a new instance.
func (u *Universe) add(o *graph.Op, named map[string]graph.Value) uint16 {
	u.insts = append(u.insts, newInst(o, o.MustAttr(named)))
	return uint16(len(u.insts) - 1)
}
