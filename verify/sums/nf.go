package sums

import (
	"math/big"
	"slices"
	"sort"

	"github.com/taso-go/taso/graph"
)

// nf is a sum of terms; no terms are 0.
type nf []term

// term is num * facs * the sum, over the integer points over of the domain dom,
// of the product of the atoms. Guards without a bound variable are conditions on
// the whole term. A term does not change.
type term struct {
	num   *big.Rat
	facs  []factor
	over  []graph.Sym
	dom   []graph.Guard
	atoms []atom
}

// factor is a positive integer to a power, such as the size of a kernel to -1.
type factor struct {
	key string // of e
	e   graph.Index
	exp int
}

type atomKind uint8

const (
	read  atomKind = iota // the entry of tensor name at index at
	apply                 // function name of arg
	most                  // the maximum of pieces
)

// atom is a factor of which nothing is known but what it is.
type atom struct {
	kind   atomKind
	name   string // of a tensor
	at     []graph.Index
	fn     fun
	arg    nf
	pieces []piece
}

// head is what two atoms must have in common to be compared.
type head struct {
	kind atomKind
	name string
	fn   fun
	rank int
}

func (a atom) head() head { return head{a.kind, a.name, a.fn, len(a.at)} }

// piece is a set of values: body at all points over of dom.
type piece struct {
	over []graph.Sym
	dom  []graph.Guard
	body nf
}

// fun is a function of one element: a name, or a variable of the sort of
// functions or of activations.
type fun struct {
	value graph.Value
	zero  bool // f(0) = 0
	relu  bool
}

var one = big.NewRat(1, 1)

// builder makes normal forms over one space.
type builder struct {
	*solver
	ordered bool // relu and max are the true ones
	work    int  // steps so far
}

func (b *builder) substGuards(gs []graph.Guard, by map[graph.Sym]graph.Index) []graph.Guard {
	out := make([]graph.Guard, len(gs))
	for i, g := range gs {
		out[i] = graph.Guard{E: b.space.Subst(g.E, by), Eq: g.Eq}
	}
	return out
}

func (b *builder) substAtom(a atom, by map[graph.Sym]graph.Index) atom {
	if a.at != nil {
		at := make([]graph.Index, len(a.at))
		for i, e := range a.at {
			at[i] = b.space.Subst(e, by)
		}
		a.at = at
	}
	if a.arg != nil {
		a.arg = b.substNF(a.arg, by)
	}
	if a.pieces != nil {
		ps := make([]piece, len(a.pieces))
		for i, p := range a.pieces {
			ps[i] = piece{p.over, b.substGuards(p.dom, by), b.substNF(p.body, by)}
		}
		a.pieces = ps
	}
	return a
}

func (b *builder) substNF(n nf, by map[graph.Sym]graph.Index) nf {
	out := make(nf, len(n))
	for i, t := range n {
		out[i] = b.substTerm(t, by)
	}
	return out
}

// substTerm replaces unknowns in t; those of t.over stay its bound variables
// and must not be among them.
func (b *builder) substTerm(t term, by map[graph.Sym]graph.Index) term {
	if len(by) == 0 {
		return t
	}
	u := term{num: t.num, over: t.over, dom: b.substGuards(t.dom, by)}
	for _, f := range t.facs {
		u = u.times(b.space.Subst(f.e, by), f.exp)
	}
	u.atoms = make([]atom, len(t.atoms))
	for i, a := range t.atoms {
		u.atoms[i] = b.substAtom(a, by)
	}
	return u
}

// fresh renames the bound variables of t.
func (b *builder) fresh(t term) term {
	if len(t.over) == 0 {
		return t
	}
	over, by := b.rename(t.over)
	u := b.substTerm(t, by)
	u.over = over
	return u
}

func (b *builder) rename(over []graph.Sym) ([]graph.Sym, map[graph.Sym]graph.Index) {
	by := map[graph.Sym]graph.Index{}
	out := make([]graph.Sym, len(over))
	for i, v := range over {
		out[i] = b.space.Var("v")
		by[v] = out[i].Index()
	}
	return out, by
}

func (b *builder) atomMentions(a atom, v graph.Sym) bool {
	for _, e := range a.at {
		if b.space.Mentions(e, v) {
			return true
		}
	}
	if b.nfMentions(a.arg, v) {
		return true
	}
	for _, p := range a.pieces {
		if b.guardsMention(p.dom, v) || b.nfMentions(p.body, v) {
			return true
		}
	}
	return false
}

func (b *builder) guardsMention(gs []graph.Guard, v graph.Sym) bool {
	for _, g := range gs {
		if b.space.Mentions(g.E, v) {
			return true
		}
	}
	return false
}

func (b *builder) nfMentions(n nf, v graph.Sym) bool {
	for _, t := range n {
		if b.guardsMention(t.dom, v) || b.valueMentions(t, v) {
			return true
		}
	}
	return false
}

