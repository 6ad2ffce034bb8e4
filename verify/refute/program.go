package refute

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// program is a law under one assignment, ready to run on many exact values.
type program struct {
	*instance.Instance
	fns functions
	// real says that functions such as tanh take part: then elements are known
	// by bounds.
	real bool
	// near are values next to the numbers in the law's attributes.
	near []interp.Q
}

// newProgram makes a compiled instance ready; l is the law whose functions it
// has, real what is known of the others.
func newProgram(in *instance.Instance, l *law.Law, real realTable) *program {
	p := &program{Instance: in, fns: functionsOf(l), near: nearNumbers(l)}
	p.fns.real = real
	for i := range in.Steps {
		p.real = p.real || in.Steps[i].Mean != nil && isReal(in.Steps[i].Mean)
	}
	return p
}

// compile is a law with what an assignment gives to its variables written out. A
// witness is returned if shapes alone refute the law, for tensors of any size;
// instance.ErrSkip if the assignment does not count, or if values matter and a
// tensor has more elements than cells.
func compile(l *law.Law, a *instance.Valuation, cells int) (*program, *Witness, error) {
	// Terms are written as they are here, and what is equal here is one term.
	p, err := instance.New(l.SubstFns(operators(a), &a.Substitution))
	if err != nil {
		return nil, nil, err
	}
	given, ok, err := p.Given(a)
	if err != nil {
		return nil, nil, err
	}
	if !ok || slices.ContainsFunc(given, func(s []int) bool { return !instance.InRange(s) }) {
		return nil, nil, instance.ErrSkip
	}
	in, err := p.At(&instance.Valuation{Fns: functionNames(l)}, given)
	if err != nil {
		return nil, nil, err
	}
	side := [2]string{"defined", "defined"}
	for i := range side {
		if cause, err := in.Undefined(i); err != nil {
			side[i] = fmt.Sprintf("undefined: %s: %v", p.Nodes[cause].Term, err)
		}
	}
	switch out, output := in.Shapes(); {
	case out == instance.Undefined, side[0] != "defined" && l.OneWay:
		return nil, nil, instance.ErrSkip
	case out == instance.OneSided:
		w := frame(l, a, in, "defined")
		w.Left, w.Right = side[0], side[1]
		return nil, w, nil
	case out == instance.Differs:
		w := frame(l, a, in, "shape")
		w.Output = output
		w.Left, w.Right = fmt.Sprint(in.Steps[p.Out[0][output]].Sizes), fmt.Sprint(in.Steps[p.Out[1][output]].Sizes)
		return nil, w, nil
	}
	if err := in.Compile(cells); err != nil {
		return nil, nil, err
	}
	return newProgram(in, l, realTable{}), nil, nil
}

// operators is the function variables that stand for operators; the others are
// random functions.
func operators(a *instance.Valuation) map[string]string {
	m := map[string]string{}
	for f, op := range a.Fns {
		if graph.IsActivation(op) {
			m[f] = op
		}
	}
	return m
}

// functionNames are the names under which rings know a law's function variables:
// their places among what is given, so that their own names play no part.
func functionNames(l *law.Law) map[string]string {
	m := map[string]string{}
	for i, g := range l.Given {
		switch g.Sort {
		case law.SortPointwise1:
			m[g.Name] = fmt.Sprint("any:", i)
		case law.SortZero1:
			m[g.Name] = fmt.Sprint("zero:", i)
		}
	}
	return m
}

// table is what is known of a function.
type table map[interp.Q]interp.Q

// function is a function variable.
type function struct {
	name string // in the law
	id   uint64
	zero bool  // f(0) = 0
	at   table // what is given of it
	seen table // what it was asked for and gave; filled if not nil
}

// functions is rational arithmetic with random functions for the function
// variables.
type functions struct {
	interp.Rational
	key    uint64
	of     map[string]*function // by the names of functionNames
	strict bool                 // what is not given is not known
	real   realTable
}

// realTable is what functions such as tanh are of exact numbers, which are few and met
// often.
type realTable map[realKey]interp.Bound

type realKey struct {
	name string
	x    interp.Q
}

// maxReal bounds a realTable.
const maxReal = 1 << 14

func functionsOf(l *law.Law) functions {
	r := functions{of: map[string]*function{}}
	names := functionNames(l)
	for i, g := range l.Given {
		if name := names[g.Name]; name != "" {
			r.of[name] = &function{name: g.Name, id: uint64(i + 1), zero: g.Sort == law.SortZero1, at: table{}}
		}
	}
	return r
}

