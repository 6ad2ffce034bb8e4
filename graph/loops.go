package graph

import (
	"fmt"
	"math"
	"slices"
)

// Loops over index variables: where a definition says "entry i, the sum over k",
// programs need the places that are read, for all i and k in order. Indices are
// linear in the variables but for a few functions such as floor(e/2), so that
// going from one place to the next is an addition.

// extent is how far index variables run: from 0 to the size less one. It belongs
// to one Space in which all sizes are numbers.
type extent struct {
	s    *Space
	size []int // by Sym; 0: not a variable of a loop
}

func (x *extent) set(v Sym, n int) {
	for int(v) >= len(x.size) {
		x.size = append(x.size, 0)
	}
	x.size[v] = n
}

func (x *extent) of(v Sym) int {
	if int(v) < len(x.size) {
		return x.size[v]
	}
	return 0
}

// call is a function of an index that has a value once its argument has.
type callKind uint8

const (
	callDiv  callKind = iota // floor(arg/n)*m
	callMax0                 // max(arg, 0)
)

type function struct {
	kind callKind
	arg  Index
	n, m int64
}

// function reads an unknown of the space as a function with a value.
func (x *extent) function(v Sym) (function, error) {
	f, ok := x.s.IndexFunc(v)
	switch {
	case !ok:
		return function{}, fmt.Errorf("index %s has no value", x.s.String(v.Index()))
	case f.Div == 0:
		return function{callMax0, f.Arg, 1, 1}, nil
	}
	return function{callDiv, f.Arg, f.Div, 1}, nil
}

// IndexFunc is a function of an index that has a value once Arg has: floor(Arg/Div),
// or, where Div is 0, max(Arg, 0).
type IndexFunc struct {
	Arg Index
	Div int64
}

// IndexFunc reads an unknown as a function of an index; not ok of one that is none.
func (s *Space) IndexFunc(v Sym) (f IndexFunc, ok bool) {
	name, args, ok := s.App(v)
	switch {
	case !ok:
		return f, false
	case name == fnMax0:
		return IndexFunc{Arg: args[0]}, true
	case scanDiv(name, &f.Div):
		f.Arg = args[0]
		return f, true
	}
	return f, false
}

func (f function) value(arg int64) int64 {
	if f.kind == callMax0 {
		return max(arg, 0)
	}
	return product(f.m, FloorDiv(arg, f.n))
}

// between are bounds of an index.
func (x *extent) between(e Index) (lo, hi int64, err error) {
	lo, hi = e.c, e.c
	for _, t := range e.t {
		var a, b int64
		if n := x.of(t.sym); n > 0 {
			b = int64(n - 1)
		} else {
			f, err := x.function(t.sym)
			if err != nil {
				return 0, 0, err
			}
			if a, b, err = x.between(f.arg); err != nil {
				return 0, 0, err
			}
			if a, b = f.value(a), f.value(b); a > b {
				a, b = b, a
			}
		}
		if t.k < 0 {
			a, b = b, a
		}
		lo, hi = sum(lo, product(t.k, a)), sum(hi, product(t.k, b))
	}
	return lo, hi, nil
}

// simple is e with everything that has one value only as a number, and with
// max(a, 0) as a where that is not negative.
func (x *extent) simple(e Index) (Index, error) {
	plain := true
	for _, t := range e.t {
		plain = plain && x.of(t.sym) > 1
	}
	if plain {
		return e, nil
	}
	out := Index{c: e.c}
	for _, t := range e.t {
		if n := x.of(t.sym); n == 1 {
			continue
		} else if n > 1 {
			out = out.addScaled(t.sym.Index(), t.k)
			continue
		}
		f, err := x.function(t.sym)
		if err != nil {
			return e, err
		}
		lo, hi, err := x.between(f.arg)
		if err != nil {
			return e, err
		}
		a, b := f.value(lo), f.value(hi)
		switch {
		case a == b:
			out = out.AddInt(product(t.k, a))
		case f.kind == callMax0 && lo >= 0:
			arg, err := x.simple(f.arg)
			if err != nil {
				return e, err
			}
			out = out.addScaled(arg, t.k)
		default:
			out = out.addScaled(t.sym.Index(), t.k)
		}
	}
	return out, nil
}

