package instance

import (
	"math"
	"math/bits"
	"math/rand"

	"github.com/taso-go/taso/law"
)

// Combinations is the number of ways to give the variables of l values of the
// scope, those that the conditions exclude included; at most MaxUint64.
func Combinations(l *law.Law, s Scope) uint64 {
	s = s.set()
	total := uint64(1)
	for _, n := range s.picker(l).count {
		hi, lo := bits.Mul64(total, uint64(n))
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
func Cover(l *law.Law, s Scope, seed int64) Covering {
	c, err := newCoverer(l, s, seed)
	var out Covering
	if err != nil || c.empty() {
		return out
	}
	done := map[[4]int]bool{}
	for i, v := range c.order {
		for _, w := range c.order[i+1:] {
			out.Pairs += c.count[v] * c.count[w]
		}
	}
	for k, i := range c.order {
		for _, j := range c.order[k+1:] {
			for x := range c.count[i] {
				for y := range c.count[j] {
					if done[meeting(i, x, j, y)] {
						continue
					}
					pick := c.best(map[int]int{i: x, j: y}, done)
					if pick == nil {
						continue
					}
					out.Covered += c.mark(pick, done)
					out.Valuations = append(out.Valuations, c.Valuation(pick))
				}
			}
		}
	}
	return out
}

// meeting names the pair of value x of variable i and value y of variable j.
func meeting(i, x, j, y int) [4]int {
	if i > j {
		i, x, j, y = j, y, i, x
	}
	return [4]int{i, x, j, y}
}

type coverer struct {
	*picker
	program *Program
	rng     *rand.Rand
}

func newCoverer(l *law.Law, s Scope, seed int64) (*coverer, error) {
	p, err := New(l)
	return &coverer{picker: s.set().picker(l), program: p, rng: rand.New(rand.NewSource(seed))}, err
}

// defined says whether the left side is at a point.
func (c *coverer) defined(at Point) bool {
	given, ok := c.Shapes(at)
	if !ok {
		return false
	}
	in, err := c.program.At(c.At(at), given)
	if err != nil {
		return false
	}
	_, err = in.Undefined(0)
	return err == nil
}

// best completes a part of a valuation in a few ways and takes one that is
// defined, and of these one that shows most that is new; nil if there is none.
func (c *coverer) best(fixed map[int]int, done map[[4]int]bool) Point {
	var best Point
	most := -1
	for range coverFills {
		pick := c.fill(fixed)
		if pick == nil {
			return best
		}
		score := c.fresh(pick, done)
		if c.defined(pick) {
			score += len(pick) * len(pick)
		}
		if score > most {
			best, most = pick, score
		}
	}
	return best
}

// fill completes a part of a valuation at random, going back where a condition
// fails; nil if it finds no way within its steps.
func (c *coverer) fill(fixed map[int]int) Point {
	pick := make(Point, c.Len())
	steps := 0
	var rec func(i int) bool
	rec = func(i int) bool {
		if i == len(c.order) {
			return true
		}
		v := c.order[i]
		order := c.rng.Perm(c.count[v])
		if x, ok := fixed[v]; ok {
			order = []int{x}
		}
		for _, x := range order {
			if steps++; steps > coverSteps {
				return false
			}
			pick[v] = x
			if c.hold(i, pick) && rec(i+1) {
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

func (c *coverer) fresh(pick Point, done map[[4]int]bool) int {
	n := 0
	for i := range pick {
		for j := i + 1; j < len(pick); j++ {
			if !done[meeting(i, pick[i], j, pick[j])] {
				n++
			}
		}
	}
	return n
}

func (c *coverer) mark(pick Point, done map[[4]int]bool) int {
	n := c.fresh(pick, done)
	for i := range pick {
		for j := i + 1; j < len(pick); j++ {
			done[meeting(i, pick[i], j, pick[j])] = true
		}
	}
	return n
}

// Draws gives random instances of one law in a scope, with most of them such
// that the left side is defined. It is not safe for concurrent use.
type Draws struct{ c *coverer }

// NewDraws prepares a law for drawing; the instances depend on the arguments
// alone.
func NewDraws(l *law.Law, s Scope, seed int64) *Draws {
	c, err := newCoverer(l, s, seed)
	if err != nil {
		return &Draws{}
	}
	return &Draws{c}
}

// Next is an instance that may have been drawn before; false if none was found.
func (d *Draws) Next() (*Valuation, bool) {
	if d.c == nil || d.c.empty() {
		return nil, false
	}
	var out Point
	for range coverFills {
		pick := d.c.fill(nil)
		if pick == nil {
			break
		}
		if out = pick; d.c.defined(pick) {
			break
		}
	}
	if out == nil {
		return nil, false
	}
	return d.c.Valuation(out), true
}
