package law

import (
	"math"
	"math/bits"
	"math/rand"
)

// Combinations is the number of ways to give the variables of l values of the
// scope, those that the conditions exclude included; at most MaxUint64.
func Combinations(l *Law, s Scope) uint64 {
	s = s.set()
	total := uint64(1)
	for _, c := range s.choices(l) {
		hi, lo := bits.Mul64(total, uint64(c.n))
		if hi != 0 {
			return math.MaxUint64
		}
		total = lo
	}
	return total
}

// Covering is a set of instances in which the values of the scope meet in
// pairs.
type Covering struct {
	Valuations []*Valuation
	// Pairs counts the pairs of values of two variables, Covered those that
	// some valuation of the set shows. For the others no instance was found:
	// most often the conditions of the law exclude them.
	Pairs, Covered int
}

const (
	coverFills = 6   // fills of one pair that are compared
	coverSteps = 400 // values that are tried to complete one fill
)

// Cover makes a covering of the instances of l in a scope: every value of one
// variable together with every value of another occurs in some valuation, as
// far as the conditions permit, and where there is a choice in one for which
// the left side is defined. The result depends on the arguments alone.
func Cover(l *Law, s Scope, seed int64) Covering {
	c := newCoverer(l, s, seed)
	var out Covering
	for i := range c.cs {
		if c.cs[i].n == 0 {
			return out
		}
	}
	done := map[[4]int]bool{}
	for i := range c.cs {
		for j := i + 1; j < len(c.cs); j++ {
			out.Pairs += c.cs[i].n * c.cs[j].n
		}
	}
	for i := range c.cs {
		for j := i + 1; j < len(c.cs); j++ {
			for x := range c.cs[i].n {
				for y := range c.cs[j].n {
					if done[[4]int{i, x, j, y}] {
						continue
					}
					pick := c.best(map[int]int{i: x, j: y}, done)
					if pick == nil {
						continue
					}
					out.Covered += c.mark(pick, done)
					out.Valuations = append(out.Valuations, valuation(c.cs, pick))
				}
			}
		}
	}
	return out
}

type coverer struct {
	law   *Law
	cs    []choice
	conds *conditions
	rng   *rand.Rand
}

func newCoverer(l *Law, s Scope, seed int64) *coverer {
	s = s.set()
	c := &coverer{law: l, cs: s.choices(l), rng: rand.New(rand.NewSource(seed))}
	c.conds = conditionsOf(l, &s, c.cs)
	return c
}

// best completes a part of a valuation in a few ways and takes one that is
// defined, and of these one that shows most that is new; nil if there is none.
func (c *coverer) best(fixed map[int]int, done map[[4]int]bool) []int {
	var best []int
	most := -1
	for range coverFills {
		pick := c.fill(fixed)
		if pick == nil {
			return best
		}
		score := c.fresh(pick, done)
		if _, err := c.law.groundShapes(c.law.LHS, valuation(c.cs, pick)); err == nil {
			score += len(c.cs) * len(c.cs)
		}
		if score > most {
			best, most = pick, score
		}
	}
	return best
}

// fill completes a part of a valuation at random, going back where a condition
// fails; nil if it finds no way within its steps.
func (c *coverer) fill(fixed map[int]int) []int {
	pick := make([]int, len(c.cs))
	steps := 0
	var rec func(i int) bool
	rec = func(i int) bool {
		if i == len(c.cs) {
			return true
		}
		order := c.rng.Perm(c.cs[i].n)
		if x, ok := fixed[i]; ok {
			order = []int{x}
		}
		for _, x := range order {
			if steps++; steps > coverSteps {
				return false
			}
			pick[i] = x
			if c.conds.hold(i, c.cs, pick) && rec(i+1) {
				return true
			}
		}
		return false
	}
	if !rec(0) {
		return nil
	}
	return pick
}

func (c *coverer) fresh(pick []int, done map[[4]int]bool) int {
	n := 0
	for i := range pick {
		for j := i + 1; j < len(pick); j++ {
			if !done[[4]int{i, pick[i], j, pick[j]}] {
				n++
			}
		}
	}
	return n
}

func (c *coverer) mark(pick []int, done map[[4]int]bool) int {
	n := c.fresh(pick, done)
	for i := range pick {
		for j := i + 1; j < len(pick); j++ {
			done[[4]int{i, pick[i], j, pick[j]}] = true
		}
	}
	return n
}

// Draws gives random instances of one law in a scope, with most of them such
// that the left side is defined. It is not safe for concurrent use.
type Draws struct{ c *coverer }

// NewDraws prepares a law for drawing; the instances depend on the arguments
// alone.
func NewDraws(l *Law, s Scope, seed int64) *Draws {
	return &Draws{newCoverer(l, s, seed)}
}

// Next is an instance that may have been drawn before; false if none was found.
func (d *Draws) Next() (*Valuation, bool) {
	for i := range d.c.cs {
		if d.c.cs[i].n == 0 {
			return nil, false
		}
	}
	var out *Valuation
	for range coverFills {
		pick := d.c.fill(nil)
		if pick == nil {
			break
		}
		out = valuation(d.c.cs, pick)
		if _, err := d.c.law.groundShapes(d.c.law.LHS, out); err == nil {
			break
		}
	}
	return out, out != nil
}
