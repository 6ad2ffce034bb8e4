package graph

// An index along an axis of size a*b is written in digits, as a number is: one along
// a, the other along b. Sizes are unknown, and so a product of an index with a size is
// an unknown of its own, and a quotient is one where nothing says what it is:
//
//	times n (v)    n*v
//	floor n (e)    floor(e/n)
//
//	i < a, j < b:  f = b*i + j,  floor(f/b) = i,  f - b*floor(f/b) = j
//
// What is known of ranges tells quotients, and takes products out of conditions:
// b*i + j < b*m if and only if i < m.

// Within notes that v is at least 0 and below n wherever it counts: it is bound, or
// an index of the output, and both are conditions there. What [Space.Quotient] and
// [Space.Simplify] give is right in this range.
func (s *Space) Within(v Sym, n Dim) {
	s.syms[v-1].below = n
	if n != (Dim{}) {
		s.syms[v-1].once = n
	}
}

// Range is what Within noted of v. That of a quotient is told by those of what it depends
// on, as they are now: who forgets the range of a variable forgets what follows from it.
func (s *Space) Range(v Sym) (n Dim, ok bool) {
	y := &s.syms[v-1]
	if y.kind == kindFloor {
		if lo, hi, ok := s.interval(y.args[0]); ok && lo.NonNegative() {
			return hi.Add(Int(1)).Quo(y.by)
		}
		return Dim{}, false
	}
	return y.below, y.below != (Dim{})
}

// Place stands for an index along an axis of size n, the at-th of a shape: one that is
// replaced when the true one is known.
func (s *Space) Place(at int, n Dim) Sym {
	e := s.Func("place "+Int(int64(at)).Key()+" "+n.Key(), nil)
	v, _ := e.IsSym()
	s.Within(v, n)
	return v
}

const (
	kindTimes = 1 + iota // of v and by: v*by, by being a product of atoms
	kindFloor            // of e and by: floor(e/by)
)

// Multiple is By times the unknown Of, or By itself where Of is 0.
type Multiple struct {
	Of Sym
	By Dim
}

// Multiples are what e is the sum of: a size, and one multiple of each unknown that is
// none.
func (s *Space) Multiples(e Index) []Multiple {
	out := []Multiple{{0, Int(e.c)}}
	for _, t := range e.t {
		m := Multiple{t.sym, Int(t.k)}
		switch y := &s.syms[t.sym-1]; {
		case y.size != (Dim{}):
			m = Multiple{0, y.size.Scale(t.k)}
		case y.kind == kindTimes:
			m = Multiple{y.args[0].t[0].sym, y.by.Scale(t.k)}
		}
		found := false
		for i := range out {
			if out[i].Of == m.Of {
				out[i].By, found = out[i].By.Add(m.By), true
			}
		}
		if !found {
			out = append(out, m)
		}
	}
	for _, m := range out {
		if m.By.TooLarge() {
			panic(ErrTooLarge)
		}
	}
	return out
}

// index is a multiple as an expression.
func (s *Space) index(m Multiple) Index {
	if m.By.TooLarge() {
		panic(ErrTooLarge)
	}
	if m.Of == 0 {
		return s.Size(m.By)
	}
	out := m.Of.Index().Scale(m.By.c)
	ts, _ := m.By.Terms()
	for _, t := range ts {
		by := productOf(1, t.Atoms)
		e := s.Func("times "+ShapeOf(by).Key(), s.timesRule(m.Of, by), m.Of.Index())
		y := &s.syms[e.t[0].sym-1]
		y.kind, y.by = kindTimes, by
		out = out.addScaled(e, t.Coef)
	}
	return out
}

