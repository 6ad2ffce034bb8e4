package refute

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// Options bounds the search for a counterexample. The zero value gives up
// a true law of a few operators within some milliseconds. All bounds are counts,
// so that the result does not depend on the speed of the machine.
type Options struct {
	MaxSize  int // largest size variable; 0: 5
	MaxRun   int // most axes in an axis run; 0: 2, negative: none
	Bindings int // most assignments of sizes, runs and attributes that are compared; 0: 160
	Tries    int // assignments of values for each of them; 0: 6
	Cells    int // tensors with more elements are not tried; 0: 2048
	// Minimize is the most assignments of sizes, runs and attributes that are
	// compared to find a smaller counterexample than the first; 0: 800,
	// negative: none.
	Minimize int
	// Reach is the most assignments beyond MaxSize and MaxRun that are drawn for
	// what a law says of larger ones, where none of the usual tells the sides
	// apart: longer strides, more groups, more axes, the numbers in the law; 0:
	// 40, negative: none, nor are those that the conditions of the sides lead to.
	Reach int
	Seed  uint64 // of the random choices; any value is good
}

func (o Options) withDefaults() Options {
	set := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	set(&o.MaxSize, 5)
	set(&o.MaxRun, 2)
	set(&o.Bindings, 160)
	set(&o.Tries, 6)
	set(&o.Cells, 2048)
	set(&o.Minimize, 800)
	set(&o.Reach, 40)
	return o
}

// Find looks for sizes, attributes and values for which the sides of l
// differ: in value, in shape, or in that only one is defined (for a law written
// =>, only the left one). A nil witness without error means that none was found
// within the bounds, and proves nothing.
//
// Assignments of sizes and attributes are drawn, small ones first, and compared
// on random numbers modulo 2^61 - 1, every function being a random one: where
// the sides agree there they agree for all values, but for an accident of odds
// below 2^-40 (of up to 2^-8 where there are maxima, whose order is drawn too).
// Where they do not, small integers are looked for on which they
// differ in exact arithmetic; functions such as tanh are evaluated between bounds
// that hold the true value, and differ where the bounds do not overlap.
//
// Where small assignments tell nothing, some larger ones are tried that the law
// itself suggests (see Reach): sizes at which a condition of one side is broken,
// which are found by arithmetic and need no element, so that they may have any
// number; strides, groups and axes beyond the usual; tensors of up to 2^20
// elements if the law has no smaller ones.
//
// What is found is made small: first the sum of all sizes, then attributes are
// made plain, then values 0, or else 1, -1, 2. It depends on nothing but the law,
// whatever its variables are called, and the options.
func Find(ctx context.Context, l *law.Law, opts Options) (*Witness, error) {
	s, err := newSearch(l, opts.withDefaults())
	if err != nil {
		return nil, fmt.Errorf("refute %s: %w", l.Name, err)
	}
	at, err := s.find(ctx)
	if err == nil && at == nil {
		at, err = s.reach(ctx)
	}
	var w *Witness
	if err == nil && at != nil {
		s.vain = 0 // as many tries as there may be from here on
		if at, err = s.minimize(ctx, at); err == nil {
			w, err = s.witness(at)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("refute %s: %w", l.Name, err)
	}
	return w, nil
}

// search is the state of one call of Find.
type search struct {
	*space
	probe *probe
	opts  Options
	seed  uint64
	known map[string]bool // points compared: do the sides differ there?
	// skipped counts those at which neither side is defined, tried those tried
	// on exact values, vain those of them before one was found.
	skipped, tried, vain int
	equal                []point // the first points at which both sides are defined and agree
}

func newSearch(l *law.Law, opts Options) (*search, error) {
	if len(l.LHS) != len(l.RHS) {
		return nil, fmt.Errorf("%d outputs on the left, %d on the right", len(l.LHS), len(l.RHS))
	}
	sp, err := newSpace(l, opts)
	if err != nil {
		return nil, err
	}
	s := &search{space: sp, opts: opts, seed: opts.Seed ^ sp.content(), known: map[string]bool{}}
	s.probe, err = newProbe(l, s.seed, opts.Cells)
	return s, err
}

// find draws points until the sides differ at one.
func (s *search) find(ctx context.Context) (point, error) {
	rng := random(s.seed, 0)
	idle := 0
	for n := 0; n < s.opts.Bindings && idle <= 40+s.opts.Bindings; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// A law of few variables has few points, a law of odd conditions few
		// instances, and at many of them it may say nothing.
		at, ok := s.draw(rng, n+idle)
		if _, old := s.known[key(at)]; !ok || old {
			idle++
			continue
		}
		skipped, tried := s.skipped, s.tried
		if s.fails(at) {
			return at, nil
		}
		s.vain += s.tried - tried
		if s.skipped > skipped {
			idle++
			continue
		}
		n++
		if len(s.equal) < farPoints {
			s.equal = append(s.equal, slices.Clone(at))
		}
	}
	return nil, nil
}

// fails reports whether the sides differ at a point.
func (s *search) fails(at point) bool {
	k := key(at)
	if f, ok := s.known[k]; ok {
		return f
	}
	f := false
	if ins, ok := s.Shapes(at); ok {
		switch s.probe.compare(s.At(at), ins) {
		case probeSkipped:
			s.skipped++
		case probeBroken:
			f = true
		case probeDiffers:
			s.tried++
			tries := s.opts.Tries
			if s.vain >= patience {
				tries = (tries + 2) / 3
			}
			f = s.values(s.probe.program(), at, tries) != nil
		}
	}
	s.known[k] = f
	return f
}

// witness describes a point at which the sides differ.
func (s *search) witness(at point) (*Witness, error) {
	p, w, err := compile(s.Law, s.Valuation(at), s.probe.cells)
	if err != nil || w != nil {
		return w, err
	}
	vals := s.values(p, at, s.opts.Tries)
	if vals == nil {
		return nil, fmt.Errorf("the sides differ where %s, and do not when evaluated again", s.describe(at))
	}
	simplify(p, vals)
	return p.witness(s.Law, s.Valuation(at), vals), nil
}

// describe lists sizes, runs and attributes by name.
func (s *search) describe(at point) string {
	var parts []string
	for i, n := range slices.Concat(s.Sizes, s.Runs) {
		if i < len(s.Sizes) {
			parts = append(parts, fmt.Sprintf("%s = %d", n, at[i]+1))
		} else {
			parts = append(parts, fmt.Sprintf("%s.. = %v", n, s.Lens[at[i]]))
		}
	}
	v := s.At(at)
	for _, b := range s.Attrs {
		parts = append(parts, b.Name+" = "+v.Attrs[b.Name].String())
	}
	return strings.Join(parts, ", ")
}

// largePoint is how many elements count as one more assignment in Minimize.
const largePoint = 1 << 14

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
		sizes, ok := s.Shapes(q)
		if !ok {
			return false
		}
		left--
		for _, sh := range sizes {
			if !instance.TooLarge(sh, s.probe.cells) {
				left -= graph.NumElements(sh) / largePoint
			}
		}
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
	n := len(s.Sizes) + len(s.Runs)
	for _, attrs := range [2][][]int{{at[n:]}, s.plainAttrs()} {
		s.smaller(at, attrs, func(q point) bool {
			if try(q) {
				at = slices.Clone(q)
				return false
			}
			return left > 0
		})
	}
	return at, ctx.Err()
}
