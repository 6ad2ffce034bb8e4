package graph

import (
	"fmt"
	"slices"
)

// Steps for sums of terms.

// emit makes the operand that is the sum of terms for all values of dom.
func (l *lowering) emit(ts []addend, dom []Sym) (Operand, error) {
	if of, ok, err := l.choice(ts, dom); ok || err != nil {
		return of, err
	}
	cells := 0
	for _, t := range ts {
		cells += len(t.cells)
	}
	if cells == 0 {
		c, den, err := l.table(ts, dom)
		if err != nil {
			return 0, err
		}
		return l.push(Step{Kind: StepConst, N: len(c), C: c, Num: 1, Den: den}), nil
	}
	ts = slices.Clone(ts)
	for i := range ts {
		if err := l.tidy(&ts[i], dom); err != nil {
			return 0, err
		}
	}
	if of, ok := l.sum(ts, dom); ok {
		return of, nil
	}
	if len(ts) == 1 {
		return l.times(ts[0], dom)
	}
	var out Operand
	for i := range ts {
		x, err := l.part(&ts[i], dom)
		if err != nil {
			return 0, err
		}
		if i > 0 {
			x = l.push(Step{Kind: StepAdd, N: l.count(dom), X: out, Y: x})
		}
		out = x
	}
	return out, nil
}

// part is one term of a sum, computed for what it depends on and then repeated.
func (l *lowering) part(t *addend, dom []Sym) (Operand, error) {
	if t.plain() && len(t.cells) == 1 {
		c := t.cells[0]
		if t.num == t.den {
			return l.spread(c, dom)
		}
		if l.elements(c.of) <= l.count(dom) {
			c.of = l.scale(c.of, t.num, t.den)
			return l.spread(c, dom)
		}
	}
	own := l.depends(t, dom)
	x, err := l.emit([]addend{*t}, own)
	if err != nil || len(own) == len(dom) {
		return x, err
	}
	return l.spread(cell{x, l.offset(own)}, dom)
}

// tidy makes cells of whole numbers, and of products of more than two cells in a
// sum.
func (l *lowering) tidy(t *addend, dom []Sym) error {
	vars := append(dom[:len(dom):len(dom)], t.over...)
	if len(t.whole) > 0 {
		n := addend{num: 1, den: 1, whole: t.whole}
		own := l.depends(&n, vars)
		c, den, err := l.table([]addend{n}, own)
		if err != nil {
			return err
		}
		of := l.push(Step{Kind: StepConst, N: len(c), C: c, Num: 1, Den: den})
		t.whole, t.cells = nil, append(t.cells[:len(t.cells):len(t.cells)], cell{of, l.offset(own)})
	}
	for !t.plain() && len(t.cells) > 2 {
		pair := addend{num: 1, den: 1, cells: t.cells[:2]}
		own := l.depends(&pair, vars)
		of, err := l.times(pair, own)
		if err != nil {
			return err
		}
		t.cells = append([]cell{{of, l.offset(own)}}, t.cells[2:]...)
	}
	return nil
}

// depends are those of the variables that a term depends on.
func (l *lowering) depends(t *addend, vars []Sym) []Sym {
	var own []Sym
	for _, v := range vars {
		on := slices.ContainsFunc(t.cells, func(c cell) bool { return l.s.Mentions(c.at, v) }) ||
			slices.ContainsFunc(t.whole, func(e Index) bool { return l.s.Mentions(e, v) }) ||
			slices.ContainsFunc(t.guards, func(g Guard) bool { return l.s.Mentions(g.E, v) })
		if on && !slices.Contains(t.over, v) {
			own = append(own, v)
		}
	}
	return own
}

// spread repeats a cell over dom: the operand itself if it is that.
func (l *lowering) spread(c cell, dom []Sym) (Operand, error) {
	if c.at.Equal(l.offset(dom)) && l.elements(c.of) == l.count(dom) {
		return c.of, nil
	}
	return l.gather(c, dom)
}

