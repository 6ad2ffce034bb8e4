package bounded

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// This file knows what is true of the relu and the maximum of real
// numbers. Each rule is an identity for all real values, so that a canonical
// form, however many rules it went through, is equal to what it came from:
//
//	relu(p) = p, 0                    if p, -p is seen to be nowhere negative
//	relu(a*p) = a*relu(p)             a a product that is nowhere negative
//	relu(max(p, q)) = max(relu(p), relu(q))
//	x*relu(x) = relu(x)^2             x*relu(-x) = -relu(-x)^2
//	relu(x)*relu(-x) = 0
//	max(p, q) = max(relu(p), relu(q)) if p or q is nowhere negative
//	max(p, q) = p                     if p-q is nowhere negative
//	max(a*p, a*q) = a*max(p, q)       a as above
//
// The forms are not canonical in the strict sense: two expressions may be equal
// and have different forms. Then exact testing must decide.

// nonneg reports that p is seen to be nowhere negative: every term has a
// positive coefficient and a monomial of squares and nonnegative atoms, or p is
// a sum of squares of linear expressions.
func (s *space) nonneg(p *poly) bool {
	for _, t := range p.terms {
		if t.c.Num < 0 || !s.evenMono(t.m) {
			return !p.bad && s.squares(p)
		}
	}
	return !p.bad
}

// evenMono reports whether a monomial is nowhere negative.
func (s *space) evenMono(m mono) bool {
	as := s.monos[m]
	for i := 0; i < len(as); {
		j := i
		for j < len(as) && as[j] == as[i] {
			j++
		}
		if (j-i)%2 == 1 && !s.atoms[as[i]].positive {
			return false
		}
		i = j
	}
	return true
}

// rectify applies the rules about a relu beside its argument to a sorted
// product.
func (s *space) rectify(as []atom) ([]atom, int8) {
	sign := int8(1)
	for again := true; again; {
		again = false
		for _, r := range as {
			arg, c, ok := s.reluOfMono(r)
			if !ok {
				continue
			}
			// relu(m) and relu(-m) are never both above 0.
			for _, q := range as {
				if m2, c2, ok := s.reluOfMono(q); ok && slices.Equal(m2, arg) && c2 != c {
					return nil, 0
				}
			}
			rest, found := remove(as, arg)
			if !found {
				continue
			}
			as = append(rest, r)
			slices.Sort(as)
			sign *= c
			again = true
			break
		}
	}
	return as, sign
}

// reluOfMono is m and c if a is the relu of c*m, c being 1 or -1.
func (s *space) reluOfMono(a atom) (m []atom, c int8, ok bool) {
	in := &s.atoms[a]
	if in.kind != atomFn || in.name != "relu" || len(in.args[0].terms) != 1 {
		return nil, 0, false
	}
	t := in.args[0].terms[0]
	switch t.c {
	case oneQ:
		return s.monos[t.m], 1, true
	case interp.Q{Num: -1, Den: 1}:
		return s.monos[t.m], -1, true
	}
	return nil, 0, false
}

// remove takes a sorted product out of another, if it divides it.
func remove(from, what []atom) ([]atom, bool) {
	rest := make([]atom, 0, len(from)+1)
	for _, a := range from {
		if len(what) > 0 && a == what[0] {
			what = what[1:]
			continue
		}
		rest = append(rest, a)
	}
	return rest, len(what) == 0
}

// relu is the relu of p.
func (s *space) relu(p *poly) *poly {
	switch {
	case p.bad:
		return p
	case s.nonneg(p):
		return p
	case s.nonneg(p.scale(interp.Q{Num: -1, Den: 1})):
		return &poly{}
	}
	factor, rest := s.factor([]*poly{p})
	if factor == nil {
		return badPoly
	}
	q := rest[0]
	if args, ok := s.isMax(q); ok {
		rs := make([]*poly, len(args))
		for i, a := range args {
			rs[i] = s.relu(a)
		}
		return s.mul(factor, s.max(rs))
	}
	return s.mul(factor, s.fn(atomFn, "relu", []*poly{q}, true))
}

// isMax reports that p is a maximum and nothing else.
func (s *space) isMax(p *poly) ([]*poly, bool) {
	if len(p.terms) != 1 || p.terms[0].c != oneQ {
		return nil, false
	}
	as := s.monos[p.terms[0].m]
	if len(as) != 1 || s.atoms[as[0]].kind != atomMax {
		return nil, false
	}
	return s.atoms[as[0]].args, true
}