// all lists the functions in the order of the law.
func (r *functions) all() []*function {
	var out []*function
	for _, f := range r.of {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b *function) int { return int(a.id) - int(b.id) })
	return out
}

// Fn applies a function: a variable has what is given of it, or else a number out
// of {-1, 0, 1, 2}.
func (r *functions) Fn(name string, x interp.Q) interp.Q {
	f := r.of[name]
	if f == nil {
		return r.Rational.Fn(name, x)
	}
	if x.IsBad() {
		return interp.Bad
	}
	y, ok := f.at[x]
	switch {
	case ok:
	case r.strict:
		return interp.Bad
	case x.Num == 0 && f.zero:
		y = plain[0]
	default:
		h := fingerprint.Mix(r.key ^ f.id)
		h = fingerprint.Mix(fingerprint.Mix(h^uint64(x.Num)) ^ uint64(x.Den))
		y = interp.Q{Num: int64(h>>33%4) - 1, Den: 1}
	}
	if f.seen != nil {
		f.seen[x] = y
	}
	return y
}

// bounds is arithmetic between bounds with the same functions: a function
// variable has a value where its argument is exact.
type bounds struct {
	interp.Bounds
	fns *functions
}

// Fn applies a function.
func (r bounds) Fn(name string, x interp.Bound) interp.Bound {
	switch {
	case r.fns.of[name] != nil:
		return r.OfQ(r.fns.Fn(name, x.Q))
	case x.Q.IsBad() || x != r.OfQ(x.Q):
		return r.Bounds.Fn(name, x)
	}
	key := realKey{name, x.Q}
	y, ok := r.fns.real[key]
	if !ok {
		if len(r.fns.real) >= maxReal {
			clear(r.fns.real)
		}
		y = r.Bounds.Fn(name, x)
		r.fns.real[key] = y
	}
	return y
}

// inputs cuts what is given one after the other into tensors.
func inputs[T any](p *program, vals []T) [][]T {
	out := make([][]T, len(p.Given))
	for i, s := range p.Given {
		n := graph.NumElements(s)
		out[i], vals = vals[:n], vals[n:]
	}
	return out
}

// rationals evaluates all subterms in exact arithmetic.
func (p *program) rationals(vals []interp.Q) [][]interp.Q {
	return instance.Run(p.Instance, interp.Ring[interp.Q](&p.fns), inputs(p, vals))
}

// bounds evaluates all subterms between bounds.
func (p *program) bounds(vals []interp.Q) [][]interp.Bound {
	return instance.Run(p.Instance, interp.Ring[interp.Bound](bounds{fns: &p.fns}), inputs(p, bounded(vals)))
}

// run evaluates all subterms.
func (p *program) run(vals []interp.Q) [][]interp.Bound {
	if p.real {
		return p.bounds(vals)
	}
	res := p.rationals(vals)
	out := make([][]interp.Bound, len(res))
	for i := range res {
		out[i] = bounded(res[i])
	}
	return out
}

// trace is run with what each function was asked for and gave.
func (p *program) trace(vals []interp.Q) ([][]interp.Bound, map[*function]table) {
	seen := map[*function]table{}
	for _, f := range p.fns.of {
		f.seen = table{}
		seen[f] = f.seen
	}
	res := p.run(vals)
	for _, f := range p.fns.of {
		f.seen = nil
	}
	return res, seen
}

// differ is the first output whose values differ, or -1. Where arithmetic
// overflowed nothing is said.
func (p *program) differ(vals []interp.Q) int {
	if p.real {
		return differing(p, p.bounds(vals), interp.Bounds{}.Integer, distinct)
	}
	return differing(p, p.rationals(vals), interp.Rational{}.Integer, unequal)
}

// differing is firstDiff's output, or -1 where a side reads outside a table, and so is
// not defined.
func differing[T any](p *program, res [][]T, integer func(T) (int64, bool), differ func(a, b T) bool) int {
	if !instance.Placed(p.Instance, res, integer) {
		return -1
	}
	out, _ := firstDiff(p, res, differ)
	return out
}

// firstDiff is the first output, and the element, in which the sides differ; -1
// if they do not.
func firstDiff[T any](p *program, res [][]T, differ func(a, b T) bool) (output, at int) {
	for k := range p.Out[0] {
		x, y := res[p.Out[0][k]], res[p.Out[1][k]]
		for i := range x {
			if differ(x[i], y[i]) {
				return k, i
			}
		}
	}
	return -1, 0
}
