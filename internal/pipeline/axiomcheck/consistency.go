package axiomcheck

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/smt"
)

// pour are the bounds of the e-graph that all laws are poured into.
var pour = []tensor.Limits{
	{Nodes: 6000, Iters: 4, Level: tensor.Growing},
	{Nodes: 10000, Iters: 1, Level: tensor.Introducing},
	{Nodes: 40000, Iters: 4, Level: tensor.Growing},
}

// z3Steps bounds Z3's work on one pair, in its own steps.
const z3Steps = 1_000_000

// maxWrong bounds the pairs that are listed, of each kind.
const maxWrong = 8

func (r *run) consistency(ctx context.Context) (err error) {
	r.rep.Consistency, err = memo(r, Consistency, "", fmt.Sprint(version, sampleTerms, r.opt.Z3Pairs, r.lib.text), func() (*ConsistencyReport, error) {
		start := time.Now()
		rep := &ConsistencyReport{}
		s := newSamples()
		rep.Terms = len(s.all)
		for _, x := range s.all {
			if x.constant {
				rep.Constants++
			}
		}
		if err := r.saturate(ctx, s, rep); err != nil {
			return nil, err
		}
		if err := r.askZ3(ctx, s, rep); err != nil {
			return nil, err
		}
		rep.Seconds = time.Since(start).Seconds()
		return rep, nil
	})
	return err
}

// saturate puts all samples into one e-graph, applies all laws, and looks which
// samples met.
func (r *run) saturate(ctx context.Context, s *sampling, rep *ConsistencyReport) error {
	table := tensor.NewTable()
	var rules []*tensor.Rule
	for _, l := range r.lib.base() {
		rs, _, err := table.Rules(l)
		if err != nil {
			return err
		}
		rules = append(rules, rs...)
	}
	g := tensor.NewGraph(table)
	scope := tensor.ScopeOf(&law.Law{Given: s.given})
	nodes := make([]egraph.NodeID, len(s.all))
	for i, x := range s.all {
		var err error
		if nodes[i], err = g.Add(x.term, scope); err != nil {
			return err
		}
	}
	for _, lim := range pour {
		stop, _, err := g.Run(ctx, rules, lim, func() bool { return false })
		if err != nil {
			// Two shapes are to be one: no more can be asked of this graph.
			rep.Wrong = append(rep.Wrong, fmt.Sprintf("the laws make tensors of different shapes equal: %v", err))
			return nil
		}
		rep.Stop = stop
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	rep.Nodes = g.E().Len()
	for i, x := range s.all {
		for j, y := range s.all[:i] {
			if !x.fits(y) {
				continue
			}
			met := g.E().Same(nodes[i], nodes[j])
			switch {
			case x.same(y):
				if met {
					rep.Met++
				}
			default:
				rep.Pairs++
				if !met {
					continue
				}
				if rep.Merged++; rep.Merged <= maxWrong {
					rep.Wrong = append(rep.Wrong, explain(g, x.term, y.term, egraph.Pair{A: nodes[j], B: nodes[i]}))
				}
			}
		}
	}
	if rep.Merged > maxWrong {
		rep.Wrong = append(rep.Wrong, fmt.Sprintf("%d pairs become equal in all", rep.Merged))
	}
	return nil
}

// explain says by which laws two samples met.
func explain(g *tensor.Graph, x, y *law.Term, p egraph.Pair) string {
	text := fmt.Sprintf("%s and %s become equal", y, x)
	insts, err := g.Explain([]egraph.Pair{p})
	if err != nil {
		return text
	}
	return fmt.Sprintf("%s by %v", text, (&law.Proof{Instances: insts}).Laws())
}

// askZ3 asks Z3, with all laws quantified, to prove that samples are equal that
// are not. That it proves one would mean that the laws contradict themselves.
func (r *run) askZ3(ctx context.Context, s *sampling, rep *ConsistencyReport) error {
	var goals []*law.Law
	add := func(x, y *sample) {
		if len(goals) == r.opt.Z3Pairs {
			return
		}
		goals = append(goals, &law.Law{Kind: law.Rule, Name: fmt.Sprintf("pair_%d", len(goals)), Given: used(s.given, x.term, y.term),
			LHS: []*law.Term{x.term}, RHS: []*law.Term{y.term}})
	}
	// Variables of one shape, then constants, then terms beside what they are made
	// of, or beside whatever has their shape, a term of each operator first, so that all
	// operators are asked for.
	eachPair(s.all, func(x, y *sample) {
		if x.term.IsVar() && y.term.IsVar() {
			add(x, y)
		}
	})
	n := 0
	eachPair(s.all, func(x, y *sample) {
		if x.constant && y.constant && n < r.opt.Z3Pairs/4 {
			n++
			add(x, y)
		}
	})
	byTerm := map[*law.Term]*sample{}
	for _, x := range s.all {
		byTerm[x.term] = x
	}
	for _, y := range inTurn(s.all) {
		var near []*sample
		for _, a := range y.term.Args {
			near = append(near, byTerm[a])
		}
		for _, x := range slices.Concat(near, s.all) {
			if x.fits(y) && !x.same(y) && !(x.constant && y.constant) {
				add(x, y)
				break
			}
		}
	}
	vs, err := (&smt.Quantified{Laws: r.lib.base(), Steps: z3Steps}).Prove(ctx, goals)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	rep.Z3Pairs = len(goals)
	for i, v := range vs {
		rep.Z3Instances += v.Nodes
		if v.Status != verify.Proved {
			continue
		}
		if rep.Z3Proved++; rep.Z3Proved <= maxWrong {
			rep.Wrong = append(rep.Wrong, fmt.Sprintf("Z3 proves %s equal to %s", goals[i].LHS[0], goals[i].RHS[0]))
		}
	}
	return nil
}

// inTurn are the applications among samples, those of the operators taking turns, the
// last one of each first, which has most other samples in it.
func inTurn(all []*sample) []*sample {
	var ops []*graph.Op
	by := map[*graph.Op][]*sample{}
	for _, x := range slices.Backward(all) {
		if op := x.term.Op; op != nil {
			if by[op] == nil {
				ops = append(ops, op)
			}
			by[op] = append(by[op], x)
		}
	}
	var out []*sample
	for round, more := 0, true; more; round++ {
		more = false
		for _, op := range ops {
			if round < len(by[op]) {
				out, more = append(out, by[op][round]), true
			}
		}
	}
	return out
}

// eachPair calls f for the pairs of one shape whose values differ.
func eachPair(all []*sample, f func(x, y *sample)) {
	for i, y := range all {
		for _, x := range all[:i] {
			if x.fits(y) && !x.same(y) {
				f(x, y)
			}
		}
	}
}

// used are the bindings of the variables in terms.
func used(given []law.Declaration, ts ...*law.Term) []law.Declaration {
	in := map[string]bool{}
	for _, v := range law.Vars(ts...) {
		in[v] = true
	}
	var out []law.Declaration
	for _, b := range given {
		if in[b.Name] {
			out = append(out, b)
		}
	}
	return out
}
