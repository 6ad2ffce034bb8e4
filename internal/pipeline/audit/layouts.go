package audit

import (
	"context"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Laws of operators that lay tensors out over meshes are decided by sums first: the axioms say little
// of partitions, so that a search from them runs to its limits, and what a partition
// reads is one sum of indices. Counterexamples are looked for next, and the axioms are
// asked last.

// laysOut reports whether a law has such operators.
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

// layouts decides such laws, and returns the other ones with those that it
// could not decide.
func (d *decider) layouts(ctx context.Context, open []*decision) (left []*decision, err error) {
	var mine []*decision
	for _, n := range open {
		if !laysOut(n.law) {
			left = append(left, n)
			continue
		}
		mine = append(mine, n)
		for k := range n.way {
			if k == 0 || !n.law.OneWay {
				n.way[k] = Direction{Verdict: Unknown}
			}
		}
	}
	if err := d.unbounded(ctx, mine); err != nil {
		return nil, err
	}
	if err := d.each(ctx, len(mine), func(i int) error { return d.refute(ctx, mine[i]) }); err != nil {
		return nil, err
	}
	for _, n := range mine {
		if n.way[0].Verdict == Unknown && (n.law.OneWay || n.way[1].Verdict == Unknown) {
			left = append(left, n)
		}
	}
	return left, nil
}
