package graph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Dim is an integer expression: a polynomial with integer coefficients over
// atoms. Equal polynomials are equal Go values (==), so a Dim can be a map
// key. The zero Dim is the constant 0.
//
// A result is [Dim.TooLarge] when a coefficient needs more than 63 bits, or when
// it has more terms, factors or bytes of text than the limits below allow. Such a Dim equals nothing but copies of itself, has no value and
// no sign, and everything computed from it is too large again; shape inference
// refuses it with [ErrTooLarge]. Comparing computed sizes with == can therefore
// at worst take two equal sizes for different ones.
type Dim struct {
	c int64 // constant term
	p *poly // the rest, nil when there is none; interned
}

type monomial struct {
	coef  int64
	atoms []Atom // in the order of Atom.compare
}

type poly struct {
	num   uint64     // tells polynomials apart in keys of tables; nothing is ordered by it
	text  string     // as printed
	terms []monomial // by degree, the highest first, then by atoms
	large bool       // stands for what is too large; not interned
}

var polyTable struct {
	sync.RWMutex
	m map[string]*poly // by coefficients and atoms, see appendTerms
	n atomic.Uint64
}

// Limits of a Dim. Sizes in laws and models stay far below them (77 terms and
// 1.1 KB of text in the axioms); a product of long sums does not.
const (
	maxTerms    = 1 << 9  // terms of a polynomial
	maxDegree   = 1 << 6  // factors of a term
	maxText     = 1 << 14 // bytes of a polynomial as text, names of variables included
	maxProducts = 1 << 12 // products of two terms in one multiplication
)

// ErrTooLarge is the error of sizes beyond 63 bits or beyond the limits of a Dim.
var ErrTooLarge = errors.New("sizes are too large to follow: a number needs more than 63 bits, or a polynomial has too many terms")

// Int is the constant n.
func Int(n int64) Dim { return Dim{c: n} }

// tooLarge is a new size of which nothing is known.
func tooLarge() Dim {
	a := Atom{Kind: AtomFunc, Name: "too large", id: &atomID{text: "(too large)"}}
	a.id.dim.p = &poly{text: a.id.text, terms: []monomial{{coef: 1, atoms: []Atom{a}}}, num: polyTable.n.Add(1), large: true}
	return a.id.dim
}

// TooLarge reports whether d is the result of arithmetic beyond 63 bits or beyond
// the limits of a Dim.
func (d Dim) TooLarge() bool { return d.p != nil && d.p.large }

// order compares two monomials without regard to their coefficients.
func (m monomial) order(n monomial) int {
	if len(m.atoms) != len(n.atoms) {
		return len(n.atoms) - len(m.atoms)
	}
	return compareAtoms(m.atoms, n.atoms)
}

// internPoly is the polynomial with these terms, which are in order, different
// and not 0.
func internPoly(terms []monomial) *poly {
	if len(terms) == 0 {
		return nil
	}
	var buf [192]byte
	key := appendTerms(buf[:0], terms)
	polyTable.RLock()
	p := polyTable.m[string(key)]
	polyTable.RUnlock()
	if p != nil {
		return p
	}
	polyTable.Lock()
	defer polyTable.Unlock()
	if p = polyTable.m[string(key)]; p != nil {
		return p
	}
	if polyTable.m == nil {
		polyTable.m = map[string]*poly{}
	}
	p = &poly{num: polyTable.n.Add(1), text: termsText(terms), terms: terms}
	polyTable.m[string(key)] = p
	return p
}

// appendTerms writes terms so that only equal ones are written alike, with the
// numbers of their atoms.
func appendTerms(b []byte, terms []monomial) []byte {
	for _, t := range terms {
		b = binary.AppendVarint(b, t.coef)
		b = binary.AppendUvarint(b, uint64(len(t.atoms)))
		for _, a := range t.atoms {
			b = binary.AppendUvarint(b, a.id.num)
		}
	}
	return b
}

// within is c plus these terms, which are in order, different and not 0; too
// large where they are beyond the limits.
func within(c int64, terms []monomial) Dim {
	if len(terms) == 0 {
		return Dim{c: c}
	}
	if len(terms) > maxTerms || len(terms[0].atoms) > maxDegree {
		return tooLarge()
	}
	if len(terms) > 1 || len(terms[0].atoms) > 1 { // a variable alone may have any name
		text := 0
		for _, t := range terms {
			for _, a := range t.atoms {
				text += 1 + len(a.id.text)
			}
		}
		if text > maxText {
			return tooLarge()
		}
	}
	return Dim{c: c, p: internPoly(terms)}
}

func termsText(terms []monomial) string {
	var b strings.Builder
	for i, t := range terms {
		if i > 0 && t.coef >= 0 {
			b.WriteByte('+')
		}
		switch t.coef {
		case 1:
		case -1:
			b.WriteByte('-')
		default:
			b.WriteString(strconv.FormatInt(t.coef, 10))
			b.WriteByte('*')
		}
		for j, a := range t.atoms {
			if j > 0 {
				b.WriteByte('*')
			}
			b.WriteString(a.id.text)
		}
	}
	return b.String()
}

