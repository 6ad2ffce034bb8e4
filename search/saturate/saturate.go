package saturate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/search"
)

// Run rewrites a network into what extraction finds in e-graphs of its parts, each
// different part once, and notes the law instances that show it. The network is
// changed only where the result is better; if the context ends, what is found by
// then is used, and Stats say so.
//
// An error is a law that is ill-formed or refuted, or two tensors of different types
// that laws make equal, which means that a law is false: the network may be used no
// further then.
func Run(ctx context.Context, n *search.Network, o Options) (*Stats, error) {
	s, err := newSolver(&o)
	if err != nil {
		return nil, err
	}
	for _, r := range s.rules {
		n.Swap(r.Direction())
	}
	total := &Stats{Uses: map[string]int{}}
	most := o.part()
	for pass := range o.passes() {
		most = o.part() << pass
		st, changed, err := s.improve(ctx, n, most, false)
		if err != nil {
			return nil, err
		}
		total.add(st)
		total.After = st.After
		if pass == 0 {
			total.Parts, total.Pieces, total.Before, total.First, total.Bound = st.Parts, st.Pieces, st.Before, st.After, st.Bound
		}
		total.Passes++
		if !changed || ctx.Err() != nil {
			break
		}
	}
	// Small changes come last: what they take away may be what a merge begins with. They are
	// not in After, which Bound is compared with.
	st, _, err := s.improve(ctx, n, most, true)
	if err != nil {
		return nil, err
	}
	for name, k := range st.Uses {
		total.Uses[name] += k
	}
	return total, nil
}

// improve cuts a network into parts of at most so many nodes, where they can be cut,
// and replaces each by the best that is found for its piece.
// small: also by what is little better.
func (s *solver) improve(ctx context.Context, n *search.Network, most int, small bool) (total *Stats, changed bool, err error) {
	total = &Stats{Uses: map[string]int{}}
	dtype, ok := mainType(n.Net)
	if !ok {
		return total, false, nil
	}
	c := &cutter{net: n.Net, dtype: dtype, most: most, cross: s.plan.crossing}
	parts := c.parts(s.ps)
	total.Parts = len(parts)
	seen, best := map[int]bool{}, map[int]*alternative{}
	for i := range parts {
		k := parts[i].piece
		if seen[k] {
			continue
		}
		seen[k] = true
		total.Pieces++
		for len(s.done) <= k {
			s.done = append(s.done, nil)
		}
		if s.done[k] == nil {
			if s.done[k], err = s.solve(ctx, s.ps.all[k]); err != nil {
				return nil, false, err
			}
			total.add(&s.done[k].stats)
		}
		if best[k], err = s.choose(s.ps.all[k], s.done[k], small); err != nil {
			return nil, false, err
		}
	}
	// Later parts first: the inputs of a part are replaced after it was read.
	for i := len(parts) - 1; i >= 0; i-- {
		st := &s.done[parts[i].piece].stats
		total.Before, total.After, total.Bound = total.Before+st.Before, total.After+st.After, total.Bound+st.Bound
		if a := best[parts[i].piece]; a != nil {
			changed = true
			if err := put(n, &parts[i], a, s.laws); err != nil {
				return nil, false, err
			}
		}
	}
	return total, changed, nil
}

// choose is the alternative to be used, a small one only if small is set; nil if what is
// there is best.
func (s *solver) choose(pc *piece, sv *solved, small bool) (*alternative, error) {
	score := func(a *alternative) (int64, error) {
		p := pc
		switch {
		case s.opts.Score == nil && a == nil:
			return math.MaxInt64, nil
		case s.opts.Score == nil:
			return a.cost, nil
		case a != nil:
			p = a.piece
		}
		g, err := p.graph()
		if err != nil {
			return 0, err
		}
		return s.opts.Score(g)
	}
	var best *alternative
	least := int64(-1)
	for i := range sv.best {
		if sv.best[i].small && !small {
			continue
		}
		if least < 0 {
			var err error
			if least, err = score(nil); err != nil {
				return nil, fmt.Errorf("score: %w", err)
			}
		}
		c, err := score(&sv.best[i])
		if err != nil {
			return nil, fmt.Errorf("score: %w", err)
		}
		if c < least {
			best, least = &sv.best[i], c
		}
	}
	return best, nil
}

