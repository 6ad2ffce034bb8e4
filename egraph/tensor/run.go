package tensor

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/law/rewrite"
)

// Limits bound a Run.
type Limits struct {
	// Nodes at which growth stops; 0 means none is allowed.
	Nodes int
	// Iters is the greatest number of rounds of search and application.
	Iters int
	// Level of the rules that may be used.
	Level Level
	// Schedule decides besides which rules are used where; nil: all, everywhere.
	Schedule Schedule
}

// Schedule decides in a Run which rules get turns, and which of their matches are
// used. It must decide from what it is told alone, so that runs repeat.
type Schedule interface {
	// Turn is asked before a rule searches: the greatest number of matches that it
	// may queue. With 0 it does not search, and what it would have found waits.
	Turn(r *Rule) int
	// Use is asked of each match that tells something new, with the nodes of the
	// roots and of the variables of the rule's direction and the number of nodes
	// that it would add. What is not used is not found again while it stays as it is.
	Use(r *Rule, roots, vars []egraph.NodeID, cost int) bool
	// Over is told that a rule had more matches than its turn allowed: none of
	// them is used, and all will be found at its next turn.
	Over(r *Rule)
	// Round is told that a round ended; waiting says that another may find
	// something although this one did not.
	Round(changed bool) (waiting bool)
}

// matches bounds the matches that wait at one time, so that a law with very
// many of them cannot fill the memory before the nodes run out.
func (l Limits) matches() int { return 1000 + 4*l.Nodes }

// Stop is why a Run, or a prover's search, ended.
type Stop string

// The reasons of a Run. Only StopSaturated says that the rules have nothing to
// add.
const (
	StopDone      Stop = "done"      // the caller's test was met
	StopSaturated Stop = "saturated" // no rule of the level changes anything
	StopNodes     Stop = "nodes"     // as many nodes as allowed
	StopIters     Stop = "iterations"
	StopDeadline  Stop = "deadline" // the context ended
)

// found is a match that waits for its application.
type found struct {
	sol  *solution
	rule int32  // its index in Graph.rules
	nth  int32  // of its rule's matches in the queue
	at   uint32 // in Graph.arena: roots, then variables
	seam uint32 // in Graph.seams, up to the next one's
	cost int32  // nodes the target lacks
}

// Run applies rules until done holds, a limit is met or nothing changes. Each
// round gives every rule one turn. The graph must not be searched with other
// rules before Reset. The error is a contradiction between shapes, which means
// that some law is false.
func (g *Graph) Run(ctx context.Context, rules []*Rule, lim Limits, done func() bool) (stop Stop, rounds int, err error) {
	if len(g.rules) == 0 {
		g.rules = rules
		g.since = append(g.since[:0], make([]uint32, len(rules))...)
		g.before = append(g.before[:0], make([]uint32, len(rules))...)
		g.first = 0
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
		full, more, err := g.round(ctx, lim, done)
		switch {
		case err != nil:
			return "", rounds, err
		case done():
			return StopDone, rounds, nil
		case ctx.Err() != nil:
			return StopDeadline, rounds, nil
		case full:
			return StopNodes, rounds, nil
		case !more:
			return StopSaturated, rounds, nil
		}
	}
	return StopIters, rounds, nil
}

// round gives every rule a turn: matches are queued until the queue is full or
// all rules have had theirs, the queue is worked off, and then the rules that
// are left get theirs. full says that the nodes ran out: then what needs none is
// still done, what was left undone will be found again, and the next round begins
// with the rules that found no room. more says that another round may find
// something.
func (g *Graph) round(ctx context.Context, lim Limits, done func() bool) (full, more bool, err error) {
	first := g.first
	for turns := 0; turns < len(g.rules) && ctx.Err() == nil && !done(); {
		next, rest, err := g.search(ctx, lim, first, turns)
		if err != nil {
			return false, false, err
		}
		over, changed, err := g.apply(lim, done)
		if err != nil {
			return false, false, err
		}
		if over && !full {
			g.first = (first + next) % len(g.rules)
		}
		full, more, turns = full || over, more || rest || changed, next
	}
	if s := lim.Schedule; s != nil && s.Round(more) {
		more = true
	}
	return full, more, nil
}

// isGoal says whether n is equal to a term that was added.
func (g *Graph) isGoal(n egraph.NodeID) bool {
	c := g.e.Find(n)
	return slices.Contains(g.goalClasses, c)
}

