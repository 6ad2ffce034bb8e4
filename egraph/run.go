package egraph

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Rule is a rewrite, or anything else to be done at the matches of a pattern.
type Rule struct {
	Name    string
	Pattern *Pattern
	// Apply adds nodes and makes unions for one match. It is called after all
	// matches of the iteration are collected, so the graph may have changed
	// since, by growth only. The Match is valid during the call. To skip a
	// match, for instance because a node is ill-formed, return nil; an error
	// ends the run.
	Apply func(g *Graph, m *Match) error
	// Limit is the number of matches in an iteration above which the rule is
	// banned for a while; each ban doubles it. 0 means 1000, negative none.
	Limit int
	// Ban is the number of iterations of the first ban; each ban doubles it. 0
	// means 5.
	Ban int
	// Always makes every iteration search everything, rather than what changed
	// since the rule's last search: for a pattern whose MatchSym or MatchVar
	// looks at more than symbols and the data of the match.
	Always bool
}

// Limits bound a run. The zero value works.
type Limits struct {
	Iters int           // iterations; 0 means 30, negative no limit
	Nodes int           // nodes, twins included (Graph.Len); 0 means 10,000, negative no limit
	Time  time.Duration // wall-clock; 0 means no limit
	Goals []Pair        // stop once all of these are equal; none means no such stop
}

// StopReason is why a run ended.
type StopReason uint8

// The reasons. Only Saturated says that the rules have nothing to add.
const (
	Saturated   StopReason = iota // an iteration of all rules changed nothing
	GoalReached                   // all goals are equal
	IterLimit
	NodeLimit
	Deadline // Limits.Time is over, or the context's deadline
	Canceled // the context was canceled
	Conflict // the analysis found a contradiction; the graph is poisoned
	Failed   // a rule's Apply returned an error
)

var stopNames = [...]string{"saturated", "goal reached", "iteration limit", "node limit", "deadline", "canceled", "conflict", "failed"}

// String returns the reason in words.
func (r StopReason) String() string {
	if int(r) < len(stopNames) {
		return stopNames[r]
	}
	return fmt.Sprintf("stop reason %d", uint8(r))
}

// RuleStats counts what a rule did in a run.
type RuleStats struct {
	Matches int // found and applied
	Bans    int
}

// RunStats counts what a run did. Rules is indexed as the rules are; it is the
// Runner's own and valid until its next run.
type RunStats struct {
	Iters int
	Rules []RuleStats
	Graph Stats
}

// Runner runs one list of rules on any number of graphs, one after the other,
// keeping its memory.
type Runner struct {
	rules []Rule
	state []ruleState
	stats []RuleStats

	// Collected matches: flat, in the order of rules.
	nodes []NodeID
	vars  []NodeID
	attrs []int64
	isSet []bool

	// Of the present run.
	g      *Graph
	ctx    context.Context
	end    time.Time
	why    StopReason
	halted bool
	limit  int
}

type ruleState struct {
	mt      *Matcher
	since   uint32 // stamp from which matches are new; 0 before the first search
	bans    int
	banned  int // first iteration in which the rule is allowed again
	matches int // collected in this iteration
	collect func(*Match) bool
}

// NewRunner returns a runner for the rules.
func NewRunner(rules []Rule) *Runner {
	r := &Runner{rules: rules, state: make([]ruleState, len(rules)), stats: make([]RuleStats, len(rules))}
	for i := range rules {
		st := &r.state[i]
		st.mt = NewMatcher(rules[i].Pattern)
		st.mt.stop = r.halt
		st.collect = func(m *Match) bool {
			st.matches++
			if r.limit > 0 && st.matches > r.limit {
				return false
			}
			r.nodes = append(r.nodes, m.nodes...)
			r.vars = append(r.vars, m.vars...)
			r.attrs = append(r.attrs, m.attrs...)
			r.isSet = append(r.isSet, m.isSet...)
			return true
		}
	}
	return r
}

// Run is NewRunner(rules).Run for a single use.
func Run(ctx context.Context, g *Graph, rules []Rule, lim Limits) (StopReason, RunStats, error) {
	return NewRunner(rules).Run(ctx, g, lim)
}

// halt notes whether time is over; it is asked often.
func (r *Runner) halt() bool {
	if r.halted {
		return true
	}
	switch err := r.ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		r.halted, r.why = true, Deadline
	case err != nil:
		r.halted, r.why = true, Canceled
	case !r.end.IsZero() && time.Now().After(r.end):
		r.halted, r.why = true, Deadline
	}
	return r.halted
}

// Run rebuilds g and applies the rules to it until a reason to stop. In each
// iteration every rule that is not banned searches the same graph, then all
// matches are applied in order, then the graph is rebuilt. After any stop but
// Conflict and Failed the graph is rebuilt and sound; it just lacks what a
// longer run would add. The error is nil but for Conflict and Failed.
func (r *Runner) Run(ctx context.Context, g *Graph, lim Limits) (StopReason, RunStats, error) {
	r.g, r.ctx, r.halted, r.end = g, ctx, false, time.Time{}
	if lim.Time > 0 {
		r.end = time.Now().Add(lim.Time)
	}
	if lim.Iters == 0 {
		lim.Iters = 30
	}
	if lim.Nodes == 0 {
		lim.Nodes = 10_000
	}
	for i := range r.state {
		st := &r.state[i]
		st.since, st.bans, st.banned = 0, 0, 0
		r.stats[i] = RuleStats{}
	}
	stats := RunStats{Rules: r.stats}
	why, err := r.loop(&stats.Iters, lim)
	if err != nil {
		why = Failed
		var conflict *ConflictError
		if errors.As(err, &conflict) {
			why = Conflict
		}
	}
	stats.Graph = g.Stats()
	r.g, r.ctx = nil, nil
	return why, stats, err
}

