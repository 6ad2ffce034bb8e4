package check

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// The sizes of this package: polynomials with whole coefficients of any length
// over atoms, so that nothing wraps.

// atomKind says what an atom stands for.
type atomKind byte

const (
	atomVar  atomKind = 'v' // a size variable, at least 1
	atomRun  atomKind = 'r' // the number of axes of a run, at least 0
	atomFunc atomKind = 'f' // a size function of sizes and attributes
)

// atom is an indivisible factor. Equal atoms of one table are one pointer.
type atom struct {
	id   int
	kind atomKind
	name string
	args []value // of a function
}

// monomial is a whole number times atoms, which stand in order of their ids.
type monomial struct {
	coef  *big.Int
	atoms []*atom
}

// size is a sum of monomials with distinct atoms, in their order, none of them
// with coefficient 0. The empty one is 0.
type size []monomial

var one = big.NewInt(1)

// maxTerms bounds the monomials of a size: a certificate may ask for powers of
// sums.
const maxTerms = 4096

// sizes makes atoms.
type sizes struct {
	at  map[string]*atom
	err error // the first thing that was too large; what follows it is no size
}

func newSizes() *sizes { return &sizes{at: map[string]*atom{}} }

// atom is the atom of that kind, name and arguments.
func (t *sizes) atom(kind atomKind, name string, args ...value) size {
	var b strings.Builder
	b.WriteByte(byte(kind))
	putText(&b, name)
	for i := range args {
		args[i].encode(&b)
	}
	a, ok := t.at[b.String()]
	if !ok {
		a = &atom{len(t.at), kind, name, args}
		t.at[b.String()] = a
	}
	return size{{big.NewInt(1), []*atom{a}}}
}

// putText writes a text so that it can be told where it ends.
func putText(b *strings.Builder, s string) {
	b.WriteString(strconv.Itoa(len(s)))
	b.WriteByte(':')
	b.WriteString(s)
}

// encode writes a size so that different sizes are written differently.
func (a size) encode(b *strings.Builder) {
	b.WriteByte('+')
	b.WriteString(strconv.Itoa(len(a)))
	for _, m := range a {
		putText(b, m.coef.String())
		b.WriteString(strconv.Itoa(len(m.atoms)))
		for _, x := range m.atoms {
			b.WriteByte('.')
			b.WriteString(strconv.Itoa(x.id))
		}
	}
}

func whole(n *big.Int) size {
	if n.Sign() == 0 {
		return nil
	}
	return size{{n, nil}}
}

func num(n int64) size { return whole(big.NewInt(n)) }

func compareAtoms(a, b []*atom) int {
	return slices.CompareFunc(a, b, func(x, y *atom) int { return x.id - y.id })
}

