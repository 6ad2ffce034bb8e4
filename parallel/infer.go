package parallel

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// inference finds the mesh axes of all tensors.
type inference struct {
	g    *graph.Graph
	acts []act
	of   [][][]int // mesh axes by node and output, outermost first
	axes []meshAxis

	number []int // by root, set by place: the number of the axis in the PCG
}

// meshAxis is a mesh axis where it was made. Those that operators carry along to one
// another are of one class.
type meshAxis struct {
	parent int
	size   int
	parts  []int // of a root: the two axes it was split into or made of
	like   int   // an axis that ended where this one was made, -1: none
}

func (in *inference) fresh(size, like int) int {
	in.axes = append(in.axes, meshAxis{parent: len(in.axes), size: size, like: like})
	return len(in.axes) - 1
}

func (in *inference) find(a int) int {
	for in.axes[a].parent != a {
		in.axes[a].parent = in.axes[in.axes[a].parent].parent
		a = in.axes[a].parent
	}
	return a
}

// union makes two axes of one size one; the earlier one stands for both.
func (in *inference) union(a, b int) {
	a, b = in.find(a), in.find(b)
	if a == b {
		return
	}
	if b < a {
		a, b = b, a
	}
	in.axes[b].parent = a
	x, y := in.axes[a].parts, in.axes[b].parts
	in.axes[b].parts = nil
	if x == nil {
		in.axes[a].parts = y
	} else if y != nil {
		in.unionParts(x, y)
	}
}

// unionParts: two ways of dividing one axis are one if the sizes are the same. Otherwise
// the first one counts, and the axes of the other lie elsewhere.
func (in *inference) unionParts(x, y []int) {
	if in.axes[in.find(x[0])].size == in.axes[in.find(y[0])].size {
		in.union(x[0], y[0])
		in.union(x[1], y[1])
	}
}

func (in *inference) divide(whole, outer, inner int) {
	r := in.find(whole)
	if in.axes[r].parts == nil {
		in.axes[r].parts = []int{outer, inner}
		return
	}
	in.unionParts(in.axes[r].parts, []int{outer, inner})
}

// run visits all nodes on which an output depends.
func (in *inference) run() error {
	uses := interp.Readers(in.g)
	for id := range in.g.Nodes() {
		if uses[id] == 0 {
			continue
		}
		if in.g.Op(id) == nil {
			in.of[id] = [][]int{nil}
			continue
		}
		if err := in.node(id); err != nil {
			return fmt.Errorf("node %s: operator %s: %w", in.g.Name(id), in.g.Op(id).Name, err)
		}
	}
	for i, t := range in.g.Outputs() {
		if n := len(in.of[t.Node][t.Out]); n > 0 {
			return fmt.Errorf("output %d, %s, is on a mesh %s: outputs are whole tensors",
				i, tensorName(in.g, t), graph.Sizes(in.g.Sizes(t)[:n]...))
		}
	}
	return nil
}

func (in *inference) axesOf(t graph.Tensor) []int { return in.of[t.Node][t.Out] }

// mesh is the mesh on which a tensor is, for messages.
func (in *inference) mesh(t graph.Tensor) string {
	n := len(in.axesOf(t))
	if n == 0 {
		return fmt.Sprintf("%s %s is on no mesh", tensorName(in.g, t), graph.Sizes(in.g.Sizes(t)...))
	}
	return fmt.Sprintf("%s %s is on the mesh %s", tensorName(in.g, t), graph.Sizes(in.g.Sizes(t)...), graph.Sizes(in.g.Sizes(t)[:n]...))
}

func (in *inference) node(id graph.NodeID) error {
	o, attrs, over := memberOf(in.g.Op(id), in.g.Attrs(id))
	in.of[id] = make([][]int, in.g.NumOut(id))
	if kind := layoutOp(o); kind != actLocal {
		return in.layout(id, o, attrs, over, kind)
	}
	return in.local(id, over)
}

// local is a node of which each device computes the members it has.
func (in *inference) local(id graph.NodeID, over int) error {
	g, o, attrs := in.g, in.g.Op(id), in.g.Attrs(id)
	ts := g.Operands(id)
	var axes []int
	switch {
	case len(ts) > 0:
		axes = in.axesOf(ts[0])
	case over > 0: // a constant on each member
		for _, n := range g.Sizes(id.Out(0))[:over] {
			axes = append(axes, in.fresh(n, -1))
		}
	}
	m := len(axes)
	for _, t := range ts {
		if other := in.axesOf(t); len(other) != m || !slices.Equal(g.Sizes(t)[:m], g.Sizes(ts[0])[:m]) {
			return fmt.Errorf("%s, %s", in.mesh(ts[0]), in.mesh(t))
		}
	}
	for _, t := range ts {
		for j, a := range in.axesOf(t) {
			in.union(axes[j], a)
		}
	}
	if m > 0 {
		if err := in.carries(id, m, over); err != nil {
			return err
		}
	}
	local := act{kind: actLocal, op: o, attrs: attrs}
	switch {
	case m > 0 && over == m:
		local.op, local.attrs, _ = memberOf(o, attrs)
	case m > 0 && over > m:
		s, _ := attrs[0].Shape()
		local.attrs = append(graph.Attrs{graph.ShapeValue(s[m:])}, attrs[1:]...)
	}
	in.acts[id] = local
	for k := range in.of[id] {
		in.of[id][k] = axes
	}
	return nil
}

