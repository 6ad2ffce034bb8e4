package bounded

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph/interp"
)

// number is the arithmetic of coefficients.
var number interp.Rational

var (
	zeroQ = interp.Q{Num: 0, Den: 1}
	oneQ  = interp.Q{Num: 1, Den: 1}
)

// maxTerms is the most terms of one polynomial; a longer one is bad.
const maxTerms = 1 << 13

// atom numbers an indeterminate: an entry of an input, or a function or a
// maximum of polynomials.
type atom uint32

// mono numbers a monomial, a product of atoms; 0 is the empty one, 1.
type mono uint32

type term struct {
	m mono
	c interp.Q // not 0
}

// poly is a polynomial over atoms: terms by monomial, each once. The empty
// polynomial is 0. A bad one is the result of a computation that left the
// bounds; nothing is said of it. Polynomials are immutable.
type poly struct {
	terms []term
	id    uint32 // number of its canonical form in the space, once asked for
	bad   bool
}

var badPoly = &poly{bad: true}

type atomKind uint8

const (
	atomInput atomKind = iota
	atomFn
	atomMax
)

type atomInfo struct {
	kind     atomKind
	name     string // of the input or function
	index    int    // of the entry, row-major
	args     []*poly
	positive bool // never negative
}

// space holds the atoms and monomials of one instance.
type space struct {
	ordered bool // the true relu and maximum, not just any
	// decisive: every atom is an entry of an input or an unknown function of
	// polynomials, so that different canonical forms are different functions.
	decisive bool

	atoms []atomInfo
	fns   map[string]*poly // functions and maxima by the numbers of their arguments
	monos [][]atom         // sorted, with repetition
	ones  []mono           // of one atom, by atom; 0: none yet
	each  []atom           // 0, 1, 2 ...
	byKey map[string]mono  // of several atoms
	prods map[[2]mono]signed
	polys map[string]uint32
	buf   []byte
}

// signed is a monomial times -1, 0 or 1.
type signed struct {
	m    mono
	sign int8
}

func newSpace() *space {
	return &space{fns: map[string]*poly{}, byKey: map[string]mono{}, prods: map[[2]mono]signed{}, polys: map[string]uint32{}}
}

// reset forgets everything and chooses the reading of relu and max.
func (s *space) reset(ordered bool) {
	s.ordered, s.decisive = ordered, true
	s.atoms = s.atoms[:0]
	s.monos, s.ones = append(s.monos[:0], nil), s.ones[:0]
	empty(&s.fns)
	empty(&s.byKey)
	empty(&s.prods)
	empty(&s.polys)
	s.byKey[""] = 0
}

// empty forgets what is in a map, and a large one itself: to clear it takes long, ever after.
func empty[K comparable, V any](m *map[K]V) {
	if len(*m) > 1<<10 {
		*m = map[K]V{}
	}
	clear(*m)
}

// input is a new atom for each entry of a tensor.
func (s *space) input(name string, n int) []*poly {
	out := make([]*poly, n)
	for i := range out {
		s.atoms = append(s.atoms, atomInfo{kind: atomInput, name: name, index: i})
		out[i] = s.atomPoly(atom(len(s.atoms) - 1))
	}
	return out
}

func (s *space) atomPoly(a atom) *poly {
	p := &struct {
		poly
		one [1]term
	}{one: [1]term{{s.one(a), oneQ}}}
	p.terms = p.one[:]
	return &p.poly
}

// one is the number of a single atom.
func (s *space) one(a atom) mono {
	for len(s.each) <= int(a) {
		s.each = append(s.each, atom(len(s.each)))
	}
	for len(s.ones) <= int(a) {
		s.ones = append(s.ones, 0)
	}
	if s.ones[a] == 0 {
		s.ones[a] = mono(len(s.monos))
		s.monos = append(s.monos, s.each[a:a+1:a+1])
	}
	return s.ones[a]
}

