package refute

import (
	"slices"
)

// maxPlain bounds the assignments of attributes that are tried.
const maxPlain = 512

// plainAttrs lists assignments of the attributes, plain ones first.
func (s *space) plainAttrs() [][]int {
	limit := s.limit[s.First():]
	out := [][]int{make([]int, len(limit))}
	for i, n := range limit {
		for _, q := range slices.Clone(out) {
			for v := 1; v < n && len(out) < maxPlain; v++ {
				r := slices.Clone(q)
				r[i] = v
				out = append(out, r)
			}
		}
	}
	sum := func(q []int) (n int) {
		for _, v := range q {
			n += v
		}
		return n
	}
	slices.SortFunc(out, func(a, b []int) int {
		if c := sum(a) - sum(b); c != 0 {
			return c
		}
		return slices.Compare(a, b)
	})
	return out
}

// maxVisits bounds the search for smaller points than one beyond the limits.
const maxVisits = 100_000

// smaller calls f with points less than at, in order of weight and then of
// attributes, of which it takes those listed, until f returns false. Where at is
// beyond the limits it may leave some out.
func (s *space) smaller(at point, attrs [][]int, f func(point) bool) {
	n := len(s.Sizes) + len(s.Runs)
	limit, far := slices.Clone(s.limit), false
	for i := range n {
		if at[i] >= limit[i] {
			limit[i], far = at[i]+1, true
		}
	}
	q := make(point, len(at))
	var level []point
	visits := 0
	var rec func(i, weight int)
	rec = func(i, weight int) {
		if visits++; far && visits > maxVisits {
			return
		}
		if i == n {
			if s.weight(q) == weight {
				level = append(level, slices.Clone(q))
			}
			return
		}
		for v := range limit[i] {
			if q[i] = v; s.weight(q) > weight {
				break // a larger value never weighs less
			}
			rec(i+1, weight)
		}
		q[i] = 0
	}
	last := s.weight(at)
	for weight := s.weight(q); weight <= last && !(far && visits > maxVisits); weight++ {
		level = level[:0]
		rec(0, weight)
		for _, as := range attrs {
			for _, p := range level {
				copy(p[n:], as)
				if weight == last && !s.less(p, at) {
					continue
				}
				if !f(p) {
					return
				}
			}
		}
	}
}
