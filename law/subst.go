package law

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// Subst is the law with sizes, runs and attribute variables replaced, its name
// unchanged. Bindings of variables that are replaced are left out. Equal
// subterms become one node.
func (l *Law) Subst(b *graph.Substitution) *Law { return l.SubstFns(nil, b) }

// SubstFns is Subst with function variables replaced too, see [Term.Subst].
func (l *Law) SubstFns(fns map[string]string, b *graph.Substitution) *Law {
	out := *l
	out.Given, out.LHS, out.RHS, out.Where = nil, nil, nil, nil
	for _, g := range l.Given {
		_, attr := b.Attrs[g.Name]
		_, fn := fns[g.Name]
		if g.Sort != "" && (attr || fn) {
			continue
		}
		if g.Sort == "" {
			g.Shape = g.Shape.Subst(b)
		}
		out.Given = append(out.Given, g)
	}
	var nodes Nodes
	each := substitution(nil, fns, b)
	sides := rewriteAll(slices.Concat(l.LHS, l.RHS), func(u *Term) *Term { return nodes.Unique(each(u)) })
	out.LHS, out.RHS = sides[:len(l.LHS):len(l.LHS)], sides[len(l.LHS):]
	for _, p := range l.Where {
		out.Where = append(out.Where, p.Subst(b))
	}
	return &out
}

// OneDirection is what an equation claims from one side to the other, written =>
// with the source on the left; backward: from right to left. Of a law that is
// written => already, backward is another law.
func OneDirection(l *Law, backward bool) *Law {
	w := *l
	w.OneWay = true
	if backward {
		w.LHS, w.RHS = l.RHS, l.LHS
	}
	return &w
}
