package verify

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// EGraph is engine (b): it proves goals from laws in an e-graph.
//
// A goal's two sides are put into a graph of their own and the laws applied in
// rounds, each with more room than the one before, until the sides meet. The
// laws may be axioms, or any set of rules: then the answer is whether the goal
// is derivable from them. A verdict is Proved with a minimized proof, or
// Unknown; this engine refutes nothing.
//
// Goals do not share a graph: the 674 equations of TASO's verifier take 0.35 s
// apart, 0.7 s in graphs of four goals and 3.1 s in graphs of 64, since every
// law is then tried on all goals' terms until the last of them is decided. They
// share, in each goroutine, the table of what laws mean for symbols and shapes.
//
// Verdicts depend on the laws, the goal and Rounds alone, not on the other
// goals or on Workers, except that a context that ends leaves goals Unknown.
type EGraph struct {
	// Laws that may be used, with distinct names.
	Laws []*law.Law
	// Rounds of the search, in order; nil means DefaultRounds.
	Rounds []tensor.Limits
	// Either lets a goal written == be Proved by what is shown in one direction
	// only: such a verdict is a candidate, and the caller has to find out, by a
	// checker, what its proof shows. It serves to find one-way laws.
	Either bool
	// Workers is the number of goroutines; 0 means one for each processor.
	Workers int
	// Tables, if not nil, keep the compiled laws for other calls with the same laws.
	Tables *Tables
	// Progress, if not nil, is called after each goal, by several goroutines,
	// with the number of goals decided so far.
	Progress func(done int)
}

// DefaultRounds suit goals of up to about five operators a side.
var DefaultRounds = []tensor.Limits{
	{Nodes: 200, Iters: 4, Level: tensor.Shrinking},
	{Nodes: 400, Iters: 3, Level: tensor.Growing},
	{Nodes: 1500, Iters: 4, Level: tensor.Growing},
	{Nodes: 1600, Iters: 1, Level: tensor.Introducing},
	{Nodes: 4000, Iters: 4, Level: tensor.Growing},
}

// LemmaRounds suit single goals that are worth seconds.
var LemmaRounds = []tensor.Limits{
	{Nodes: 1000, Iters: 4, Level: tensor.Growing},
	{Nodes: 1500, Iters: 1, Level: tensor.Introducing},
	{Nodes: 8000, Iters: 4, Level: tensor.Growing},
	{Nodes: 10000, Iters: 1, Level: tensor.Introducing},
	{Nodes: 60000, Iters: 6, Level: tensor.Growing},
}

// tableLimit is the number of entries at which a worker's table is dropped.
const tableLimit = 200_000

// Name is "egraph".
func (p *EGraph) Name() string { return "egraph" }

// Prove decides each goal. The error says that a law cannot be used at all, or
// that two classes of different shapes were to be merged, which means that a
// law is false.
func (p *EGraph) Prove(ctx context.Context, goals []*law.Law) ([]Verdict, error) {
	byName := make(map[string]*law.Law, len(p.Laws))
	for _, l := range p.Laws {
		if byName[l.Name] != nil {
			return nil, fmt.Errorf("law %s: the name is used twice", l.Name)
		}
		byName[l.Name] = l
	}
	out := make([]Verdict, len(goals))
	workers := make([]*egraphWorker, parallel.Workers(p.Workers, len(goals)))
	var compiled rewrite.Cache // of the workers that are new
	var done atomic.Int64
	// Goals are not left out when ctx ends: they are Unknown then.
	err := parallel.Each(context.WithoutCancel(ctx), len(workers), len(goals), func(w, i int) (err error) {
		if workers[w] == nil {
			workers[w] = p.Tables.take(p, byName, &compiled)
		}
		if out[i], err = workers[w].prove(ctx, goals[i]); err != nil {
			return fmt.Errorf("goal %s: %w", goals[i].Name, err)
		}
		if n := done.Add(1); p.Progress != nil {
			p.Progress(int(n))
		}
		return nil
	})
	if err == nil {
		p.Tables.give(workers)
	}
	return out, err
}

