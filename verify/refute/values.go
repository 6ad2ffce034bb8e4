package refute

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
)

// patience is how many points are tried on exact values in vain before a third
// of the tries has to do at the others: the law then holds of true functions
// and orders, or nearly so.
const patience = 40

// values looks for values on which the sides differ at a point. What it finds
// there is always the same, except that fewer tries may find nothing.
func (s *search) values(p *program, at point, tries int) []interp.Q {
	return p.failing(random(s.seed, fnvPoint(at)), tries)
}

// failing looks for values on which the sides differ in exact arithmetic: all
// of -1, 0, 1, 2, and halves, where there are few cells, else random ones; with other
// functions each time, small numbers and larger ones by turns, and halves; then what is
// near numbers of the law. It leaves the functions as they were then.
func (p *program) failing(rng *rand.Rand, tries int) []interp.Q {
	cells := 0
	for _, s := range p.Given {
		cells += graph.NumElements(s)
	}
	vals := make([]interp.Q, cells)
	fails := func() bool { return p.differ(vals) >= 0 }
	p.fns.key = rng.Uint64()
	if cells <= 3 && everyValue(vals, 0, plain, fails) || cells <= 2 && everyValue(vals, 0, halves, fails) {
		return vals
	}
	for try := range tries {
		p.fns.key = rng.Uint64()
		lo, n, den := int64(-1), 4, int64(1)
		switch {
		case try%6 == 5:
			// What holds of whole numbers, such as x <= x*x, may not of others.
			lo, n, den = -3, 7, 2
		case try%2 == 1:
			lo, n = -9, 19
		}
		// In long tensors few elements are not 0, which is quick to make small.
		few := cells > longTensor && try < tries-1
		for i := range vals {
			vals[i] = fraction(lo+int64(rng.IntN(n)), den)
			if few && rng.IntN(cells) >= fewCells {
				vals[i] = plain[0]
			}
		}
		if fails() {
			return vals
		}
	}
	// What clips at 127 is seen beyond 127.
	for try := 0; try < tries && len(p.near) > 0; try++ {
		p.fns.key = rng.Uint64()
		for i := range vals {
			vals[i] = plain[rng.IntN(len(plain))]
			if rng.IntN(4) > 0 {
				vals[i] = p.near[rng.IntN(len(p.near))]
			}
		}
		if fails() {
			return vals
		}
	}
	return nil
}

// maxNear is the largest number of a law near which values are tried: products of a few
// have exact values.
const maxNear = 1 << 16

// nearNumbers are the whole numbers and halves in a law's attributes that plain values do
// not reach, and their neighbours, ascending.
func nearNumbers(l *law.Law) []interp.Q {
	var near []interp.Q
	for _, side := range slices.Concat(l.LHS, l.RHS) {
		side.Walk(func(t *law.Term) {
			for _, a := range t.Attrs {
				x, ok := a.Number()
				if !ok || math.Abs(x) < 2 || math.Abs(x) > maxNear || 2*x != math.Trunc(2*x) {
					continue
				}
				for d := int64(-2); d <= 2; d += 2 {
					near = append(near, fraction(int64(2*x)+d, 2))
				}
			}
		})
	}
	slices.SortFunc(near, compareQ)
	return slices.Compact(near)
}

// fraction is num/den, den being 1 or 2.
func fraction(num, den int64) interp.Q {
	if num%2 == 0 {
		return interp.Q{Num: num / den, Den: 1}
	}
	return interp.Q{Num: num, Den: den}
}

// fewCells is how many elements of long tensors are not 0, about.
const fewCells = 64

func fnvPoint(at point) uint64 {
	h := uint64(14695981039346656037)
	for _, v := range at {
		h = (h ^ uint64(v)) * 1099511628211
	}
	return h
}

// plain are the values that cells should have, the best first.
var plain = []interp.Q{{Num: 0, Den: 1}, {Num: 1, Den: 1}, {Num: -1, Den: 1}, {Num: 2, Den: 1}}

// halves are between the plain values, where products and the order of numbers may say
// something else.
var halves = []interp.Q{{Num: -1, Den: 2}, {Num: 1, Den: 2}, {Num: 1, Den: 1}}

// everyValue tries all assignments of some values to the cells from i on.
func everyValue(vals []interp.Q, i int, among []interp.Q, fails func() bool) bool {
	if i == len(vals) {
		return fails()
	}
	for _, v := range among {
		vals[i] = v
		if everyValue(vals, i+1, among, fails) {
			return true
		}
	}
	return false
}

// simplifyRuns bounds how often simplify evaluates the sides, not the quality
// of its result.
const simplifyRuns = 500

// simplify makes cells 0, or else 1, -1, 2, as long as the sides still differ,
// whole tensors and halves first; then the values of functions; until nothing
// changes.
func simplify(p *program, vals []interp.Q) {
	budget := simplifyRuns
	fails := func() bool {
		budget--
		return budget >= 0 && p.differ(vals) >= 0
	}
	var zero func(lo, hi int) bool
	zero = func(lo, hi int) bool {
		part := vals[lo:hi]
		if !slices.ContainsFunc(part, func(q interp.Q) bool { return q != plain[0] }) {
			return false
		}
		old := slices.Clone(part)
		for i := range part {
			part[i] = plain[0]
		}
		if fails() {
			return true
		}
		copy(part, old)
		if hi-lo == 1 {
			return false
		}
		mid := (lo + hi) / 2
		a := zero(lo, mid)
		b := zero(mid, hi)
		return a || b
	}
	for changed := true; changed && budget > 0; {
		changed = false
		at := 0
		for _, s := range p.Given {
			n := graph.NumElements(s)
			changed = zero(at, at+n) || changed
			at += n
		}
		for i := range vals {
			changed = plainer(&vals[i], plain[1:], fails) || changed
		}
		changed = p.simplifyFns(vals, fails) || changed
	}
}

// plainer gives q the first of the values that makes fails hold, if that comes
// before its own.
func plainer(q *interp.Q, values []interp.Q, fails func() bool) bool {
	old := *q
	if old == plain[0] {
		return false
	}
	for _, v := range values {
		if v == old {
			break
		}
		*q = v
		if fails() {
			return true
		}
	}
	*q = old
	return false
}

// simplifyFns makes what functions give 0, or else 1, -1.
func (p *program) simplifyFns(vals []interp.Q, fails func() bool) bool {
	changed := false
	_, seen := p.trace(vals)
	for _, f := range p.fns.all() {
		for _, x := range slices.SortedFunc(maps.Keys(seen[f]), compareQ) {
			if x == plain[0] && f.zero {
				continue
			}
			try := seen[f][x]
			if plainer(&try, plain, func() bool { f.at[x] = try; return fails() }) {
				changed = true
			}
			f.at[x] = try
		}
	}
	return changed
}

// compareQ orders rationals by value where that fits into 64 bits.
func compareQ(a, b interp.Q) int {
	x, y := float64(a.Num)/float64(a.Den), float64(b.Num)/float64(b.Den)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	if a.Num != b.Num {
		return int(min(max(a.Num-b.Num, -1), 1))
	}
	return int(min(max(a.Den-b.Den, -1), 1))
}