// nest is loops in which some forms, integers that depend on the variables, are
// followed. Forms from wanted on serve functions and conditions only.
type nest struct {
	sizes  []int
	wanted int
	empty  bool     // a condition never holds
	base   []int    // by form: its value where all variables are 0
	coef   [][]int  // by loop and form
	calls  [][]call // by loop: functions that have a value from there on
	tests  [][]test // by loop: conditions that are decided from there on
}

type call struct {
	function
	arg  int   // the form that is the argument
	into []int // by form: what it is multiplied with there
}

type test struct {
	form int
	eq   bool
}

// nest makes loops over variables, the last one innermost. The first kept ones
// stay loops of their own.
func (x *extent) nest(vars []Sym, kept int, wanted []Index, guards []Guard) (*nest, error) {
	loops := make([]Sym, 0, len(vars))
	for i, v := range vars {
		if x.of(v) > 1 || i < kept {
			loops = append(loops, v)
		}
	}
	l := &nest{wanted: len(wanted), sizes: make([]int, len(loops))}
	for i, v := range loops {
		l.sizes[i] = x.of(v)
	}
	forms := make([]Index, 0, len(wanted)+len(guards)+2)
	for _, e := range wanted {
		e, err := x.simple(e)
		if err != nil {
			return nil, err
		}
		forms = append(forms, e)
	}
	var conds []test
	for _, g := range guards {
		e, err := x.simple(g.E)
		if err != nil {
			return nil, err
		}
		lo, hi, err := x.between(e)
		if err != nil {
			return nil, err
		}
		if hi < 0 || g.Eq && lo > 0 {
			l.empty = true
			return l, nil
		}
		if lo < 0 || g.Eq && hi > 0 {
			conds = append(conds, test{form: len(forms), eq: g.Eq})
			forms = append(forms, e)
		}
	}
	if err := l.follow(x, loops, forms, conds); err != nil {
		return nil, err
	}
	l.join(kept)
	return l, nil
}

// follow notes forms, the functions in them and conditions.
func (l *nest) follow(x *extent, loops []Sym, forms []Index, conds []test) error {
	// The functions, arguments first, and the loop from which on they have values.
	type fn struct {
		sym Sym
		call
		loop int
	}
	var fns []fn
	find := func(v Sym) int {
		for i := range fns {
			if fns[i].sym == v {
				return i
			}
		}
		return -1
	}
	loopOf := func(v Sym) int { return slices.Index(loops, v) }
	// loopOfForm is the innermost loop on which a form depends.
	var loopOfForm func(e Index) (int, error)
	loopOfForm = func(e Index) (int, error) {
		at := -1
		for _, t := range e.t {
			i := loopOf(t.sym)
			if i < 0 {
				k := find(t.sym)
				if k < 0 {
					f, err := x.function(t.sym)
					if err != nil {
						return 0, err
					}
					arg, err := x.simple(f.arg)
					if err != nil {
						return 0, err
					}
					inner, err := loopOfForm(arg)
					if err != nil {
						return 0, err
					}
					k = len(fns)
					fns = append(fns, fn{t.sym, call{function: f, arg: len(forms)}, inner})
					forms = append(forms, arg)
				}
				i = fns[k].loop
			}
			at = max(at, i)
		}
		return at, nil
	}
	loop := make([]int, 0, len(forms)+2)
	for i := 0; i < len(forms); i++ { // it grows by arguments
		at, err := loopOfForm(forms[i])
		if err != nil {
			return err
		}
		loop = append(loop, at)
	}
	n := len(forms)
	buf := make([]int, n*(1+len(loops)+len(fns)))
	row := func() []int {
		r := buf[:n:n]
		buf = buf[n:]
		return r
	}
	l.base = row()
	l.coef = make([][]int, len(loops))
	for i := range l.coef {
		l.coef[i] = row()
	}
	for k := range fns {
		fns[k].into = row()
	}
	for f, e := range forms {
		l.base[f] = int(e.c)
		for _, t := range e.t {
			if i := loopOf(t.sym); i >= 0 {
				l.coef[i][f] = int(t.k)
			} else {
				fns[find(t.sym)].into[f] = int(t.k)
			}
		}
	}
	l.calls, l.tests = make([][]call, len(loops)), make([][]test, len(loops))
	for _, f := range fns {
		l.calls[f.loop] = append(l.calls[f.loop], f.call)
	}
	for _, c := range conds {
		l.tests[loop[c.form]] = append(l.tests[loop[c.form]], c)
	}
	return nil
}

