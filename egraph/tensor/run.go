package tensor

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/egraph"
)

// Limits bound a Run.
type Limits struct {
	// Nodes at which growth stops; 0 means none is allowed.
	Nodes int
	// Iters is the greatest number of rounds of search and application.
	Iters int
	// Level of the rules that may be used.
	Level Level
}

// matches bounds the matches that wait at one time, so that a law with very
// many of them cannot fill the memory before the nodes run out.
func (l Limits) matches() int { return 1000 + 4*l.Nodes }

// Why a Run stopped.
const (
	StopDone      = "done"      // the caller's test was met
	StopSaturated = "saturated" // no rule of the level changes anything
	StopNodes     = "nodes"     // as many nodes as allowed
	StopIters     = "iterations"
	StopDeadline  = "deadline" // the context ended
)

// found is a match that waits for its application.
type found struct {
	sol  *solution
	at   uint32 // in Graph.arena: roots, then variables
	seam uint32 // in Graph.seams, up to the next one's
	cost int32  // nodes the target lacks
}

// Run applies rules until done holds, a limit is met or nothing changes. In
// each round it first makes the equalities that need no new node, then those
// that need the fewest. The graph must not be searched with other rules before
// Reset. The error is a contradiction between shapes, which means that some law
// is false.
func (g *Graph) Run(ctx context.Context, rules []*Rule, lim Limits, done func() bool) (stop string, rounds int, err error) {
	if len(g.rules) == 0 {
		g.rules = rules
		g.since = append(g.since[:0], make([]uint32, len(rules))...)
		g.goalNodes = g.e.Len()
	}
	if err := g.e.Rebuild(); err != nil {
		return "", 0, fmt.Errorf("rebuild: %w", err)
	}
	for rounds < lim.Iters {
		if done() {
			return StopDone, rounds, nil
		}
		if ctx.Err() != nil {
			return StopDeadline, rounds, nil
		}
		rounds++
		over, err := g.search(lim)
		if err != nil {
			return "", rounds, err
		}
		full, changed, err := g.apply(lim, done)
		if err != nil {
			return "", rounds, err
		}
		full = full || over
		switch {
		case done():
			return StopDone, rounds, nil
		case full:
			clear(g.since) // what was left undone is to be found again
			return StopNodes, rounds, nil
		case !changed:
			return StopSaturated, rounds, nil
		}
	}
	return StopIters, rounds, nil
}

// isGoal says whether n is equal to a term that was added.
func (g *Graph) isGoal(n egraph.NodeID) bool {
	c := g.e.Find(n)
	return slices.Contains(g.goalClasses, c)
}

// search queues the matches that have news. over says that there were too many
// of them.
func (g *Graph) search(lim Limits) (over bool, err error) {
	g.queue, g.arena, g.seams = g.queue[:0], g.arena[:0], g.seams[:0]
	now := g.e.Advance()
	g.goalClasses = g.goalClasses[:0]
	if lim.Level == Introducing {
		for n := range g.goalNodes {
			if c := g.e.Find(egraph.NodeID(n + 1)); !slices.Contains(g.goalClasses, c) {
				g.goalClasses = append(g.goalClasses, c)
			}
		}
	}
	for i, r := range g.rules {
		if r.Level > lim.Level {
			continue
		}
		r.at = nil
		if r.Level == Introducing {
			r.at = g.isGoal
		}
		_, err := r.matcher.Search(&g.e.Graph, g.since[i], func(m *egraph.Match) bool {
			if over = len(g.queue) >= lim.matches(); over {
				return false
			}
			if r.Level != Introducing || r.at(m.Root(0)) {
				g.consider(r, m)
			}
			return true
		})
		if err != nil {
			return false, fmt.Errorf("law %s: search: %w", r.Law.Name, err)
		}
		if over {
			break
		}
		g.since[i] = now
	}
	return over, nil
}

// consider queues a match if its rule applies and tells something new.
func (g *Graph) consider(r *Rule, m *egraph.Match) {
	g.key = g.key[:0]
	for i := range r.nodes {
		g.key = append(g.key, g.e.Sym(m.Node(i)))
	}
	for i := range r.vars {
		g.key = append(g.key, uint32(g.e.NodeData(m.Var(i))))
	}
	for sol := g.tab.solution(r, g.key); sol != nil; sol = sol.other {
		if !g.facts.grant(sol) || !g.facts.enough(g.premised(r, sol, m.Var)) {
			continue
		}
		at := len(g.arena)
		for i := range r.targets {
			g.arena = append(g.arena, m.Root(i))
		}
		for i := range r.vars {
			g.arena = append(g.arena, m.Var(i))
		}
		cost, same := g.missing(r, sol, g.arena[at:])
		if same {
			g.arena = g.arena[:at]
			continue
		}
		g.queue = append(g.queue, found{sol: sol, at: uint32(at), seam: uint32(len(g.seams)), cost: cost})
		g.seams = m.Seams(&g.e.Graph, g.seams)
	}
}

