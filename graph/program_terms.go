package graph

import (
	"fmt"
	"slices"
)

// From an entry at a symbolic index to steps over arrays. The entry is brought
// into the form of a sum of terms, each a number times elements of operands, summed
// over bound variables where conditions hold; a function of one element, a maximum
// and what does not fit become operands of their own, once for equal expressions.

// lowering makes a program for given sizes.
type lowering struct {
	extent
	strides [][]int // of the inputs
	n       []int   // their elements
	prog    Program
	known   map[string]Operand
	sums    []sumOf // what terms has found
}

type sumOf struct {
	e  *Expr
	ts []addend
}

// cell is an element of an operand.
type cell struct {
	of Operand
	at Index // its place
}

// addend is num/den times whole indices and cells, summed over bound variables
// where the guards hold.
type addend struct {
	num, den int64
	whole    []Index
	cells    []cell
	over     []Sym
	guards   []Guard
}

func (t *addend) plain() bool { return len(t.over) == 0 && len(t.guards) == 0 }

// single is the cell that the sum of terms is, if it is one.
func single(ts []addend) (cell, bool) {
	if len(ts) != 1 || !ts[0].plain() || ts[0].num != ts[0].den || len(ts[0].whole) > 0 || len(ts[0].cells) != 1 {
		return cell{}, false
	}
	return ts[0].cells[0], true
}

func (l *lowering) elements(o Operand) int {
	if o >= 0 {
		return l.n[o]
	}
	return l.prog.Steps[-1-o].N
}

func (l *lowering) count(dom []Sym) int {
	n := 1
	for _, v := range dom {
		n *= l.of(v)
	}
	return n
}

func (l *lowering) push(st Step) Operand {
	if st.Den == 0 {
		st.Num, st.Den = 1, 1
	}
	l.prog.Steps = append(l.prog.Steps, st)
	return Operand(-len(l.prog.Steps))
}

// declare notes how far the bound variables of e run.
func (l *lowering) declare(e *Expr) error {
	for _, b := range e.Over {
		n, ok := b.N.Const()
		if !ok || n < 1 {
			return fmt.Errorf("a sum over %s values", l.s.String(b.N))
		}
		l.set(b.Var, int(n))
	}
	for _, a := range e.Args {
		if err := l.declare(a); err != nil {
			return err
		}
	}
	if e.Direct != nil {
		for _, a := range e.Direct.Args {
			if err := l.declare(a); err != nil {
				return err
			}
		}
	}
	if e.Shift != nil {
		return l.declare(e.Shift)
	}
	return nil
}

// terms is e as a sum; the caller must not write to it.
func (l *lowering) terms(e *Expr) ([]addend, error) {
	for _, s := range l.sums {
		if s.e == e {
			return s.ts, nil
		}
	}
	ts, err := l.expand(e)
	if err == nil && len(e.Args) > 0 {
		l.sums = append(l.sums, sumOf{e, ts})
	}
	return ts, err
}

func (l *lowering) expand(e *Expr) ([]addend, error) {
	if e.Direct != nil {
		c, err := l.operand(e)
		return []addend{{num: 1, den: 1, cells: []cell{c}}}, err
	}
	switch e.Kind {
	case ExprNumber:
		n, err := l.simple(e.Size)
		if err != nil {
			return nil, err
		}
		if c, ok := n.Const(); ok {
			if c == 0 {
				return nil, nil
			}
			return []addend{{num: c, den: 1}}, nil
		}
		return []addend{{num: 1, den: 1, whole: []Index{n}}}, nil
	case ExprRead:
		st := l.strides[e.In]
		if len(st) != len(e.At) {
			return nil, fmt.Errorf("input %d has %d axes, not %d", e.In, len(st), len(e.At))
		}
		var at Index
		for i, k := range st {
			if len(e.At[i].t) > 0 || e.At[i].c != 0 {
				at = at.addScaled(e.At[i], int64(k))
			}
		}
		at, err := l.simple(at)
		return []addend{{num: 1, den: 1, cells: []cell{{Operand(e.In), at}}}}, err
	case ExprAdd:
		var out []addend
		for _, a := range e.Args {
			ts, err := l.terms(a)
			if err != nil {
				return nil, err
			}
			out = append(out, ts...)
		}
		return out, nil
	case ExprMul:
		return l.product(e)
	case ExprInv:
		ts, err := l.terms(e.Args[0])
		if err != nil {
			return nil, err
		}
		if len(ts) == 1 && ts[0].plain() && len(ts[0].whole)+len(ts[0].cells) == 0 && ts[0].num > 0 {
			return []addend{{num: ts[0].den, den: ts[0].num}}, nil
		}
	case ExprSum:
		if e.Pick != nil {
			break
		}
		ts, err := l.terms(e.Args[0])
		if err != nil {
			return nil, err
		}
		if len(e.Over) > 0 && len(ts) > 1 && slices.ContainsFunc(ts, func(t addend) bool { return len(t.guards) == 0 }) {
			c, err := l.operand(e.Args[0])
			if err != nil {
				return nil, err
			}
			ts = []addend{{num: 1, den: 1, cells: []cell{c}}}
		}
		ts = slices.Clone(ts)
		for i := range ts {
			t := &ts[i]
			t.over = slices.Clip(t.over)
			for _, b := range e.Over {
				t.over = append(t.over, b.Var)
			}
			t.guards = append(t.guards[:len(t.guards):len(t.guards)], e.If...)
		}
		return ts, nil
	}
	c, err := l.operand(e)
	return []addend{{num: 1, den: 1, cells: []cell{c}}}, err
}

