package refute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
	"github.com/taso-go/taso/rules/broadcast"
)

// maxThrough bounds the assignments that are looked at to make a counterexample of
// [Through] smaller.
const maxThrough = 200

// Spread is [Find] for a law, read left to right, whose element-wise
// operators broadcast: an operand of size 1 where the other is larger makes none
// of them undefined. The witness is one to the law that is returned with it: l
// at given sizes and attributes, with the broadcasts written out.
func Spread(ctx context.Context, l *law.Law, opts Options) (*law.Law, *Witness, error) {
	return Through(ctx, l, opts, func(v *instance.Valuation, _ [][]int) *law.Law {
		m := l.Subst(&v.Substitution)
		m.Where = nil // they hold here
		m, bad := broadcast.Explicit(m, broadcast.Options{})
		if errors.Is(bad, broadcast.ErrLeftNotDefined) {
			return nil
		}
		return m
	})
}

// Through is [Find] where a law only says which sizes to try: what is claimed at them is
// the law that at gives, or nothing if it gives nil. at is told what stands for the
// variables, and the sizes of the tensors given, in order. The witness is one to the law
// that is returned with it.
func Through(ctx context.Context, l *law.Law, opts Options, at func(*instance.Valuation, [][]int) *law.Law) (*law.Law, *Witness, error) {
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
	fails := func(p point) bool {
		sizes, ok := s.instance(p)
		if !ok || known[key(p)] || err != nil {
			return false
		}
		known[key(p)] = true
		m := at(s.At(p), sizes)
		if m == nil {
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
	var p point
	for n := 0; n < opts.Bindings && p == nil && err == nil; n++ {
		if q, ok := s.draw(rng, n); ok && fails(q) {
			p = slices.Clone(q)
		}
	}
	if err != nil || p == nil {
		return nil, nil, err
	}
	left := maxThrough
	n := len(s.Sizes) + len(s.Runs)
	s.smaller(p, [][]int{p[n:]}, func(q point) bool {
		left--
		return !fails(q) && left > 0 && err == nil
	})
	return found, witness, err
}
