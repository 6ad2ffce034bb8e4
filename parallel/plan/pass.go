package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// pass chooses the layout along one axis.
type pass struct {
	ctx     context.Context
	prices  *prices
	lay     *parallel.Laying
	planner Planner
	next    map[int]int // outputs by what they become
	axis    int
	degree  int

	g       *graph.Graph
	from    map[graph.Tensor]int                  // tensors that are inputs, or members made of one: which
	becomes map[graph.Tensor]int                  // tensors that become an output: which
	skip    map[graph.NodeID]bool                 // what makes members of inputs and outputs of members
	of      map[graph.NodeID][]*parallel.Strategy // of the others
	needed  []bool                                // nodes on which an output depends
	at      map[int]parallel.Role                 // residents by input, if they are decided
	problem extract.Problem
	class   map[held]extract.ClassID         // to be had
	origin  map[held]extract.ClassID         // as an operator made it, or an input lies: conversions begin there
	roles   map[graph.Tensor][]parallel.Role // those of which there is a class, in order
	made    []*maker                         // by node of the problem
}

// held is a tensor in a role.
type held struct {
	t graph.Tensor
	r parallel.Role
}

// maker is what a node of the problem stands for.
type maker struct {
	node graph.NodeID
	st   *parallel.Strategy // nil: none of an operator
	at   *held              // a resident
}

// choice is what was chosen.
type choice struct {
	strategies map[graph.NodeID][]*parallel.Strategy
	resident   map[graph.Tensor]parallel.Role
	cost       machine.Time
	bound      machine.Time
	stop       extract.Stop
}

func newPass(ctx context.Context, p *prices, planner Planner, next map[int]int, degree int) (*pass, error) {
	a := &pass{ctx: ctx, prices: p, lay: p.lay, planner: planner, next: next, axis: len(p.lay.Degrees()), degree: degree, g: p.lay.Graph(),
		from: map[graph.Tensor]int{}, becomes: map[graph.Tensor]int{}, skip: map[graph.NodeID]bool{}, of: map[graph.NodeID][]*parallel.Strategy{}}
	a.ends()
	for id := range a.g.Nodes() {
		if a.g.Op(id) == nil || a.skip[id] || !a.needed[id] {
			continue
		}
		all, err := a.lay.Strategies(ctx, id, degree)
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("node %s: operator %s has no strategy, not even copies", a.g.Name(id), a.g.Op(id).Name)
		}
		a.of[id] = all
	}
	return a, nil
}

// ends finds where what is planned begins and ends: at what was made of inputs along
// earlier axes, and before what is put together for outputs.
func (a *pass) ends() {
	for i, id := range a.g.Inputs() {
		a.from[id.Out(0)] = i
	}
	for id := range a.g.Nodes() {
		if layout(a.g, id) != graph.LayoutMakes {
			continue
		}
		if i, ok := a.from[a.g.Operands(id)[0]]; ok {
			a.from[id.Out(0)] = i
			a.skip[id] = true
		}
	}
	for i, t := range a.g.Outputs() {
		for range a.axis {
			if layout(a.g, t.Node) != graph.LayoutEnds {
				break
			}
			a.skip[t.Node] = true
			t = a.g.Operands(t.Node)[0]
		}
		a.becomes[t] = i
	}
	a.needed = make([]bool, a.g.Len()+1)
	var need func(t graph.Tensor)
	need = func(t graph.Tensor) {
		if a.needed[t.Node] {
			return
		}
		a.needed[t.Node] = true
		for _, x := range a.g.Operands(t.Node) {
			need(x)
		}
	}
	for _, t := range a.g.Outputs() {
		need(t)
	}
}

// weight is the input, if a tensor is one that a later run has another value of.
func (a *pass) weight(t graph.Tensor) (input int, ok bool) {
	i, ok := a.from[t]
	if !ok {
		return 0, false
	}
	for _, in := range a.next {
		if in == i {
			return i, true
		}
	}
	return 0, false
}

