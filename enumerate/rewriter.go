package enumerate

import "github.com/taso-go/taso/graph"

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
}

func newRewriter(s *store, rules map[*graph.Op][]*rewrite) *rewriter {
	return &rewriter{s: s, rules: rules, byHead: map[heads][]*rewrite{}, m: matcher{s: s}}
}