// search queues the matches that have news, of the rules that had no turn in
// this round, as many as fit into the queue; turns counts the rules that had
// theirs, from the first. A rule whose matches fill what others left of the queue waits for the
// next one. rest says that a rule has more matches than a whole queue holds: they
// wait for its next turn, behind all other rules.
func (g *Graph) search(ctx context.Context, lim Limits, first, turns int) (next int, rest bool, err error) {
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
	for ; turns < len(g.rules) && ctx.Err() == nil; turns++ {
		i := (first + turns) % len(g.rules)
		r := g.rules[i]
		if r.Level > lim.Level {
			continue
		}
		r.at = nil
		if r.Level == Introducing {
			r.at = g.isGoal
		}
		queue, arena, seams := len(g.queue), len(g.arena), len(g.seams)
		over, turn := false, lim.matches()
		if lim.Schedule != nil {
			if turn = lim.Schedule.Turn(r); turn == 0 {
				continue
			}
		}
		_, err := r.matcher.Search(g.e, g.since[i], func(m *egraph.Match) bool {
			if over = len(g.queue) >= lim.matches() || lim.Schedule != nil && len(g.queue)-queue > turn; over {
				return false
			}
			if r.Level != Introducing || r.at(m.Root(0)) {
				g.consider(r, m, lim.Schedule)
			}
			return true
		})
		if err != nil {
			return turns, false, fmt.Errorf("law %s: search: %w", r.Law.Name, err)
		}
		if lim.Schedule != nil && len(g.queue)-queue > turn {
			g.queue, g.arena, g.seams = g.queue[:queue], g.arena[:arena], g.seams[:seams]
			lim.Schedule.Over(r)
			continue
		}
		if over && queue > 0 {
			g.queue, g.arena, g.seams = g.queue[:queue], g.arena[:arena], g.seams[:seams]
			return turns, false, nil
		}
		for k := queue; k < len(g.queue); k++ {
			g.queue[k].rule, g.queue[k].nth = int32(i), int32(k-queue)
		}
		g.before[i] = g.since[i]
		if over {
			return turns + 1, true, nil
		}
		g.since[i] = now
	}
	return turns, false, nil
}

// consider queues a match if its rule applies and tells something new.
func (g *Graph) consider(r *Rule, m *egraph.Match, s Schedule) {
	g.key = g.key[:0]
	for i := range r.dir.Nodes {
		g.key = append(g.key, g.e.Sym(m.Node(i)))
	}
	for i := range r.dir.Vars {
		g.key = append(g.key, g.e.Type(m.Var(i)))
	}
	for sol := g.tab.solution(r, g.key); sol != nil; sol = sol.other {
		if !g.facts.grant(sol) || !g.facts.enough(g.premised(r, sol, m.Var)) {
			continue
		}
		at := len(g.arena)
		for i := range r.dir.Targets {
			g.arena = append(g.arena, m.Root(i))
		}
		for i := range r.dir.Vars {
			g.arena = append(g.arena, m.Var(i))
		}
		cost, same := g.missing(r, sol, g.arena[at:])
		if same || s != nil && !s.Use(r, g.arena[at:at+len(r.dir.Targets)], g.arena[at+len(r.dir.Targets):], int(cost)) {
			g.arena = g.arena[:at]
			continue
		}
		g.queue = append(g.queue, found{sol: sol, at: uint32(at), seam: uint32(len(g.seams)), cost: cost})
		g.seams = m.Seams(g.e, g.seams)
	}
}

// missing counts the target's nodes that are not in the graph, and says whether
// the targets are known to be equal to the roots.
func (g *Graph) missing(r *Rule, s *solution, nodes []egraph.NodeID) (cost int32, same bool) {
	vars := nodes[len(r.dir.Targets):]
	g.regs = g.regs[:0]
	clean := g.e.Clean()
	for i := range r.dir.Steps {
		n := egraph.NodeID(0)
		if g.args(&r.dir.Steps[i], vars) {
			if clean { // every node is found by its canonical form, in one look-up
				for j, k := range g.kids {
					g.kids[j] = egraph.NodeID(g.e.Find(k))
				}
			}
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
	for i, ref := range r.dir.Targets {
		if !g.e.Same(nodes[i], g.ref(ref, vars)) {
			return 0, false
		}
	}
	return 0, true
}

// args fills g.kids with a step's arguments; false if one is missing.
func (g *Graph) args(st *rewrite.Step, vars []egraph.NodeID) bool {
	g.kids = g.kids[:0]
	for _, a := range st.Args {
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

// apply makes the queued equalities: first those that need no new node, then
// those that need the fewest, and of these the rules' first matches before their
// second ones. full says that some were left undone for want of nodes.
func (g *Graph) apply(lim Limits, done func() bool) (full, changed bool, err error) {
	g.sortQueue()
	done0 := int32(0)
	for k, i := range g.order {
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
		cost, same := g.missing(r, q.sol, g.arena[q.at:int(q.at)+len(r.dir.Targets)+len(r.dir.Vars)])
		if same {
			continue
		}
		if cost > 0 && g.e.Len() >= lim.Nodes {
			full = true
			for _, j := range g.order[k:] { // to be found again
				left := g.queue[j].rule
				g.since[left] = g.before[left]
			}
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
	nodes := g.arena[q.at : int(q.at)+len(r.dir.Targets)+len(r.dir.Vars)]
	vars := nodes[len(r.dir.Targets):]
	g.regs = g.regs[:0]
	for i := range r.dir.Steps {
		g.args(&r.dir.Steps[i], vars)
		// Exactly this node, not one congruent to it: explanations speak of it.
		n, err := g.e.Add(q.sol.syms[i], g.kids...)
		if err != nil {
			return changed, fmt.Errorf("law %s: add %s: %w", r.Law.Name, stepName(&r.dir.Steps[i]), err)
		}
		g.regs = append(g.regs, n)
	}
	recorded := false
	for i, ref := range r.dir.Targets {
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

func stepName(s *rewrite.Step) string {
	if s.Op == nil {
		return "a function"
	}
	return s.Op.Name
}
