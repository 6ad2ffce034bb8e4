package broadcast

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// withGroups is the attributes of a term, those of a convolution with the groups that the
// channels of its operands say; as they are where these say none.
func withGroups(t *law.Term, attrs graph.Attrs, in []graph.Shape) graph.Attrs {
	i := groupsIndex(t)
	if i < 0 || len(in[0]) != 4 || len(in[1]) != 4 {
		return attrs
	}
	groups, ok := in[0][1].Dim.Quo(in[1][1].Dim)
	if !ok || attrs[i] == graph.DimValue(groups) {
		return attrs
	}
	attrs = slices.Clone(attrs)
	attrs[i] = graph.DimValue(groups)
	return attrs
}

// groupsIndex is the place of the groups among the attributes of a convolution; -1 of
// other terms.
func groupsIndex(t *law.Term) int {
	if t.Op == nil || t.Op.Name != "conv2d" {
		return -1
	}
	return t.Op.ParamIndex("groups")
}

// freeGroups is a law in which each convolution of the left side has a number of groups of
// its own, that the law's shapes determine: so its patterns are not only those in which
// convolutions agree that need not. Groups that are the size of a constant stay.
func freeGroups(l *law.Law) *law.Law {
	fixed := constants(l)
	var nodes law.Nodes
	free := func(t *law.Term) *law.Term {
		i := groupsIndex(t)
		if i < 0 {
			return t
		}
		d, _ := t.Attrs[i].Dim()
		_, literal := d.Const()
		d.Walk(func(a graph.Atom) { literal = literal || fixed[a.Name] })
		if literal {
			return t
		}
		u := *t
		u.Attrs = slices.Clone(t.Attrs)
		u.Attrs[i] = graph.DimValue(graph.Var(fmt.Sprintf("groups@%d", nodes.Of(t))))
		return &u
	}
	out := *l
	out.LHS = make([]*law.Term, len(l.LHS))
	for i, t := range l.LHS {
		out.LHS[i] = t.Rewrite(free)
	}
	return &out
}