func (a size) plus(b size) size {
	out := make(size, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := compareAtoms(a[0].atoms, b[0].atoms); {
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		case c > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			if n := new(big.Int).Add(a[0].coef, b[0].coef); n.Sign() != 0 {
				out = append(out, monomial{n, a[0].atoms})
			}
			a, b = a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

func (a size) times(n *big.Int) size {
	if n.Sign() == 0 {
		return nil
	}
	out := make(size, len(a))
	for i, m := range a {
		out[i] = monomial{new(big.Int).Mul(m.coef, n), m.atoms}
	}
	return out
}

func (a size) minus(b size) size    { return a.plus(b.times(big.NewInt(-1))) }
func (a size) plusInt(n int64) size { return a.plus(num(n)) }
func (a size) neg() size            { return size(nil).minus(a) }

func (a size) equal(b size) bool {
	return slices.EqualFunc(a, b, func(x, y monomial) bool {
		return x.coef.Cmp(y.coef) == 0 && slices.Equal(x.atoms, y.atoms)
	})
}

// isInt reports that a is the number n.
func (a size) isInt(n int64) bool { return a.equal(num(n)) }

// number is the value of a size without atoms.
func (a size) number() (*big.Int, bool) {
	switch {
	case len(a) == 0:
		return new(big.Int), true
	case len(a) == 1 && len(a[0].atoms) == 0:
		return a[0].coef, true
	}
	return nil, false
}

// constant is the term without atoms.
func (a size) constant() size {
	for i, m := range a {
		if len(m.atoms) == 0 {
			return a[i : i+1 : i+1]
		}
	}
	return nil
}

func (t *sizes) mul(a, b size) size {
	if len(a)*len(b) > maxTerms {
		t.err = errors.Join(t.err, fmt.Errorf("a size has more than %d terms", maxTerms))
		return nil
	}
	var out size
	for _, x := range a {
		part := make(size, len(b))
		for i, y := range b {
			atoms := slices.Concat(x.atoms, y.atoms)
			slices.SortFunc(atoms, func(p, q *atom) int { return p.id - q.id })
			part[i] = monomial{new(big.Int).Mul(x.coef, y.coef), atoms}
		}
		// A product with one monomial keeps monomials apart, but not their order.
		slices.SortFunc(part, func(p, q monomial) int { return compareAtoms(p.atoms, q.atoms) })
		out = out.plus(part)
	}
	return out
}

// over is a / b where b is one monomial and that is a size.
func (a size) over(b size) (size, bool) {
	if len(b) != 1 {
		return nil, false
	}
	out := make(size, len(a))
	for i, m := range a {
		q, r := new(big.Int).QuoRem(m.coef, b[0].coef, new(big.Int))
		left := slices.Clone(m.atoms)
		for _, x := range b[0].atoms {
			j := slices.Index(left, x)
			if j < 0 {
				return nil, false
			}
			left = slices.Delete(left, j, j+1)
		}
		if r.Sign() != 0 {
			return nil, false
		}
		out[i] = monomial{q, left}
	}
	slices.SortFunc(out, func(p, q monomial) int { return compareAtoms(p.atoms, q.atoms) })
	return out, true
}

// dividedBy reports that every coefficient is a multiple of k, which is not 0.
func (a size) dividedBy(k *big.Int) bool {
	return !slices.ContainsFunc(a, func(m monomial) bool { return new(big.Int).Rem(m.coef, k).Sign() != 0 })
}

// atLeast0 reports that a is at least 0 for all sizes of at least 1 and all runs,
// and all values of size functions, of those that are known at least 1.
func (t *sizes) atLeast0(a size, known func(*atom) bool) bool {
	var shifted size
	for _, m := range a {
		part := whole(m.coef)
		for _, x := range m.atoms {
			f := size{{big.NewInt(1), []*atom{x}}}
			if x.kind == atomVar || x.kind == atomFunc && known(x) {
				f = f.plusInt(1)
			}
			part = t.mul(part, f)
		}
		shifted = shifted.plus(part)
	}
	return t.err == nil && !slices.ContainsFunc(shifted, func(m monomial) bool {
		return m.coef.Sign() < 0 ||
			slices.ContainsFunc(m.atoms, func(x *atom) bool { return x.kind == atomFunc && !known(x) })
	})
}

// String is for messages.
func (a size) String() string {
	if len(a) == 0 {
		return "0"
	}
	type term struct {
		text   string
		degree int
		coef   *big.Int
	}
	terms := make([]term, len(a))
	for i, m := range a {
		names := make([]string, len(m.atoms))
		for j, x := range m.atoms {
			names[j] = x.String()
		}
		sort.Strings(names)
		terms[i] = term{strings.Join(names, "*"), len(names), m.coef}
	}
	sort.Slice(terms, func(i, j int) bool {
		if terms[i].degree != terms[j].degree {
			return terms[i].degree > terms[j].degree
		}
		return terms[i].text < terms[j].text
	})
	var b strings.Builder
	for i, m := range terms {
		n := m.coef.String()
		if m.degree > 0 {
			switch n {
			case "1":
				n = ""
			case "-1":
				n = "-"
			default:
				n += "*"
			}
		}
		if i > 0 && m.coef.Sign() > 0 {
			b.WriteByte('+')
		}
		b.WriteString(n + m.text)
	}
	return b.String()
}

func (x *atom) String() string {
	switch x.kind {
	case atomRun:
		return "#" + x.name
	case atomFunc:
		parts := make([]string, len(x.args))
		for i, v := range x.args {
			parts[i] = v.String()
		}
		return x.name + "(" + strings.Join(parts, ",") + ")"
	}
	return x.name
}
