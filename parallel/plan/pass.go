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
	*frame
	ctx    context.Context
	prices *prices
	means  Means
	next   map[int]int // outputs by what they become

	updated map[int]bool // inputs that outputs become
	parts   map[int]bool // inputs that lie in parts, whatever others do
	axis    int
	degree  int

	of      map[graph.NodeID][]*parallel.Strategy // of what is planned
	fresh   []bool                                // nodes that depend on inputs which are no weights
	at      map[int]parallel.Role                 // residents by input, if they are decided: of a tensor without mesh axes
	regions *regions
	times   map[graph.NodeID][]machine.Time // of the strategies of a node, -1: not known yet
	numbers map[*parallel.Strategy]int      // from 1
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
	ends machine.Time       // copies of an output
}

// choice is what was chosen.
type choice struct {
	strategies map[graph.NodeID][]*parallel.Strategy
	resident   map[graph.Tensor]parallel.Role
	cost       machine.Time
	ends       machine.Time // of the cost: copies of outputs, which later passes do not see
	bound      machine.Time
	stop       extract.Stop
}

func newPass(ctx context.Context, p *prices, means Means, next map[int]int, degree int, how division) (*pass, error) {
	f, err := newFrame(ctx, p, next, degree)
	if err != nil {
		return nil, err
	}
	a := &pass{frame: f, ctx: ctx, prices: p, means: means, next: next, axis: len(p.lay.Degrees()), degree: degree, times: map[graph.NodeID][]machine.Time{}, of: map[graph.NodeID][]*parallel.Strategy{}, numbers: map[*parallel.Strategy]int{}, updated: map[int]bool{}, parts: how.parts}
	for _, in := range next {
		a.updated[in] = true
	}
	for id := range a.g.Nodes() {
		if !a.planned(id) {
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
		if means == Micro {
			a.of[id] = append([]*parallel.Strategy{nil}, all...)
		}
	}
	switch means {
	case Micro:
		if err := a.dealt(); err != nil {
			return nil, err
		}
	case Data, FSDP, Sparse, SparseFSDP:
		if degree > 1 && how.only == nil && !a.samples() {
			return nil, fmt.Errorf("%s: %d devices divide the samples of no input: %w", means, degree, ErrMeans)
		}
	}
	a.regions = a.divide(how)
	return a, nil
}

// dealt finds what depends on samples, and wants an input to have as many as there are
// micro-batches, or some for each.
func (a *pass) dealt() error {
	a.fresh = make([]bool, a.g.Len()+1)
	any := false
	for id := range a.g.Nodes() {
		t := id.Out(0)
		if a.g.Op(id) == nil && a.residents(t)[0] != whole {
			a.fresh[id], any = true, true
		}
		for _, x := range a.g.Operands(id) {
			a.fresh[id] = a.fresh[id] || a.fresh[x.Node]
		}
	}
	if !any {
		return fmt.Errorf("%d micro-batches divide the samples of no input: %w", a.degree, ErrMeans)
	}
	return nil
}

// samples reports whether an input that is no weight is dealt out, as it is read.
func (a *pass) samples() bool {
	for id := range a.g.Nodes() {
		if a.skip[id] || !a.needed[id] {
			continue
		}
		for _, t := range a.g.Operands(id) {
			i, ok := a.from[t]
			if _, isWeight := a.weight(t); ok && !isWeight && !a.g.IsWeight(a.g.Inputs()[i]) && a.residents(t)[0].Kind == parallel.Shard {
				return true
			}
		}
	}
	return false
}

// weight is the input, if a tensor is one that a later run has another value of.
func (a *pass) weight(t graph.Tensor) (input int, ok bool) {
	i, ok := a.from[t]
	if !ok {
		return 0, false
	}
	if !a.updated[i] {
		return 0, false
	}
	return i, true
}

// fits are the roles in which a tensor may lie: copies, and shards along axes of which
// the size is a multiple of the degree, mesh axes apart.
func (a *pass) fits(t graph.Tensor) (out []parallel.Role) {
	if a.means == Micro {
		out = append(out, whole)
	}
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

// leastSteps is how many steps a region has, if there are so many.
const leastSteps = 1 << 16

// solve chooses. at are the residents of inputs; of one that it does not name any that
// the planner allows costs nothing.
func (a *pass) solve(at map[int]parallel.Role, steps int64) (*choice, error) {
	a.at = at
	out := &choice{strategies: map[graph.NodeID][]*parallel.Strategy{}, resident: map[graph.Tensor]parallel.Role{}, stop: extract.StopOptimal}
	steps = max(steps/int64(max(1, len(a.regions.list))), min(steps, leastSteps))
	known := map[string]*solved{}
	for _, r := range a.regions.list {
		key, err := a.alike(r)
		if err != nil {
			return nil, err
		}
		if s, ok := known[key]; ok {
			a.read(s, r, out)
			continue
		}
		if err := a.write(r); err != nil {
			return nil, err
		}
		if len(a.problem.Roots) == 0 { // nobody wants anything of it
			known[key] = &solved{r: r}
			continue
		}
		res, err := a.regions.solve(a.ctx, &a.problem, steps)
		if errors.Is(err, extract.ErrNoChoice) {
			return nil, fmt.Errorf("%s along an axis of %d: %w", a.means, a.degree, ErrMeans)
		}
		if err != nil {
			return nil, fmt.Errorf("%s along an axis of %d: %w", a.means, a.degree, err)
		}
		known[key] = &solved{r, res, a.made}
		a.read(known[key], r, out)
	}
	return out, nil
}

// write makes the problem of a region.
func (a *pass) write(r *region) error {
	a.problem, a.made = extract.Problem{Nodes: a.problem.Nodes[:0]}, nil // nobody keeps nodes
	a.class, a.origin, a.roles = map[held]extract.ClassID{}, map[held]extract.ClassID{}, map[graph.Tensor][]parallel.Role{}
	for _, id := range r.nodes {
		for k, st := range a.of[id] {
			if err := a.operator(id, k, st); err != nil {
				return err
			}
		}
	}
	for _, t := range r.made {
		if i, ok := a.becomes[t]; ok {
			if err := a.root(t, i); err != nil {
				return err
			}
		}
		if as, ok := a.regions.border[t]; ok {
			a.problem.Roots = append(a.problem.Roots, a.want(t, as))
		}
	}
	for _, t := range r.read {
		if as, ok := a.regions.border[t]; ok && len(a.roles[t]) > 0 {
			a.add(extract.Node{Class: a.begun(t, as), Kind: extract.Live}, nil)
		}
		if err := a.conversions(t); err != nil {
			return err
		}
	}
	for _, t := range r.made {
		if err := a.conversions(t); err != nil {
			return err
		}
	}
	return nil
}

// read adds what is chosen in a region that is alike to one that is solved.
func (a *pass) read(s *solved, r *region, out *choice) {
	res := s.res
	if res == nil {
		return
	}
	out.cost += machine.Time(res.Cost)
	out.bound += machine.Time(res.Bound)
	if res.Stop != extract.StopOptimal {
		out.stop = res.Stop
	}
	for _, n := range res.Choice {
		if n == extract.NoNode {
			continue
		}
		switch m := s.made[n].as(s.r, r); {
		case m == nil:
		case m.ends > 0:
			out.ends += m.ends
		case m.at != nil:
			if _, ok := out.resident[m.at.t]; !ok || m.at.r.Kind == parallel.Copy {
				out.resident[m.at.t] = m.at.r
			}
		case m.node == 0: // an end that costs nothing
		case !slices.Contains(out.strategies[m.node], m.st):
			out.strategies[m.node] = append(out.strategies[m.node], m.st)
		}
	}
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
func (a *pass) operator(id graph.NodeID, k int, st *parallel.Strategy) error {
	time, err := a.timeOf(id, k, st)
	if err != nil {
		return err
	}
	if st == nil {
		st = a.whole(id)
	}
	if a.larges(id, st) {
		return nil
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
	by := &maker{node: id, st: st}
	if len(st.Laws) == 0 {
		by.st = nil
	}
	if len(st.Out) == 1 {
		a.add(extract.Node{Class: a.begun(id.Out(0), st.Out[0]), Children: in, Cost: int64(time), Kind: extract.Live}, by)
		return nil
	}
	all := a.problem.AddClass()
	a.add(extract.Node{Class: all, Children: in, Cost: int64(time), Kind: extract.Live}, by)
	for k, r := range st.Out {
		a.add(extract.Node{Class: a.begun(id.Out(k), r), Children: []extract.ClassID{all}, Kind: extract.Live}, nil)
	}
	return nil
}

// whole is an operator on tensors that the axis does not deal out.
func (a *pass) whole(id graph.NodeID) *parallel.Strategy {
	return &parallel.Strategy{In: make([]parallel.Role, len(a.g.Operands(id))), Out: make([]parallel.Role, a.g.NumOut(id)), Attrs: a.g.Attrs(id)}
}

// root asks for a tensor that becomes output i: as the input lies whose place it takes,
// or in any role, the one that is cheapest to make copies of.
func (a *pass) root(t graph.Tensor, i int) error {
	if in, ok := a.next[i]; ok {
		if r, ok := a.at[in]; ok {
			a.problem.Roots = append(a.problem.Roots, a.want(t, a.on(t, r)))
			return nil
		}
	}
	done := a.problem.AddClass()
	a.problem.Roots = append(a.problem.Roots, done)
	for _, r := range slices.Clone(a.roles[t]) {
		if r.Blocks > 0 {
			continue
		}
		time, err := a.prices.convert(t, r, parallel.Role{Kind: parallel.Copy}, a.axis, a.degree)
		if err != nil {
			return err
		}
		a.add(extract.Node{Class: done, Children: []extract.ClassID{a.want(t, r)}, Cost: int64(time), Kind: extract.Live}, &maker{ends: time})
	}
	return nil
}

// conversions adds the ways to make a tensor in one role from another one, and inputs as
// they lie.
func (a *pass) conversions(t graph.Tensor) error {
	roles := a.roles[t]
	if len(roles) == 0 || a.between[t] {
		return nil
	}
	_, isWeight := a.weight(t)
	if _, ok := a.from[t]; ok {
		for _, r := range a.residents(t) {
			if a.large(t, r) {
				continue
			}
			a.add(extract.Node{Class: a.begun(t, r), Kind: extract.Live}, &maker{at: &held{t, r}})
		}
	}
	_, final := a.becomes[t]
	roles = a.roles[t]
	for _, from := range roles {
		for _, to := range roles {
			begin, ok := a.origin[held{t, from}]
			if !ok || from == to || to.Kind == parallel.First || !a.means.converts(from, to, isWeight || final) || a.large(t, to) {
				continue
			}
			if from == whole && a.fresh[t.Node] {
				continue // one micro-batch would wait for all
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
		return []parallel.Role{a.on(t, r)}
	}
	may := func(r parallel.Role) bool { return a.means.fresh(r, len(a.lay.Mesh(t))) }
	switch {
	case isWeight:
		may = a.means.resident
		if a.parts[in] {
			may = FSDP.resident
		}
	case a.g.IsWeight(a.g.Inputs()[a.from[t]]):
		may = a.means.stays
	}
	for _, r := range a.fits(t) {
		if may(r) {
			out = append(out, r)
		}
	}
	if len(out) == 0 { // a scalar, or nothing that fits as the planner wants it
		r := parallel.Role{Kind: parallel.Copy}
		if a.means == Micro {
			r = whole
		}
		out = append(out, r)
	}
	return out
}
