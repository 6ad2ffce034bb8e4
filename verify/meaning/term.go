package meaning

import (
	"math/big"
	"slices"
	"sort"

	"github.com/taso-go/taso/graph"
)

// NF is a sum of terms; no terms are 0.
type NF []Term

// Term is Num * Facs * the sum, over the integer points Over of the domain Dom,
// of the product of the atoms. Guards without a bound variable are conditions on
// the whole term. A Term does not change.
type Term struct {
	Num   *big.Rat
	Facs  []Factor
	Over  []graph.Sym
	Dom   []graph.Guard
	Atoms []Atom
}

// Factor is an integer to a power, such as the size of a kernel to -1. What has a
// negative power is not 0 wherever the operator that divides by it is defined.
type Factor struct {
	E   graph.Index
	Exp int
	key string // of E
}

// AtomKind is the kind of an Atom.
type AtomKind uint8

const (
	// Read is the entry of tensor Name at index At.
	Read AtomKind = iota
	// Apply is a function of one element of Arg.
	Apply
	// Most is the maximum of Pieces.
	Most
)

// Atom is a factor of which nothing is known but what it is.
type Atom struct {
	Kind   AtomKind
	Name   string // of a tensor
	At     []graph.Index
	Fn     Fun
	Arg    NF
	Pieces []Piece
}

// Head is what two atoms must have in common to be compared.
type Head struct {
	kind AtomKind
	name string
	fn   Fun
	rank int
}

// Head is the head of the atom.
func (a Atom) Head() Head { return Head{a.Kind, a.Name, a.Fn, len(a.At)} }

// Piece is a set of values: Body at all points Over of Dom.
type Piece struct {
	Over []graph.Sym
	Dom  []graph.Guard
	Body NF
}

// Fun is a function of one element: a name, or a variable of the sort of
// functions or of activations.
type Fun struct {
	value graph.Value
	zero  bool // f(0) = 0
	relu  bool
	again bool // f(f(x)) = f(x)
}

var one = big.NewRat(1, 1)

// times is t multiplied by e to a power.
func (t Term) times(e graph.Index, exp int) Term {
	g := e.Constant()
	for i := 0; i < e.Len(); i++ {
		_, k := e.Term(i)
		g = graph.GCD(g, k)
	}
	if e.Len() == 0 {
		g = e.Constant()
	}
	if g > 1 || e.Len() == 0 {
		k := big.NewRat(g, 1)
		if g == 0 {
			return Term{Num: new(big.Rat)}
		}
		if exp < 0 {
			k.Inv(k)
		}
		num := new(big.Rat).Set(t.Num)
		for i := 0; i < max(exp, -exp); i++ {
			num.Mul(num, k)
		}
		t.Num = num
		if e.Len() == 0 {
			return t
		}
		d := graph.IndexInt(e.Constant() / g)
		for i := 0; i < e.Len(); i++ {
			v, k := e.Term(i)
			d = d.AddScaled(v.Index(), k/g)
		}
		e = d
	}
	key := e.Key()
	facs := make([]Factor, 0, len(t.Facs)+1)
	done := false
	for _, f := range t.Facs {
		if f.key == key {
			f.Exp += exp
			done = true
			if f.Exp == 0 {
				continue
			}
		}
		facs = append(facs, f)
	}
	if !done {
		facs = append(facs, Factor{e, exp, key})
		sort.Slice(facs, func(i, j int) bool { return facs[i].key < facs[j].key })
	}
	t.Facs = facs
	return t
}

// Normalize puts guards in order: whole content divided out, one guard for each
// direction, two that meet made an equation. It reports false if they
// contradict one another at sight.
func Normalize(gs []graph.Guard) ([]graph.Guard, bool) {
	out := make([]graph.Guard, 0, len(gs))
	for _, g := range gs {
		n := int64(0)
		for i := 0; i < g.E.Len(); i++ {
			_, k := g.E.Term(i)
			n = graph.GCD(n, k)
		}
		c := g.E.Constant()
		if n == 0 {
			if c < 0 || g.Eq && c != 0 {
				return nil, false
			}
			continue
		}
		if n > 1 {
			if g.Eq && c%n != 0 {
				return nil, false
			}
			e := graph.IndexInt(graph.FloorDiv(c, n))
			for i := 0; i < g.E.Len(); i++ {
				v, k := g.E.Term(i)
				e = e.AddScaled(v.Index(), k/n)
			}
			g.E = e
		}
		if _, k := g.E.Term(0); g.Eq && k < 0 {
			g.E = g.E.Scale(-1)
		}
		ok := true
		if out, ok = addGuard(out, g); !ok {
			return nil, false
		}
	}
	return out, true
}

// addGuard adds a guard to guards that are in order, in their place.
func addGuard(gs []graph.Guard, g graph.Guard) ([]graph.Guard, bool) {
	for i, o := range gs {
		same, opposite := o.E.SameTerms(g.E), o.E.OppositeTerms(g.E)
		if !same && !opposite {
			continue
		}
		d := g.E.Sub(o.E).Constant() // g = o + d, where same
		s := g.E.Add(o.E).Constant() // g + o = s, where opposite
		switch {
		case o.Eq && g.Eq:
			return gs, same && d == 0 || opposite && s == 0
		case o.Eq:
			return gs, same && d >= 0 || opposite && s >= 0
		case g.Eq:
			if same && d > 0 || opposite && s < 0 {
				return gs, false
			}
			rest := append(append([]graph.Guard{}, gs[:i]...), gs[i+1:]...)
			return addGuard(rest, g)
		case same:
			if d < 0 {
				gs = append([]graph.Guard{}, gs...)
				gs[i] = g
				return checkOpposite(gs, i)
			}
			return gs, true
		case s < 0:
			return gs, false
		case s == 0:
			rest := append(append([]graph.Guard{}, gs[:i]...), gs[i+1:]...)
			e := g.E
			if _, k := e.Term(0); k < 0 {
				e = e.Scale(-1)
			}
			return addGuard(rest, graph.Guard{E: e, Eq: true})
		}
	}
	return append(gs, g), true
}

