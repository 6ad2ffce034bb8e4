package meaning

import (
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/taso-go/taso/graph"
)

// SortValues is the sort of what is no variable, but says that entries are compared as
// numbers: maxima case by case, and quotients as quotients.
const SortValues = "values"

// Values compares numbers at one point: at given values of all indices and bound variables,
// entries are numbers, of which Sum is to be shown to be 0.
type Values struct {
	Vars  []Variable
	Sum   Poly
	Known []Poly // these are at least 0
	b     *Engine
	ctx   []graph.Guard
}

// Variable is a number. It is a maximum if it has pieces, of which one is the largest.
type Variable struct {
	Pieces   []Poly
	Positive bool // at least 0
	Divides  bool // something is divided by it: it is not 0
	divisor  Poly // the sum that it is, by which something is divided
	atom     *Atom
	sum      *Term
	factor   *Factor
}

// What a step does.
const (
	StepDone   = iota // the sum is 0 as it is written
	StepBranch        // piece I of a maximum is at least piece J, or at most
	StepDrop          // piece I of a maximum is at least piece J, by a combination
)

// Step is what is done next. In a combination, Times times the difference of the pieces is
// the sum of the parts.
type Step struct {
	Kind        int64
	Max, I, J   int
	Times       int64
	Combination []Product
}

// Product is a positive number times things that are at least 0: Known[n] for n of at least
// 0; else, for variable v, -1-3v is v, if it is positive, -2-3v is v squared, and -3-3v is 1/v
// squared, if something is divided by v.
type Product struct {
	Times int64
	Of    []int64
}

// equalValues reports whether l and r are equal where ctx holds: terms are gathered by
// their bound variables and domain, and at each point their sum is shown to be 0. If they
// are not to be gathered, sums over bound variables are numbers like others.
func (b *Engine) equalValues(ctx []graph.Guard, l, r NF, gather bool) bool {
	type frame struct {
		rep   Term
		terms []Term
	}
	var frames []*frame
	var reps []Term
	if !gather {
		frames = append(frames, &frame{})
	}
	for side, n := range [2]NF{l, r} {
		for _, t := range n {
			for _, u := range b.expand(t) {
				u = b.fresh(u)
				if side == 1 {
					u.Num = new(big.Rat).Neg(u.Num)
				}
				if _, ok := Normalize(join(ctx, u.Dom...)); !ok {
					continue
				}
				if !gather {
					frames[0].terms = append(frames[0].terms, u)
					continue
				}
				at, order := b.guide.Frame(b, reps, u)
				if b.err != nil {
					return false
				}
				if at < 0 || at >= len(frames) {
					at = len(frames)
					frames, reps = append(frames, &frame{rep: u}), append(reps, u)
				} else if v, ok := b.InFrame(reps[at], u, order); ok {
					u = v
				} else {
					b.fail(errors.New("a term has another domain"))
					return false
				}
				u.Over, u.Dom = nil, nil
				frames[at].terms = append(frames[at].terms, u)
			}
		}
	}
	for _, f := range frames {
		v := &Values{b: b, ctx: join(ctx, f.rep.Dom...)}
		p, err := v.sum(f.terms)
		if v.Sum = p; err != nil || !v.prove() {
			return false
		}
	}
	return b.err == nil
}

// InFrame is t with the bound variables of rep, in an order, if its domain is the same then.
func (b *Engine) InFrame(rep, t Term, order []int) (Term, bool) {
	if len(order) != len(t.Over) || len(order) != len(rep.Over) || !permutes(order) {
		return t, false
	}
	by := map[graph.Sym]graph.Index{}
	for i, v := range t.Over {
		by[v] = rep.Over[order[i]].Index()
	}
	u := b.substTerm(t, by)
	u.Over = rep.Over
	x, ok := Normalize(rep.Dom)
	y, also := Normalize(u.Dom)
	return u, ok && also && AlikeSets(x, y)
}

// Common counts the atoms of t that rep has too, at sight.
func (b *Engine) Common(rep, t Term) (n int) {
	rest := rep.Atoms
	for _, a := range t.Atoms {
		if left, ok := b.remove(rest, []Atom{a}); ok {
			rest = left
			n++
		}
	}
	return n
}

