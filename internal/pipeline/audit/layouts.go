package audit

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// laysOut reports whether a law has operators that lay tensors out over a mesh.
func laysOut(l *law.Law) bool {
	found := false
	l.EachTerm(func(t *law.Term) { found = found || t.Op != nil && layoutOf(t) != graph.LayoutNone })
	return found
}

// layoutOf is what the operator of an application does with a mesh, also where it is
// applied to each member of a family.
func layoutOf(t *law.Term) graph.Layout {
	if one, _, _ := t.Op.Member(t.Attrs); one != nil {
		return one.Layout
	}
	return t.Op.Layout
}