// mono is the number of a sorted product; it keeps the slice.
func (s *space) mono(as []atom) mono {
	if len(as) == 1 {
		return s.one(as[0])
	}
	s.buf = s.buf[:0]
	for _, a := range as {
		s.buf = binary.LittleEndian.AppendUint32(s.buf, uint32(a))
	}
	if m, ok := s.byKey[string(s.buf)]; ok {
		return m
	}
	m := mono(len(s.monos))
	s.monos = append(s.monos, as)
	s.byKey[string(s.buf)] = m
	return m
}

// times is the product of two monomials; with the true relu it may be
// negative or zero.
func (s *space) times(a, b mono) signed {
	if a == 0 {
		return signed{b, 1}
	}
	if b == 0 {
		return signed{a, 1}
	}
	key := [2]mono{min(a, b), max(a, b)}
	if r, ok := s.prods[key]; ok {
		return r
	}
	as := slices.Concat(s.monos[a], s.monos[b])
	slices.Sort(as)
	r := signed{sign: 1}
	if s.ordered {
		as, r.sign = s.rectify(as)
	}
	if r.sign != 0 {
		r.m = s.mono(as)
	}
	s.prods[key] = r
	return r
}

func constant(c interp.Q) *poly {
	switch {
	case c.IsBad():
		return badPoly
	case c.Num == 0:
		return &poly{}
	}
	return &poly{terms: []term{{0, c}}}
}

// isConst reports whether p is a number.
func (p *poly) isConst() (interp.Q, bool) {
	switch {
	case p.bad:
		return interp.Bad, false
	case len(p.terms) == 0:
		return zeroQ, true
	case len(p.terms) == 1 && p.terms[0].m == 0:
		return p.terms[0].c, true
	}
	return interp.Bad, false
}

func (s *space) add(p, q *poly) *poly {
	switch {
	case p.bad || q.bad || len(p.terms)+len(q.terms) > maxTerms:
		return badPoly
	case len(p.terms) == 0:
		return q
	case len(q.terms) == 0:
		return p
	}
	out := make([]term, 0, len(p.terms)+len(q.terms))
	x, y := p.terms, q.terms
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].m < y[0].m:
			out, x = append(out, x[0]), x[1:]
		case x[0].m > y[0].m:
			out, y = append(out, y[0]), y[1:]
		default:
			c := number.Add(x[0].c, y[0].c)
			if c.IsBad() {
				return badPoly
			}
			if c.Num != 0 {
				out = append(out, term{x[0].m, c})
			}
			x, y = x[1:], y[1:]
		}
	}
	return &poly{terms: append(append(out, x...), y...)}
}

func (s *space) mul(p, q *poly) *poly {
	if p.bad || q.bad || len(p.terms)*len(q.terms) > maxTerms {
		return badPoly
	}
	if len(p.terms) == 0 || len(q.terms) == 0 {
		return &poly{}
	}
	if c, ok := q.isConst(); ok {
		return p.scale(c)
	}
	if c, ok := p.isConst(); ok {
		return q.scale(c)
	}
	out := make([]term, 0, len(p.terms)*len(q.terms))
	for _, x := range p.terms {
		for _, y := range q.terms {
			r := s.times(x.m, y.m)
			if r.sign == 0 {
				continue
			}
			c := number.Mul(x.c, y.c)
			if r.sign < 0 {
				c = number.Mul(c, interp.Q{Num: -1, Den: 1})
			}
			if c.IsBad() {
				return badPoly
			}
			out = append(out, term{r.m, c})
		}
	}
	return collect(out)
}

// collect sorts terms and adds up those of one monomial.
func collect(ts []term) *poly {
	slices.SortFunc(ts, func(a, b term) int { return int(a.m) - int(b.m) })
	out := ts[:0]
	for i := 0; i < len(ts); {
		m, c := ts[i].m, ts[i].c
		for i++; i < len(ts) && ts[i].m == m; i++ {
			c = number.Add(c, ts[i].c)
		}
		if c.IsBad() {
			return badPoly
		}
		if c.Num != 0 {
			out = append(out, term{m, c})
		}
	}
	return &poly{terms: out}
}

