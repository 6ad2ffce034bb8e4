package graph

import "slices"

func (d Dim) divExact(k int64) (Dim, bool) {
	if k < 1 || d.TooLarge() || d.c%k != 0 {
		return Dim{}, false
	}
	if k == 1 {
		return d, true
	}
	if d.p == nil {
		return Int(d.c / k), true
	}
	terms := make([]monomial, len(d.p.terms))
	for i, t := range d.p.terms {
		if t.coef%k != 0 {
			return Dim{}, false
		}
		t.coef /= k
		terms[i] = t
	}
	return within(d.c/k, terms), true
}

// Quo is the polynomial q with q*e == d, false if there is none with integer
// coefficients.
func (d Dim) Quo(e Dim) (Dim, bool) {
	if d.TooLarge() || e.TooLarge() || e == (Dim{}) {
		return Dim{}, false
	}
	if e.p == nil && e.c > 0 {
		return d.divExact(e.c)
	}
	// The leading term of a product is that of the factors: the order of terms
	// is one of monomials. What is left on the way is not interned.
	var q []monomial
	rest, by := d.all(), e.all()
	for len(rest) > 0 {
		top, ok := rest[0], true
		atoms, divides := withoutAtoms(top.atoms, by[0].atoms)
		if !divides || top.coef == minInt || top.coef%by[0].coef != 0 || len(q) > maxTerms || len(rest) > maxProducts {
			return Dim{}, false
		}
		t := monomial{coef: top.coef / by[0].coef, atoms: atoms}
		q = append(q, t)
		for _, m := range by {
			if m.coef, ok = MulInt(t.coef, m.coef); !ok || m.coef == minInt || len(m.atoms)+len(atoms) > maxDegree {
				return Dim{}, false
			}
			rest = append(rest, monomial{coef: -m.coef, atoms: mergeAtoms(t.atoms, m.atoms)})
		}
		if rest, ok = sumTerms(rest); !ok {
			return Dim{}, false
		}
	}
	var c int64
	if n := len(q); n > 0 && len(q[n-1].atoms) == 0 {
		c, q = q[n-1].coef, q[:n-1]
	}
	out := within(c, q)
	return out, !out.TooLarge()
}

// all are the terms of d, the constant too if it is not 0; the caller owns the slice.
func (d Dim) all() (terms []monomial) {
	if d.p != nil {
		terms = slices.Clone(d.p.terms)
	}
	if d.c != 0 {
		terms = append(terms, monomial{coef: d.c})
	}
	return terms
}

// leading is the first term of d in the order of terms.
func (d Dim) leading() monomial {
	if d.p == nil {
		return monomial{coef: d.c}
	}
	return d.p.terms[0]
}