// timesRule is what is known of v*n without products, where n >= 1: of v at 0 and at the
// end of its range, and of the next one inside. It holds of all v, whatever its range is.
func (s *Space) timesRule(v Sym, n Dim) rule {
	if !n.Sub(Int(1)).NonNegative() {
		return nil
	}
	most := s.syms[v-1].once.Sub(Int(1)) // -1: not known
	return func(s *Space, q Index, args []Index) []Fact {
		from := func(at Dim) Fact { // v >= at: v*n >= at*n
			return Fact{If: []Guard{GuardLe(s.Size(at), args[0])}, Any: []Guard{GuardLe(s.Size(at.Mul(n)), q)}}
		}
		to := func(at Dim) Fact {
			return Fact{If: []Guard{GuardLe(args[0], s.Size(at))}, Any: []Guard{GuardLe(q, s.Size(at.Mul(n)))}}
		}
		out := []Fact{from(Int(0)), to(Int(0)), from(Int(1))}
		if most != Int(-1) {
			out = append(out, to(most), from(most), to(most.Sub(Int(1))))
		}
		return out
	}
}

// DimOf is e as a size; not ok if it has other unknowns.
func (s *Space) DimOf(e Index) (Dim, bool) {
	ms := s.Multiples(e)
	for _, m := range ms[1:] {
		if m.Of != 0 {
			return Dim{}, false
		}
	}
	return ms[0].By, true
}

// Times is e*n.
func (s *Space) Times(e Index, n Dim) Index {
	var out Index
	for _, m := range s.Multiples(e) {
		out = out.Add(s.index(Multiple{m.Of, m.By.Mul(n)}))
	}
	return out
}

// Quotient is floor(e/n) for n >= 1.
func (s *Space) Quotient(e Index, n Dim) Index {
	if q, ok := s.quotient(e, n); ok {
		return q
	}
	whole, rest := s.Wholes(e, n)
	s.note(rest, n)
	if k, ok := n.Const(); ok {
		return whole.Add(s.Div(rest, k))
	}
	if v, ok := rest.IsSym(); ok && s.syms[v-1].kind == kindFloor {
		y := &s.syms[v-1] // floor(floor(f/m)/n) = floor(f/(m*n))
		return whole.Add(s.Quotient(y.args[0], y.by.Mul(n)))
	}
	q := s.Func("floor "+ShapeOf(n).Key(), floorRule(n), rest)
	y := &s.syms[q.t[0].sym-1]
	y.kind, y.by = kindFloor, n
	return whole.Add(q)
}

func floorRule(n Dim) rule {
	return func(s *Space, q Index, args []Index) []Fact {
		e, size := args[0], s.Size(n)
		r := e.Sub(s.Times(q, n))
		return []Fact{
			{Any: []Guard{{E: r}}},
			{Any: []Guard{GuardLt(r, size)}},
			{If: []Guard{{E: e}}, Any: []Guard{{E: q}}},
			{If: []Guard{GuardLt(e, IndexInt(0))}, Any: []Guard{GuardLt(q, IndexInt(0))}},
			{If: []Guard{GuardLt(e, size)}, Any: []Guard{GuardLe(q, IndexInt(0))}},
			{If: []Guard{GuardLe(size, e)}, Any: []Guard{GuardLe(IndexInt(1), q)}},
		}
	}
}

// quotient is floor(e/n) where ranges tell it.
func (s *Space) quotient(e Index, n Dim) (Index, bool) {
	whole, rest := s.Wholes(e, n)
	if lo, hi, ok := s.interval(rest); ok {
		for _, k := range [...]int64{0, -1, 1} {
			// k*n <= rest < (k+1)*n
			if lo.Sub(n.Scale(k)).NonNegative() && n.Scale(k+1).Sub(hi).Sub(Int(1)).NonNegative() {
				return whole.AddInt(k), true
			}
		}
	}
	// floor((m*x + r)/(m*k)) = floor(x/k) where r is from 0 to m-1.
	for _, x := range s.Multiples(rest) {
		k, ok := n.Quo(x.By)
		if !ok || x.Of == 0 || x.By == Int(1) || k == Int(1) || !x.By.NonNegative() {
			continue
		}
		if q, ok := s.quotient(rest, x.By); ok {
			if q, ok = s.quotient(q, k); ok {
				return whole.Add(q), true
			}
		}
	}
	return Index{}, false
}