// missing counts the target's nodes that are not in the graph, and says whether
// the targets are known to be equal to the roots.
func (g *Graph) missing(r *Rule, s *solution, nodes []egraph.NodeID) (cost int32, same bool) {
	vars := nodes[len(r.targets):]
	g.regs = g.regs[:0]
	for i := range r.steps {
		n := egraph.NodeID(0)
		if g.args(&r.steps[i], vars) {
			if k, ok := g.e.Lookup(s.syms[i], g.kids...); ok {
				n = k
			}
		}
		if n == 0 {
			cost++
		}
		g.regs = append(g.regs, n)
	}
	if cost > 0 {
		return cost, false
	}
	for i, ref := range r.targets {
		if !g.e.Same(nodes[i], g.ref(ref, vars)) {
			return 0, false
		}
	}
	return 0, true
}

// args fills g.kids with a step's arguments; false if one is missing.
func (g *Graph) args(st *step, vars []egraph.NodeID) bool {
	g.kids = g.kids[:0]
	for _, a := range st.args {
		n := g.ref(a, vars)
		if n == 0 {
			return false
		}
		g.kids = append(g.kids, n)
	}
	return true
}

func (g *Graph) ref(ref int32, vars []egraph.NodeID) egraph.NodeID {
	if ref < 0 {
		return vars[^ref]
	}
	return g.regs[ref]
}

// apply makes the queued equalities. full says that some were left undone for
// want of nodes.
func (g *Graph) apply(lim Limits, done func() bool) (full, changed bool, err error) {
	g.order = g.order[:0]
	for i := range g.queue {
		g.order = append(g.order, int32(i))
	}
	slices.SortStableFunc(g.order, func(a, b int32) int { return int(g.queue[a].cost - g.queue[b].cost) })
	done0 := int32(0)
	for _, i := range g.order {
		q := &g.queue[i]
		if q.cost != done0 { // all of the lesser cost are done
			done0 = q.cost
			if err := g.e.Rebuild(); err != nil {
				return full, changed, fmt.Errorf("rebuild: %w", err)
			}
			if done() {
				return full, true, nil
			}
		}
		// An earlier match may have told the same.
		r := q.sol.rule
		cost, same := g.missing(r, q.sol, g.arena[q.at:int(q.at)+len(r.targets)+len(r.vars)])
		if same {
			continue
		}
		if cost > 0 && g.e.Len() >= lim.Nodes {
			full = true
			break
		}
		end := len(g.seams)
		if int(i)+1 < len(g.queue) {
			end = int(g.queue[i+1].seam)
		}
		news, err := g.applyOne(q, g.seams[q.seam:end])
		if err != nil {
			return full, changed, err
		}
		changed = changed || news
	}
	if err := g.e.Rebuild(); err != nil {
		return full, changed, fmt.Errorf("rebuild: %w", err)
	}
	return full, changed, nil
}

// applyOne adds the target and unites it with the roots.
func (g *Graph) applyOne(q *found, seams []egraph.Pair) (changed bool, err error) {
	r := q.sol.rule
	nodes := g.arena[q.at : int(q.at)+len(r.targets)+len(r.vars)]
	vars := nodes[len(r.targets):]
	g.regs = g.regs[:0]
	for i := range r.steps {
		g.args(&r.steps[i], vars)
		// Exactly this node, not one congruent to it: explanations speak of it.
		n, err := g.e.Add(q.sol.syms[i], g.kids...)
		if err != nil {
			return changed, fmt.Errorf("law %s: add %s: %w", r.Law.Name, r.steps[i].name(), err)
		}
		g.regs = append(g.regs, n)
	}
	recorded := false
	for i, ref := range r.targets {
		to := g.ref(ref, vars)
		news, err := g.e.UnionBecause(nodes[i], to, egraph.Reason(len(g.insts)+1), seams)
		if err != nil {
			return changed, fmt.Errorf("law %s: %w", r.Law.Name, err)
		}
		recorded = recorded || news
	}
	if recorded {
		g.insts = append(g.insts, instance{q.sol, uint32(len(g.binds))})
		g.binds = append(g.binds, vars...)
	}
	return recorded, nil
}

func (s *step) name() string {
	if s.op == nil {
		return "a function"
	}
	return s.op.Name
}