// product multiplies numbers and cells in their order. A product of several cells
// inside of it is made first. Sums become operands, but for one that is multiplied
// with numbers only.
func (l *lowering) product(e *Expr) (_ []addend, err error) {
	defer CatchTooLarge(&err)
	factors := make([][]addend, len(e.Args))
	sum, sums, number := 0, 0, true
	for i, a := range e.Args {
		ts, err := l.terms(a)
		if err != nil || len(ts) == 0 {
			return nil, err
		}
		factors[i] = ts
		if len(ts) > 1 || len(ts[0].over) > 0 {
			sum, sums = i, sums+1
		} else {
			number = number && ts[0].plain() && len(ts[0].whole)+len(ts[0].cells) == 0
		}
	}
	all := addend{num: 1, den: 1}
	for i, ts := range factors {
		t := &ts[0]
		group := e.Args[i].Kind == ExprMul && len(t.cells) > 1
		switch {
		case len(ts) == 1 && len(t.over) == 0 && !group:
			all.num, all.den = product(all.num, t.num), product(all.den, t.den)
			all.whole, all.cells = append(all.whole, t.whole...), append(all.cells, t.cells...)
			all.guards = append(all.guards, t.guards...)
		case sums > 1 || !number || group:
			c, err := l.operand(e.Args[i])
			if err != nil {
				return nil, err
			}
			all.cells = append(all.cells, c)
		}
	}
	g := GCD(all.num, all.den)
	all.num, all.den = all.num/g, all.den/g
	if sums != 1 || !number {
		return []addend{all}, nil
	}
	rest := slices.Clone(factors[sum])
	for i := range rest {
		t := &rest[i]
		t.num, t.den = product(t.num, all.num), product(t.den, all.den)
	}
	return rest, nil
}

// operand makes e an operand and says which cell of it e is.
func (l *lowering) operand(e *Expr) (cell, error) {
	if e.Kind == ExprRead && e.Direct == nil {
		ts, err := l.terms(e)
		if err != nil {
			return cell{}, err
		}
		return ts[0].cells[0], nil
	}
	key, free := l.key(e)
	of, ok := l.known[key]
	if !ok {
		if e.Kind != ExprFn && e.Kind != ExprMax && e.Kind != ExprInv && e.Pick == nil && e.Direct == nil {
			ts, err := l.terms(e)
			if err != nil {
				return cell{}, err
			}
			if c, ok := single(ts); ok {
				return c, nil
			}
		}
		var err error
		if of, err = l.produce(e, free); err != nil {
			return cell{}, err
		}
		if l.known == nil {
			l.known = map[string]Operand{}
		}
		l.known[key] = of
	}
	return cell{of, l.offset(free)}, nil
}

// over makes e an operand whose axes are dom, whatever e depends on.
func (l *lowering) over(e *Expr, dom []Sym) (Operand, error) {
	if e.Kind == ExprRead {
		c, err := l.operand(e)
		if err != nil {
			return 0, err
		}
		return l.spread(c, dom)
	}
	_, free := l.key(e)
	if len(free) == len(dom) && !slices.Equal(free, dom) {
		return l.produce(e, dom)
	}
	c, err := l.operand(e)
	if err != nil {
		return 0, err
	}
	return l.spread(c, dom)
}