func (r *Runner) loop(iters *int, lim Limits) (StopReason, error) {
	g := r.g
	if err := g.Rebuild(); err != nil {
		return Conflict, err
	}
	for {
		switch {
		case g.allSame(lim.Goals):
			return GoalReached, nil
		case lim.Nodes > 0 && g.Len() >= lim.Nodes:
			return NodeLimit, nil
		case lim.Iters > 0 && *iters >= lim.Iters:
			return IterLimit, nil
		case r.halt():
			return r.why, nil
		}
		all, err := r.search(*iters)
		if err != nil {
			return Failed, err
		}
		if r.halted {
			return r.why, nil
		}
		g.Advance()
		made, unions := g.made, g.stats.Unions
		full, err := r.apply(lim.Nodes)
		if err != nil {
			return Failed, err
		}
		if err := g.Rebuild(); err != nil {
			return Conflict, err
		}
		*iters++
		switch {
		case g.allSame(lim.Goals):
			return GoalReached, nil
		case r.halted:
			return r.why, nil
		case full:
			return NodeLimit, nil
		}
		if g.made == made && g.stats.Unions == unions {
			if all {
				return Saturated, nil
			}
			r.unban(*iters)
		}
	}
}

// allSame says whether there are goals and all are reached.
func (g *Graph) allSame(goals []Pair) bool {
	for _, p := range goals {
		if !g.Has(p.A) || !g.Has(p.B) || !g.Same(p.A, p.B) {
			return false
		}
	}
	return len(goals) > 0
}

// search collects the matches of this iteration. It reports whether every rule
// found all of its own.
func (r *Runner) search(iter int) (all bool, err error) {
	r.nodes, r.vars = r.nodes[:0], r.vars[:0]
	r.attrs, r.isSet = r.attrs[:0], r.isSet[:0]
	all = true
	for i := range r.rules {
		rule, st := &r.rules[i], &r.state[i]
		st.matches = 0
		if iter < st.banned {
			all = false
			continue
		}
		r.limit = 0
		if rule.Limit >= 0 {
			r.limit = rule.Limit
			if r.limit == 0 {
				r.limit = 1000
			}
			r.limit <<= min(st.bans, 30)
		}
		n0, v0, a0 := len(r.nodes), len(r.vars), len(r.attrs)
		since := st.since
		if rule.Always {
			since = 0
		}
		if _, err := st.mt.Search(r.g, since, st.collect); err != nil {
			return false, fmt.Errorf("search rule %s: %w", rule.Name, err)
		}
		if r.halted {
			return false, nil
		}
		if r.limit > 0 && st.matches > r.limit {
			r.nodes, r.vars = r.nodes[:n0], r.vars[:v0]
			r.attrs, r.isSet = r.attrs[:a0], r.isSet[:a0]
			st.matches = 0
			ban := rule.Ban
			if ban <= 0 {
				ban = 5
			}
			st.banned = iter + 1 + ban<<min(st.bans, 30)
			st.bans++
			r.stats[i].Bans++
			all = false
			continue
		}
		st.since = r.g.gen + 1
	}
	return all, nil
}

// apply applies the collected matches. It reports whether the limit on nodes
// was reached, and ends early then and when time is over.
func (r *Runner) apply(nodes int) (full bool, err error) {
	n0, v0, a0, done := 0, 0, 0, 0
	for i := range r.rules {
		rule, st := &r.rules[i], &r.state[i]
		m := &st.mt.m
		for k := 0; k < st.matches; k++ {
			n0 += copy(m.nodes, r.nodes[n0:])
			v0 += copy(m.vars, r.vars[v0:])
			m.trail = m.trail[:0]
			copy(m.isSet, r.isSet[a0:])
			a0 += copy(m.attrs, r.attrs[a0:])
			for j, set := range m.isSet {
				if set {
					m.trail = append(m.trail, int32(j))
				}
			}
			if err := rule.Apply(r.g, m); err != nil {
				return false, fmt.Errorf("apply rule %s: %w", rule.Name, err)
			}
			r.stats[i].Matches++
			if nodes > 0 && r.g.Len() >= nodes {
				return true, nil
			}
			if done++; done&63 == 0 && r.halt() {
				return false, nil
			}
		}
	}
	return false, nil
}

// unban lets the rule that would be allowed first search at once, since no other
// rule has anything to do; rules banned as long go with it.
func (r *Runner) unban(iter int) {
	least := -1
	for i := range r.state {
		if b := r.state[i].banned; b > iter && (least < 0 || b < least) {
			least = b
		}
	}
	if least < 0 {
		return
	}
	for i := range r.state {
		if r.state[i].banned > iter {
			r.state[i].banned -= least - iter
		}
	}
}
