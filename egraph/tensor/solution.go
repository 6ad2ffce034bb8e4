package tensor

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law/rewrite"
)

// solution is what a match's symbols and shapes mean for a rule.
type solution struct {
	rule  *Rule
	syms  []uint32 // by step of the rule's target; nil: the rule does not apply
	bind  *graph.Substitution
	fns   map[string]string
	wants []rewrite.Cond // conditions that the goal has to grant
	// premise is what it has to grant besides, in a direction at least.
	premise []rewrite.Cond
	other   *solution // another solution for the same match, of a rule that guesses
	key     []uint32
	next    int32 // in the list of its hash, 0 is the end
}

// solutions is a hash table from (rule, symbols, shapes) to solutions.
type solutions struct {
	all []*solution // by number; 0 is none
	at  map[uint64]int32
}

// solution looks up, or finds, the solution for a rule and key: the symbols of
// the pattern's nodes followed by the shapes of its variables. It returns nil
// where the rule does not apply.
func (t *Table) solution(r *Rule, key []uint32) *solution {
	if s := r.last; s != nil && slices.Equal(s.key, key) { // often the shapes are all alike
		return s.usable()
	}
	if t.known.at == nil {
		t.known.at = map[uint64]int32{}
		t.known.all = append(t.known.all, nil)
	}
	h := uint64(r.id)
	for _, k := range key {
		h = (h ^ uint64(k)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	first := t.known.at[h]
	for i := first; i != 0; i = t.known.all[i].next {
		if s := t.known.all[i]; s.rule == r && slices.Equal(s.key, key) {
			r.last = s
			return s.usable()
		}
	}
	s := r.decide(key)
	if s == nil {
		s = &solution{rule: r}
	}
	s.key, s.next = slices.Clone(key), first
	t.known.at[h] = int32(len(t.known.all))
	t.known.all = append(t.known.all, s)
	r.last = s
	return s.usable()
}

func (s *solution) usable() *solution {
	if s.syms == nil {
		return nil
	}
	return s
}

// decide works out the solutions for a key, nil if there is none.
func (r *Rule) decide(key []uint32) *solution {
	d, s := r.dir, r.solver
	s.Reset()
	for i := range d.Nodes {
		if d.Nodes[i].Op != nil && !s.Node(&d.Nodes[i], r.tab.syms[key[i]].attrs) {
			return nil
		}
	}
	for i := range d.Vars {
		if !s.Var(d, i, r.tab.Shape(ShapeID(key[len(d.Nodes)+i]))) {
			return nil
		}
	}
	var first, last *solution
	s.Solve(d.Guess, func(s *rewrite.Solver) bool {
		sol := r.accept(s, key)
		switch {
		case sol == nil:
		case first == nil:
			first, last = sol, sol
		default:
			last.other, last = sol, sol
		}
		return true
	})
	return first
}

func (s *symbol) fnName() string {
	if s.kind == symOp {
		return graph.FunctionName(s.op, s.attrs)
	}
	return s.name
}

// accept is the solution that the solver found, nil if the law cannot be used so.
func (r *Rule) accept(s *rewrite.Solver, key []uint32) *solution {
	conds, premise, ok := s.Accept()
	if !ok {
		return nil
	}
	out := &solution{rule: r, bind: s.Substitution(), fns: map[string]string{}, wants: conds, premise: premise}
	sig := make([]uint32, len(r.dir.Law.Fns)) // by function variable: a symbol
	for i := range r.dir.Nodes {
		if n := &r.dir.Nodes[i]; n.Op == nil {
			out.fns[r.dir.Law.Fns[n.Fn].Name] = r.tab.syms[key[i]].fnName()
			sig[n.Fn] = key[i]
		}
	}
	if !r.typeTarget(s, sig, key, out) {
		return nil
	}
	return out
}

// typeTarget finds the target's symbols and checks that it is well-typed and
// has the shapes of the roots it is to be equal to.
func (r *Rule) typeTarget(s *rewrite.Solver, sig, key []uint32, out *solution) bool {
	t, d := r.tab, r.dir
	out.syms = make([]uint32, len(d.Steps))
	shapes := make([]ShapeID, len(d.Steps))
	shapeAt := func(ref int32) ShapeID {
		if ref < 0 {
			return ShapeID(key[len(d.Nodes)+int(^ref)])
		}
		return shapes[ref]
	}
	var args []ShapeID
	var attrs graph.Attrs
	for i := range d.Steps {
		st := &d.Steps[i]
		sym := uint32(0)
		if st.Op == nil {
			sym = sig[st.Fn]
		} else {
			var ok bool
			if attrs, ok = st.AttrsIn(s, nil); !ok {
				return false
			}
			var err error
			if sym, err = t.op(st.Op, attrs); err != nil {
				return false
			}
		}
		list := uint32(0)
		args = args[:0]
		for _, a := range st.Args {
			id := shapeAt(a)
			args = append(args, id)
			list = t.Push(list, uint32(id))
		}
		id, err := t.infer(sym, list, args)
		if err != nil {
			return false
		}
		out.syms[i], shapes[i] = sym, id
	}
	for i, ref := range d.Targets {
		root, ok := r.shapeOf(d.Roots[i], key)
		if !ok || shapeAt(ref) != root {
			return false
		}
	}
	return true
}

// shapeOf infers the shape of a node of the pattern from a key.
func (r *Rule) shapeOf(ref int32, key []uint32) (ShapeID, bool) {
	t := r.tab
	if ref < 0 {
		return ShapeID(key[len(r.dir.Nodes)+int(^ref)]), true
	}
	list := uint32(0)
	args := make([]ShapeID, 0, 2)
	for _, k := range r.dir.Nodes[ref].Kids {
		id, ok := r.shapeOf(k, key)
		if !ok {
			return 0, false
		}
		args = append(args, id)
		list = t.Push(list, uint32(id))
	}
	id, err := t.infer(key[ref], list, args)
	return id, err == nil
}
