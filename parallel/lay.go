package parallel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Laying lays a network out over a mesh, one mesh axis after another, and keeps what shows
// that it computes the same: instances of laws, from which the equation between the
// network as it came and as it is follows by congruence.
//
// Along an axis each operator has a [Strategy] or is left as it is. What an operator
// before has made and what one needs are brought together by layout operators. The axes
// of later passes are in front, and their strategies are those of the operators as they
// are then, layout operators of other axes among them, so that no pass need know of
// another.
type Laying struct {
	of    *Strategies
	g     *graph.Graph
	terms [][]*law.Term // of g, by node and output

	given []law.Declaration
	left  []*law.Term
	insts []law.Instance
	laws  map[string]*law.Law

	evidence map[string]*law.Proof // of laws by which the network was rewritten before

	degrees []int      // of the mesh axes
	layouts [][]Layout // of g, by node and output
	mesh    [][][]int  // of layouts, the axes alone
	origins []Origin   // of g, by node; nil: each node is its own
}

// Choice says how a network is laid out along one mesh axis. Functions that are nil say
// nothing of any node or tensor.
type Choice struct {
	// Of are the strategies by which a node is computed, each for whom it serves; none, and
	// nil among them: by one device, of the tensors as they are.
	Of func(id graph.NodeID) []*Strategy
	// Resident is as what a tensor lies on the devices that no strategy computes, such as an
	// input: what else is needed of it is made of these members.
	Resident func(t graph.Tensor) (Role, bool)
	// Final is as what a tensor is wanted that becomes one of an output, before it does.
	Final func(t graph.Tensor) (Role, bool)
}

// NewLaying begins with a graph on one device.
func NewLaying(g *graph.Graph, of *Strategies) *Laying {
	l := &Laying{of: of, g: g, laws: map[string]*law.Law{}}
	l.terms = make([][]*law.Term, g.Len()+1)
	for id := range g.Nodes() {
		l.terms[id] = make([]*law.Term, g.NumOut(id))
		if g.Op(id) == nil {
			v := law.V(fmt.Sprintf("X%d", len(l.given)))
			l.given = append(l.given, law.Declaration{Name: v.Var, Shape: graph.Sizes(g.Sizes(id.Out(0))...)})
			l.terms[id][0] = v
			continue
		}
		var args []*law.Term
		for _, t := range g.Operands(id) {
			args = append(args, l.term(t))
		}
		app := law.Apply(g.Op(id), g.Attrs(id), args...)
		for k := range l.terms[id] {
			l.terms[id][k] = app.Output(k)
		}
	}
	for _, t := range g.Outputs() {
		l.left = append(l.left, l.term(t))
	}
	return l
}

// Graph is the network as it is laid out now.
func (l *Laying) Graph() *graph.Graph { return l.g }

// Equation says that the network computes what it did when it came; Proof shows it by
// instances of Laws.
func (l *Laying) Equation() *law.Law {
	e := &law.Law{Kind: law.Rule, Name: "network", Given: l.given, LHS: l.left}
	for _, t := range l.g.Outputs() {
		e.RHS = append(e.RHS, l.term(t))
	}
	return law.Stated(e)
}

// Proof are the instances from which the equation follows by congruence.
func (l *Laying) Proof() *law.Proof { return &law.Proof{Instances: l.insts} }

// Laws are those that instances name.
func (l *Laying) Laws() map[string]*law.Law { return l.laws }

// Evidence is the proof of one of Laws, from what operators compute.
func (l *Laying) Evidence(name string) *law.Proof {
	if p := l.evidence[name]; p != nil {
		return p
	}
	return l.of.Proof(name)
}

func (l *Laying) term(t graph.Tensor) *law.Term { return l.terms[t.Node][t.Out] }

// Degrees are the sizes of the mesh axes along which the network was laid out, in order.
func (l *Laying) Degrees() []int { return slices.Clone(l.degrees) }

// Mesh are the mesh axes that a tensor of the network as it is has in front, by their
// numbers in [Laying.Degrees]. The caller must not write to it.
func (l *Laying) Mesh(t graph.Tensor) []int {
	if l.mesh == nil {
		return nil
	}
	return l.mesh[t.Node][t.Out]
}

// Layout is how a tensor of the network as it is lies on the mesh, outermost first: mesh
// axes by their numbers in [Laying.Degrees], shards by axes of the tensor without mesh axes.
// Of two mesh axes that deal out one axis it does not say which has the larger parts.
// The caller must not write to it.
func (l *Laying) Layout(t graph.Tensor) Layout {
	if l.layouts == nil {
		return nil
	}
	return l.layouts[t.Node][t.Out]
}