// gather copies cells. Places outside the operand are 0: whoever uses what was
// computed without a condition uses it under that condition.
func (l *lowering) gather(c cell, dom []Sym) (Operand, error) {
	lo, hi, err := l.between(c.at)
	if err != nil {
		return 0, err
	}
	size := l.elements(c.of)
	inside := lo >= 0 && hi < int64(size)
	walk, err := l.nest(dom, 0, []Index{c.at}, nil)
	if err != nil {
		return 0, err
	}
	n := l.count(dom)
	a := make([]int32, 0, n)
	walk.walk(nil, func(n int, at, by []int) {
		p, d := at[0], by[0]
		for ; n > 0; n-- {
			if inside || p >= 0 && p < size {
				a = append(a, int32(p))
			} else {
				a = append(a, -1)
			}
			p += d
		}
	})
	return l.push(Step{Kind: StepGather, N: n, X: c.of, A: a}), nil
}

// scale is an operand times a number.
func (l *lowering) scale(x Operand, num, den int64) Operand {
	c := l.push(Step{Kind: StepConst, N: 1, C: []int64{num}, Num: 1, Den: den})
	return l.push(Step{Kind: StepScale, N: l.elements(x), X: x, Y: c})
}

// times is a term that is no sum: a product for all values of dom.
func (l *lowering) times(t addend, dom []Sym) (Operand, error) {
	own := l.depends(&t, dom)
	if len(own) < len(dom) && len(t.cells) > 1 {
		x, err := l.times(t, own)
		if err != nil {
			return 0, err
		}
		return l.spread(cell{x, l.offset(own)}, dom)
	}
	cells := slices.Clone(t.cells)
	n := l.count(dom)
	for i, c := range cells { // what is scaled comes before what scales it
		if l.elements(c.of) > 1 {
			copy(cells[1:i+1], cells[:i])
			cells[0] = c
			break
		}
	}
	out, err := l.spread(cells[0], dom)
	for _, c := range cells[1:] {
		if err != nil {
			return 0, err
		}
		if l.elements(c.of) == 1 {
			out = l.push(Step{Kind: StepScale, N: n, X: out, Y: c.of})
			continue
		}
		var y Operand
		y, err = l.spread(c, dom)
		out = l.push(Step{Kind: StepMul, N: n, X: out, Y: y})
	}
	if t.num != t.den {
		out = l.scale(out, t.num, t.den)
	}
	return out, err
}

// sum makes one step of terms that are sums, or have conditions, of the same
// operands.
func (l *lowering) sum(ts []addend, dom []Sym) (Operand, bool) {
	first := ts[0]
	st := Step{Kind: StepSum, N: l.count(dom), Num: first.num, Den: first.den}
	list := make([]terms, len(ts))
	for i, t := range ts {
		if t.plain() || len(t.cells) != len(first.cells) || len(t.cells) > 2 || t.num != first.num || t.den != first.den {
			return 0, false
		}
		for k, c := range t.cells {
			if c.of != first.cells[k].of {
				return 0, false
			}
		}
		list[i] = terms{over: t.over, guards: t.guards, a: t.cells[0].at}
		if len(t.cells) == 2 {
			list[i].b = t.cells[1].at
		}
	}
	st.X = first.cells[0].of
	if len(first.cells) == 2 {
		st.Kind, st.Y = StepSumProd, first.cells[1].of
	}
	st.Over = &Ranges{&l.extent, dom, list}
	return l.push(st), true
}

// table is the sum of terms that are numbers, for all values of dom, times den.
func (l *lowering) table(ts []addend, dom []Sym) (c []int64, den int64, err error) {
	defer CatchTooLarge(&err)
	den = 1
	for _, t := range ts {
		if len(t.cells) > 0 {
			return nil, 0, fmt.Errorf("a count depends on elements")
		}
		den = product(den/GCD(den, t.den), t.den)
	}
	c = make([]int64, l.count(dom))
	out := l.offset(dom)
	for _, t := range ts {
		k := product(t.num, den/t.den)
		walk, err := l.nest(append(dom[:len(dom):len(dom)], t.over...), 0, append([]Index{out}, t.whole...), t.guards)
		if err != nil {
			return nil, 0, err
		}
		walk.walk(nil, func(n int, at, by []int) {
			for j := range n {
				v := k
				for i := 1; i < len(at); i++ {
					v = product(v, int64(at[i]+j*by[i]))
				}
				o := at[0] + j*by[0]
				c[o] = sum(c[o], v)
			}
		})
	}
	return c, den, nil
}