// Wholes takes multiples of n out of e: it is n*whole + rest.
func (s *Space) Wholes(e Index, n Dim) (whole, rest Index) {
	for _, m := range s.Multiples(e) {
		q, r := m.By.divide(n)
		whole = whole.Add(s.index(Multiple{m.Of, q}))
		rest = rest.Add(s.index(Multiple{m.Of, r}))
	}
	return whole, rest
}

// divide takes multiples of n out of d, term by term: d = q*n + r.
func (d Dim) divide(n Dim) (q, r Dim) {
	lead := n.leading()
	for d != (Dim{}) {
		top := d.leading()
		atoms, ok := withoutAtoms(top.atoms, lead.atoms)
		if !ok || lead.coef == 0 || top.coef == minInt || top.coef%lead.coef != 0 {
			t := productOf(top.coef, top.atoms)
			r, d = r.Add(t), d.Sub(t)
		} else {
			t := productOf(top.coef/lead.coef, atoms)
			q, d = q.Add(t), d.Sub(t.Mul(n))
		}
		if q.TooLarge() || r.TooLarge() || d.TooLarge() {
			panic(ErrTooLarge)
		}
	}
	return q, r
}

// interval are the least and the largest value that e may have, as far as ranges tell.
func (s *Space) interval(e Index) (lo, hi Dim, ok bool) {
	for _, m := range s.Multiples(e) {
		if m.Of == 0 {
			lo, hi = lo.Add(m.By), hi.Add(m.By)
			continue
		}
		n, ok := s.Range(m.Of)
		if !ok {
			return lo, hi, false
		}
		switch most := m.By.Mul(n.Sub(Int(1))); {
		case m.By.NonNegative():
			hi = hi.Add(most)
		case m.By.Neg().NonNegative():
			lo = lo.Add(most)
		default:
			return lo, hi, false
		}
	}
	return lo, hi, !lo.TooLarge() && !hi.TooLarge()
}

// Simplify are conditions that say together what g says, without products where
// ranges tell how: with e = n*w + r, e >= 0 is w >= 0 if 0 <= r < n, and e = 0 is
// w = 0 and r = 0 if r is between -n and n.
func (s *Space) Simplify(g Guard) []Guard {
	for _, t := range g.E.t {
		y := &s.syms[t.sym-1]
		if y.kind != kindTimes {
			continue
		}
		n := y.by
		if !g.Eq {
			if q, ok := s.quotient(g.E, n); ok {
				return s.Simplify(Guard{E: q})
			}
			continue
		}
		whole, rest := s.Wholes(g.E, n)
		if lo, hi, ok := s.interval(rest); ok && n.Add(lo).Sub(Int(1)).NonNegative() && n.Sub(hi).Sub(Int(1)).NonNegative() {
			return append(s.Simplify(Guard{E: whole, Eq: true}), s.Simplify(Guard{E: rest, Eq: true})...)
		}
	}
	return []Guard{g}
}

// Wanted is an unknown whose quotient by n would be told if it were written as
// n*x + y; that there was one is forgotten then.
func (s *Space) Wanted() (v Sym, n Dim, ok bool) {
	v, n = s.wanted.Of, s.wanted.By
	s.wanted = Multiple{}
	return v, n, v != 0
}

// note notes what would tell floor(e/n), the first one.
func (s *Space) note(e Index, n Dim) {
	for _, m := range s.Multiples(e) {
		if m.Of == 0 || s.wanted.Of != 0 {
			continue
		}
		size, ok := s.Range(m.Of)
		if !ok || s.syms[m.Of-1].fn {
			continue
		}
		by, ok := n.Quo(m.By)
		if !ok || by == Int(1) || !by.Sub(Int(1)).NonNegative() {
			continue
		}
		if k, ok := size.Quo(by); ok && k != Int(1) {
			s.wanted = Multiple{m.Of, by}
		}
	}
}
