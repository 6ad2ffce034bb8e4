package refute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/broadcast"
)

// maxSpread bounds the assignments that are looked at to make a counterexample
// under broadcasting smaller.
const maxSpread = 200

// Spread is [Find] for a law, read left to right, whose element-wise
// operators broadcast: an operand of size 1 where the other is larger makes none
// of them undefined. The witness is one to the law that is returned with it: l
// at given sizes and attributes, with the broadcasts written out.
func Spread(ctx context.Context, l *law.Law, opts Options) (*law.Law, *Witness, error) {
	opts = opts.withDefaults()
	s, err := newSearch(l, opts)
	if err != nil {
		return nil, nil, fmt.Errorf("refute %s: %w", l.Name, err)
	}
	one := opts
	one.Bindings, one.Minimize, one.Reach = 1, -1, -1
	var found *law.Law
	var witness *Witness
	known := map[string]bool{}
	// fails notes what refutes the law at a point.
	fails := func(at point) bool {
		if _, ok := s.instance(at); !ok || known[key(at)] || err != nil {
			return false
		}
		known[key(at)] = true
		m := l.Subst(&s.At(at).Substitution)
		m.Where = nil // they hold here
		m, bad := broadcast.Explicit(m)
		if errors.Is(bad, broadcast.ErrLeftNotDefined) {
			return false
		}
		var w *Witness
		if w, err = Find(ctx, m, one); err != nil || w == nil {
			return false
		}
		found, witness = m, w
		return true
	}
	rng := random(s.seed, 2)
	var at point
	for n := 0; n < opts.Bindings && at == nil && err == nil; n++ {
		if q, ok := s.draw(rng, n); ok && fails(q) {
			at = slices.Clone(q)
		}
	}
	if err != nil || at == nil {
		return nil, nil, err
	}
	left := maxSpread
	n := len(s.Sizes) + len(s.Runs)
	s.smaller(at, [][]int{at[n:]}, func(q point) bool {
		left--
		return !fails(q) && left > 0 && err == nil
	})
	return found, witness, err
}