// join makes one loop of two neighbours through which all forms go evenly, but
// for the first kept ones.
func (l *nest) join(kept int) {
	for i := len(l.sizes) - 2; i >= kept; i-- {
		plain := len(l.calls[i])+len(l.calls[i+1])+len(l.tests[i])+len(l.tests[i+1]) == 0
		even := plain && l.sizes[i] <= math.MaxInt32/l.sizes[i+1]
		for f, k := range l.coef[i] {
			even = even && k == l.coef[i+1][f]*l.sizes[i+1]
		}
		if !even {
			continue
		}
		l.sizes[i] *= l.sizes[i+1]
		l.coef[i] = l.coef[i+1]
		l.sizes, l.coef = slices.Delete(l.sizes, i+1, i+2), slices.Delete(l.coef, i+1, i+2)
		l.calls, l.tests = slices.Delete(l.calls, i+1, i+2), slices.Delete(l.tests, i+1, i+2)
	}
}

// points bounds how often the innermost loop runs.
func (l *nest) points() int64 {
	if l.empty {
		return 0
	}
	return Product(l.sizes...)
}

// walk calls run for stretches of the innermost loop, in order: n points, at the
// first of which the forms that are wanted have the values at, and grow by by
// from one to the next. The first loops stay where fixed says.
func (l *nest) walk(fixed []int, run func(n int, at, by []int)) {
	if l.empty {
		return
	}
	n := len(l.base)
	buf := make([]int, (len(l.sizes)+1)*n+l.wanted)
	still := buf[len(buf)-l.wanted:]
	copy(buf, l.base)
	l.loop(0, buf, still, fixed, run)
}

func (l *nest) loop(i int, buf, still, fixed []int, run func(n int, at, by []int)) {
	n := len(l.base)
	vals := buf[:n]
	if i == len(l.sizes) {
		run(1, vals[:l.wanted], still)
		return
	}
	lo, hi, coef := 0, l.sizes[i], l.coef[i]
	if i < len(fixed) {
		lo, hi = fixed[i], fixed[i]+1
	}
	calls, tests := l.calls[i], l.tests[i]
	if i == len(l.sizes)-1 && len(calls) == 0 {
		for _, t := range tests {
			if lo, hi = clip(lo, hi, vals[t.form], coef[t.form], t.eq); lo >= hi {
				return
			}
		}
		next := buf[n : n+l.wanted]
		for f := range next {
			next[f] = vals[f] + coef[f]*lo
		}
		run(hi-lo, next, coef[:l.wanted])
		return
	}
	next := buf[n : 2*n]
points:
	for x := lo; x < hi; x++ {
		for f, v := range vals {
			next[f] = v + coef[f]*x
		}
		for k := range calls {
			c := &calls[k]
			v := int(c.value(int64(next[c.arg])))
			for f, m := range c.into {
				next[f] += m * v
			}
		}
		for _, t := range tests {
			if v := next[t.form]; v < 0 || t.eq && v != 0 {
				continue points
			}
		}
		l.loop(i+1, buf[n:], still, fixed, run)
	}
}

// clip is the part of lo <= x < hi where v + k*x is at least 0, or is 0.
func clip(lo, hi, v, k int, eq bool) (int, int) {
	switch {
	case k == 1 && !eq:
		lo = max(lo, -v)
	case k == -1 && !eq:
		hi = min(hi, v+1)
	case k == 0:
		if v < 0 || eq && v != 0 {
			return 0, 0
		}
	case eq:
		if v%k != 0 {
			return 0, 0
		}
		x := -v / k
		return max(lo, x), min(hi, x+1)
	case k > 0: // x >= -v/k
		lo = max(lo, -int(FloorDiv(int64(v), int64(k))))
	default: // x <= v/-k
		hi = min(hi, int(FloorDiv(int64(v), int64(-k)))+1)
	}
	return lo, hi
}