// Strategies lists those of a node of the network as it is, along one more mesh axis. Laws
// are about real numbers: tensors of other types are no partial sums.
func (l *Laying) Strategies(ctx context.Context, id graph.NodeID, degree int) ([]*Strategy, error) {
	if err := filled(l.g, id); err != nil {
		return nil, fmt.Errorf("node %s: %w", l.g.Name(id), err)
	}
	var sizes [][]int
	for _, t := range l.g.Operands(id) {
		sizes = append(sizes, l.g.Sizes(t))
	}
	all, err := l.of.Of(ctx, l.g.Op(id), l.g.Attrs(id), sizes, degree)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(st *Strategy) bool {
		for i, t := range l.g.Operands(id) {
			if st.In[i].Kind == Sum && !l.g.DType(t).IsFloat() {
				return true
			}
		}
		for k, r := range st.Out {
			if r.Kind == Sum && !l.g.DType(id.Out(k)).IsFloat() {
				return true
			}
		}
		return false
	}), nil
}

// Along lays the network out along one more mesh axis of that many members, in front of
// those it has.
func (l *Laying) Along(ctx context.Context, degree int, c Choice) error {
	p := &pass{Laying: l, ctx: ctx, choice: c, degree: degree, on: graph.Attrs{number(degree)},
		held: map[graph.Tensor]map[Role]graph.Tensor{}, now: map[graph.Tensor]*law.Term{},
		lies: map[graph.Tensor]Layout{}, names: map[string]bool{}, from: map[graph.NodeID]Origin{}}
	l.degrees = append(l.degrees, degree)
	for id := range l.g.Nodes() {
		p.names[l.g.Name(id)] = true
	}
	for id := range l.g.Nodes() {
		if err := p.node(id); err != nil {
			return fmt.Errorf("lay out along an axis of %d: node %s: %w", degree, l.g.Name(id), err)
		}
	}
	var outs []graph.Tensor
	for _, t := range l.g.Outputs() {
		w, err := p.wholeOf(t)
		if err != nil {
			return fmt.Errorf("lay out along an axis of %d: output: %w", degree, err)
		}
		outs = append(outs, w)
	}
	g, err := p.b.Finish(outs...)
	if err != nil {
		return fmt.Errorf("lay out along an axis of %d: %w", degree, err)
	}
	terms, origins := make([][]*law.Term, g.Len()+1), make([]Origin, g.Len()+1)
	layouts, mesh := make([][]Layout, g.Len()+1), make([][][]int, g.Len()+1)
	for id := range g.Nodes() {
		origins[id] = p.from[id]
		for k := range g.NumOut(id) {
			lies := p.lies[id.Out(k)]
			axes := make([]int, len(lies))
			for i, s := range lies {
				axes[i] = s.Axis
			}
			terms[id] = append(terms[id], p.now[id.Out(k)])
			layouts[id] = append(layouts[id], lies)
			mesh[id] = append(mesh[id], axes)
		}
	}
	l.g, l.terms, l.layouts, l.mesh, l.origins = g, terms, layouts, mesh, origins
	return nil
}

// pass is one call of Along.
type pass struct {
	*Laying
	ctx    context.Context
	choice Choice
	b      graph.Builder
	degree int
	on     graph.Attrs
	held   map[graph.Tensor]map[Role]graph.Tensor // of the old graph: what stands for it in the new one
	now    map[graph.Tensor]*law.Term             // of the new graph
	lies   map[graph.Tensor]Layout                // likewise: the mesh axes in front
	names  map[string]bool
	from   map[graph.NodeID]Origin // of the new graph
}

func (p *pass) hold(t graph.Tensor, r Role, as graph.Tensor) {
	if p.held[t] == nil {
		p.held[t] = map[Role]graph.Tensor{}
	}
	p.held[t][r] = as
}

// filled refuses a node with an operand or a result without elements.
func filled(g *graph.Graph, id graph.NodeID) error {
	if g.TouchesEmpty(id) {
		return errors.New("an operand or a result has no elements; only tensors with elements are laid out over devices")
	}
	return nil
}

