package meaning

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// reader answers an engine from a proof, in the order in which the engine asks:
//
//	Impossible  0, or 1 and a refutation
//	Place       0, or 1, the group, the atoms and the expressions of bound variables
//	Digits      0, or 1, the bound variable and the range of its low digit
//	Cover       0, or 1, the expressions of bound variables, those that have to be 0
//	Frame       0, or the number of a frame from 1, and that of each bound variable in it
//	Step        0: done; 1: a branch, of a maximum and two of its pieces; 2: the same and
//	            a combination: a number, how many products, and of each its number, how
//	            many things, and these
//	Try         0, or 1 and what f asks
//	Split       0, or 1, the number of a variable and, of a number of groups, the
//	            largest one
//
// What is said in any order is said in one: the unknowns of an expression by rising
// number, without those that do not occur. Whatever is wrong with a proof ends the
// reading with an error.
type reader struct {
	in  []int64
	at  int
	err error
}

func (r *reader) fail(format string, args ...any) error {
	if r.err == nil {
		r.err = fmt.Errorf("at number %d: %s", r.at, fmt.Sprintf(format, args...))
	}
	return r.err
}

func (r *reader) next() int64 {
	if r.at >= len(r.in) {
		r.fail("the proof ends")
		return 0
	}
	r.at++
	return r.in[r.at-1]
}

// count is a number of things that follow, each at least one number.
func (r *reader) count() int {
	n := r.next()
	if n < 0 || n > int64(len(r.in)-r.at) {
		r.fail("%d is no number of what follows", n)
		return 0
	}
	return int(n)
}

// yes reads 0 or 1.
func (r *reader) yes() bool {
	n := r.next()
	if n < 0 || n > 1 {
		r.fail("%d, want 0 or 1", n)
	}
	return n == 1 && r.err == nil
}

// unknown reads the number of an unknown; 0 if there is none.
func (r *reader) unknown(b *Engine) graph.Sym {
	n := r.next()
	if v := graph.Sym(n); int64(v) == n && b.Space.Has(v) {
		return v
	}
	r.fail("there is no unknown %d", n)
	return 0
}

func (r *reader) index(b *Engine) graph.Index {
	var e graph.Index
	last := graph.Sym(0)
	for range r.count() {
		v := r.unknown(b)
		if v == 0 {
			return e
		}
		k := r.next()
		if v <= last || k == 0 {
			r.fail("unknown %d with coefficient %d, after %d", v, k, last)
			return e
		}
		e, last = e.AddScaled(v.Index(), k), v
	}
	return e.AddInt(r.next())
}

// Impossible is part of Guide.
func (r *reader) Impossible(b *Engine, gs []graph.Guard) bool {
	if !r.yes() {
		b.fail(r.err)
		return false
	}
	if err := r.refute(b, gs); err != nil {
		b.fail(r.fail("%v", err))
	}
	return r.err == nil
}

// Place is part of Guide.
func (r *reader) Place(b *Engine, _ []graph.Guard, groups []*Group, t Term, try func(Placing) bool) bool {
	if !r.yes() {
		b.fail(r.err)
		return false
	}
	p := Placing{Group: int(r.next())}
	for range t.Atoms {
		p.Pairs = append(p.Pairs, int(r.next()))
	}
	for range t.Over {
		p.By = append(p.By, r.index(b))
	}
	return r.tried(b, r.err == nil && try(p))
}

// Digits is part of Guide.
func (r *reader) Digits(b *Engine, _ []graph.Sym, _, _ NF) (int, graph.Dim, bool) {
	if !r.yes() {
		b.fail(r.err)
		return 0, graph.Dim{}, false
	}
	at := r.next()
	n, ok := b.Space.DimOf(r.index(b))
	if !ok || at < 0 || at > maxAtoms {
		b.fail(r.fail("no digits"))
	}
	return int(at), n, r.err == nil && ok
}

// Cover is part of Guide.
func (r *reader) Cover(b *Engine, _, q Piece, try func(Covering) bool) bool {
	if !r.yes() {
		b.fail(r.err)
		return false
	}
	c := Covering{By: map[int]graph.Index{}}
	for i := range q.Over {
		if r.yes() {
			c.By[i] = r.index(b)
		}
	}
	for range r.count() {
		c.Also = append(c.Also, r.index(b))
	}
	return r.tried(b, r.err == nil && try(c))
}

// Frame is part of Guide.
func (r *reader) Frame(b *Engine, reps []Term, t Term) (int, []int) {
	if len(reps) == 0 {
		return -1, nil
	}
	at := r.next()
	if at < 0 || at > int64(len(reps)) {
		b.fail(r.fail("there is no frame %d", at))
	}
	if at == 0 || r.err != nil {
		b.fail(r.err)
		return -1, nil
	}
	order := make([]int, len(t.Over))
	for i := range order {
		order[i] = int(r.next())
	}
	b.fail(r.err)
	return int(at) - 1, order
}

// Step is part of Guide.
func (r *reader) Step(b *Engine, _ *Values) (s Step, ok bool) {
	if s.Kind = r.next(); s.Kind < StepDone || s.Kind > StepDrop {
		r.fail("%d is no step", s.Kind)
	}
	if s.Kind != StepDone {
		s.Max, s.I, s.J = int(r.next()), int(r.next()), int(r.next())
	}
	if s.Kind == StepDrop {
		s.Times = r.next()
		for range r.count() {
			p := Product{Times: r.next()}
			for range r.count() {
				p.Of = append(p.Of, r.next())
			}
			s.Combination = append(s.Combination, p)
		}
	}
	b.fail(r.err)
	return s, r.err == nil
}

// Try is part of Guide.
func (r *reader) Try(_ *Engine, f func() bool) bool {
	if !r.yes() {
		return false
	}
	if !f() {
		r.fail("what is tried does not hold")
	}
	return r.err == nil
}

func (r *reader) tried(b *Engine, ok bool) bool {
	if !ok {
		b.fail(r.fail("what is proposed does not hold"))
	}
	return ok
}

// Split is part of Splitter.
func (r *reader) Split(vars, _ []graph.Open) (graph.Open, int64, bool) {
	if !r.yes() {
		return graph.Open{}, 0, false
	}
	i := r.next()
	if i < 0 || i >= int64(len(vars)) {
		r.fail("there is no variable %d to split by", i)
		return graph.Open{}, 0, false
	}
	most := int64(0)
	if vars[i].Sort == "int" {
		if most = r.next(); most < 0 || most > MaxGroups {
			r.fail("%d groups at most", most)
		}
	}
	return vars[i], most, r.err == nil
}
