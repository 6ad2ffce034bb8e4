package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/search"
)

// unityPlanner chooses what is computed and how it lies together: networks that proved laws
// lead to are looked at in the order of the price of their best layout (Unger et al., Unity:
// accelerating DNN training through joint optimization of algebraic transformations and
// parallelization, OSDI 2022, section 5).
var unityPlanner = &Planner{
	Name:  "unity",
	About: "rewrite rules and shardings chosen together: the cheapest sharding of each graph reached (Unity)",
	Find:  unity,
}

const (
	// priceNodes is by how many nodes of graphs that are priced each step of a job is spent.
	priceNodes = 8
	// mostPriced is how many networks are priced on a mesh, at most.
	mostPriced = 40
	// triesPriced is how many moves are tried for each network that may be priced.
	triesPriced = 8
)

func unity(ctx context.Context, j *Job) (*Plan, error) {
	all, err := j.together(ctx)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, ErrMeans
	}
	best := j.contest(ctx)
	on := all[0] // the mesh on which the network is rewritten
	layouts := func() error {
		for _, s := range all {
			if best.plan != nil && (ctx.Err() != nil || s.computing() >= best.step) {
				continue
			}
			better, err := best.consider(s.plan())
			if err != nil {
				return err
			}
			if better {
				on = s
			}
		}
		return nil
	}
	if j.Sequential {
		err := j.algebraFirst(ctx, all, best)
		if errors.Is(err, errNoRewriting) {
			j.Progress(err.Error())
			err = layouts()
		}
		if err != nil {
			return nil, err
		}
		return best.end(ctx)
	}
	if err := layouts(); err != nil {
		return nil, err
	}
	if ctx.Err() == nil {
		j.Progress("rewriting")
		p, err := j.rewrite(ctx, on)
		if errors.Is(err, errNoRewriting) {
			j.Progress(err.Error())
		} else if _, err := best.consider(p, err); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	return best.end(ctx)
}

// contest is which of several plans has the shortest step. What is compared is the step with
// collectives beside computing: a rewritten network may take less in sum and longer so, since
// merged operators wait for more.
type contest struct {
	job     *Job
	judging context.Context // what is found is worth its price, also when time is up
	plan    *Plan
	step    machine.Time
	first   error // why there was none
}

func (j *Job) contest(ctx context.Context) *contest {
	return &contest{job: j, judging: context.WithoutCancel(ctx)}
}

// consider takes a plan, or why there is none, and reports whether it is the best so far.
func (c *contest) consider(p *Plan, err error) (better bool, _ error) {
	var time machine.Time
	if err == nil {
		p, err = c.job.fit(p)
	}
	if err == nil {
		time, err = c.job.price()(p, c.judging)
	}
	switch {
	case IsNone(err):
		if c.first == nil {
			c.first = err
		}
		return false, nil
	case err != nil:
		return false, err
	case c.plan == nil || time < c.step:
		c.plan, c.step, better = p, time, true
	}
	return better, nil
}

// end is the best plan.
func (c *contest) end(ctx context.Context) (*Plan, error) {
	if c.plan == nil {
		return nil, cmp.Or(ctx.Err(), c.first)
	}
	return c.plan.stopped(ctx, nil)
}

// algebraFirst is what the search over both is compared with ([Job.Sequential]): the network that is
// cheapest on one device, and then its best layout, on the meshes that are best for the network as
// it came. The error is errNoRewriting where that network is the one that came.
func (j *Job) algebraFirst(ctx context.Context, all []*spaced, best *contest) error {
	r, err := newRewriter(j.Training, j.Cluster)
	if err != nil {
		return err
	}
	for _, s := range all {
		if best.plan != nil && ctx.Err() != nil {
			break
		}
		u, err := newUnited(s, r, wholeWays)
		if err != nil {
			return err
		}
		p, err := u.sequential(ctx)
		if errors.Is(err, errNoRewriting) {
			return err
		}
		if _, err := best.consider(p, err); err != nil {
			return err
		}
	}
	return nil
}