// term is a term at a point.
func (v *Values) term(t Term) (Poly, error) {
	if err := v.b.step(); err != nil {
		return nil, err
	}
	if len(t.Over) == 0 && len(t.Dom) > 0 {
		return nil, errors.New("a term with a condition")
	}
	p := constant(t.Num)
	rest := Term{Num: one, Over: t.Over, Dom: t.Dom}
	_, outer := v.b.outer(t.Dom, t.Over) // under a condition, all stays within the sum
	times := func(q Poly, err error) error {
		if err == nil {
			p, err = p.Times(q)
		}
		return err
	}
	for _, f := range t.Facs {
		if len(outer) > 0 || v.b.anyMention(f.E, t.Over) {
			rest.Facs = append(rest.Facs, f)
			continue
		}
		i := v.find(func(x Variable) bool { return x.factor != nil && x.factor.key == f.key }, Variable{factor: &f, Positive: true})
		v.Vars[i].Divides = v.Vars[i].Divides || f.Exp < 0
		if err := times(Poly{{Num: one, Of: []Pow{{i, f.Exp}}}}, nil); err != nil {
			return nil, err
		}
	}
	for _, a := range t.Atoms {
		if len(outer) > 0 || slices.ContainsFunc(t.Over, func(s graph.Sym) bool { return v.b.atomMentions(a, s) }) {
			rest.Atoms = append(rest.Atoms, a)
		} else if err := times(v.atomValue(a)); err != nil {
			return nil, err
		}
	}
	if len(t.Over) == 0 {
		return p, nil
	}
	i := v.find(func(x Variable) bool { return x.sum != nil && v.sameSum(*x.sum, rest) },
		Variable{sum: &rest, Positive: v.b.ordered && v.b.nonNegative(NF{rest})})
	return p, times(variablePoly(i), nil)
}

func (v *Values) sum(n NF) (p Poly, err error) {
	for _, t := range n {
		for _, u := range v.b.expand(t) {
			q, err := v.term(u)
			if err != nil {
				return nil, err
			}
			p = p.AddTimes(one, q)
		}
	}
	return p, v.b.err
}

// find is the number of a variable, a new one if none is the same.
func (v *Values) find(same func(Variable) bool, x Variable) int {
	if i := slices.IndexFunc(v.Vars, same); i >= 0 {
		return i
	}
	v.Vars = append(v.Vars, x)
	return len(v.Vars) - 1
}

func (v *Values) sameSum(x, y Term) bool {
	return v.b.alikeTerm(x, y, nil) || AlikeInKind(x, y) &&
		(v.b.guide.Try(v.b, func() bool { return v.b.equalSums(v.ctx, NF{x}, NF{y}) == "" }) ||
			v.b.guide.Try(v.b, func() bool { return v.b.equalValues(v.ctx, NF{x}, NF{y}, true) }))
}

// atomValue is an atom as a sum of powers of variables.
func (v *Values) atomValue(a Atom) (Poly, error) {
	switch {
	case v.b.ordered && a.Kind == Most && !slices.ContainsFunc(a.Pieces, func(p Piece) bool { return len(p.Over)+len(p.Dom) > 0 }):
		var ps []Poly
		for _, p := range a.Pieces {
			q, err := v.sum(p.Body)
			if err != nil {
				return nil, err
			}
			ps = append(ps, q)
		}
		return v.largest(ps...), nil
	case a.Kind == Apply:
		name, _ := a.Fn.value.Name()
		lo, hi, clips := a.Fn.bounds()
		quotient := v.b.real && name == "reciprocal"
		if !quotient && !(v.b.ordered && (clips || name == "abs")) {
			break
		}
		x, err := v.sum(a.Arg)
		if err != nil || quotient {
			return v.inverse(x, err)
		}
		if name == "abs" {
			return v.largest(x, Poly(nil).Sub(x)), nil
		}
		if !math.IsInf(lo, 0) {
			x = v.largest(x, constant(new(big.Rat).SetFloat64(lo)))
		}
		if !math.IsInf(hi, 0) {
			x = Poly(nil).Sub(v.largest(Poly(nil).Sub(x), constant(new(big.Rat).SetFloat64(-hi))))
		}
		return x, nil
	}
	i := v.find(func(x Variable) bool {
		return x.atom != nil && x.atom.Head() == a.Head() && (v.b.alikeAtom(*x.atom, a, nil) ||
			v.b.guide.Try(v.b, func() bool { return v.b.sameAtom(v.ctx, *x.atom, a) }))
	}, Variable{atom: &a, Positive: v.b.ordered && (v.b.atomNonNegative(a) || a.Fn.nonNegative())})
	return variablePoly(i), nil
}

