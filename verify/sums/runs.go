package sums

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/meaning"
)

// maxRuns bounds the axis runs whose numbers of axes are tried by value.
const maxRuns = 5

// runCases are the cases of a law's axis runs: one axis of any size where that is
// enough (see the package comment), else all numbers of axes with which tensors
// have at most MaxRank axes. The second result says that these are not all.
func (r *run) runCases() ([]meaning.Case, bool) {
	names, carried := meaning.Runs(r.l)
	start := meaning.Start(r.l, map[string]graph.Shape{})
	if carried {
		for _, n := range names {
			start.Bind.Runs[n] = meaning.Axes(r.l, n, 1)
		}
		return []meaning.Case{start}, false
	}
	if len(names) > maxRuns {
		return nil, true
	}
	var out []meaning.Case
	count := make([]int, len(names))
	var rec func(i int)
	rec = func(i int) {
		if i < len(names) {
			for count[i] = 0; count[i] <= r.p.cfg.MaxRank; count[i]++ {
				rec(i + 1)
			}
			return
		}
		c := start.With("")
		c.Words = nil
		c.Bind.Runs = map[string]graph.Shape{}
		for j, n := range names {
			c.Bind.Runs[n] = meaning.Axes(r.l, n, count[j])
			c.Words = append(c.Words, fmt.Sprintf("%d axes in %s", count[j], n))
		}
		for _, b := range r.l.Given {
			if len(b.Shape.Subst(&c.Bind)) > r.p.cfg.MaxRank {
				return
			}
		}
		out = append(out, c)
	}
	rec(0)
	return out, true
}
