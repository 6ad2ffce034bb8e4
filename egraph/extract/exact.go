package extract

import (
	"cmp"
	"context"
	"slices"
)

// budget counts steps, and says when to stop: when they are used up or the context
// is done.
type budget struct {
	ctx   context.Context
	steps int64
	limit int64
	polls int
	done  bool // the context is
}

// spent takes steps and says whether to stop.
func (b *budget) spent(steps int64) bool {
	b.steps += steps
	// Asking a context takes longer than a step.
	if b.polls++; !b.done && b.polls&15 == 0 {
		b.done = b.ctx.Err() != nil
	}
	return b.done || b.steps >= b.limit
}

// stop says whether to stop, taking no steps.
func (b *budget) stop() bool { return b.spent(0) }

// room is how many of some steps are left.
func (b *budget) room(some int64) int64 { return max(min(b.limit-b.steps, some), 0) }

// quick is how many of the steps that a state counts take as long as others.
const quick = 4

// share runs share moves within some steps.
func (b *budget) share(s *state, some int64, far bool) {
	before := s.steps
	s.share(before+b.room(some)*quick, far, b.stop)
	b.spent((s.steps - before) / quick)
}

// found is what a search knows of a core: a choice, as picks, and a bound.
type found struct {
	picks []NodeID // of the choice
	cost  int64    // of a choice, or costTop where none was found
	bound int64    // no choice costs less
}

// branch looks for a choice of the core that costs less than enough: it reduces the
// core, bounds its components by landmarks, drops the ways that are part of no
// choice good enough, and where bounds and choices do not meet takes the ways of a
// root one by one. If the budget lasts, the result has a cheapest choice, or none
// and a bound of at least enough, if there is none that cheap. The core is spoiled.
func (b *budget) branch(c *core, enough int64) found {
	if !c.founded() {
		return found{bound: costTop, cost: costTop}
	}
	b.spent(c.reduce())
	f := found{picks: c.picks, cost: c.base, bound: c.base}
	if c.base >= enough {
		return found{bound: c.base, cost: costTop}
	}
	parts := c.split()
	subs := make([]*sub, len(parts))
	for i := range parts {
		subs[i] = b.bounded(parts[i].core, enough-c.base)
		f.bound += subs[i].bound
	}
	for _, s := range subs {
		if f.bound >= enough {
			break
		}
		if s.bound < s.cost && !b.spent(0) {
			f.bound -= s.bound
			b.divide(s, min(s.cost, enough-f.bound))
			f.bound += s.bound
		}
	}
	for _, s := range subs {
		f.cost += s.cost
		f.picks = append(f.picks, s.picks...)
	}
	if f.cost >= enough {
		f.picks, f.cost = nil, costTop
	}
	return f
}

// sub is a component of a reduced core with what is known of it.
type sub struct {
	found
	core  *core
	marks *landmarks
}

// bounded finds a choice of a component by greedy-DAG and share moves, and a bound by
// landmarks.
func (b *budget) bounded(c *core, enough int64) *sub {
	choice, steps := c.dagChoice(b.room(1 << 20))
	st := newState(c, c.users(), c.cycles(), choice)
	b.share(st, 1<<20, false)
	s := &sub{core: c, marks: newLandmarks(c)}
	s.cost, s.picks = st.cost, st.picks()
	s.bound = s.marks.run(b.room(1<<26), min(s.cost, enough), b.stop)
	b.spent(steps + s.marks.steps)
	return s
}

// picks lists the nodes chosen for needed classes.
func (s *state) picks() []NodeID {
	var out []NodeID
	for k := range s.c.ways {
		if s.uses[k] > 0 {
			out = append(out, s.c.ways[k][s.choice[k]].picks...)
		}
	}
	return out
}

// divide looks for a choice of a component that costs less than enough, by trying
// each way of one of its roots.
func (b *budget) divide(s *sub, enough int64) {
	c, l := s.core, s.marks
	if s.bound >= enough {
		return
	}
	// What the landmarks rule out.
	dropped := false
	for k := range c.ways {
		ws := c.ways[k]
		keep := make([]way, 0, len(ws))
		for i := range ws {
			if l.bound+l.slack(int32(k), i) < enough {
				keep = append(keep, ws[i])
			}
		}
		if len(keep) < len(ws) {
			dropped = true
			c.ways[k] = keep
		}
	}
	if dropped {
		// All roots may be decided now, so everything starts afresh.
		f := b.branch(c, enough)
		s.take(f, enough)
		return
	}
	// The root with the fewest ways; of these the one with the dearest.
	best := -1
	var bestCost int64
	for _, r := range c.roots {
		var dear int64
		for _, w := range c.ways[r] {
			dear = max(dear, w.cost)
		}
		if best < 0 || cmp.Or(cmp.Compare(len(c.ways[r]), len(c.ways[best])), cmp.Compare(bestCost, dear)) < 0 {
			best, bestCost = int(r), dear
		}
	}
	r := int32(best)
	order := make([]int, len(c.ways[r]))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(l.slack(r, x), l.slack(r, y)) })
	bound := int64(costTop)
	for _, i := range order {
		least := max(s.bound, l.bound+l.slack(r, i))
		if least >= enough {
			bound = min(bound, least)
			continue
		}
		if b.spent(1) {
			bound = min(bound, least)
			continue
		}
		d := c.clone()
		d.ways[r] = []way{d.ways[r][i]}
		f := b.branch(d, enough)
		bound = min(bound, max(f.bound, least))
		if f.cost < enough {
			s.cost, s.picks = f.cost, f.picks
			enough = f.cost
		}
	}
	s.bound = max(s.bound, min(bound, s.cost))
}

// take takes over what branch found, which looked for less than enough.
func (s *sub) take(f found, enough int64) {
	if f.cost < s.cost {
		s.cost, s.picks = f.cost, f.picks
	}
	s.bound = max(s.bound, min(f.bound, enough, s.cost))
}
