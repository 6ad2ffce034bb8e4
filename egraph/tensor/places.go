package tensor

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// An operator that reads at places which an operand holds (graph.Op.Places) is defined
// where these are within its table. That is granted by a side of the goal that reads at
// the same term, or at one whose entries it holds rearranged, in a table that is no
// longer. It is asked of terms, not of classes, as package verify/check does.

// look says that the entries of a term are places in a table of size n.
type look struct {
	at egraph.NodeID
	n  graph.Dim
}

// maxMoves is how many moves one behind the other are looked through.
const maxMoves = 100

// rearranges reports whether the entries of a term are those of its operands.
func (g *Graph) rearranges(n egraph.NodeID) bool {
	s := &g.tab.syms[g.e.Sym(n)]
	return s.kind == symOp && s.op.Rearranges
}

// grantPlaces notes at which places the terms of one side read.
func (g *Graph) grantPlaces(side int, ts []*law.Term, shapes map[*law.Term]graph.Shape, in Scope) error {
	var err error
	for _, t := range ts {
		t.Walk(func(u *law.Term) {
			if u.Op == nil || u.Op.Places == nil || err != nil {
				return
			}
			var i int
			var n graph.Dim
			if i, n, err = places(u, shapes); err != nil {
				return
			}
			var at egraph.NodeID
			if at, err = g.Add(u.Args[i], in); err == nil {
				g.facts.looks[side] = append(g.facts.looks[side], look{at, n})
			}
		})
	}
	return err
}

func places(t *law.Term, shapes map[*law.Term]graph.Shape) (operand int, n graph.Dim, err error) {
	in := make([]graph.Shape, len(t.Args))
	for i, a := range t.Args {
		in[i] = shapes[a]
	}
	return t.Op.Places(t.Attrs, in)
}

// placed says in which directions the goal grants that the entries of a term are places
// in a table of size n.
func (g *Graph) placed(at egraph.NodeID, n graph.Dim, depth int) directions {
	d := directions(0)
	for i, dir := range [2]directions{forward, backward} {
		if slices.ContainsFunc(g.facts.looks[i], func(k look) bool {
			return k.at == at && rewrite.Implied(n.Sub(k.n), g.facts.side[i])
		}) {
			d |= dir
		}
	}
	if d != both && g.rearranges(at) && depth < maxMoves {
		all := both
		for i := range g.e.Arity(at) {
			all &= g.placed(g.e.Child(at, i), n, depth+1)
		}
		d |= all
	}
	return d
}

// variable says that the source of a law reads at the places that a variable holds.
type variable struct {
	at int // of the direction
	n  graph.Dim
}

// sourcePlaces are the places that have to be granted for a use of a law: those of the
// left side of a one-way law, which says nothing where that is not defined. The error
// says that the law cannot be used: places that are no variable's, or several outputs,
// of which one alone may be defined.
func sourcePlaces(d *rewrite.Direction) ([]variable, error) {
	l := d.Law.Law
	reads := false
	l.EachTerm(func(u *law.Term) { reads = reads || u.Op != nil && u.Op.Places != nil })
	switch {
	case !reads || !l.OneWay && len(l.LHS) == 1:
		return nil, nil
	case len(l.LHS) > 1:
		return nil, fmt.Errorf("law %s: several outputs that read at places", l.Name)
	}
	ty, err := l.Types()
	if err != nil {
		return nil, err
	}
	var out []variable
	l.LHS[0].Walk(func(u *law.Term) {
		if u.Op == nil || u.Op.Places == nil || err != nil {
			return
		}
		var i int
		var n graph.Dim
		if i, n, err = places(u, ty.Shape); err != nil {
			return
		}
		at := slices.Index(d.Vars, u.Args[i].Var)
		if at < 0 {
			err = fmt.Errorf("law %s: places that are no variable", l.Name)
			return
		}
		out = append(out, variable{at, n})
	})
	return out, err
}