// fits are the roles in which a tensor may lie: copies, and shards along axes of which
// the size is a multiple of the degree, mesh axes apart.
func (a *pass) fits(t graph.Tensor) (out []parallel.Role) {
	out = append(out, parallel.Role{Kind: parallel.Copy})
	for k, n := range a.g.Sizes(t) {
		if k >= len(a.lay.Mesh(t)) && n%a.degree == 0 {
			out = append(out, parallel.Role{Kind: parallel.Shard, Axis: k})
		}
	}
	return out
}

// want makes a class for a tensor in a role.
func (a *pass) want(t graph.Tensor, r parallel.Role) extract.ClassID {
	h := held{t, r}
	c, ok := a.class[h]
	if !ok {
		c = a.problem.AddClass()
		a.class[h] = c
		a.roles[t] = append(a.roles[t], r)
	}
	return c
}

// begun is the class of a tensor in a role in which it is not made of another one.
func (a *pass) begun(t graph.Tensor, r parallel.Role) extract.ClassID {
	h := held{t, r}
	c, ok := a.origin[h]
	if !ok {
		c = a.problem.AddClass()
		a.origin[h] = c
		a.add(extract.Node{Class: a.want(t, r), Children: []extract.ClassID{c}, Kind: extract.Live}, nil)
	}
	return c
}

func (a *pass) add(n extract.Node, m *maker) {
	a.problem.AddNode(n)
	a.made = append(a.made, m)
}

// solve chooses. at are the residents of inputs; of one that it does not name any that
// the planner allows costs nothing.
func (a *pass) solve(at map[int]parallel.Role, steps int64) (*choice, error) {
	a.at, a.problem, a.made = at, extract.Problem{}, nil
	a.class, a.origin, a.roles = map[held]extract.ClassID{}, map[held]extract.ClassID{}, map[graph.Tensor][]parallel.Role{}
	for id := range a.g.Nodes() {
		for _, st := range a.of[id] {
			if err := a.operator(id, st); err != nil {
				return nil, err
			}
		}
	}
	for t := range a.tensors() {
		if i, ok := a.becomes[t]; ok {
			if err := a.root(t, i); err != nil {
				return nil, err
			}
		}
	}
	for t := range a.tensors() {
		if err := a.conversions(t); err != nil {
			return nil, err
		}
	}
	res, err := extract.Solve(a.ctx, &a.problem, extract.Options{Steps: steps})
	if errors.Is(err, extract.ErrNoChoice) {
		return nil, fmt.Errorf("planner %s: axis of %d: %w", a.planner, a.degree, ErrMeans)
	}
	if err != nil {
		return nil, fmt.Errorf("planner %s: axis of %d: %w", a.planner, a.degree, err)
	}
	out := &choice{strategies: map[graph.NodeID][]*parallel.Strategy{}, resident: map[graph.Tensor]parallel.Role{},
		cost: machine.Time(res.Cost), bound: machine.Time(res.Bound), stop: res.Stop}
	for _, n := range res.Choice {
		if n == extract.NoNode {
			continue
		}
		switch m := a.made[n]; {
		case m == nil:
		case m.at != nil:
			if _, ok := out.resident[m.at.t]; !ok || m.at.r.Kind == parallel.Copy {
				out.resident[m.at.t] = m.at.r
			}
		case !slices.Contains(out.strategies[m.node], m.st):
			out.strategies[m.node] = append(out.strategies[m.node], m.st)
		}
	}
	return out, nil
}

// tensors are those that are planned, in the order of the graph.
func (a *pass) tensors() func(yield func(graph.Tensor) bool) {
	return func(yield func(graph.Tensor) bool) {
		for id := range a.g.Nodes() {
			for k := range a.g.NumOut(id) {
				if t := id.Out(k); !yield(t) {
					return
				}
			}
		}
	}
}