// collect is the sum of a constant and terms in any order; it owns the slice.
func collect(c int64, terms []monomial) Dim {
	terms, ok := sumTerms(terms)
	if !ok {
		return tooLarge()
	}
	return within(c, terms)
}

// Const reports the value of a constant Dim.
func (d Dim) Const() (int64, bool) { return d.c, d.p == nil }

// IsVar reports the name of a Dim that is a single size variable.
func (d Dim) IsVar() (string, bool) {
	if d.c == 0 && d.p != nil && len(d.p.terms) == 1 {
		t := d.p.terms[0]
		if t.coef == 1 && len(t.atoms) == 1 && t.atoms[0].Kind == AtomVar {
			return t.atoms[0].Name, true
		}
	}
	return "", false
}

// Add is d + e.
func (d Dim) Add(e Dim) Dim {
	c, ok := AddInt(d.c, e.c)
	switch {
	case !ok || d.TooLarge() || e.TooLarge():
		return tooLarge()
	case e.p == nil:
		return Dim{c: c, p: d.p}
	case d.p == nil:
		return Dim{c: c, p: e.p}
	}
	a, b := d.p.terms, e.p.terms
	out := make([]monomial, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch o := a[0].order(b[0]); {
		case o < 0:
			out, a = append(out, a[0]), a[1:]
		case o > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			k, ok := AddInt(a[0].coef, b[0].coef)
			if !ok {
				return tooLarge()
			}
			if k != 0 {
				out = append(out, monomial{coef: k, atoms: a[0].atoms})
			}
			a, b = a[1:], b[1:]
		}
	}
	return within(c, append(append(out, a...), b...))
}

// Neg is -d.
func (d Dim) Neg() Dim { return d.Scale(-1) }

// Scale is k*d.
func (d Dim) Scale(k int64) Dim {
	if d.TooLarge() {
		return tooLarge()
	}
	switch k {
	case 0:
		return Dim{}
	case 1:
		return d
	}
	c, ok := MulInt(d.c, k)
	if !ok {
		return tooLarge()
	}
	if d.p == nil {
		return Dim{c: c}
	}
	terms := make([]monomial, len(d.p.terms))
	for i, t := range d.p.terms {
		if t.coef, ok = MulInt(t.coef, k); !ok {
			return tooLarge()
		}
		terms[i] = t
	}
	return within(c, terms)
}

// Sub is d - e.
func (d Dim) Sub(e Dim) Dim {
	switch {
	case d.TooLarge() || e.TooLarge():
		return tooLarge()
	case d == e:
		return Dim{}
	case e.p == nil && e.c != minInt:
		return d.Add(Dim{c: -e.c})
	}
	return d.Add(e.Neg())
}

// Mul is d * e.
func (d Dim) Mul(e Dim) Dim {
	if d.TooLarge() || e.TooLarge() {
		return tooLarge()
	}
	if d.p == nil {
		return e.Scale(d.c)
	}
	if e.p == nil {
		return d.Scale(e.c)
	}
	c, ok := MulInt(d.c, e.c)
	n := (len(d.p.terms)+1)*(len(e.p.terms)+1) - 1
	if !ok || n > maxProducts || len(d.p.terms[0].atoms)+len(e.p.terms[0].atoms) > maxDegree {
		return tooLarge()
	}
	terms := make([]monomial, 0, n)
	add := func(k, l int64, a, b []Atom) {
		if k == 0 || l == 0 || !ok {
			return
		}
		var m monomial
		if m.coef, ok = MulInt(k, l); !ok {
			return
		}
		switch {
		case len(a) == 0:
			m.atoms = b
		case len(b) == 0:
			m.atoms = a
		default:
			m.atoms = mergeAtoms(a, b)
		}
		terms = append(terms, m)
	}
	for _, s := range d.p.terms {
		for _, t := range e.p.terms {
			add(s.coef, t.coef, s.atoms, t.atoms)
		}
		add(s.coef, e.c, s.atoms, nil)
	}
	for _, t := range e.p.terms {
		add(d.c, t.coef, nil, t.atoms)
	}
	if !ok {
		return tooLarge()
	}
	return collect(c, terms)
}

// String is the polynomial in canonical order, highest degree first, in the
// law language's notation. Different sizes may print alike, where their
// variables have one name and different sorts; [Dim.Key] tells them apart.
func (d Dim) String() string {
	switch {
	case d.p == nil:
		return strconv.FormatInt(d.c, 10)
	case d.c > 0:
		return d.p.text + "+" + strconv.FormatInt(d.c, 10)
	case d.c < 0:
		return d.p.text + strconv.FormatInt(d.c, 10)
	}
	return d.p.text
}