// egraphWorker holds what one goroutine reuses from goal to goal.
type egraphWorker struct {
	cfg   *EGraph
	laws  map[string]*law.Law
	table *tensor.Table
	rules []*tensor.Rule // of the first laws of cfg
	graph *tensor.Graph
	min   *tensor.Minimizer
	cache *rewrite.Cache // of laws; nil: none

	compiled int // how many laws of cfg
}

// setUp compiles the laws that are new, or all of them into a new table when
// the old one has grown large.
func (w *egraphWorker) setUp() error {
	if w.table == nil || w.table.Len() >= tableLimit {
		w.table = tensor.NewTable()
		w.table.Compiled = w.cache
		w.rules, w.compiled = nil, 0
		w.graph = tensor.NewGraph(w.table)
		w.min = tensor.NewMinimizer(w.table)
	}
	for ; w.compiled < len(w.cfg.Laws); w.compiled++ {
		rules, _, err := w.table.Rules(w.cfg.Laws[w.compiled])
		if err != nil {
			return err
		}
		w.rules = append(w.rules, rules...)
	}
	return nil
}

// prove decides one goal.
func (w *egraphWorker) prove(ctx context.Context, goal *law.Law) (Verdict, error) {
	start := time.Now()
	v := Verdict{Engine: w.cfg.Name()}
	if err := w.setUp(); err != nil {
		return v, err
	}
	err := w.decide(ctx, goal, &v)
	v.Nodes = w.graph.E().Len()
	v.Seconds = time.Since(start).Seconds()
	return v, err
}

func (w *egraphWorker) decide(ctx context.Context, goal *law.Law, v *Verdict) error {
	g := w.graph
	g.Reset()
	pairs, err := addSides(g, goal)
	if err != nil {
		v.Reason, v.Stop = err.Error(), StopIllTyped
		return nil
	}
	if err := g.Assume(goal, w.cfg.Either); err != nil {
		v.Reason, v.Stop = err.Error(), StopIllTyped
		return nil
	}
	met := func() bool {
		for _, p := range pairs {
			if !g.E().Same(p.A, p.B) {
				return false
			}
		}
		return true
	}
	rounds := w.cfg.Rounds
	if rounds == nil {
		rounds = DefaultRounds
	}
	for _, lim := range rounds {
		stop, n, err := g.Run(ctx, w.rules, lim, met)
		v.Iters += n
		if err != nil {
			return err
		}
		v.Stop = stop
		if stop == tensor.StopDone || stop == tensor.StopDeadline {
			break
		}
	}
	if v.Stop != tensor.StopDone {
		v.Reason = "not derived: " + string(v.Stop)
		return nil
	}
	insts, err := g.Explain(pairs)
	if err != nil {
		return err
	}
	insts, err = w.min.Minimize(goal, insts, func(name string) *law.Law { return w.laws[name] })
	if err != nil {
		return fmt.Errorf("explanation: %w", err)
	}
	v.Status, v.Stop = Proved, ""
	v.Proof = &law.Proof{Instances: insts}
	return nil
}

// addSides adds a goal's terms; the pairs are to be equal.
func addSides(g *tensor.Graph, goal *law.Law) ([]egraph.Pair, error) {
	if len(goal.LHS) != len(goal.RHS) || len(goal.LHS) == 0 {
		return nil, fmt.Errorf("%d outputs on the left, %d on the right", len(goal.LHS), len(goal.RHS))
	}
	scope := tensor.ScopeOf(goal)
	var pairs []egraph.Pair
	for i := range goal.LHS {
		a, err := g.Add(goal.LHS[i], scope)
		if err != nil {
			return nil, fmt.Errorf("left side: %w", err)
		}
		b, err := g.Add(goal.RHS[i], scope)
		if err != nil {
			return nil, fmt.Errorf("right side: %w", err)
		}
		if x, y := g.Shape(a), g.Shape(b); !x.Equal(y) {
			return nil, fmt.Errorf("left side has shape %s, right side %s", x, y)
		}
		pairs = append(pairs, egraph.Pair{A: a, B: b})
	}
	return pairs, nil
}
