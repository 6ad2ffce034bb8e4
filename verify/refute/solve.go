package refute

import (
	"slices"

	"github.com/taso-go/taso/law/instance"
)

// solver changes sizes and runs of a point until conditions hold: those of the
// first condition that does not, one at a time, to the least values for which it
// does.
type solver struct {
	*space
	conds []instance.Condition
	near  []int // sizes that are tried where a condition is not linear
	left  int   // changes that may still be made
}

// solveDepth is how many changes may be made to one point.
const solveDepth = 6

// from is a point at which all conditions hold; nil if none was found.
func (v *solver) from(at point, depth int) point {
	k := slices.IndexFunc(v.conds, func(c instance.Condition) bool { return !v.Holds(&c, at) })
	if k < 0 {
		return at
	}
	if depth == 0 {
		return nil
	}
	c := &v.conds[k]
	for _, i := range v.varsOf(c) {
		for _, n := range v.least(c, at, i) {
			if v.left--; v.left < 0 {
				return nil
			}
			q := slices.Clone(at)
			q[i] = n
			if r := v.from(q, depth-1); r != nil {
				return r
			}
		}
	}
	return nil
}

// least lists some values of a variable for which a condition holds, in order.
func (v *solver) least(c *instance.Condition, at point, i int) []int {
	const most = 2
	q := slices.Clone(at)
	var out []int
	try := func(n int) bool {
		q[i] = n
		if v.Holds(c, q) {
			out = append(out, n)
		}
		return len(out) < most
	}
	if i >= len(v.Sizes) {
		for n := range v.Lens {
			if !try(n) {
				break
			}
		}
		return out
	}
	for _, n := range v.near {
		if !try(n - 1) {
			return out
		}
	}
	if len(out) > 0 || c.Mod != nil {
		return out
	}
	// Where the difference is linear, it is 0 at one size, or near it.
	diff := func(n int) (int64, bool) {
		q[i] = n
		l, ok1 := v.Value(&c.Left, q)
		r, ok2 := v.Value(&c.Right, q)
		return l - r, ok1 && ok2
	}
	a, ok1 := diff(0)
	b, ok2 := diff(1)
	if !ok1 || !ok2 || a == b {
		return out
	}
	zero := -a / (b - a)
	for n := zero - 1; n <= zero+1; n++ {
		if n >= 0 && n < reachSize && !try(int(n)) {
			break
		}
	}
	return out
}

// varsOf lists the sizes and runs that a condition mentions.
func (v *solver) varsOf(c *instance.Condition) []int {
	var out []int
	v.Each(c, func(i int) {
		if i < v.First() && !slices.Contains(out, i) {
			out = append(out, i)
		}
	})
	return out
}
