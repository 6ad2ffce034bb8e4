package meaning_test

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
)

func (w *valuer[V]) holds(g graph.Guard) bool {
	n := w.index(g.E)
	return n == 0 || n > 0 && !g.Eq
}

// reachable is how far variables go that no single guard bounds.
const reachable = 9

// points calls f at every integer point over that meets all guards.
func (w *valuer[V]) points(over []graph.Sym, dom []graph.Guard, f func()) {
	open := map[graph.Sym]bool{}
	for _, v := range over {
		if _, bound := w.env[v]; bound {
			panic(fmt.Sprintf("variable %d is bound twice", v))
		}
		open[v] = true
	}
	var rec func(left []graph.Guard)
	rec = func(left []graph.Guard) {
		if w.work++; w.work > 200_000 {
			w.give("too many points")
		}
		var rest []graph.Guard
		for _, g := range left {
			if !w.known(g.E, open) {
				rest = append(rest, g)
			} else if !w.holds(g) {
				return
			}
		}
		if len(open) == 0 {
			f()
			return
		}
		// The variable with the fewest values.
		best, lo, hi, far := graph.Sym(0), int64(0), int64(0), true
		for _, v := range over {
			if !open[v] {
				continue
			}
			l, h, some := int64(-reachable), int64(reachable), 0
			delete(open, v)
			for _, g := range rest {
				k := g.E.Coef(v)
				e := g.E.AddScaled(v.Index(), -k)
				if k == 0 || !w.known(e, open) || w.space.Mentions(e, v) {
					continue
				}
				n := w.index(e) // k*v + n >= 0
				if least := -graph.FloorDiv(n*sign(k), abs(k)); (k > 0 || g.Eq) && (some&1 == 0 || least > l) {
					l, some = least, some|1
				}
				if most := graph.FloorDiv(n*-sign(k), abs(k)); (k < 0 || g.Eq) && (some&2 == 0 || most < h) {
					h, some = most, some|2
				}
			}
			open[v] = true
			if best == 0 || far && some == 3 || far == (some != 3) && h-l < hi-lo {
				best, lo, hi, far = v, l, h, some != 3
			}
		}
		delete(open, best)
		for n := lo; n <= hi; n++ {
			w.env[best] = n
			rec(rest)
		}
		delete(w.env, best)
		open[best] = true
	}
	rec(dom)
}

func sign(k int64) int64 {
	if k < 0 {
		return -1
	}
	return 1
}

func abs(k int64) int64 { return k * sign(k) }

func (w *valuer[V]) nf(n meaning.NF) V {
	sum := w.f.Int(0)
	for _, t := range n {
		w.points(t.Over, t.Dom, func() { sum = w.f.Add(sum, w.product(t)) })
	}
	return sum
}

func (w *valuer[V]) product(t meaning.Term) V {
	if !t.Num.Num().IsInt64() || !t.Num.Denom().IsInt64() {
		w.give("number %s", t.Num)
	}
	p := w.f.Mul(w.f.Int(t.Num.Num().Int64()), w.f.Inv(w.f.Int(t.Num.Denom().Int64())))
	for _, f := range t.Facs {
		x := w.index(f.E)
		if f.Exp < 0 && x == 0 {
			panic("a divisor is 0")
		}
		for range abs(int64(f.Exp)) {
			if f.Exp > 0 {
				p = w.f.Mul(p, w.f.Int(x))
			} else {
				p = w.f.Mul(p, w.f.Inv(w.f.Int(x)))
			}
		}
	}
	for _, a := range t.Atoms {
		p = w.f.Mul(p, w.atom(a))
	}
	return p
}

func (w *valuer[V]) atom(a meaning.Atom) V {
	switch a.Kind {
	case meaning.Read:
		idx := make([]int64, len(a.At))
		for i, e := range a.At {
			idx[i] = w.index(e)
		}
		v, ok := w.cells.Given(a.Name, idx)
		if !ok {
			panic(fmt.Sprintf("%s%v is read", a.Name, idx))
		}
		return v
	case meaning.Apply:
		return w.apply(a.Fn.Value(), w.nf(a.Arg))
	}
	var out V
	n := 0
	for _, p := range a.Pieces {
		w.points(p.Over, p.Dom, func() {
			v := w.nf(p.Body)
			if n++; n == 1 {
				out = v
			} else {
				out = w.f.Larger(out, v)
			}
		})
	}
	if n == 0 {
		panic("a maximum of nothing")
	}
	return out
}

func (w *valuer[V]) apply(fn graph.Value, x V) V {
	if name, sort, isVar := fn.Var(); isVar {
		if sort == graph.SortAct {
			if name = w.p.Attrs[name].Name; name == "none" {
				return x
			}
			return w.f.Func(name, nil, x)
		}
		for _, d := range w.law.Given {
			if d.Name == name {
				return w.cells.Variable(name, d.Sort == law.SortZero1, x)
			}
		}
		w.give("function %s", name)
	}
	text, _ := fn.Name()
	name, rest, has := strings.Cut(text, "(")
	var params []string
	if has {
		params = strings.Split(strings.TrimSuffix(rest, ")"), ", ")
	}
	for i, p := range params {
		if v, _, isVar := strings.Cut(p, ":"); isVar {
			params[i] = w.p.Attrs[v].Number
		}
	}
	switch name {
	case graph.IsZero, "nonzero":
		if w.f.Same(x, w.f.Int(0)) == (name == graph.IsZero) {
			return w.f.Int(1)
		}
		return w.f.Int(0)
	case "number":
		var num, den int64
		if r, ok := new(big.Rat).SetString(params[0]); ok && r.Num().IsInt64() {
			num, den = r.Num().Int64(), r.Denom().Int64()
		} else {
			w.give("number %s", text)
		}
		return w.f.Mul(w.f.Int(num), w.f.Inv(w.f.Int(den)))
	}
	if strings.HasSuffix(name, "_of") || strings.HasSuffix(name, "_with") {
		w.give("function %s, of which nothing is known (graph.EntryPair)", name)
	}
	return w.f.Func(name, params, x)
}
