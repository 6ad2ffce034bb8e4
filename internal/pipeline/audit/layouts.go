package audit

import "context"

// Laws of FlexFlow's parallel operators are decided by sums first: the axioms say little
// of partitions, so that a search from them runs to its limits, and what a partition
// reads is one sum of indices. Counterexamples are looked for next, and the axioms are
// asked last.

// layouts decides such laws, and returns the other ones with those that it
// could not decide.
func (d *decider) layouts(ctx context.Context, open []*decision) (left []*decision, err error) {
	var mine []*decision
	for _, n := range open {
		if !d.sumsFirst[n.law] {
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