// rewrite is the plan of the best network on the mesh of a choice; the error is
// errNoRewriting where that is the network as it came.
func (j *Job) rewrite(ctx context.Context, s *spaced) (*Plan, error) {
	r, err := newRewriter(j.Training, j.Cluster)
	if err != nil {
		return nil, err
	}
	u, err := newUnited(s, r, wholeWays)
	if err != nil {
		return nil, err
	}
	path := u.search(ctx)
	if u.err != nil {
		return nil, u.err
	}
	if len(path) == 0 {
		return nil, fmt.Errorf("%w: as it comes it is the best", errNoRewriting)
	}
	return u.plan(path)
}

// united is a search over networks, each of which is priced by its best layout on a mesh.
type united struct {
	*rewriter
	space  *space // of the network as it came
	number []int  // the region of each node of that
	known  map[string]answer
	left   int // how many networks may be priced
	whole  int // of how many ways layouts are chosen at once
	err    error
}

// newUnited begins with the network of a choice. whole is of how many ways layouts are chosen at
// once; regions of a larger network have about half as many.
func newUnited(s *spaced, r *rewriter, whole int) (*united, error) {
	t := s.space.job.Training
	of, err := t.Clusters(1 + 2*s.space.size()/whole)
	if err != nil {
		of = make([]int, t.Graph.Len()+1) // nothing comes in: one region
	}
	left := int(s.space.job.Steps / priceNodes / int64(t.Graph.Len()+1))
	return &united{rewriter: r, space: s.space, number: of, known: map[string]answer{},
		left: min(left, mostPriced), whole: whole}, nil
}

// search is best-first, as TASO's; it gives the moves to the network whose layout is the
// cheapest. In a large network one move of each kind is tried, and what has paid in one place
// is then done everywhere, if that pays.
func (u *united) search(ctx context.Context) []search.Move {
	o := search.BacktrackOptions{Tries: u.trail.Tried + u.left*triesPriced, Price: u.price}
	large := u.space.size() > u.whole
	if large {
		seen, at := map[kind]bool{}, bank.Hash{}
		o.Only = func(m *search.Move) bool {
			if h := u.trail.Net.Hash(); h != at {
				at = h
				clear(seen)
			}
			k := u.kind(m)
			first := !seen[k]
			seen[k] = true
			return first
		}
		u.left-- // for what is done everywhere
	}
	path, least, _ := u.trail.Backtrack(ctx, o)
	if !large || len(path) == 0 {
		return path
	}
	u.left = 1
	return u.everywhere(path, least)
}

// kind is a law with what it is used of: moves of one kind are alike but for their places.
type kind struct {
	by *rewrite.Direction
	of string
}

func (u *united) kind(m *search.Move) kind {
	var b strings.Builder
	net := u.trail.Net
	for _, t := range m.Roots {
		n, out := net.NodeOf(t)
		fmt.Fprint(&b, net.App(n), " ", out, ";")
	}
	for _, t := range m.Vars {
		fmt.Fprint(&b, net.Type(t))
	}
	return kind{m.Direction, b.String()}
}

// everywhere makes the moves of a path, and then of each, in their order, those of its kind
// wherever there is one. What costs more is not kept.
func (u *united) everywhere(path []search.Move, least int64) []search.Move {
	base := u.trail.Len()
	defer u.trail.Back(base)
	kinds := make([]kind, len(path))
	for i := range path {
		kinds[i] = u.kind(&path[i])
		if !u.trail.Do(&path[i]) {
			return path // it can be made: it was
		}
	}
	for _, k := range kinds {
		var alike []search.Move
		u.trail.Net.Nodes(func(n bank.Node) bool {
			one, many := u.trail.Moves.At(n)
			for _, m := range slices.Concat(one, many) {
				if u.kind(&m) == k {
					alike = append(alike, m)
				}
			}
			return true
		})
		for i := range alike {
			u.trail.Do(&alike[i]) // one that another has made impossible is not made
		}
	}
	if u.trail.Len() == base+len(path) || u.price() >= least {
		return path
	}
	return slices.Clone(u.trail.Path()[base:])
}

