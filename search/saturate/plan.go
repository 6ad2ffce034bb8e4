package saturate

import (
	"context"
	"slices"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/lower"
)

// kind sorts rules by what they do to a graph.
type kind uint8

const (
	shrinks kind = iota // no more operators behind than in front, and other ones
	orders              // the same operators in another order: associativity, commutativity
	grows               // more operators
	merges              // several roots at once
	kinds
)

// phase is a part of a saturation.
type phase struct {
	turns  [kinds]int // the matches a rule of each kind may have in a round; 0: none
	growth bool       // also where more is run behind than in front
	rounds int
}

// plan is the order in which rules are used on a piece: it is the schedule of the
// e-graph's loop.
type plan struct {
	opts  *Options
	rules []*tensor.Rule
	kind  map[*tensor.Rule]kind
	set   map[*tensor.Rule]bool // that are used
	phase *phase
	round int
	off   map[*tensor.Rule]backoff
	skip  bool // some rule waits
	e     *egraph.Graph
	fixed fixedness
	base  egraph.NodeID // the last node of the piece as it came
	g     *tensor.Graph

	spans   map[egraph.ClassID]interval
	spansAt int // as many instances as there were

	fixedVars, fixedNodes []bool
	private               map[*rewrite.Direction][]int32
}

// backoff is how often a rule had too many matches, and the round until which it
// has no turn.
type backoff struct{ times, until int }

func newPlan(o *Options, rules []*tensor.Rule) *plan {
	p := &plan{opts: o, rules: rules, kind: map[*tensor.Rule]kind{}, off: map[*tensor.Rule]backoff{},
		private: map[*rewrite.Direction][]int32{}}
	for _, r := range rules {
		p.kind[r] = kindOf(r)
	}
	return p
}

// kindOf sorts a rule.
func kindOf(r *tensor.Rule) kind {
	d := r.Direction()
	if len(d.Roots) > 1 {
		return merges
	}
	if d.Grows {
		return grows
	}
	var from, to []*graph.Op
	for i := range d.Nodes {
		from = append(from, d.Nodes[i].Op)
	}
	for i := range d.Steps {
		to = append(to, d.Steps[i].Op)
	}
	if sameOps(from, to) {
		return orders
	}
	return shrinks
}

// sameOps reports whether two lists are one another's rearrangements.
func sameOps(a, b []*graph.Op) bool {
	if len(a) != len(b) {
		return false
	}
	count := map[*graph.Op]int{}
	for i := range a {
		count[a[i]]++
		count[b[i]]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// run saturates a graph phase by phase.
func (p *plan) run(ctx context.Context, g *tensor.Graph, leaf func(egraph.NodeID) bool, st *Stats) error {
	p.g, p.e, p.round, p.base = g, g.E(), 0, egraph.NodeID(g.E().Len())
	p.spans, p.spansAt = map[egraph.ClassID]interval{}, -1
	p.fixed = fixedness{e: p.e, known: p.fixed.known[:0], leaf: leaf}
	phases := p.opts.phases()
	for i := range phases {
		p.phase = &phases[i]
		clear(p.off)
		stop, rounds, err := g.Run(ctx, p.rules, tensor.Limits{Nodes: p.opts.nodes() + 4*int(p.base), Iters: p.phase.rounds,
			Level: tensor.Growing, Schedule: p}, func() bool { return false })
		st.Iterations += rounds
		if err != nil {
			return err
		}
		st.Stop = stop
		if stop == tensor.StopNodes || stop == tensor.StopDeadline {
			break
		}
	}
	return nil
}

// Turn is part of [tensor.Schedule].
func (p *plan) Turn(r *tensor.Rule) int {
	n := p.phase.turns[p.kind[r]]
	if n == 0 || !p.set[r] {
		return 0
	}
	b := p.off[r]
	if p.round < b.until {
		p.skip = true
		return 0
	}
	return n << b.times
}

// maxTimes bounds how often the matches of a rule are doubled.
const maxTimes = 6

// Over is part of [tensor.Schedule].
func (p *plan) Over(r *tensor.Rule) {
	b := p.off[r]
	b.until = p.round + 1 + 1<<b.times
	b.times = min(b.times+1, maxTimes)
	p.off[r] = b
	p.skip = true
}

// Round is part of [tensor.Schedule].
func (p *plan) Round(bool) (waiting bool) {
	p.round++
	waiting, p.skip = p.skip, false
	return waiting
}

// Use is part of [tensor.Schedule].
func (p *plan) Use(r *tensor.Rule, roots, vars []egraph.NodeID, cost int) bool {
	d := r.Direction()
	p.fixedVars = p.fixedVars[:0]
	for _, v := range vars {
		p.fixedVars = append(p.fixedVars, p.fixed.is(v))
	}
	from, idle := p.running(d.Roots, len(d.Nodes), func(i int) []int32 { return d.Nodes[i].Kids })
	if idle {
		// All of it is computed beforehand, however it is written.
		return len(d.Steps) < len(d.Nodes) && cost <= 1
	}
	if p.kind[r] == merges {
		return p.mayMerge(d, roots, vars)
	}
	if p.phase.growth {
		return true
	}
	to, _ := p.running(d.Targets, len(d.Steps), func(i int) []int32 { return d.Steps[i].Args })
	return to <= from
}

// running counts the nodes of a side of a direction that are not computed beforehand;
// idle says that no output is computed in a run.
func (p *plan) running(outs []int32, n int, args func(int) []int32) (count int, idle bool) {
	p.fixedNodes = append(p.fixedNodes[:0], make([]bool, n)...)
	fixed := func(ref int32) bool {
		if ref < 0 {
			return p.fixedVars[^ref]
		}
		return p.fixedNodes[ref]
	}
	var visit func(ref int32)
	done := make([]bool, n)
	visit = func(ref int32) {
		if ref < 0 || done[ref] {
			return
		}
		done[ref] = true
		all := true
		for _, a := range args(int(ref)) {
			visit(a)
			all = all && fixed(a)
		}
		p.fixedNodes[ref] = all
		if !all {
			count++
		}
	}
	idle = true
	for _, o := range outs {
		visit(o)
		idle = idle && fixed(o)
	}
	return count, idle
}

// sameKernel counts as many rules where a user may go into the maker's kernel.
const sameKernel = 1000

// crossing counts the rules that look from a user over an operand's maker and make
// no more of it, and whether the one may run in the other's kernel.
func (p *plan) crossing(user, maker *graph.Op) int {
	n := 0
	if p.opts.Target != nil && (lower.IsStep(user) || lower.IsView(user)) {
		n += sameKernel
	}
	fits := func(pattern, op *graph.Op) bool { return pattern == op || pattern == nil && op.IsFunction() }
	for _, r := range p.rules {
		if p.kind[r] == grows {
			continue
		}
		if slices.ContainsFunc(edgesOf(r), func(e [2]*graph.Op) bool { return fits(e[0], user) && fits(e[1], maker) }) {
			n++
		}
	}
	return n
}

// edgesOf lists the operators that stand over one another in a pattern; nil is a
// function of one element.
func edgesOf(r *tensor.Rule) [][2]*graph.Op {
	d := r.Direction()
	var out [][2]*graph.Op
	for i := range d.Nodes {
		for _, k := range d.Nodes[i].Kids {
			if k >= 0 {
				out = append(out, [2]*graph.Op{d.Nodes[i].Op, d.Nodes[k].Op})
			}
		}
	}
	return out
}
