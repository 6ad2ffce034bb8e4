package graph

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// Dim is an integer expression: a polynomial with integer coefficients over
// atoms. Equal polynomials are equal Go values (==), so a Dim can be a map
// key. The zero Dim is the constant 0.
type Dim struct {
	c int64 // constant term
	p *poly // the rest, nil when there is none; interned
}

// AtomKind says what an Atom stands for.
type AtomKind uint8

const (
	// AtomVar is a size variable, an unknown integer of at least 1.
	AtomVar AtomKind = iota
	// AtomRun is the number of axes in an axis run, an unknown integer of at
	// least 0, written #P.
	AtomRun
	// AtomFunc is a function of sizes and attributes that is not a
	// polynomial, such as the output size of a strided convolution.
	AtomFunc
)

// Atom is an indivisible factor of a Dim.
type Atom struct {
	Kind AtomKind
	Name string
	Args []Value // of an AtomFunc
	key  string
}

type monomial struct {
	coef  int64
	atoms []Atom // sorted by key
	key   string
}

type poly struct {
	key   string
	terms []monomial // sorted by (degree descending, key)
}

var polyTable struct {
	sync.RWMutex
	m map[string]*poly
}

// Int is the constant n.
func Int(n int64) Dim { return Dim{c: n} }

// Var is the size variable of that name.
func Var(name string) Dim { return ofAtom(Atom{Kind: AtomVar, Name: name, key: name}) }

// RunLen is the number of axes in the axis run of that name.
func RunLen(name string) Dim { return ofAtom(Atom{Kind: AtomRun, Name: name, key: "#" + name}) }

// Func is an uninterpreted integer function of its arguments.
func Func(name string, args ...Value) Dim {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.String()
	}
	return ofAtom(Atom{Kind: AtomFunc, Name: name, Args: args, key: name + "(" + strings.Join(parts, ",") + ")"})
}

func ofAtom(a Atom) Dim {
	return Dim{p: internPoly([]monomial{{coef: 1, atoms: []Atom{a}, key: a.key}})}
}

func internPoly(terms []monomial) *poly {
	if len(terms) == 0 {
		return nil
	}
	sort.Slice(terms, func(i, j int) bool {
		if a, b := len(terms[i].atoms), len(terms[j].atoms); a != b {
			return a > b
		}
		return terms[i].key < terms[j].key
	})
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
		b.WriteString(t.key)
	}
	key := b.String()
	polyTable.RLock()
	p := polyTable.m[key]
	polyTable.RUnlock()
	if p != nil {
		return p
	}
	polyTable.Lock()
	defer polyTable.Unlock()
	if p = polyTable.m[key]; p != nil {
		return p
	}
	if polyTable.m == nil {
		polyTable.m = map[string]*poly{}
	}
	p = &poly{key: key, terms: terms}
	polyTable.m[key] = p
	return p
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
	if d.p == nil || e.p == nil {
		p := d.p
		if p == nil {
			p = e.p
		}
		return Dim{c: d.c + e.c, p: p}
	}
	return Dim{c: d.c + e.c, p: addTerms(d.p.terms, e.p.terms)}
}

func addTerms(a, b []monomial) *poly {
	at := make(map[string]int, len(a)+len(b))
	out := make([]monomial, 0, len(a)+len(b))
	for _, ts := range [2][]monomial{a, b} {
		for _, t := range ts {
			if i, ok := at[t.key]; ok {
				out[i].coef += t.coef
				continue
			}
			at[t.key] = len(out)
			out = append(out, t)
		}
	}
	kept := out[:0]
	for _, t := range out {
		if t.coef != 0 {
			kept = append(kept, t)
		}
	}
	return internPoly(kept)
}

// Neg is -d.
func (d Dim) Neg() Dim { return d.Scale(-1) }

// Scale is k*d.
func (d Dim) Scale(k int64) Dim {
	if k == 0 {
		return Dim{}
	}
	if d.p == nil {
		return Dim{c: d.c * k}
	}
	terms := make([]monomial, len(d.p.terms))
	for i, t := range d.p.terms {
		t.coef *= k
		terms[i] = t
	}
	return Dim{c: d.c * k, p: internPoly(terms)}
}