// valueMentions reports whether the factors and atoms of t depend on v.
func (b *builder) valueMentions(t term, v graph.Sym) bool {
	for _, f := range t.facs {
		if b.space.Mentions(f.e, v) {
			return true
		}
	}
	for _, a := range t.atoms {
		if b.atomMentions(a, v) {
			return true
		}
	}
	return false
}

func (b *builder) anyMention(e graph.Index, vs []graph.Sym) bool {
	for _, v := range vs {
		if b.space.Mentions(e, v) {
			return true
		}
	}
	return false
}

// times is t multiplied by e to a power.
func (t term) times(e graph.Index, exp int) term {
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
			return term{num: new(big.Rat)}
		}
		if exp < 0 {
			k.Inv(k)
		}
		num := new(big.Rat).Set(t.num)
		for i := 0; i < max(exp, -exp); i++ {
			num.Mul(num, k)
		}
		t.num = num
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
	facs := make([]factor, 0, len(t.facs)+1)
	done := false
	for _, f := range t.facs {
		if f.key == key {
			f.exp += exp
			done = true
			if f.exp == 0 {
				continue
			}
		}
		facs = append(facs, f)
	}
	if !done {
		facs = append(facs, factor{key, e, exp})
		sort.Slice(facs, func(i, j int) bool { return facs[i].key < facs[j].key })
	}
	t.facs = facs
	return t
}

// normalize puts guards in order: whole content divided out, one guard for each
// direction, two that meet made an equation. It reports false if they
// contradict one another at sight.
func normalize(gs []graph.Guard) ([]graph.Guard, bool) {
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

// addGuard adds a guard to guards that are in order.
func addGuard(gs []graph.Guard, g graph.Guard) ([]graph.Guard, bool) {
	neg := g.E.Scale(-1)
	for i, o := range gs {
		same, opposite := o.E.SameTerms(g.E), o.E.SameTerms(neg)
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
				e = neg
			}
			return addGuard(rest, graph.Guard{E: e, Eq: true})
		}
	}
	return append(gs[:len(gs):len(gs)], g), true
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
func (b *builder) tidy(t term, ctx []graph.Guard) (term, bool) {
	if t.num.Sign() == 0 {
		return t, false
	}
	for {
		dom, ok := normalize(t.dom)
		if !ok {
			return t, false
		}
		t.dom = dom
		v, e, at, found := b.given(t.over, t.dom)
		if !found {
			break
		}
		t.dom = append(append([]graph.Guard{}, t.dom[:at]...), t.dom[at+1:]...)
		t.over = without(t.over, v)
		t = b.substTerm(t, map[graph.Sym]graph.Index{v: e})
	}
	for again := true; again; {
		again = false
		for _, v := range t.over {
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
func (b *builder) given(over []graph.Sym, dom []graph.Guard) (v graph.Sym, e graph.Index, at int, ok bool) {
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
			if !b.space.Mentions(rest, v) {
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
func (b *builder) bounds(gs []graph.Guard, v graph.Sym, over []graph.Sym) (lo, hi []graph.Index, rest []graph.Guard, ok bool) {
	for _, g := range gs {
		if !b.space.Mentions(g.E, v) {
			rest = append(rest, g)
			continue
		}
		k := g.E.Coef(v)
		e := g.E.AddScaled(v.Index(), -k)
		if g.Eq || k != 1 && k != -1 || b.space.Mentions(e, v) || b.anyMention(e, over) {
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
func (b *builder) countOut(t term, v graph.Sym, ctx []graph.Guard) (term, bool) {
	if b.valueMentions(t, v) {
		return t, false
	}
	others := without(t.over, v)
	lo, hi, rest, ok := b.bounds(t.dom, v, others)
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
	n := b.space.Count(lo, hi)
	u := term{num: t.num, facs: t.facs, over: others, atoms: t.atoms}.times(n, 1)
	dom, ok := normalize(rest)
	if !ok {
		return term{num: new(big.Rat)}, true
	}
	u.dom = dom
	return u, true
}

// tightest drops bounds that follow from another one: of lower bounds (sign 1)
// the smaller, of upper ones (sign -1) the larger.
func (b *builder) tightest(es []graph.Index, ctx []graph.Guard, sign int64) []graph.Index {
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
func (b *builder) mul(s, t term, ctx []graph.Guard) (term, bool) {
	for _, v := range t.over {
		if slices.Contains(s.over, v) {
			t = b.fresh(t)
			break
		}
	}
	u := term{
		num:   new(big.Rat).Mul(s.num, t.num),
		facs:  s.facs,
		over:  append(s.over[:len(s.over):len(s.over)], t.over...),
		dom:   append(s.dom[:len(s.dom):len(s.dom)], t.dom...),
		atoms: append(s.atoms[:len(s.atoms):len(s.atoms)], t.atoms...),
	}
	for _, f := range t.facs {
		u = u.times(f.e, f.exp)
	}
	return b.tidy(u, ctx)
}
