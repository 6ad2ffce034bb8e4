package parallel

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// actKind says what a node has to do with meshes.
type actKind uint8

const (
	actNone  actKind = iota // an input, or no output depends on it
	actLocal                // each device works on its member
	actMake                 // makes a mesh axis
	actEnd                  // ends one
	actHalo                 // takes places of neighbours
	actSplit                // makes two mesh axes of one
	actMerge                // makes one of two
)

// act is what a node does to members.
type act struct {
	kind actKind
	// op is the operator as it is applied to a member; of the kinds that are not local a
	// layout operator.
	op    *graph.Op
	attrs graph.Attrs
	// at is the place of the mesh axis that is made or ended, or which has the halo,
	// among those of the result or the operand.
	at int
	// axis is the axis of a member along which is cut, joined or looked around; of
	// actSplit and actMerge the place, in the operand or the result, of the mesh axis that
	// becomes two or comes of two.
	axis          int
	before, after int
}

// memberOf is what an operator applies to a member, and over how many axes it is lifted.
func memberOf(o *graph.Op, a graph.Attrs) (member *graph.Op, attrs graph.Attrs, over int) {
	if one, own, axes := o.Member(a); one != nil {
		return one, own, len(axes)
	}
	return o, a, 0
}

// layoutOp tells what a layout operator does; actLocal: it is none.
func layoutOp(o *graph.Op) actKind {
	switch o.Layout {
	case graph.LayoutMakes:
		return actMake
	case graph.LayoutEnds:
		return actEnd
	case graph.LayoutKeeps:
		return actHalo
	}
	return actLocal
}

// intAttr is a concrete number among the attributes.
func intAttr(o *graph.Op, a graph.Attrs, name string) (int, error) {
	i := o.ParamIndex(name)
	if i < 0 {
		return 0, fmt.Errorf("operator %s has no attribute %s", o.Name, name)
	}
	d, _ := a[i].Dim()
	n, ok := d.Const()
	if !ok {
		return 0, fmt.Errorf("operator %s: %s=%s is not a number", o.Name, name, a[i])
	}
	return int(n), nil
}