func (p *poly) scale(c interp.Q) *poly {
	if c == oneQ || p.bad {
		return p
	}
	if c.Num == 0 {
		return &poly{}
	}
	out := make([]term, len(p.terms))
	for i, t := range p.terms {
		out[i] = term{t.m, number.Mul(t.c, c)}
		if out[i].c.IsBad() {
			return badPoly
		}
	}
	return &poly{terms: out}
}

// equal compares canonical forms; false if one is bad.
func (p *poly) equal(q *poly) bool {
	return !p.bad && !q.bad && slices.Equal(p.terms, q.terms)
}

// number gives a polynomial the number of its canonical form.
func (s *space) number(p *poly) uint32 {
	if p.id != 0 {
		return p.id
	}
	b := make([]byte, 0, 20*len(p.terms))
	for _, t := range p.terms {
		b = binary.LittleEndian.AppendUint32(b, uint32(t.m))
		b = binary.LittleEndian.AppendUint64(b, uint64(t.c.Num))
		b = binary.LittleEndian.AppendUint64(b, uint64(t.c.Den))
	}
	id, ok := s.polys[string(b)]
	if !ok {
		id = uint32(len(s.polys) + 1)
		s.polys[string(b)] = id
	}
	p.id = id
	return id
}

// fn is the atom of a function, or of a maximum, at polynomials, made if it is
// new.
func (s *space) fn(kind atomKind, name string, args []*poly, positive bool) *poly {
	s.buf = append(s.buf[:0], byte(kind))
	s.buf = append(s.buf, name...)
	s.buf = append(s.buf, 0)
	key := s.buf
	for _, p := range args {
		id := s.number(p)
		key = binary.LittleEndian.AppendUint32(key, id)
	}
	s.buf = key
	p, ok := s.fns[string(key)]
	if !ok {
		p = s.atomPoly(atom(len(s.atoms)))
		s.atoms = append(s.atoms, atomInfo{kind: kind, name: name, args: args, positive: positive})
		s.fns[string(key)] = p
	}
	return p
}

// text writes a polynomial as far as the bound of characters goes.
func (s *space) text(p *poly, limit int) string {
	if p.bad {
		return "too large"
	}
	if len(p.terms) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, t := range p.terms {
		if b.Len() > limit {
			fmt.Fprintf(&b, " + %d more terms", len(p.terms)-i)
			break
		}
		c, sign := t.c, " + "
		if c.Num < 0 {
			c.Num, sign = -c.Num, " - "
		}
		if i == 0 {
			sign = strings.TrimSuffix(strings.TrimPrefix(sign, " "), " ")
			sign = strings.TrimPrefix(sign, "+")
		}
		b.WriteString(sign)
		b.WriteString(s.termText(t.m, c, limit))
	}
	return b.String()
}

func (s *space) termText(m mono, c interp.Q, limit int) string {
	var parts []string
	if c != oneQ || m == 0 {
		parts = append(parts, formatQ(c))
	}
	for _, a := range s.monos[m] {
		parts = append(parts, s.atomText(a, limit))
	}
	return strings.Join(parts, "*")
}

func (s *space) atomText(a atom, limit int) string {
	in := &s.atoms[a]
	if in.kind == atomInput {
		return fmt.Sprintf("%s%d", in.name, in.index)
	}
	args := make([]string, len(in.args))
	for i, p := range in.args {
		args[i] = s.text(p, limit/2)
	}
	name := strings.TrimPrefix(strings.TrimPrefix(in.name, anyPrefix), zeroPrefix)
	if in.kind == atomMax {
		name = "max"
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

func formatQ(q interp.Q) string {
	if q.Den == 1 {
		return fmt.Sprint(q.Num)
	}
	return fmt.Sprintf("%d/%d", q.Num, q.Den)
}
