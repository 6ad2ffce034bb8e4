package verify

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/taso-go/taso/law"
)

// RefuteOptions bounds the search for a counterexample. The zero value gives up
// a true law of a few operators within some milliseconds. All bounds are counts,
// so that the result does not depend on the speed of the machine.
type RefuteOptions struct {
	MaxSize  int // largest size variable; 0: 5
	MaxRun   int // most axes in an axis run; 0: 2, negative: none
	Bindings int // most assignments of sizes, runs and attributes that are compared; 0: 80
	Tries    int // assignments of values for each of them; 0: 6
	Cells    int // tensors with more elements are not tried; 0: 2048
	// Minimize is the most assignments of sizes, runs and attributes that are
	// compared to find a smaller counterexample than the first; 0: 800,
	// negative: none.
	Minimize int
	Seed     uint64 // of the random choices; any value is good
}

func (o RefuteOptions) withDefaults() RefuteOptions {
	set := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	set(&o.MaxSize, 5)
	set(&o.MaxRun, 2)
	set(&o.Bindings, 80)
	set(&o.Tries, 6)
	set(&o.Cells, 2048)
	set(&o.Minimize, 800)
	return o
}

// Refute looks for sizes, attributes and values for which the sides of l
// differ: in value, in shape, or in that only one is defined (for a law written
// =>, only the left one). A nil witness without error means that none was found
// within the bounds, and proves nothing.
//
// Assignments of sizes and attributes are drawn, small ones first, and compared
// on random numbers modulo 2^61 - 1, every function being a random one: where
// the sides agree there they agree for all values, but for an accident of odds
// below 2^-50. Where they do not, small integers are looked for on which they
// differ in exact arithmetic. What is found is made small: first the sum of all
// sizes, then attributes are made plain, then values 0, or else 1, -1, 2.
func Refute(ctx context.Context, l *law.Law, opts RefuteOptions) (*Witness, error) {
	s, err := newSearch(l, opts.withDefaults())
	if err != nil {
		return nil, fmt.Errorf("refute %s: %w", l.Name, err)
	}
	at, err := s.find(ctx)
	if err == nil && at != nil {
		at, err = s.minimize(ctx, at)
	}
	if err != nil {
		return nil, fmt.Errorf("refute %s: %w", l.Name, err)
	}
	if at == nil {
		return nil, nil
	}
	return s.witness(at), nil
}

// search is the state of one call of Refute.
type search struct {
	*space
	probe *probe
	opts  RefuteOptions
	seed  uint64
	known map[string]bool // points compared: do the sides differ there?
	tries int             // programs run on exact values
}

func newSearch(l *law.Law, opts RefuteOptions) (*search, error) {
	if len(l.LHS) != len(l.RHS) {
		return nil, fmt.Errorf("%d outputs on the left, %d on the right", len(l.LHS), len(l.RHS))
	}
	sp, err := newSpace(l, opts)
	if err != nil {
		return nil, err
	}
	h := fnv.New64a()
	for _, t := range slices.Concat(l.LHS, l.RHS) {
		h.Write([]byte(t.String()))
	}
	s := &search{space: sp, opts: opts, seed: opts.Seed ^ h.Sum64(), known: map[string]bool{}}
	s.probe, err = newProbe(l, s.seed, opts.Cells)
	return s, err
}

// find draws points until the sides differ at one.
func (s *search) find(ctx context.Context) (point, error) {
	rng := random(s.seed, 0)
	again := 0
	for n := 0; n < s.opts.Bindings; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at, ok := s.draw(rng, n)
		if _, old := s.known[at.key()]; !ok || old {
			// A law of few variables has few points, a law of odd conditions
			// few instances.
			if again++; again > 40+s.opts.Bindings {
				break
			}
			n--
			continue
		}
		if s.fails(at) {
			return at, nil
		}
	}
	return nil, nil
}

// fails reports whether the sides differ at a point.
func (s *search) fails(at point) bool {
	k := at.key()
	if f, ok := s.known[k]; ok {
		return f
	}
	f := false
	if ins, ok := s.instance(at); ok {
		a := s.assignment(at)
		switch s.probe.compare(a, ins) {
		case probeBroken:
			f = true
		case probeDiffers:
			p, w, err := compile(s.law, a, s.opts.Cells)
			f = err == nil && (w != nil || s.values(p, at) != nil)
		}
	}
	s.known[k] = f
	return f
}

// witness describes a point at which the sides differ.
func (s *search) witness(at point) *Witness {
	p, w, err := compile(s.law, s.assignment(at), s.opts.Cells)
	if err != nil || w != nil {
		return w
	}
	vals := s.values(p, at)
	if vals == nil {
		return nil
	}
	simplify(p, vals)
	return p.witness(vals)
}

// minimize looks for a point with a smaller sum of sizes, or else plainer
// attributes, at which the sides differ too: first by making one variable
// smaller at a time, then among all points that are smaller, attributes as they
// are and then any.
func (s *search) minimize(ctx context.Context, at point) (point, error) {
	left := s.opts.Minimize
	try := func(q point) bool {
		if left <= 0 || ctx.Err() != nil {
			return false
		}
		if _, ok := s.instance(q); !ok {
			return false
		}
		left--
		return s.fails(q)
	}
	for changed := true; changed; {
		changed = false
		for i := range at {
			for v := range at[i] {
				q := slices.Clone(at)
				q[i] = v
				if s.less(q, at) && try(q) {
					at, changed = q, true
					break
				}
			}
		}
	}
	for _, any := range [2]bool{false, true} {
		for _, q := range s.smaller(at, any) {
			if try(q) {
				at = q
				break
			}
		}
	}
	return at, ctx.Err()
}