// Sub is d - e.
func (d Dim) Sub(e Dim) Dim {
	if d == e {
		return Dim{}
	}
	return d.Add(e.Neg())
}

// Mul is d * e.
func (d Dim) Mul(e Dim) Dim {
	if d.p == nil {
		return e.Scale(d.c)
	}
	if e.p == nil {
		return d.Scale(e.c)
	}
	var terms []monomial
	for _, s := range d.p.terms {
		for _, t := range e.p.terms {
			atoms := append(append([]Atom{}, s.atoms...), t.atoms...)
			sort.Slice(atoms, func(i, j int) bool { return atoms[i].key < atoms[j].key })
			keys := make([]string, len(atoms))
			for i, a := range atoms {
				keys[i] = a.key
			}
			terms = append(terms, monomial{coef: s.coef * t.coef, atoms: atoms, key: strings.Join(keys, "*")})
		}
	}
	prod := Dim{c: d.c * e.c, p: addTerms(terms, nil)}
	return prod.Add(Dim{p: d.p}.Scale(e.c)).Add(Dim{p: e.p}.Scale(d.c))
}

// String is the polynomial in canonical order, highest degree first, in the
// law language's notation.
func (d Dim) String() string {
	switch {
	case d.p == nil:
		return strconv.FormatInt(d.c, 10)
	case d.c > 0:
		return d.p.key + "+" + strconv.FormatInt(d.c, 10)
	case d.c < 0:
		return d.p.key + strconv.FormatInt(d.c, 10)
	}
	return d.p.key
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

// Binding gives values to the variables of a Dim, Value or Shape; a variable
// that is not bound stays as it is.
type Binding struct {
	Dims  map[string]Dim
	Runs  map[string]Shape
	Attrs map[string]Value
}

// Subst replaces bound variables in d and folds what became constant.
func (d Dim) Subst(b *Binding) Dim {
	if d.p == nil {
		return d
	}
	out := Dim{c: d.c}
	for _, t := range d.p.terms {
		m := Int(t.coef)
		for _, a := range t.atoms {
			m = m.Mul(a.subst(b))
		}
		out = out.Add(m)
	}
	return out
}

func (a Atom) subst(b *Binding) Dim {
	switch a.Kind {
	case AtomVar:
		if d, ok := b.Dims[a.Name]; ok {
			return d
		}
	case AtomRun:
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
	return ofAtom(a)
}

// NonNegative reports whether d >= 0 for all sizes >= 1, all run lengths >= 0
// and all function values >= 1 (they are output sizes of operators that are
// defined): sound, not complete. It shifts every variable
// to start at zero and looks at the signs of the coefficients.
func (d Dim) NonNegative() bool {
	if d.p == nil {
		return d.c >= 0
	}
	shifted := Int(d.c)
	for _, t := range d.p.terms {
		m := Int(t.coef)
		for _, a := range t.atoms {
			x := ofAtom(a)
			if a.Kind != AtomRun {
				x = x.Add(Int(1))
			}
			m = m.Mul(x)
		}
		shifted = shifted.Add(m)
	}
	if shifted.c < 0 {
		return false
	}
	if shifted.p != nil {
		for _, t := range shifted.p.terms {
			if t.coef < 0 {
				return false
			}
		}
	}
	return true
}

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
	return Func(name, args...)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func (d Dim) divExact(k int64) (Dim, bool) {
	if d.c%k != 0 {
		return Dim{}, false
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
	return Dim{c: d.c / k, p: internPoly(terms)}, true
}

// Eval is the value of d when every atom is bound to a constant.
func (d Dim) Eval(b *Binding) (int64, error) {
	n, ok := d.Subst(b).Const()
	if !ok {
		return 0, fmt.Errorf("size %s: not all variables bound", d)
	}
	return n, nil
}