// maxOperands is how many operands a gather can tell apart (Step.Src).
const maxOperands = 127

// choice makes a gather of terms of which at most one counts at each place: cells,
// or one number.
func (l *lowering) choice(ts []addend, dom []Sym) (of Operand, ok bool, err error) {
	base, ts := overridden(ts)
	st := Step{Kind: StepGather, N: l.count(dom), Num: 1, Den: 1}
	var operands []Operand
	number := false
	for i := range ts {
		t := &ts[i]
		switch {
		case len(t.over) > 0 || len(t.whole) > 0 || len(t.cells) > 1:
			return 0, false, nil
		case len(t.cells) == 1 && t.num != t.den, len(ts) > 1 && len(t.guards) == 0 && !(base && i == 0):
			return 0, false, nil
		case len(t.cells) == 1:
			if !slices.Contains(operands, t.cells[0].of) {
				operands = append(operands, t.cells[0].of)
			}
		case number && (st.Num != t.num || st.Den != t.den):
			return 0, false, nil
		default:
			number, st.Num, st.Den = true, t.num, t.den
		}
	}
	if len(operands) > maxOperands {
		return 0, false, nil
	}
	if c, ok := single(ts); ok {
		of, err = l.gather(c, dom)
		return of, true, err
	}
	st.A = make([]int32, st.N)
	for i := range st.A {
		st.A[i] = -1
	}
	if len(operands) > 1 {
		st.Src = make([]int8, st.N)
	}
	out := l.offset(dom)
	for i := range ts {
		t := &ts[i]
		wanted := []Index{out}
		src := int8(0)
		if len(t.cells) == 1 {
			wanted = append(wanted, t.cells[0].at)
			src = int8(slices.Index(operands, t.cells[0].of))
		}
		walk, err := l.nest(dom, 0, wanted, t.guards)
		if err != nil {
			return 0, false, err
		}
		twice := false
		walk.walk(nil, func(n int, at, by []int) {
			for j := range n {
				o, p := at[0]+j*by[0], int32(-2)
				if len(at) > 1 {
					p = int32(at[1] + j*by[1])
				}
				twice = twice || st.A[o] != -1 && !base
				st.A[o] = p
				if st.Src != nil {
					st.Src[o] = src
				}
			}
		})
		if twice {
			return 0, false, nil
		}
	}
	for i, o := range operands {
		switch i {
		case 0:
			st.X = o
		case 1:
			st.Y = o
		default:
			st.More = append(st.More, o)
		}
	}
	return l.push(st), true, nil
}

// overridden finds v + (x - v where a condition holds): v first, then x.
func overridden(ts []addend) (bool, []addend) {
	if len(ts) != 3 {
		return false, ts
	}
	same := func(a, b addend) bool {
		if len(a.cells) != len(b.cells) || len(a.whole)+len(b.whole)+len(a.over)+len(b.over) > 0 || a.den != b.den {
			return false
		}
		for i, c := range a.cells {
			if d := b.cells[i]; c.of != d.of || !c.at.Equal(d.at) {
				return false
			}
		}
		return a.num == -b.num
	}
	guards := func(a, b addend) bool {
		return slices.EqualFunc(a.guards, b.guards, func(g, h Guard) bool { return g.Eq == h.Eq && g.E.Equal(h.E) })
	}
	for i := range ts {
		for j := range ts {
			k := 3 - i - j
			if i == j || k == i || k == j || len(ts[i].guards) > 0 || len(ts[j].guards) == 0 {
				continue
			}
			if same(ts[i], ts[j]) && guards(ts[j], ts[k]) {
				return true, []addend{ts[i], ts[k]}
			}
		}
	}
	return false, ts
}
