package graph

import "slices"

// NonNegative reports whether d >= 0 for all sizes >= 1, all run lengths >= 0
// and all function values >= 1 (they are output sizes of operators that are
// defined): sound, not complete. It shifts every variable to start at zero and
// looks at the signs of the coefficients, unless there would be too many: a product
// of n variables becomes 2^n terms.
func (d Dim) NonNegative() bool {
	if d.p == nil {
		return d.c >= 0
	}
	if d.TooLarge() {
		return false
	}
	least, plus, minus := d.c, false, false
	for _, t := range d.p.terms {
		plus, minus = plus || t.coef > 0, minus || t.coef < 0
		if !slices.ContainsFunc(t.atoms, func(a Atom) bool { return a.Kind == AtomAxisRun }) {
			var ok bool
			if least, ok = AddInt(least, t.coef); !ok {
				return false
			}
		}
	}
	switch {
	case !minus: // the shift leaves all coefficients positive but the constant
		return least >= 0
	case !plus || least < 0:
		return false
	}
	if d.shiftedTerms() > maxShifted {
		return false
	}
	return d.shiftedNonNegative()
}

// maxShifted bounds the terms that NonNegative writes out.
const maxShifted = 1 << 12

// shiftedNonNegative writes out d with x+1 in the place of each variable x, but
// for runs, and reports whether no term is negative. These terms are many and
// used once, so they are not interned.
func (d Dim) shiftedNonNegative() bool {
	all, ok := []monomial{{coef: d.c}}, true
	for _, t := range d.p.terms {
		products := []monomial{{coef: t.coef}}
		for _, a := range t.atoms {
			next := make([]monomial, 0, 2*len(products))
			for _, m := range products {
				next = append(next, monomial{coef: m.coef, atoms: append(slices.Clip(m.atoms), a)})
				if a.Kind != AtomAxisRun {
					next = append(next, m)
				}
			}
			if products, ok = sumTerms(next); !ok {
				return false
			}
		}
		all = append(all, products...)
	}
	all, ok = sumTerms(all)
	return ok && !slices.ContainsFunc(all, func(m monomial) bool { return m.coef < 0 })
}

// shiftedTerms bounds the number of terms of d with x+1 in the place of each
// variable x: x^k becomes k+1 of them.
func (d Dim) shiftedTerms() int {
	sum := 1
	for _, t := range d.p.terms {
		n := 1
		for i := 0; i < len(t.atoms); {
			k := 1
			for i+k < len(t.atoms) && t.atoms[i+k].Same(t.atoms[i]) {
				k++
			}
			n, i = n*(k+1), i+k
			if n > maxShifted {
				return n
			}
		}
		sum += n
	}
	return sum
}