// checkOpposite looks at guard i again after it became stronger.
func checkOpposite(gs []graph.Guard, i int) ([]graph.Guard, bool) {
	g := gs[i]
	rest := append(append([]graph.Guard{}, gs[:i]...), gs[i+1:]...)
	return addGuard(rest, g)
}

// tidy puts a term in order: equations that give a bound variable are used,
// bound variables on which nothing depends are counted. It reports false of a
// term that is 0 at sight.
func (b *Engine) tidy(t Term, ctx []graph.Guard) (Term, bool) {
	if t.Num.Sign() == 0 {
		return t, false
	}
	for {
		dom, ok := Normalize(t.Dom)
		if !ok {
			return t, false
		}
		t.Dom = dom
		v, e, at, found := b.given(t.Over, t.Dom)
		if !found {
			break
		}
		t.Dom = append(append([]graph.Guard{}, t.Dom[:at]...), t.Dom[at+1:]...)
		t.Over = without(t.Over, v)
		t = b.substTerm(t, map[graph.Sym]graph.Index{v: e})
	}
	for again := true; again; {
		again = false
		for _, v := range t.Over {
			if u, ok := b.countOut(t, v, ctx); ok {
				t, again = u, true
				break
			}
		}
	}
	if b.ordered {
		t = b.squares(t)
	}
	return t, true
}

// given finds an equation that says what a bound variable is.
func (b *Engine) given(over []graph.Sym, dom []graph.Guard) (v graph.Sym, e graph.Index, at int, ok bool) {
	for i, g := range dom {
		if !g.Eq {
			continue
		}
		for _, v := range over {
			k := g.E.Coef(v)
			if k != 1 && k != -1 {
				continue
			}
			rest := g.E.AddScaled(v.Index(), -k).Scale(-k)
			if !b.Space.Mentions(rest, v) {
				return v, rest, i, true
			}
		}
	}
	return 0, graph.Index{}, 0, false
}

func without(vs []graph.Sym, v graph.Sym) []graph.Sym {
	return slices.DeleteFunc(slices.Clone(vs), func(w graph.Sym) bool { return w == v })
}

// bounds are the bounds of v among guards: lo <= v < hi; ok only if every guard
// that mentions v is such a bound, free of the variables in over.
func (b *Engine) bounds(gs []graph.Guard, v graph.Sym, over []graph.Sym) (lo, hi []graph.Index, rest []graph.Guard, ok bool) {
	for _, g := range gs {
		if !b.Space.Mentions(g.E, v) {
			rest = append(rest, g)
			continue
		}
		k := g.E.Coef(v)
		e := g.E.AddScaled(v.Index(), -k)
		if g.Eq || k != 1 && k != -1 || b.Space.Mentions(e, v) || b.anyMention(e, over) {
			return nil, nil, nil, false
		}
		if k == 1 {
			lo = append(lo, e.Scale(-1))
		} else {
			hi = append(hi, e.AddInt(1))
		}
	}
	return lo, hi, rest, true
}

// countOut sums over a bound variable on which nothing but the domain depends.
func (b *Engine) countOut(t Term, v graph.Sym, ctx []graph.Guard) (Term, bool) {
	if b.valueMentions(t, v) {
		return t, false
	}
	others := without(t.Over, v)
	lo, hi, rest, ok := b.bounds(t.Dom, v, others)
	if !ok || len(lo) == 0 || len(hi) == 0 {
		return t, false
	}
	under := append(append([]graph.Guard{}, ctx...), rest...)
	lo = b.tightest(lo, under, 1)
	hi = b.tightest(hi, under, -1)
	for _, l := range lo {
		for _, h := range hi {
			rest = append(rest, graph.GuardLt(l, h))
		}
	}
	n := b.Space.Count(lo, hi)
	u := b.timesSize(Term{Num: t.Num, Facs: t.Facs, Over: others, Atoms: t.Atoms}, n, 1)
	dom, ok := Normalize(rest)
	if !ok {
		return Term{Num: new(big.Rat)}, true
	}
	u.Dom = dom
	return u, true
}

// tightest drops bounds that follow from another one: of lower bounds (sign 1)
// the smaller, of upper ones (sign -1) the larger.
func (b *Engine) tightest(es []graph.Index, ctx []graph.Guard, sign int64) []graph.Index {
	for i := 0; i < len(es) && len(es) > 1; i++ {
		for j := range es {
			if i != j && b.implied(ctx, graph.Guard{E: es[j].Sub(es[i]).Scale(sign)}) {
				es = append(append([]graph.Index{}, es[:i]...), es[i+1:]...)
				i--
				break
			}
		}
	}
	return es
}

// mul is the product of two terms.
func (b *Engine) mul(s, t Term, ctx []graph.Guard) (Term, bool) {
	for _, v := range t.Over {
		if slices.Contains(s.Over, v) {
			t = b.fresh(t)
			break
		}
	}
	u := Term{
		Num:   new(big.Rat).Mul(s.Num, t.Num),
		Facs:  s.Facs,
		Over:  append(s.Over[:len(s.Over):len(s.Over)], t.Over...),
		Dom:   append(s.Dom[:len(s.Dom):len(s.Dom)], t.Dom...),
		Atoms: append(s.Atoms[:len(s.Atoms):len(s.Atoms)], t.Atoms...),
	}
	for _, f := range t.Facs {
		u = u.times(f.E, f.Exp)
	}
	return b.tidy(u, ctx)
}