// operator adds a node by one of its strategies.
func (a *pass) operator(id graph.NodeID, st *parallel.Strategy) error {
	time, err := a.prices.op(id, st, a.degree)
	if err != nil {
		return err
	}
	var in []extract.ClassID
	for i, t := range a.g.Operands(id) {
		if st.In[i].Kind == parallel.Shard && st.In[i].Axis < len(a.lay.Mesh(t)) {
			return nil // it would divide an axis of the mesh
		}
		in = append(in, a.want(t, st.In[i]))
	}
	for k, r := range st.Out {
		if t := id.Out(k); r.Kind == parallel.Shard && r.Axis < len(a.lay.Mesh(t)) {
			return nil
		}
	}
	if len(st.Out) == 1 {
		a.add(extract.Node{Class: a.begun(id.Out(0), st.Out[0]), Children: in, Cost: int64(time), Kind: extract.Live}, &maker{node: id, st: st})
		return nil
	}
	all := a.problem.AddClass()
	a.add(extract.Node{Class: all, Children: in, Cost: int64(time), Kind: extract.Live}, &maker{node: id, st: st})
	for k, r := range st.Out {
		a.add(extract.Node{Class: a.begun(id.Out(k), r), Children: []extract.ClassID{all}, Kind: extract.Live}, nil)
	}
	return nil
}

// root asks for a tensor that becomes output i: as the input lies whose place it takes,
// or in any role, the one that is cheapest to make copies of.
func (a *pass) root(t graph.Tensor, i int) error {
	if in, ok := a.next[i]; ok {
		if r, ok := a.at[in]; ok {
			a.problem.Roots = append(a.problem.Roots, a.want(t, r))
			return nil
		}
	}
	done := a.problem.AddClass()
	a.problem.Roots = append(a.problem.Roots, done)
	for _, r := range slices.Clone(a.roles[t]) {
		time, err := a.prices.convert(t, r, parallel.Role{Kind: parallel.Copy}, a.axis, a.degree)
		if err != nil {
			return err
		}
		a.add(extract.Node{Class: done, Children: []extract.ClassID{a.want(t, r)}, Cost: int64(time), Kind: extract.Live}, nil)
	}
	return nil
}

// conversions adds the ways to make a tensor in one role from another one, and inputs as
// they lie.
func (a *pass) conversions(t graph.Tensor) error {
	roles := a.roles[t]
	if len(roles) == 0 {
		return nil
	}
	_, isWeight := a.weight(t)
	if _, ok := a.from[t]; ok {
		for _, r := range a.residents(t) {
			a.add(extract.Node{Class: a.begun(t, r), Kind: extract.Live}, &maker{at: &held{t, r}})
		}
	}
	_, final := a.becomes[t]
	roles = a.roles[t]
	for _, from := range roles {
		for _, to := range roles {
			begin, ok := a.origin[held{t, from}]
			if !ok || from == to || to.Kind == parallel.First || !a.planner.converts(from, to, isWeight || final) {
				continue
			}
			time, err := a.prices.convert(t, from, to, a.axis, a.degree)
			if err != nil {
				return err
			}
			a.add(extract.Node{Class: a.want(t, to), Children: []extract.ClassID{begin}, Cost: int64(time), Kind: extract.Live}, nil)
		}
	}
	return nil
}

// residents are the roles in which an input may lie.
func (a *pass) residents(t graph.Tensor) (out []parallel.Role) {
	in, isWeight := a.weight(t)
	if r, ok := a.at[in]; ok && isWeight {
		return []parallel.Role{r}
	}
	for _, r := range a.fits(t) {
		if isWeight && a.planner.resident(r) || !isWeight && a.planner.fresh(r, len(a.lay.Mesh(t))) {
			out = append(out, r)
		}
	}
	if len(out) == 0 { // a scalar, or nothing that fits as the planner wants it
		out = append(out, parallel.Role{Kind: parallel.Copy})
	}
	return out
}
