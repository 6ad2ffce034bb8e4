package enumerate

import (
	"strings"

	"github.com/taso-go/taso/graph"
)

// heads is the operator of a term and those of its operands (nil: an input or
// none).
type heads struct{ op, a, b *graph.Op }

func (s *store) head(t tid) *graph.Op {
	id := s.tensors[t].app
	if id == 0 {
		return nil
	}
	return s.insts[s.apps[id].inst].op
}

// candidates lists the rules whose pattern fits the operators of an
// application and its operands.
func (w *rewriter) candidates(a *app) []*rewrite {
	h := heads{w.s.insts[a.inst].op, w.s.head(a.a), w.s.head(a.b)}
	list, ok := w.byHead[h]
	if !ok {
		for _, r := range w.rules[h.op] {
			p := r.from
			fits := len(p.args) == 0 || len(p.args) == 1 && p.args[0].fits(h.a) ||
				len(p.args) == 2 && (p.args[0].fits(h.a) && p.args[1].fits(h.b) ||
					p.op.Commutative && p.args[0].fits(h.b) && p.args[1].fits(h.a))
			if fits {
				list = append(list, r)
			}
		}
		w.byHead[h] = list
	}
	return list
}

func (p *pat) fits(head *graph.Op) bool { return p.op == nil || p.op == head }

// rewriter matches a set of rules against the terms of one store.
type rewriter struct {
	s      *store
	rules  map[*graph.Op][]*rewrite
	byHead map[heads][]*rewrite // of rules, those whose pattern fits these operators
	m      matcher
	keys   []string // instance keys
}

func newRewriter(s *store, rules map[*graph.Op][]*rewrite) *rewriter {
	w := &rewriter{s: s, rules: rules, byHead: map[heads][]*rewrite{}, m: matcher{s: s}}
	w.m.w = w
	return w
}

func (w *rewriter) key(in uint16) string {
	for len(w.keys) < len(w.s.insts) {
		w.keys = append(w.keys, w.s.insts[len(w.keys)].key())
	}
	return w.keys[in]
}

// compare is the term order: number of operators with repetition, then the
// root, then the operands. It is total, and a term gets smaller when a subterm
// does.
func (w *rewriter) compare(t, u tid) int {
	if t == u {
		return 0
	}
	if c := w.weight(t) - w.weight(u); c != 0 {
		return c
	}
	x, y := &w.s.tensors[t], &w.s.tensors[u]
	if x.app == 0 || y.app == 0 {
		if x.app == 0 && y.app == 0 {
			return int(x.input) - int(y.input)
		}
		if x.app == 0 {
			return -1
		}
		return 1
	}
	a, b := w.s.apps[x.app], w.s.apps[y.app]
	if a.inst != b.inst {
		return strings.Compare(w.key(a.inst), w.key(b.inst))
	}
	aa, ab := w.ordered(a)
	ba, bb := w.ordered(b)
	if c := w.compare(aa, ba); c != 0 {
		return c
	}
	if c := w.compare(ab, bb); c != 0 {
		return c
	}
	return int(x.out) - int(y.out)
}

func (w *rewriter) ordered(a app) (tid, tid) {
	if w.s.insts[a.inst].op.Commutative && w.compare(a.b, a.a) < 0 {
		return a.b, a.a
	}
	return a.a, a.b
}

func (w *rewriter) weight(t tid) int {
	x := &w.s.tensors[t]
	if x.app == 0 {
		return 0
	}
	a := w.s.apps[x.app]
	return 1 + w.weight(a.a) + w.weight(a.b)
}
