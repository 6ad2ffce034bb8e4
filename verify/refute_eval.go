package verify

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
)

// program is a law under one assignment, ready to run on many values.
type program struct {
	law    *law.Law
	a      *assignment
	inputs []input
	steps  []step // arguments first; equal terms once
	out    [2][]int
	fns    functions
	// real says that functions such as tanh take part: then elements are known
	// by bounds.
	real bool
}

type input struct {
	name  string
	sizes []int
}

type step struct {
	term  *law.Term
	sizes []int
	args  []int  // steps
	fn    string // a function variable
	input int    // or an input, counted from 1
	apply applied
	mean  *graph.Program // of an operator
}

// errSkip says that an assignment is outside the law's conditions or bounds.
var errSkip = errors.New("not tried")

// functions is rational arithmetic with random functions for the function
// variables.
type functions struct {
	interp.Rational
	key    uint64
	ids    map[string]uint64                // names of function variables play no part
	zero   map[string]bool                  // f(0) = 0
	tables map[string]map[interp.Q]interp.Q // what is given of a function
	strict bool                             // what is not given is not known
	seen   map[string]map[interp.Q]interp.Q // filled if not nil
}

// give sets a function's value at x.
func (r *functions) give(f string, x, y interp.Q) { put(&r.tables, f, x, y) }

func put(m *map[string]map[interp.Q]interp.Q, f string, x, y interp.Q) {
	if *m == nil {
		*m = map[string]map[interp.Q]interp.Q{}
	}
	if (*m)[f] == nil {
		(*m)[f] = map[interp.Q]interp.Q{}
	}
	(*m)[f][x] = y
}

// call is the function variable f at x: what is given, or else a number out of
// {-1, 0, 1, 2}.
func (r *functions) call(f string, x interp.Q) interp.Q {
	if x.IsBad() {
		return interp.Bad
	}
	y, ok := r.tables[f][x]
	switch {
	case ok:
	case r.strict:
		return interp.Bad
	case x.Num == 0 && r.zero[f]:
		y = interp.Q{Den: 1}
	default:
		h := fingerprint.Mix(r.key ^ r.ids[f])
		h = fingerprint.Mix(fingerprint.Mix(h^uint64(x.Num)) ^ uint64(x.Den))
		y = interp.Q{Num: int64(h>>33%4) - 1, Den: 1}
	}
	if r.seen != nil {
		put(&r.seen, f, x, y)
	}
	return y
}

// functionsOf is the functions of a law's function variables, which are known by
// their places among what is given.
func functionsOf(l *law.Law, key uint64) functions {
	r := functions{key: key, zero: map[string]bool{}, ids: map[string]uint64{}}
	for i, g := range l.Given {
		if law.IsFuncSort(g.Sort) {
			r.zero[g.Name], r.ids[g.Name] = g.Sort == law.SortZero1, uint64(i+1)
		}
	}
	return r
}

// compile checks the conditions and types both sides. A witness is returned if
// that alone refutes the law, for tensors of any size; errSkip if the assignment
// does not count, or if values matter and a tensor has more elements than cells.
func compile(l *law.Law, a *assignment, cells int) (p *program, w *Witness, err error) {
	if len(l.LHS) != len(l.RHS) {
		return nil, nil, fmt.Errorf("%d outputs on the left, %d on the right", len(l.LHS), len(l.RHS))
	}
	b := a.binding()
	for _, w := range l.Where {
		if holds, ok := w.Holds(b); !ok || !holds {
			return nil, nil, errSkip
		}
	}
	p = &program{law: l, a: a, fns: functionsOf(l, a.key)}
	for _, g := range l.Given {
		if g.Sort != "" {
			continue
		}
		sizes, ok := g.Shape.Subst(b).Concrete()
		if !ok {
			return nil, nil, fmt.Errorf("tensor %s: shape %s is not concrete", g.Name, g.Shape.Subst(b))
		}
		if !inRange(sizes) {
			return nil, nil, errSkip
		}
		p.inputs = append(p.inputs, input{g.Name, sizes})
	}
	at := &placed{at: map[int]int{}}
	var errs [2]error
	for side, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			i, err := p.add(t.Subst(nil, a.operators(), b), at)
			if err == errSkip {
				return nil, nil, err
			}
			if err != nil {
				errs[side] = err
				break
			}
			p.out[side] = append(p.out[side], i)
		}
	}
	switch {
	case errs[0] != nil && errs[1] != nil, errs[0] != nil && l.OneWay:
		return nil, nil, errSkip
	case errs[0] != nil || errs[1] != nil:
		w := p.frame("defined")
		if errs[0] != nil {
			w.Left, w.Right = "undefined: "+errs[0].Error(), "defined"
		} else {
			w.Left, w.Right = "defined", "undefined: "+errs[1].Error()
		}
		return nil, w, nil
	}
	for i := range p.out[0] {
		x, y := p.steps[p.out[0][i]].sizes, p.steps[p.out[1][i]].sizes
		if !slices.Equal(x, y) {
			w := p.frame("shape")
			w.Output, w.Left, w.Right = i, fmt.Sprint(x), fmt.Sprint(y)
			return nil, w, nil
		}
	}
	for i := range p.steps {
		st := &p.steps[i]
		if tooLarge(st.sizes, cells) {
			return nil, nil, errSkip
		}
		if st.input > 0 || st.fn != "" {
			continue
		}
		if st.mean, err = st.apply.meaning(cells); err != nil {
			return nil, nil, err
		}
		p.real = p.real || isReal(st.mean)
	}
	return p, nil, nil
}

// operators is the function variables that stand for operators.
func (a *assignment) operators() map[string]string {
	m := map[string]string{}
	for f, op := range a.fns {
		if op != "" {
			m[f] = op
		}
	}
	return m
}

// tooLarge says whether a tensor has more elements than cells.
func tooLarge(sizes []int, cells int) bool {
	n := 1
	for _, s := range sizes {
		if s < 1 || s > cells {
			return true
		}
		if n *= s; n > cells {
			return true
		}
	}
	return false
}

// placed says at which steps terms are.
type placed struct {
	nodes law.Nodes
	at    map[int]int
}

func (p *program) add(t *law.Term, at *placed) (int, error) {
	k := at.nodes.Of(t)
	if i, ok := at.at[k]; ok {
		return i, nil
	}
	st := step{term: t}
	inSizes := make([][]int, len(t.Args))
	for i, a := range t.Args {
		j, err := p.add(a, at)
		if err != nil {
			return 0, err
		}
		st.args = append(st.args, j)
		inSizes[i] = p.steps[j].sizes
	}
	switch {
	case t.IsVar():
		i := slices.IndexFunc(p.inputs, func(x input) bool { return x.name == t.Var })
		if i < 0 {
			return 0, fmt.Errorf("tensor %s is not given", t.Var)
		}
		st.input, st.sizes = i+1, p.inputs[i].sizes
	case t.Fn != "":
		st.fn, st.sizes = t.Fn, inSizes[0]
	default:
		ap, err := applyOp(t, t.Attrs, inSizes)
		if err == errSkip {
			return 0, err
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", t, err)
		}
		st.apply, st.sizes = ap, ap.out[t.Out]
	}
	p.steps = append(p.steps, st)
	at.at[k] = len(p.steps) - 1
	return len(p.steps) - 1, nil
}