// price is that of the best layout of the trail's network.
func (u *united) price() int64 {
	if u.left <= 0 || u.err != nil || u.space.ctx.Err() != nil {
		return search.Never
	}
	u.left--
	g, nodes, err := u.trail.Net.Graph()
	if err != nil {
		u.err = err
		return search.Never
	}
	time, err := u.best(g, nodes)
	if err == nil && time < never {
		return int64(time)
	}
	if err != nil && !IsNone(err) && !errors.Is(err, ErrLarge) && u.space.ctx.Err() == nil {
		u.err = err
	}
	return search.Never
}

// best is the price of the best layout: all of it chosen at once where it is small, else region
// by region, of which only those are chosen again that no network had before.
func (u *united) best(g *graph.Graph, nodes map[graph.NodeID]bank.Node) (machine.Time, error) {
	s, err := u.with(g)
	if err != nil {
		return 0, err
	}
	q := question{means: []Means{All}, steps: u.space.job.Steps / 1024, tries: triesSettled}
	if s.size() <= u.whole {
		l, err := s.choose(q)
		if err != nil {
			return 0, err
		}
		return l.cost, nil
	}
	flow := s.flow([maxAxes]bool{true, true, true})
	q.tiles = s.divide(division{of: u.regions(g, nodes)}, func(t graph.Tensor) place { return flow.lies[t] })
	q.kept, q.known = true, u.known
	l, err := s.solve(q)
	if err != nil {
		return 0, err
	}
	return l.cost, nil
}

// with is the space of a network that the training step became.
func (u *united) with(g *graph.Graph) (*space, error) {
	j := *u.space.job
	j.Training = j.Training.as(g)
	return u.space.of(&j)
}

// regions are those of the nodes that came; others are in the region of the last of their
// operands, or, where these are inputs, of who reads them.
func (u *united) regions(g *graph.Graph, nodes map[graph.NodeID]bank.Node) []int {
	out := make([]int, g.Len()+1)
	for id := range g.Nodes() {
		if was, ok := u.rewriter.number[nodes[id]]; ok {
			out[id] = u.number[was]
			continue
		}
		for _, t := range g.Operands(id) {
			if g.Op(t.Node) != nil {
				out[id] = max(out[id], out[t.Node])
			}
		}
	}
	for id := graph.NodeID(g.Len()); id > 0; id-- {
		for _, t := range g.Operands(id) {
			if g.Op(t.Node) != nil && out[t.Node] == 0 {
				out[t.Node] = out[id]
			}
		}
	}
	return out
}

// plan lays out what moves lead to.
func (u *united) plan(path []search.Move) (*Plan, error) {
	by, err := u.rewritten(path)
	if err != nil {
		return nil, err
	}
	s, err := u.with(by.To)
	if err != nil {
		return nil, err
	}
	of, _, err := s.job.Training.parts(4)
	if err != nil {
		of = make([]int, by.To.Len()+1)
	}
	l, err := s.look(of, s.job.Steps/64, 2)
	if err != nil {
		return nil, err
	}
	begun, err := parallel.NewLayingOf(u.of.Graph, by, s.job.Strategies)
	if err != nil {
		return nil, err
	}
	p, err := s.realizeOn(begun, l)
	if err != nil {
		return nil, err
	}
	p.Training, p.Rewritten = u.of, by.To
	return p, nil
}

// sequential is the layout of the network that is cheapest on one device; the error is
// errNoRewriting where that is the network as it came.
func (u *united) sequential(ctx context.Context) (*Plan, error) {
	path, _, _ := u.trail.Backtrack(ctx, search.BacktrackOptions{Tries: u.trail.Tried + u.left*triesPriced})
	if len(path) == 0 {
		return nil, fmt.Errorf("%w: as it comes it is the cheapest on one device", errNoRewriting)
	}
	return u.plan(path)
}