// Terms lists the non-constant terms as (coefficient, atoms) and the constant.
func (d Dim) Terms() (terms []Term, constant int64) {
	if d.p != nil {
		for _, t := range d.p.terms {
			terms = append(terms, Term{Coef: t.coef, Atoms: t.atoms})
		}
	}
	return terms, d.c
}

// Term is one monomial of a Dim: Coef times the product of Atoms.
type Term struct {
	Coef  int64
	Atoms []Atom
}

// Dim is the term as a size.
func (t Term) Dim() Dim { return productOf(t.Coef, t.Atoms) }

// Walk calls f for every atom of d, those inside function arguments too.
func (d Dim) Walk(f func(Atom)) {
	if d.p == nil {
		return
	}
	for _, t := range d.p.terms {
		for _, a := range t.atoms {
			f(a)
			for _, v := range a.Args {
				v.Walk(f)
			}
		}
	}
}

// Substitution gives values to the variables of a Dim, Value or Shape; a variable
// that is not bound stays as it is.
type Substitution struct {
	Dims  map[string]Dim
	Runs  map[string]Shape
	Attrs map[string]Value
}

// Subst replaces bound variables in d and folds what became constant.
func (d Dim) Subst(b *Substitution) Dim {
	if d.p == nil {
		return d
	}
	if d.TooLarge() {
		return tooLarge() // what it stood for may have changed
	}
	for i, t := range d.p.terms {
		for j, a := range t.atoms {
			if x := a.subst(b); x != a.id.dim {
				return d.substFrom(i, j, x, b)
			}
		}
	}
	return d
}

// substFrom is Subst where the first atom to be replaced is number j of term i,
// by x.
func (d Dim) substFrom(i, j int, x Dim, b *Substitution) Dim {
	out := []Dim{{c: d.c, p: internPoly(d.p.terms[:i:i])}}
	for k, t := range d.p.terms[i:] {
		m, atoms := Int(t.coef), t.atoms
		if k == 0 {
			m, atoms = productOf(t.coef, t.atoms[:j]).Mul(x), t.atoms[j+1:]
		}
		for _, a := range atoms {
			m = m.Mul(a.subst(b))
		}
		out = append(out, m)
	}
	return sumDims(out)
}

// sumDims adds sizes at once, without interning what is added on the way.
func sumDims(ds []Dim) Dim {
	var c int64
	var terms []monomial
	for _, d := range ds {
		var ok bool
		if c, ok = AddInt(c, d.c); !ok || d.TooLarge() {
			return tooLarge()
		}
		if d.p != nil {
			terms = append(terms, d.p.terms...)
		}
	}
	return collect(c, terms)
}

func (a Atom) subst(b *Substitution) Dim {
	switch a.Kind {
	case AtomVar:
		if d, ok := b.Dims[a.Name]; ok {
			return d
		}
	case AtomAxisRun:
		if s, ok := b.Runs[a.Name]; ok {
			return s.Rank()
		}
	case AtomFunc:
		args := make([]Value, len(a.Args))
		for i, v := range a.Args {
			args[i] = v.Subst(b)
		}
		return fold(a.Name, args)
	}
	return a.id.dim
}

// sumTerms puts terms in order and adds equal ones; false where a coefficient
// leaves 63 bits. It owns the slice.
func sumTerms(terms []monomial) ([]monomial, bool) {
	slices.SortFunc(terms, monomial.order)
	kept := terms[:0]
	for i := 0; i < len(terms); {
		t := terms[i]
		for i++; i < len(terms) && terms[i].order(t) == 0; i++ {
			var ok bool
			if t.coef, ok = AddInt(t.coef, terms[i].coef); !ok {
				return nil, false
			}
		}
		if t.coef != 0 {
			kept = append(kept, t)
		}
	}
	return kept, true
}

// SizeFunc is a size function of its arguments, evaluated where they are known.
func SizeFunc(name string, args ...Value) Dim { return fold(name, args) }

// fold evaluates a size function where its arguments are known.
func fold(name string, args []Value) Dim {
	if name == fnWindow && len(args) == 5 {
		if d, ok := foldWindow(args); ok {
			return d
		}
	}
	if name == fnStrided && len(args) == 3 {
		if d, ok := foldStrided(args); ok {
			return d
		}
	}
	if name == fnStep && len(args) == 2 {
		if d, ok := foldStep(args); ok {
			return d
		}
	}
	return Func(name, args...)
}

// Eval is the value of d when every atom is bound to a constant.
func (d Dim) Eval(b *Substitution) (int64, error) {
	e := d.Subst(b)
	n, ok := e.Const()
	switch {
	case e.TooLarge():
		return 0, fmt.Errorf("size %s: %w", d, ErrTooLarge)
	case !ok:
		return 0, fmt.Errorf("size %s: not all variables bound", d)
	}
	return n, nil
}
