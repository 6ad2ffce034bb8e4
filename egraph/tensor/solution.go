package tensor

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// solution is what a match's symbols and shapes mean for a rule.
type solution struct {
	rule  *Rule
	syms  []uint32 // by step of the rule's target; nil: the rule does not apply
	bind  graph.Binding
	fns   map[string]string
	wants []want // conditions that the goal has to grant
	// premise is what it has to grant besides, in a direction at least.
	premise []want
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
	return s.usable()
}

func (s *solution) usable() *solution {
	if s.syms == nil {
		return nil
	}
	return s
}

// maxGuesses bounds the solutions tried for one match.
const maxGuesses = 16

// decide works out the solutions for a key, nil if there is none.
func (r *Rule) decide(key []uint32) *solution {
	s := newSolver()
	fns := map[string]string{}
	sig := make([]uint32, len(r.names.fns))
	for i := range r.nodes {
		pn, sym := &r.nodes[i], &r.tab.syms[key[i]]
		if pn.op == nil {
			fns[r.names.fns[pn.fn]] = sym.fnName()
			sig[pn.fn] = key[i]
			continue
		}
		for j, v := range pn.attrs {
			if !s.value(v, sym.attrs[j]) {
				return nil
			}
		}
	}
	for i, g := range r.given {
		s.shapes = append(s.shapes, shapeEq{g, r.tab.shapes[key[len(r.nodes)+i]]})
	}
	if !s.propagate() {
		return nil
	}
	var first, last *solution
	n := 0
	s.each(r.guess, func(s *solver) bool {
		sol := r.accept(s, fns, sig, key)
		if sol != nil {
			if first == nil {
				first = sol
			} else {
				last.other = sol
			}
			last = sol
		}
		n++
		return n < maxGuesses
	})
	return first
}

func (s *symbol) fnName() string {
	if s.kind == symOp {
		return graph.FunctionName(s.op, s.attrs)
	}
	return s.name
}

// each yields the solved forms of s: itself if it is solved, or, with guess,
// one for each way to say which axes a run stands for, and to cut a size c that
// has to be ?a+?b into two parts made of c's own terms. It reports false when
// yield did.
func (s *solver) each(guess bool, yield func(*solver) bool) bool {
	if s.solved() {
		return yield(s)
	}
	if !guess {
		return true
	}
	for _, e := range s.shapes {
		run := e.pattern[0].Run // all before it was taken off
		for n := range e.actual {
			t := s.clone()
			if t.bindRun(run, e.actual[:n]) && t.propagate() && !t.each(guess, yield) {
				return false
			}
		}
		return true
	}
	for _, e := range s.dims {
		a, ok := s.cutVar(e)
		if !ok {
			continue
		}
		for _, part := range parts(e.actual) {
			t := s.clone()
			t.b.Dims[a] = part
			if t.propagate() && !t.each(guess, yield) {
				return false
			}
		}
		return true
	}
	return true
}

// cutVar says whether e is ?a + ?b = c, and returns a.
func (s *solver) cutVar(e dimEq) (string, bool) {
	terms, c := s.subst(e.pattern).Terms()
	if len(terms) != 2 || c != 0 {
		return "", false
	}
	for _, t := range terms {
		if t.Coef != 1 || len(t.Atoms) != 1 || t.Atoms[0].Kind != graph.AtomVar || !marked(t.Atoms[0].Name) {
			return "", false
		}
	}
	return terms[0].Atoms[0].Name, true
}

// parts lists the sums of some, not all, of the terms of a size. A coefficient
// of two or three counts as that many terms; of a size with more than four
// terms, only the first four are moved about.
func parts(d graph.Dim) []graph.Dim {
	terms, c := d.Terms()
	var pieces []graph.Dim
	for _, t := range terms {
		if t.Coef < 1 {
			return nil
		}
		for i := int64(0); i < t.Coef && i < 4; i++ {
			one := graph.Term{Coef: 1, Atoms: t.Atoms}
			if i == 3 {
				one.Coef = t.Coef - 3
			}
			pieces = append(pieces, termDim(one))
		}
	}
	if c != 0 {
		pieces = append(pieces, graph.Int(c))
	}
	if len(pieces) > 4 {
		pieces = pieces[:4]
	}
	seen := map[graph.Dim]bool{}
	var out []graph.Dim
	for set := 1; set < 1<<len(pieces); set++ {
		sum := graph.Int(0)
		for i, p := range pieces {
			if set>>i&1 == 1 {
				sum = sum.Add(p)
			}
		}
		if sum != d && !seen[sum] {
			seen[sum] = true
			out = append(out, sum)
		}
	}
	return out
}

func (s *solver) clone() *solver {
	t := newSolver()
	for k, v := range s.b.Dims {
		t.b.Dims[k] = v
	}
	for k, v := range s.b.Runs {
		t.b.Runs[k] = v
	}
	for k, v := range s.b.Attrs {
		t.b.Attrs[k] = v
	}
	for k, v := range s.runLen {
		t.runLen[k] = v
	}
	t.dims = append(t.dims, s.dims...)
	t.shapes = append(t.shapes, s.shapes...)
	return t
}