// put replaces a part by an alternative.
func put(n *search.Network, p *part, a *alternative, laws map[string]*law.Law) error {
	tensors := map[string]*law.Term{}
	for i, t := range p.inputs {
		tensors[inputName(i)] = n.Term(t)
	}
	insts := make([]law.Instance, len(a.insts))
	rename := renamer(tensors)
	for i := range a.insts {
		insts[i] = a.insts[i]
		insts[i].Tensors = map[string]*law.Term{}
		for name, t := range a.insts[i].Tensors {
			insts[i].Tensors[name] = rename(t)
		}
	}
	nodes := make([]bank.Tensor, len(a.piece.nodes))
	at := func(r ref) bank.Tensor {
		if r < 0 {
			return p.inputs[^r]
		}
		return nodes[r]
	}
	for i := range a.piece.nodes {
		x := &a.piece.nodes[i]
		args := make([]bank.Tensor, len(x.args))
		for k, r := range x.args {
			args[k] = at(r)
		}
		m, err := n.Apply(x.op, x.attrs, a.piece.dtype, args...)
		if err != nil {
			return fmt.Errorf("build %s: %w", x.op.Name, err)
		}
		nodes[i] = n.Net.Out(m, 0)
	}
	to := make([]bank.Tensor, len(p.outputs))
	for i, r := range a.piece.outputs {
		to[i] = at(r)
	}
	if err := n.Add(insts, laws); err != nil {
		return err
	}
	return replace(n, p.outputs, to)
}

// replace replaces tensors by others, one by one where that cannot be done at once:
// what was kept within a kernel may be computed from a tensor that is replaced. Each
// replacement is right by itself, so one that would close a cycle is left out.
func replace(n *search.Network, old, now []bank.Tensor) error {
	var from, to []bank.Tensor
	for i := range old {
		if old[i] != now[i] {
			from, to = append(from, old[i]), append(to, now[i])
		}
	}
	err := n.Replace(from, to)
	if !errors.Is(err, bank.ErrCycle) {
		return err
	}
	for i := len(from) - 1; i >= 0; i-- {
		if err := n.Replace(from[i:i+1], to[i:i+1]); err != nil && !errors.Is(err, bank.ErrCycle) {
			return err
		}
	}
	return nil
}

// renamer replaces variables in terms that share subterms.
func renamer(tensors map[string]*law.Term) func(*law.Term) *law.Term {
	memo := map[*law.Term]*law.Term{}
	var rec func(t *law.Term) *law.Term
	rec = func(t *law.Term) *law.Term {
		if u, ok := memo[t]; ok {
			return u
		}
		var u *law.Term
		if t.IsVar() {
			u = tensors[t.Var]
		} else {
			v := *t
			v.Args = make([]*law.Term, len(t.Args))
			for i, x := range t.Args {
				v.Args[i] = rec(x)
			}
			u = &v
		}
		memo[t] = u
		return u
	}
	return rec
}

// add adds what one piece took.
func (s *Stats) add(p *Stats) {
	s.Classes, s.Nodes, s.Iterations = s.Classes+p.Classes, s.Nodes+p.Nodes, s.Iterations+p.Iterations
	s.Bytes = max(s.Bytes, p.Bytes)
	for name, k := range p.Uses {
		s.Uses[name] += k
	}
	if rank[p.Stop] > rank[s.Stop] {
		s.Stop = p.Stop
	}
}

// rank orders the reasons to stop: the one that says most of what is missing last.
var rank = map[tensor.Stop]int{tensor.StopSaturated: 1, tensor.StopIters: 2, tensor.StopNodes: 3, tensor.StopDeadline: 4}