// node writes a node into the new graph.
func (p *pass) node(id graph.NodeID) error {
	if kind, _, opaque := p.g.Opaque(id); opaque {
		return fmt.Errorf("laws say nothing of an opaque node (%s)", kind)
	}
	if err := filled(p.g, id); err != nil {
		return err
	}
	var of []*Strategy
	if p.g.Op(id) != nil && p.choice.Of != nil {
		of = p.choice.Of(id)
	}
	if len(of) == 0 {
		return p.alone(id)
	}
	alone := slices.Contains(of, nil)
	if alone {
		if err := p.alone(id); err != nil {
			return err
		}
	}
	for i, st := range of {
		if st == nil {
			continue
		}
		name := p.g.Name(id)
		if i > 0 || alone {
			name = p.free(name)
		}
		if err := p.spread(id, name, st); err != nil {
			return err
		}
	}
	return nil
}

// alone leaves a node, or an input, as it is.
func (p *pass) alone(id graph.NodeID) error {
	g := p.g
	var in []graph.Tensor
	var args []*law.Term
	for _, t := range g.Operands(id) {
		x, err := p.wholeOf(t)
		if err != nil {
			return err
		}
		in, args = append(in, x), append(args, p.now[x])
	}
	x, err := p.b.Copy(g, id, in)
	if err != nil {
		return err
	}
	p.from[x] = p.Origin(id)
	var app *law.Term
	if o := g.Op(id); o != nil {
		app = law.Apply(o, g.Attrs(id), args...)
	}
	for k := range g.NumOut(id) {
		t, now := id.Out(k), x.Out(k)
		if app == nil {
			p.now[now] = p.terms[id][k]
		} else {
			p.now[now] = app.Output(k)
		}
		p.lies[now] = p.Layout(t)
		p.hold(t, Role{}, now)
		if p.choice.Resident == nil {
			continue
		}
		if r, ok := p.choice.Resident(t); ok && r != (Role{}) {
			if _, err := p.as(t, r); err != nil {
				return err
			}
			delete(p.held[t], Role{})
		}
	}
	return nil
}

// spread computes a node by a strategy.
func (p *pass) spread(id graph.NodeID, name string, st *Strategy) error {
	g := p.g
	var in []graph.Tensor
	for i, t := range g.Operands(id) {
		x, err := p.as(t, st.In[i])
		if err != nil {
			return err
		}
		in = append(in, x)
	}
	each, attrs := lifted(g.Op(id), st.Attrs, graph.Int(int64(p.degree)))
	x, err := p.apply(name, g.DType(id.Out(0)), each, attrs, in...)
	if err != nil {
		return err
	}
	p.from[x] = p.Origin(id)
	for k, r := range st.Out {
		inst := law.Instance{Law: st.Laws[k].Name, Tensors: map[string]*law.Term{}, Dims: st.dims[k]}
		for i, t := range g.Operands(id) {
			if st.In[i].Kind == Copy || i == st.whole && st.In[i].Kind == Shard {
				inst.Tensors[variable(i)] = p.term(t)
			} else {
				inst.Tensors[variable(i)] = p.now[in[i]]
			}
		}
		p.insts = append(p.insts, inst)
		p.laws[st.Laws[k].Name] = st.Laws[k]
		p.lies[x.Out(k)] = p.along(id.Out(k), r)
		if _, ok := p.held[id.Out(k)][r]; !ok { // of two strategies that agree the first counts
			p.hold(id.Out(k), r, x.Out(k))
		}
	}
	return nil
}

// along is how members of a tensor along the new axis lie.
func (p *pass) along(t graph.Tensor, r Role) Layout {
	old := p.Layout(t)
	if r.Kind == Shard && r.Axis < len(old) {
		r = Role{} // of a mesh axis
	} else if r.Kind == Shard {
		r.Axis -= len(old)
	}
	return append(Layout{{Axis: len(p.degrees) - 1, Role: r}}, old...)
}

// apply adds an operator to the new graph; a constant is of the given type.
func (p *pass) apply(name string, like graph.DType, o *graph.Op, attrs graph.Attrs, in ...graph.Tensor) (id graph.NodeID, err error) {
	if len(in) == 0 {
		id, err = p.b.Constant(name, like, o, attrs)
	} else {
		id, err = p.b.Apply(name, o, attrs, in...)
	}
	if err != nil {
		return id, err
	}
	var args []*law.Term
	for _, t := range in {
		args = append(args, p.now[t])
	}
	app := law.Apply(o, attrs, args...)
	for k := range p.b.Graph().NumOut(id) {
		p.now[id.Out(k)] = app.Output(k)
	}
	return id, nil
}