// accept checks everything that a solution has to satisfy, the equations that
// were solved once more among them.
func (r *Rule) accept(s *solver, fns map[string]string, sig, key []uint32) *solution {
	n := r.names
	out := &solution{rule: r, fns: fns, bind: graph.Binding{Dims: map[string]graph.Dim{},
		Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}}}
	for _, v := range n.dims {
		d, ok := s.b.Dims[mark+v]
		if !ok || dimUnknown(d) || !r.positive(d, key, out) {
			return nil
		}
		out.bind.Dims[v] = d
	}
	for _, v := range n.runs {
		items, ok := s.b.Runs[mark+v]
		if want, known := s.runLen[mark+v]; !ok || known && items.Rank() != want {
			return nil
		}
		for _, it := range items {
			if it.Run == "" && !r.positive(it.Dim, key, out) {
				return nil
			}
		}
		out.bind.Runs[v] = items
	}
	for _, v := range n.attrs {
		a, ok := s.b.Attrs[mark+v]
		if !ok {
			return nil
		}
		out.bind.Attrs[v] = a
	}
	for i := range r.nodes {
		if r.nodes[i].op == nil {
			continue
		}
		for j, v := range r.nodes[i].attrs {
			if !isValue(v, &s.b, r.tab.syms[key[i]].attrs[j]) {
				return nil
			}
		}
	}
	for i, g := range r.given {
		if !isInstance(g, &s.b, r.tab.shapes[key[len(r.nodes)+i]]) {
			return nil
		}
	}
	for i, p := range r.where {
		holds, decided := p.Holds(&s.b)
		if decided && !holds {
			return nil
		}
		if !decided {
			out.wants = append(out.wants, wantPred(substPred(r.Law.Where[i], &out.bind)))
		}
	}
	for _, w := range r.needs {
		ws, ok := w.subst(&s.b)
		if !ok {
			return nil
		}
		out.premise = append(out.premise, ws...)
	}
	if !r.typeTarget(s, sig, key, out) {
		return nil
	}
	return out
}

func substPred(p law.Pred, b *graph.Binding) law.Pred {
	q := law.Pred{Left: p.Left.Subst(b), Rel: p.Rel, Right: p.Right.Subst(b)}
	if p.Mod != nil {
		m := p.Mod.Subst(b)
		q.Mod = &m
	}
	return q
}

// typeTarget finds the target's symbols and checks that it is well-typed and
// has the shapes of the roots it is to be equal to.
func (r *Rule) typeTarget(s *solver, sig, key []uint32, out *solution) bool {
	t := r.tab
	out.syms = make([]uint32, len(r.steps))
	shapes := make([]ShapeID, len(r.steps))
	shapeAt := func(ref int32) ShapeID {
		if ref < 0 {
			return ShapeID(key[len(r.nodes)+int(^ref)])
		}
		return shapes[ref]
	}
	var args []ShapeID
	for i := range r.steps {
		st := &r.steps[i]
		sym := uint32(0)
		if st.op == nil {
			sym = sig[st.fn]
		} else {
			var err error
			if sym, err = t.op(st.op, st.attrs.Subst(&s.b)); err != nil {
				return false
			}
		}
		list := uint32(0)
		args = args[:0]
		for _, a := range st.args {
			id := shapeAt(a)
			args = append(args, id)
			list = t.push(list, uint32(id))
		}
		id, err := t.infer(sym, list, args)
		if err != nil {
			return false
		}
		out.syms[i], shapes[i] = sym, id
	}
	roots, ok := r.rootShapes(key)
	if !ok {
		return false
	}
	for i, ref := range r.targets {
		if shapeAt(ref) != roots[i] {
			return false
		}
	}
	return true
}

// rootShapes infers the shapes of the pattern's roots from a key.
func (r *Rule) rootShapes(key []uint32) ([]ShapeID, bool) {
	t := r.tab
	var out []ShapeID
	for _, ref := range r.roots {
		id, ok := r.shapeOf(ref, key, t)
		if !ok {
			return nil, false
		}
		out = append(out, id)
	}
	return out, true
}

func (r *Rule) shapeOf(ref int32, key []uint32, t *Table) (ShapeID, bool) {
	if ref < 0 {
		return ShapeID(key[len(r.nodes)+int(^ref)]), true
	}
	list := uint32(0)
	args := make([]ShapeID, 0, 2)
	for _, k := range r.nodes[ref].kids {
		id, ok := r.shapeOf(k, key, t)
		if !ok {
			return 0, false
		}
		args = append(args, id)
		list = t.push(list, uint32(id))
	}
	id, err := t.infer(key[ref], list, args)
	return id, err == nil
}

// determined says whether a match tells all sizes: it solves the law's own
// equations, with the law's variables in the place of a goal's. If not, it says
// whether guessing may help.
func (r *Rule) determined() (yes, guessable bool) {
	b := &graph.Binding{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}}
	n := r.names
	for _, v := range n.dims {
		b.Dims[mark+v] = graph.Var(v)
	}
	for _, v := range n.runs {
		b.Runs[mark+v] = graph.Shape{graph.Run(v)}
	}
	for _, v := range n.attrs {
		b.Attrs[mark+v] = graph.VarValue(v, n.sort[v])
	}
	s := newSolver()
	for i := range r.nodes {
		for _, v := range r.nodes[i].attrs {
			if !s.value(v, v.Subst(b)) {
				return false, false
			}
		}
	}
	for _, g := range r.given {
		s.shapes = append(s.shapes, shapeEq{g, g.Subst(b)})
	}
	if !s.propagate() {
		return false, false
	}
	all := func(s *solver) bool {
		for _, v := range n.dims {
			if _, ok := s.b.Dims[mark+v]; !ok {
				return false
			}
		}
		for _, v := range n.runs {
			if _, ok := s.b.Runs[mark+v]; !ok {
				return false
			}
		}
		return true
	}
	if s.solved() {
		return all(s), false
	}
	s.each(true, func(t *solver) bool {
		guessable = all(t)
		return !guessable
	})
	return false, guessable
}