// nonNegative reports whether a function has values at all numbers, and none below 0.
func (f Fun) nonNegative() bool {
	name, ok := f.value.Name()
	op, known := graph.Lookup(name)
	return ok && known && op.NonNegative && !op.Partial
}

// largest is the maximum of sums.
func (v *Values) largest(ps ...Poly) Poly {
	var own []Poly
	for _, p := range ps {
		if !slices.ContainsFunc(own, p.Equal) {
			own = append(own, p)
		}
	}
	if len(own) == 1 {
		return own[0]
	}
	return variablePoly(v.find(func(x Variable) bool {
		return len(x.Pieces) == len(own) && !slices.ContainsFunc(own, func(p Poly) bool { return !slices.ContainsFunc(x.Pieces, p.Equal) })
	}, Variable{Pieces: own}))
}

// inverse is 1/p for p other than 0.
func (v *Values) inverse(p Poly, err error) (Poly, error) {
	switch {
	case err != nil:
		return nil, err
	case len(p) == 0:
		return nil, errNowhere
	case len(p) > 1:
		lead := constant(new(big.Rat).Inv(p[0].Num))
		if p, err = p.Times(lead); err != nil {
			return nil, err
		}
		i := v.find(func(x Variable) bool { return x.divisor.Equal(p) && x.divisor != nil }, Variable{divisor: p})
		p = Poly{{Num: new(big.Rat).Inv(lead[0].Num), Of: []Pow{{i, 1}}}}
	}
	for _, w := range p[0].Of {
		v.Vars[w.Var].Divides = true
	}
	return Poly{inverseMonomial(p[0])}, nil
}

// prove follows the steps of a guide, and reports whether they show that the sum is 0.
func (v *Values) prove() bool {
	for {
		if v.b.step() != nil {
			return false
		}
		s, ok := v.b.guide.Step(v.b, v)
		if !ok || v.b.err != nil {
			return false
		}
		if s.Kind == StepDone {
			return v.zero(v.Sum)
		}
		if s.Max < 0 || s.Max >= len(v.Vars) || s.I == s.J || min(s.I, s.J) < 0 || max(s.I, s.J) >= len(v.Vars[s.Max].Pieces) {
			return false
		}
		more := v.Vars[s.Max].Pieces[s.I].Sub(v.Vars[s.Max].Pieces[s.J])
		if s.Kind == StepDrop {
			if !v.combines(s, more) {
				return false
			}
			if err := v.drop(s.Max, s.J); err != nil {
				return err == errNowhere
			}
			continue
		}
		w := *v
		w.Vars, w.Known = slices.Clone(v.Vars), append(slices.Clone(v.Known), more)
		if err := w.drop(s.Max, s.J); err != nil && err != errNowhere || err == nil && !w.prove() {
			return false
		}
		v.Known = append(v.Known, Poly(nil).Sub(more))
		if err := v.drop(s.Max, s.I); err != nil {
			return err == errNowhere
		}
	}
}

// combines reports whether a combination shows that p is at least 0.
func (v *Values) combines(s Step, p Poly) bool {
	if s.Times <= 0 {
		return false
	}
	left := Poly(nil).AddTimes(big.NewRat(s.Times, 1), p)
	for _, part := range s.Combination {
		if part.Times <= 0 {
			return false
		}
		q, err := constant(big.NewRat(part.Times, 1)), error(nil)
		for _, n := range part.Of {
			f, ok := v.AtLeast0(n)
			if !ok {
				return false
			}
			if q, err = q.Times(f); err != nil {
				return false
			}
		}
		left = left.Sub(q)
	}
	return v.zero(left)
}