// carries checks that a node takes the first m axes of its operands along.
func (in *inference) carries(id graph.NodeID, m, over int) error {
	g, o, attrs := in.g, in.g.Op(id), in.g.Attrs(id)
	ts := g.Operands(id)
	mesh := graph.Sizes(g.Sizes(id.Out(0))[:min(m, len(g.Sizes(id.Out(0))))]...)
	switch {
	case over >= m:
		return nil
	case over > 0:
		return fmt.Errorf("it works on each member over %d axes, and %s: an axis of the mesh would be used as one of a tensor", over, in.mesh(ts[0]))
	case o.Each() != o:
		return fmt.Errorf("%s: %s works on each member", in.mesh(ts[0]), o.Each().Name)
	}
	shapes := make([]graph.Shape, len(ts))
	for i, t := range ts {
		shapes[i] = graph.Sizes(g.Sizes(t)[m:]...)
	}
	var f graph.Unifier
	out, err := o.InferShapes(&f, attrs, shapes)
	if err != nil {
		return fmt.Errorf("%s, and its members do not fit: %w", in.mesh(ts[0]), err)
	}
	for k, s := range out {
		own, ok := s.Concrete()
		if !ok || !slices.Equal(append(slices.Clone(g.Sizes(ts[0])[:m]), own...), g.Sizes(id.Out(k))) {
			return fmt.Errorf("%s: the members of the result are no family over %s", in.mesh(ts[0]), mesh)
		}
	}
	return nil
}

// layout is a node that makes or ends a mesh axis; over is the number of mesh axes in
// front of it.
func (in *inference) layout(id graph.NodeID, o *graph.Op, attrs graph.Attrs, over int, kind actKind) error {
	g := in.g
	t := g.Operands(id)[0]
	x, sizes := in.axesOf(t), g.Sizes(t)
	m := len(x)
	a := act{kind: kind, op: o, attrs: attrs, at: over}
	if kind == actMake && over > m {
		return fmt.Errorf("%s: the axis that is made would lie behind axes of the tensor", in.mesh(t))
	}
	if kind != actMake && over >= m {
		return fmt.Errorf("%s: there is no axis of a mesh at place %d", in.mesh(t), over)
	}
	// along is the axis that the operator names, counted in the operand.
	along := -1
	if o.ParamIndex("axis") >= 0 {
		axis, err := intAttr(o, attrs, "axis")
		if err != nil {
			return err
		}
		if along = over + axis; kind != actMake {
			along++
		}
		a.axis = along - m
	}
	out := slices.Clone(x)
	switch {
	case kind == actMake && along >= 0 && along < m:
		y := in.fresh(g.Sizes(id.Out(0))[over], -1)
		z := in.fresh(sizes[along]/in.axes[y].size, -1)
		in.divide(x[along], y, z)
		out[along] = z
		out = slices.Insert(out, over, y)
		a.kind, a.axis = actSplit, along
	case kind == actMake:
		out = slices.Insert(out, over, in.fresh(g.Sizes(id.Out(0))[over], in.endedAt(t.Node)))
	case kind == actHalo && along < m:
		return fmt.Errorf("%s: axis %d is one of the mesh", in.mesh(t), along)
	case kind == actHalo:
		var err error
		if a.before, err = intAttr(o, attrs, "before"); err != nil {
			return err
		}
		if a.after, err = intAttr(o, attrs, "after"); err != nil {
			return err
		}
	case along >= 0 && along < m:
		w := in.fresh(sizes[over]*sizes[along], -1)
		in.divide(w, x[over], x[along])
		out[along] = w
		out = slices.Delete(out, over, over+1)
		a.kind, a.axis = actMerge, along-1
	default:
		out = slices.Delete(out, over, over+1)
	}
	in.acts[id] = a
	in.of[id][0] = out
	return nil
}

// endedAt is the axis that a node ends, -1: none.
func (in *inference) endedAt(id graph.NodeID) int {
	if a := in.acts[id]; a.kind == actEnd {
		return in.axesOf(in.g.Operands(id)[0])[a.at]
	}
	return -1
}