// produce makes the steps of e for all values of dom.
func (l *lowering) produce(e *Expr, dom []Sym) (Operand, error) {
	switch {
	case e.Direct != nil:
		return l.direct(e, dom)
	case e.Kind == ExprFn:
		name, ok := e.Fn.Name()
		if !ok {
			return 0, fmt.Errorf("function %s is not a name", e.Fn)
		}
		x, err := l.over(e.Args[0], dom)
		if err == nil && e.Shift != nil {
			x, err = l.shifted(x, e.Shift, dom)
		}
		if err != nil {
			return 0, err
		}
		return l.push(Step{Kind: StepMap, N: l.count(dom), X: x, Fn: name}), nil
	case e.Kind == ExprMax:
		return l.largest(StepMax, e, dom)
	case e.Kind == ExprInv:
		return l.inverse(e.Args[0], dom)
	case e.Pick != nil:
		return l.take(e, dom)
	}
	ts, err := l.terms(e)
	if err != nil {
		return 0, err
	}
	return l.emit(ts, dom)
}

// direct is an expression, and the function that arithmetic with true numbers computes
// in its place.
func (l *lowering) direct(e *Expr, dom []Sym) (Operand, error) {
	said := *e
	said.Direct = nil
	x, err := l.over(&said, dom)
	if err != nil {
		return 0, err
	}
	st := Step{Kind: StepDirect, N: l.count(dom), X: x, Direct: e.Direct.Fn}
	for _, arg := range e.Direct.Args {
		y, err := l.over(arg, dom)
		if err != nil {
			return 0, err
		}
		st.More = append(st.More, y)
	}
	return l.push(st), nil
}

// shifted is x less a number that what follows cancels.
func (l *lowering) shifted(x Operand, shift *Expr, dom []Sym) (Operand, error) {
	if shift.Kind != ExprMax {
		return 0, fmt.Errorf("a shift is a maximum")
	}
	key, free := l.key(shift)
	key = "shift" + key
	of, ok := l.known[key]
	if !ok {
		s, err := l.largest(StepShift, shift, free)
		if err != nil {
			return 0, err
		}
		of = l.scale(s, -1, 1)
		if l.known == nil {
			l.known = map[string]Operand{}
		}
		l.known[key] = of
	}
	y, err := l.spread(cell{of, l.offset(free)}, dom)
	return l.push(Step{Kind: StepAdd, N: l.count(dom), X: x, Y: y}), err
}

// largest is a maximum, or a number that stands for it.
func (l *lowering) largest(kind StepKind, e *Expr, dom []Sym) (Operand, error) {
	c, err := l.operand(e.Args[0])
	if err != nil {
		return 0, err
	}
	t := terms{a: c.at, guards: e.If}
	for _, b := range e.Over {
		t.over = append(t.over, b.Var)
	}
	return l.push(Step{Kind: kind, N: l.count(dom), X: c.of, Over: &Ranges{&l.extent, dom, []terms{t}}}), nil
}

// inverse is 1 over a count.
func (l *lowering) inverse(count *Expr, dom []Sym) (Operand, error) {
	ts, err := l.terms(count)
	if err != nil {
		return 0, err
	}
	c, den, err := l.table(ts, dom)
	if err != nil {
		return 0, err
	}
	st := Step{Kind: StepConst, N: len(c), C: make([]int64, len(c)), D: c}
	for i := range c {
		if st.C[i] = den; c[i] < 1 {
			return 0, fmt.Errorf("a divisor is %d", c[i])
		}
	}
	return l.push(st), nil
}

// take copies elements at places that are elements.
func (l *lowering) take(e *Expr, dom []Sym) (Operand, error) {
	at, err := l.operand(e.Pick.At)
	if err != nil {
		return 0, err
	}
	of, err := l.operand(e.Pick.Of)
	if err != nil {
		return 0, err
	}
	k := e.Over[0].Var
	step := of.at.Coef(k)
	first := of.at.addScaled(k.Index(), -step)
	if l.s.Mentions(first, k) {
		return 0, fmt.Errorf("the places that are looked up are not even")
	}
	walk, err := l.nest(dom, 0, []Index{first, at.at}, nil)
	if err != nil {
		return 0, err
	}
	n := l.count(dom)
	st := Step{Kind: StepTake, N: n, X: of.of, Y: at.of, A: make([]int32, 0, n), B: make([]int32, 0, n),
		Num: step, Den: int64(l.of(k))}
	walk.walk(nil, func(n int, at, by []int) {
		for j := range n {
			st.A = append(st.A, int32(at[0]+j*by[0]))
			st.B = append(st.B, int32(at[1]+j*by[1]))
		}
	})
	return l.push(st), nil
}