// factor takes out of all polynomials, none of them 0, a factor that is nowhere
// negative: the content of the coefficients, and of the monomials the common
// atoms, those that may be negative in even powers. It returns nil on overflow.
func (s *space) factor(ps []*poly) (*poly, []*poly) {
	var num, den int64 = 0, 1
	var common []atom
	first := true
	for _, p := range ps {
		for _, t := range p.terms {
			n := t.c.Num
			if n < 0 {
				n = -n
			}
			num = graph.GCD(num, n)
			l := interp.Q{Num: t.c.Den / graph.GCD(den, t.c.Den), Den: 1}
			if l = number.Mul(l, interp.Q{Num: den, Den: 1}); l.IsBad() {
				return nil, nil
			}
			den = l.Num
			if first {
				common, first = s.monos[t.m], false
			} else {
				common = intersect(common, s.monos[t.m])
			}
		}
	}
	var out []atom
	for i := 0; i < len(common); {
		j := i
		for j < len(common) && common[j] == common[i] {
			j++
		}
		n := j - i
		if !s.atoms[common[i]].positive {
			n -= n % 2
		}
		out = append(out, common[i:i+n]...)
		i = j
	}
	c := number.Rat(num, den)
	if c == oneQ && len(out) == 0 {
		return constant(oneQ), ps
	}
	inv := number.Rat(den, num)
	rest := make([]*poly, len(ps))
	for i, p := range ps {
		ts := make([]term, len(p.terms))
		for k, t := range p.terms {
			as, _ := remove(s.monos[t.m], out)
			ts[k] = term{s.mono(as), number.Mul(t.c, inv)}
		}
		if rest[i] = collect(ts); rest[i].bad {
			return nil, nil
		}
	}
	return &poly{terms: []term{{s.mono(out), c}}}, rest
}

// intersect is the common part of two sorted products.
func intersect(a, b []atom) []atom {
	var out []atom
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return out
}

// max is the largest of some polynomials.
func (s *space) max(ps []*poly) *poly {
	ps = s.flat(ps)
	if ps == nil {
		return badPoly
	}
	if s.ordered {
		if slices.ContainsFunc(ps, s.nonneg) {
			// Something is at least 0, and so is the maximum.
			for i, p := range ps {
				ps[i] = s.relu(p)
			}
			if ps = s.flat(ps); ps == nil {
				return badPoly
			}
		}
		ps = s.undominated(ps)
	}
	if len(ps) == 1 {
		return ps[0]
	}
	s.decisive = false
	if !s.ordered {
		return s.fn(atomMax, "", ps, false)
	}
	if slices.ContainsFunc(ps, func(p *poly) bool { return len(p.terms) == 0 }) {
		return s.fn(atomMax, "", ps, true)
	}
	factor, rest := s.factor(ps)
	if factor == nil {
		return badPoly
	}
	rest = s.flat(rest)
	if rest == nil {
		return badPoly
	}
	return s.mul(factor, s.fn(atomMax, "", rest, slices.ContainsFunc(rest, s.nonneg)))
}

// flat replaces maxima by what they are the maximum of, and sorts; nil if one
// polynomial is bad.
func (s *space) flat(ps []*poly) []*poly {
	var out []*poly
	for _, p := range ps {
		if p.bad {
			return nil
		}
		if args, ok := s.isMax(p); ok {
			out = append(out, args...)
		} else {
			out = append(out, p)
		}
	}
	for _, p := range out {
		s.number(p)
	}
	slices.SortFunc(out, func(a, b *poly) int { return int(a.id) - int(b.id) })
	return slices.CompactFunc(out, func(a, b *poly) bool { return a.id == b.id })
}

// undominated leaves out what is nowhere above another.
func (s *space) undominated(ps []*poly) []*poly {
	minus := interp.Q{Num: -1, Den: 1}
	var out []*poly
	for i, p := range ps {
		below := func(q *poly) bool {
			return s.nonneg(s.add(q, p.scale(minus)))
		}
		if !slices.ContainsFunc(ps[i+1:], below) && !slices.ContainsFunc(out, below) {
			out = append(out, p)
		}
	}
	return out
}
