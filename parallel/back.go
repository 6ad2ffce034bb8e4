package parallel

import (
	"fmt"
	"strconv"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// Pullback is a graph that computes the PCG's outputs and the derivatives of a number by
// inputs of it: it has an input more for each output, the derivative of the number by that
// output. It is laid out as the PCG is. Devices work back through what they have computed
// themselves, and a layout operator goes back as the other one of its pair: replicate as
// reduce, which is where data parallelism adds gradients up, partition as combine, lift as
// drop. The error names a node through which there is no way back. Compare grad.Pullback,
// of a graph on one device.
func (p *PCG) Pullback(by []graph.NodeID) (*graph.Graph, error) {
	r := &reverse{p: p, to: make([][]graph.Tensor, p.Graph.Len()+1), found: map[graph.Tensor]graph.Tensor{}}
	h, err := r.run(by)
	if err != nil {
		return nil, fmt.Errorf("pullback: %w", err)
	}
	return h, nil
}

// reverse is the state of a pass backwards.
type reverse struct {
	p     *PCG
	b     graph.Builder
	to    [][]graph.Tensor              // the PCG's tensors in the new graph
	found map[graph.Tensor]graph.Tensor // derivatives, by tensor of the PCG
}

func (r *reverse) run(by []graph.NodeID) (*graph.Graph, error) {
	g := r.p.Graph
	if err := r.copy(); err != nil {
		return nil, err
	}
	var outs []graph.Tensor
	for _, t := range g.Outputs() {
		outs = append(outs, r.at(t))
		if !g.DType(t).IsFloat() {
			continue
		}
		d, err := r.b.AddInput(r.fresh("d_"+g.Name(t.Node)), g.DType(t), g.Sizes(t)...)
		if err != nil {
			return nil, err
		}
		if err := r.add(t, d); err != nil {
			return nil, err
		}
	}
	leads := make([]bool, g.Len()+1)
	for _, id := range by {
		if id == 0 || int(id) > g.Len() || g.Op(id) != nil || !g.DType(id.Out(0)).IsFloat() {
			return nil, fmt.Errorf("node %d is no input of a floating-point type", id)
		}
		leads[id] = true
	}
	for id := range g.Nodes() {
		for _, t := range g.Operands(id) {
			leads[id] = leads[id] || leads[t.Node]
		}
	}
	for id := graph.NodeID(g.Len()); id > 0; id-- {
		if !leads[id] || r.p.acts[id].kind == actNone {
			continue
		}
		if err := r.node(id, leads); err != nil {
			return nil, fmt.Errorf("node %s: operator %s: %w", g.Name(id), g.Op(id).Name, err)
		}
	}
	for _, id := range by {
		d, ok := r.found[id.Out(0)]
		if !ok {
			c := graph.NewCalc(&r.b)
			if err := c.Do(func() { d = c.Alike(r.to[id][0], 0) }); err != nil {
				return nil, err
			}
		}
		outs = append(outs, d)
	}
	h, err := r.b.Finish(outs...)
	if err != nil {
		return nil, err
	}
	return h.WithoutDead(), nil
}

func (r *reverse) at(t graph.Tensor) graph.Tensor { return r.to[t.Node][t.Out] }

// fresh is a name that no node of the PCG has.
func (r *reverse) fresh(base string) string {
	name := base
	for i := 2; ; i++ {
		_, old := r.p.Graph.Find(name)
		if _, new := r.b.Graph().Find(name); !old && !new {
			return name
		}
		name = base + strconv.Itoa(i)
	}
}

// copy writes the PCG's nodes into the new graph.
func (r *reverse) copy() error {
	g := r.p.Graph
	for id := range g.Nodes() {
		ty := g.Type(id.Out(0))
		switch {
		case g.Op(id) == nil:
			add := r.b.AddInput
			if g.IsWeight(id) {
				add = r.b.AddWeight
			}
			t, err := add(g.Name(id), ty.DType, ty.Sizes...)
			if err != nil {
				return err
			}
			r.to[id] = []graph.Tensor{t}
		case r.p.acts[id].kind != actNone:
			if _, _, opaque := g.Opaque(id); opaque {
				return fmt.Errorf("node %s: what an opaque node computes is not known", g.Name(id))
			}
			var in []graph.Tensor
			for _, t := range g.Operands(id) {
				in = append(in, r.at(t))
			}
			var n graph.NodeID
			var err error
			if len(in) == 0 {
				n, err = r.b.Constant(g.Name(id), ty.DType, g.Op(id), g.Attrs(id))
			} else {
				n, err = r.b.Apply(g.Name(id), g.Op(id), g.Attrs(id), in...)
			}
			if err != nil {
				return err
			}
			for k := range g.NumOut(id) {
				r.to[id] = append(r.to[id], n.Out(k))
			}
		}
	}
	return nil
}

// add adds a way to the derivative by a tensor.
func (r *reverse) add(t, d graph.Tensor) error {
	if old, ok := r.found[t]; ok {
		id, err := r.b.Apply("", op.EWAdd, op.EWAdd.MustAttr(nil), old, d)
		if err != nil {
			return err
		}
		d = id.Out(0)
	}
	r.found[t] = d
	return nil
}

// node takes derivatives back through a node.
func (r *reverse) node(id graph.NodeID, leads []bool) error {
	a := r.p.acts[id]
	if a.kind == actLocal {
		return r.local(id, leads)
	}
	d, ok := r.found[id.Out(0)]
	if !ok {
		return nil
	}
	t := r.p.Graph.Operands(id)[0]
	x, err := r.layout(a, t, d)
	if err != nil {
		return err
	}
	return r.add(t, x)
}

// each applies an operator to each member over the first axes of a tensor.
func (r *reverse) each(mesh []int, o *graph.Op, named map[string]graph.Value, in ...graph.Tensor) (graph.Tensor, error) {
	attrs, err := o.Attr(named)
	if err != nil {
		return graph.Tensor{}, err
	}
	o, attrs = liftOver(mesh, o, attrs)
	id, err := r.b.Apply("", o, attrs, in...)
	return id.Out(0), err
}

// liftOver is an operator applied to each member over a mesh.
func liftOver(mesh []int, o *graph.Op, attrs graph.Attrs) (*graph.Op, graph.Attrs) {
	if e := o.Each(); len(mesh) > 0 && e != o {
		return e, append(graph.Attrs{graph.ShapeValue(graph.Sizes(mesh...))}, attrs...)
	}
	return o, attrs
}

// layout is the derivative by the operand t of a layout operator.
func (r *reverse) layout(a act, t, d graph.Tensor) (graph.Tensor, error) {
	g := r.p.Graph
	sizes, m := g.Sizes(t), len(r.p.Layout(t))
	front := sizes[:a.at]
	named := map[string]graph.Value{}
	// The axis as the operator counts it, and its partner too: in a member, the mesh axes
	// behind its own place among them.
	if i := a.op.ParamIndex("axis"); i >= 0 {
		named["axis"] = a.attrs[i]
	}
	on := func() { named["on"] = number(sizes[a.at]) }
	switch a.op {
	case op.Partition:
		return r.each(front, op.Combine, named, d)
	case op.Combine:
		on()
		return r.each(front, op.Partition, named, d)
	case op.Replicate:
		return r.each(front, op.Reduce, named, d)
	case op.Reduce:
		on()
		return r.each(front, op.Replicate, named, d)
	case op.Lift:
		return r.each(front, op.Drop, named, d)
	case op.Drop:
		on()
		return r.each(front, op.Lift, named, d)
	case op.Halo:
		return r.halo(a, sizes[:m], a.axis, sizes[m+a.axis], d)
	}
	return d, fmt.Errorf("it has no derivative")
}

// halo adds what was taken from a neighbour to what the neighbour has. n is the size of a
// part along the axis.
func (r *reverse) halo(a act, mesh []int, axis, n int, d graph.Tensor) (graph.Tensor, error) {
	slice := func(x graph.Tensor, lo, hi int) (graph.Tensor, error) {
		return r.each(mesh, op.Slice, map[string]graph.Value{"axis": number(axis), "lo": number(lo), "hi": number(hi)}, x)
	}
	sum, err := slice(d, a.before, a.before+n)
	if err != nil {
		return sum, err
	}
	// border takes places lo to hi of each member to the neighbour, who has them at place at.
	border := func(lo, hi, before, after, at int) error {
		k := hi - lo
		if k == 0 {
			return nil
		}
		x, err := slice(d, lo, hi)
		if err != nil {
			return err
		}
		i := a.op.ParamIndex("axis")
		x, err = r.each(mesh[:a.at], op.Halo, map[string]graph.Value{"axis": a.attrs[i], "before": number(before), "after": number(after)}, x)
		if err != nil {
			return err
		}
		if x, err = slice(x, after, k+after); err != nil {
			return err
		}
		c := graph.NewCalc(&r.b)
		zero := func(places int) (z graph.Tensor, err error) {
			if z, err = slice(sum, 0, places); err == nil {
				err = c.Do(func() { z = c.Sub(z, z) })
			}
			return z, err
		}
		join := func(x, y graph.Tensor) (graph.Tensor, error) {
			return r.each(mesh, op.Concat, map[string]graph.Value{"axis": number(axis)}, x, y)
		}
		if at > 0 {
			z, err := zero(at)
			if err != nil {
				return err
			}
			if x, err = join(z, x); err != nil {
				return err
			}
		}
		if rest := n - at - k; rest > 0 {
			z, err := zero(rest)
			if err != nil {
				return err
			}
			if x, err = join(x, z); err != nil {
				return err
			}
		}
		id, err := r.b.Apply("", op.EWAdd, op.EWAdd.MustAttr(nil), sum, x)
		sum = id.Out(0)
		return err
	}
	// The first places are the last ones of the member before: each gets those of the one
	// behind.
	if err := border(0, a.before, 0, a.before, n-a.before); err != nil {
		return sum, err
	}
	return sum, border(a.before+n, a.before+n+a.after, a.after, 0, 0)
}

// local takes derivatives back through what a device computes by itself: the operator's
// own way back on one member, written for each.
func (r *reverse) local(id graph.NodeID, leads []bool) error {
	g, a := r.p.Graph, r.p.acts[id]
	m := len(r.p.layouts[id][0])
	mesh := g.Sizes(id.Out(0))[:m]
	var one graph.Builder
	var from []graph.Tensor // in the graph of a member, and what it is in the new graph
	var is []graph.Tensor
	back := &graph.Backward{Attrs: a.attrs}
	give := func(t, x graph.Tensor) (graph.Tensor, error) {
		in, err := one.AddInput("x"+strconv.Itoa(len(from)), g.DType(t), g.Sizes(t)[m:]...)
		from, is = append(from, in), append(is, x)
		return in, err
	}
	wanted := false
	for _, t := range g.Operands(id) {
		x, err := give(t, r.at(t))
		if err != nil {
			return err
		}
		back.In = append(back.In, x)
		back.Want = append(back.Want, leads[t.Node] && g.DType(t).IsFloat())
		wanted = wanted || back.Want[len(back.Want)-1]
	}
	some := false
	for k := range g.NumOut(id) {
		if d, ok := r.found[id.Out(k)]; ok {
			x, err := give(id.Out(k), d)
			if err != nil {
				return err
			}
			back.D, some = append(back.D, x), true
		} else {
			back.D = append(back.D, graph.Tensor{})
		}
	}
	if !some || !wanted {
		return nil
	}
	n, err := one.Apply("", a.op, a.attrs, back.In...)
	if err != nil {
		return err
	}
	to := map[graph.Tensor]graph.Tensor{}
	for i := range from {
		to[from[i]] = is[i]
	}
	for k := range g.NumOut(id) {
		back.Out = append(back.Out, n.Out(k))
		to[n.Out(k)] = r.to[id][k]
	}
	back.Calc = graph.NewCalc(&one)
	ds, err := a.op.Backward(back)
	if err != nil {
		return err
	}
	if err := r.replay(&one, mesh, to); err != nil {
		return err
	}
	for i, t := range g.Operands(id) {
		if back.Want[i] && ds[i] != (graph.Tensor{}) {
			if err := r.add(t, to[ds[i]]); err != nil {
				return err
			}
		}
	}
	return nil
}

// replay writes what is built for one member for each member over a mesh; to holds what is
// there already, and gets the rest.
func (r *reverse) replay(one *graph.Builder, mesh []int, to map[graph.Tensor]graph.Tensor) error {
	h := one.Graph()
	for id := range h.Nodes() {
		if _, ok := to[id.Out(0)]; ok {
			continue
		}
		var in []graph.Tensor
		for _, t := range h.Operands(id) {
			in = append(in, to[t])
		}
		o, attrs := liftOver(mesh, h.Op(id), h.Attrs(id))
		var n graph.NodeID
		var err error
		if len(in) == 0 {
			n, err = r.b.Constant("", h.DType(id.Out(0)), o, attrs)
		} else {
			n, err = r.b.Apply("", o, attrs, in...)
		}
		if err != nil {
			return err
		}
		for k := range h.NumOut(id) {
			to[id.Out(k)] = n.Out(k)
		}
	}
	return nil
}