// as is the tensor in the new graph that stands for one of the old graph in a role; of
// no kind: the tensor itself.
func (p *pass) as(t graph.Tensor, r Role) (graph.Tensor, error) {
	if x, ok := p.held[t][r]; ok {
		return x, nil
	}
	w, ok := p.held[t][Role{}]
	if !ok {
		x, err := p.end(t)
		if err != nil {
			return w, err
		}
		w = x.Out(0)
		p.hold(t, Role{}, w)
		p.lies[w] = p.Layout(t)
	}
	if r == (Role{}) {
		return w, nil
	}
	x, err := p.begin(t, w, r)
	if err != nil {
		return w, err
	}
	p.hold(t, r, x.Out(0))
	p.lies[x.Out(0)] = p.along(t, r)
	return x.Out(0), nil
}

// wholeOf is a tensor as one that is not along the axis, for an output or a node that is alone.
func (p *pass) wholeOf(t graph.Tensor) (graph.Tensor, error) {
	if p.choice.Final != nil {
		if r, ok := p.choice.Final(t); ok && r != (Role{}) {
			return p.last(t, r)
		}
	}
	return p.as(t, Role{})
}

// last is a tensor that becomes one of an output, made of members in the role in which it
// is wanted.
func (p *pass) last(t graph.Tensor, r Role) (graph.Tensor, error) {
	x, err := p.as(t, r)
	if err != nil {
		return x, err
	}
	w, err := p.endFrom(t, r, x)
	p.lies[w.Out(0)] = p.Layout(t)
	return w.Out(0), err
}

// ends are the roles from which a tensor is made of members, the cheapest first.
func (p *pass) ends(t graph.Tensor) []Role {
	out := []Role{{Kind: Copy}, {Kind: First}}
	for axis := range p.g.Sizes(t) {
		out = append(out, Role{Kind: Shard, Axis: axis})
	}
	out = append(out, p.blocksOf(t)...)
	return append(out, Role{Kind: Sum})
}

// end makes a tensor of its members.
func (p *pass) end(t graph.Tensor) (graph.NodeID, error) {
	for _, r := range p.ends(t) {
		x, ok := p.held[t][r]
		if !ok {
			continue
		}
		return p.endFrom(t, r, x)
	}
	return 0, fmt.Errorf("nothing stands for %s", tensorName(p.g, t))
}

func (p *pass) endFrom(t graph.Tensor, r Role, x graph.Tensor) (graph.NodeID, error) {
	if r.Kind == Copy || r.Kind == First { // members are what the tensor's term would be made to
		if err := p.back(r, p.term(t), p.g.Sizes(t)); err != nil {
			return 0, err
		}
	}
	if r.Blocks > 0 {
		return p.endBlocks(t, r, x)
	}
	_, end, err := made(r, p.on[0])
	if err != nil {
		return 0, err
	}
	how := end(p.now[x])
	return p.converts(t)(p.apply(p.name(t, "whole"), p.g.DType(t), how.Op, how.Attrs, x))
}

// begin makes members of a tensor.
func (p *pass) begin(t, whole graph.Tensor, r Role) (graph.NodeID, error) {
	begin, _, err := made(r, p.on[0])
	if err != nil {
		return 0, err
	}
	if r.Kind != Copy { // what stands for copies is the term itself
		if err := p.back(r, p.now[whole], p.g.Sizes(t)); err != nil {
			return 0, err
		}
	}
	how := begin(p.now[whole])
	return p.converts(t)(p.apply(p.name(t, strings.ReplaceAll(r.String(), " ", "")), p.g.DType(t), how.Op, how.Attrs, whole))
}

func (p *pass) name(t graph.Tensor, what string) string {
	n := p.g.Name(t.Node)
	if p.g.NumOut(t.Node) > 1 {
		n = fmt.Sprintf("%s.%d", n, t.Out)
	}
	return p.free(fmt.Sprintf("%s_%s_%s", n, what, dimensionName(len(p.degrees)-1)))
}

// free is a name that no node has.
func (p *pass) free(name string) string {
	for i, n := 2, name; ; i++ {
		if !p.names[n] {
			p.names[n] = true
			return n
		}
		n = fmt.Sprintf("%s_%d", name, i)
	}
}

// back adds the instance by which a tensor comes back of members made in a role.
func (p *pass) back(r Role, x *law.Term, sizes []int) error {
	l, dims, err := p.of.back(p.ctx, r, sizes, p.degree)
	if err != nil {
		return err
	}
	p.insts = append(p.insts, law.Instance{Law: l.Name, Tensors: map[string]*law.Term{variable(0): x}, Dims: dims})
	p.laws[l.Name] = l
	return nil
}