// AtLeast0 is what a number stands for in a Product.
func (v *Values) AtLeast0(n int64) (Poly, bool) {
	if n >= 0 {
		if n >= int64(len(v.Known)) {
			return nil, false
		}
		return v.Known[n], true
	}
	i, kind := (-1-n)/3, (-1-n)%3 // n is at least -2^63
	if i >= int64(len(v.Vars)) {
		return nil, false
	}
	x := v.Vars[i]
	of := []Pow{{int(i), [3]int{1, 2, -2}[kind]}}
	return Poly{{Num: one, Of: of}}, kind == 1 || kind == 0 && x.Positive || kind == 2 && x.Divides
}

// errNowhere says that something is divided by 0: there are no such points, since all terms
// have values.
var errNowhere = errors.New("a division by 0")

// drop removes a piece of a maximum, and the maximum if one piece is left.
func (v *Values) drop(at, piece int) error {
	x := &v.Vars[at]
	x.Pieces = slices.Delete(slices.Clone(x.Pieces), piece, piece+1)
	if len(x.Pieces) > 1 {
		return nil
	}
	by := x.Pieces[0]
	x.Pieces = nil
	if by.Has(at) {
		return errors.New("a maximum is a piece of itself")
	}
	var err error
	subst := func(ps []Poly) []Poly {
		out := make([]Poly, len(ps))
		for i, p := range ps {
			if err == nil {
				out[i], err = v.subst(p, at, by)
			}
		}
		return out
	}
	v.Sum = subst([]Poly{v.Sum})[0]
	v.Known = subst(v.Known)
	for i := 0; i < len(v.Vars); i++ { // an inverse may make another variable
		pieces, divisor := subst(v.Vars[i].Pieces), subst([]Poly{v.Vars[i].divisor})[0]
		v.Vars[i].Pieces, v.Vars[i].divisor = pieces, divisor
	}
	return err
}

// subst is p with a sum in the place of a variable.
func (v *Values) subst(p Poly, at int, by Poly) (out Poly, err error) {
	if !p.Has(at) {
		return p, nil
	}
	if err := v.b.step(); err != nil {
		return nil, err
	}
	for _, m := range p {
		k := slices.IndexFunc(m.Of, func(w Pow) bool { return w.Var == at })
		if k < 0 {
			out = out.AddTimes(one, Poly{m})
			continue
		}
		q, f, n := Poly{{m.Num, slices.Delete(slices.Clone(m.Of), k, k+1)}}, by, m.Of[k].Exp
		if n < 0 {
			if f, err = v.inverse(by, nil); err != nil {
				return nil, err
			}
			n = -n
		}
		for range n {
			if q, err = q.Times(f); err != nil {
				return nil, err
			}
		}
		out = out.AddTimes(one, q)
	}
	return out, nil
}

// Cleared are sums times the same product of sums by which something in them is divided.
func (v *Values) Cleared(ps ...Poly) ([]Poly, bool) {
	ps = slices.Clone(ps)
	for i := len(v.Vars) - 1; i >= 0 && v.b.step() == nil; i-- {
		if v.Vars[i].divisor == nil || !slices.ContainsFunc(ps, func(p Poly) bool { return p.Has(i) }) {
			continue
		}
		least := 0
		for _, p := range ps {
			for _, m := range p {
				for _, w := range m.Of {
					if w.Var == i {
						least = min(least, w.Exp)
					}
				}
			}
		}
		for k, p := range ps {
			var err error
			for n := least; n < 0 && err == nil; n++ {
				p, err = p.Times(variablePoly(i))
			}
			if err == nil {
				p, err = v.subst(p, i, v.Vars[i].divisor)
			}
			if ps[k] = p; err != nil || p.Has(i) {
				return ps, false
			}
		}
		i = len(v.Vars) // a divisor may have others
	}
	return ps, v.b.err == nil
}

// zero reports whether a sum is 0 as it is written, times what it is divided by.
func (v *Values) zero(p Poly) bool {
	ps, ok := v.Cleared(p)
	return ok && len(ps[0]) == 0
}
