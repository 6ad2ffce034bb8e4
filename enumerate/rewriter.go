package enumerate

import (
	"errors"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// Matching proved rules against the terms of a store, in the case.

// rewrites are the directions of a proved law that terms of a store are rewritten
// with: those that say what the sizes are, of laws with one output. A store has no
// tensor that is known by its shape alone, so laws whose shapes are attributes
// with variables are left out.
func rewrites(l *law.Law) []*rewrite.Direction {
	if len(l.LHS) != 1 {
		return nil
	}
	for _, side := range [2][]*law.Term{l.LHS, l.RHS} {
		symbolic := false
		side[0].Walk(func(u *law.Term) {
			for _, v := range u.Attrs {
				if s, ok := v.Shape(); ok {
					_, concrete := s.Concrete()
					symbolic = symbolic || !concrete
				}
			}
		})
		if symbolic {
			return nil
		}
	}
	c, err := rewrite.Compile(l, rewrite.Derived)
	if err != nil {
		return nil
	}
	var out []*rewrite.Direction
	for _, d := range c.Directions {
		if !d.Bare && !d.Guess {
			out = append(out, d)
		}
	}
	return out
}

// rewriter matches a set of rules against the terms of one store.
type rewriter struct {
	s     *store
	index *rewrite.Index
	m     *rewrite.Matcher[tid]
	roots [1]tid
	found []tid
	known map[tid][]tid // what root found; a search meets most terms that others met
	yield func(*rewrite.Match[tid]) bool
}

func newRewriter(s *store, rules []*rewrite.Direction) *rewriter {
	w := &rewriter{s: s, index: rewrite.NewIndex(rules), m: rewrite.NewMatcher[tid](s), known: map[tid][]tid{}}
	apply := s.applyOp
	w.yield = func(x *rewrite.Match[tid]) bool {
		if ts, err := x.Build(apply); err == nil && ts[0] != w.roots[0] {
			w.found = append(w.found, ts[0])
		}
		return true
	}
	return w
}

// root appends to found what the rules make of t at its root, which is a.
func (w *rewriter) root(t tid, a *app, found []tid) []tid {
	if ts, ok := w.known[t]; ok {
		return append(found, ts...)
	}
	n := len(found)
	w.roots[0], w.found = t, found
	for _, d := range w.index.At(w.s.insts[a.inst].op, w.s.head(a.args[0]), w.s.head(a.args[1])) {
		w.m.Match(d, w.roots[:], w.yield)
	}
	if len(w.known) >= mostRoots {
		clear(w.known)
	}
	w.known[t] = slices.Clone(w.found[n:])
	return w.found
}

// mostRoots is how many terms a rewriter remembers the rewritings of.
const mostRoots = 1 << 15

func (s *store) head(t tid) *graph.Op {
	id := s.tensors[t].app
	if id == 0 {
		return nil
	}
	return s.insts[s.apps[id].inst].op
}

// Node is the application that t is an output of, for [rewrite.Host].
func (s *store) Node(t tid) (op *graph.Op, attrs graph.Attrs, fn string, args []tid, out int) {
	x := &s.tensors[t]
	if x.app == 0 {
		return nil, nil, "", nil, 0
	}
	a := &s.apps[x.app]
	in := &s.insts[a.inst]
	return in.op, in.attrs, "", a.args[:in.op.In], int(x.out)
}

// Shape is the shape of t, for [rewrite.Host].
func (s *store) Shape(t tid) graph.Shape { return s.symbolic[s.tensors[t].shape] }

// Defined says that all tensors of a store are defined: they have sizes, for
// [rewrite.Definite].
func (s *store) Defined(tid) bool { return true }

// errUnfit says that an application is not one of the store's.
var errUnfit = errors.New("does not fit")

// applyOp makes an application; it is a [rewrite.Apply].
func (s *store) applyOp(op *graph.Op, attrs graph.Attrs, _ string, args []tid, out int) (tid, error) {
	if op == nil || len(args) > 2 || len(attrs) > maxAttrs {
		return 0, errUnfit
	}
	key := instKey{op: op}
	for i, v := range attrs {
		d, isDim := v.Dim()
		if !isDim {
			key.attrs[i] = valueID(v)
			continue
		}
		n, _ := d.Const()
		if n < 0 || n >= int64(len(s.numbers)) {
			return 0, errUnfit
		}
		key.attrs[i] = s.number(n)
	}
	in, ok := s.instFor(key, len(attrs))
	if !ok {
		return 0, errUnfit
	}
	var ab [2]tid
	copy(ab[:], args)
	if op.Commutative && s.less(ab[1], ab[0]) {
		ab[0], ab[1] = ab[1], ab[0]
	}
	id := s.apply(in, ab[0], ab[1])
	if id == noApp || out >= len(s.apps[id].plan.outs) {
		return 0, errUnfit
	}
	return s.apps[id].outs[out], nil
}

// maxAttrs is the most attributes an operator has.
const maxAttrs = 6

// instKey identifies an operator instance by its attributes' identities.
type instKey struct {
	op    *graph.Op
	attrs [maxAttrs]uint32
}

// number is the identity of a number as an attribute.
func (s *store) number(n int64) uint32 {
	if s.numbers[n] == 0 {
		s.numbers[n] = valueID(graph.IntValue(n))
	}
	return s.numbers[n]
}

// instFor finds or makes an operator instance, also one that the universe does
// not have.
func (s *store) instFor(key instKey, attrs int) (uint16, bool) {
	if i, ok := s.instOf[key]; ok {
		return i, true
	}
	if len(s.insts) >= 1<<15 {
		return 0, false
	}
	list := make(graph.Attrs, attrs)
	for i := range list {
		list[i] = valueOf(key.attrs[i])
	}
	i := uint16(len(s.insts))
	s.insts = append(s.insts, newInst(key.op, list))
	s.instOf[key] = i
	return i, true
}
