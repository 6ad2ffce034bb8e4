package lower

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Options configures [Graph]; the zero value is the default.
type Options struct {
	// NoFuse gives each node kernels of its own, and copies views.
	NoFuse bool
	// KeepAll keeps every node's result apart in memory, without reuse or fusion.
	KeepAll bool
}

// Graph lowers what a graph's outputs depend on. The result depends on the
// graph, the target and the options only.
func Graph(g *graph.Graph, t *Target, opt Options) (*Plan, error) {
	l := &lowerer{Plan: &Plan{Graph: g, Of: map[graph.Tensor]ValueID{}, Into: map[graph.NodeID]graph.NodeID{}},
		t: t, opt: opt, copied: map[ValueID]ValueID{}, ranges: ranges{g, map[graph.Tensor]*Range{}}}
	l.uses = Uses(g)
	l.spreads()
	l.nested()
	needed := make([]bool, g.Len()+1)
	for t := range l.uses {
		needed[t.Node] = true
	}
	for id := range g.Nodes() {
		l.node = id
		op := g.Op(id)
		switch {
		case op == nil && g.IsWeight(id):
			if needed[id] {
				l.set(id.Out(0), l.fresh(g.Type(id.Out(0)), Weight))
			}
		case op == nil:
			l.set(id.Out(0), l.fresh(g.Type(id.Out(0)), Arena))
		case l.absorbed[id] != 0:
			l.Into[id] = l.absorbed[id]
		case needed[id]:
			if err := l.lower(id, op); err != nil {
				return nil, fmt.Errorf("node %s (%s): %w", g.Name(id), op.Name, err)
			}
		}
	}
	for _, t := range g.Outputs() {
		l.Outputs = append(l.Outputs, l.dense(l.Of[t]))
	}
	for _, id := range g.Inputs() {
		v := ValueID(None)
		if !g.IsWeight(id) {
			v = l.Of[id.Out(0)]
		}
		l.Inputs = append(l.Inputs, v)
	}
	l.memory()
	return l.Plan, nil
}

// Uses counts for each tensor that outputs depend on how often nodes that
// outputs depend on and outputs read it.
func Uses(g *graph.Graph) map[graph.Tensor]int {
	uses := map[graph.Tensor]int{}
	used := make([]bool, g.Len()+1)
	for _, t := range g.Outputs() {
		uses[t]++
		used[t.Node] = true
	}
	for id := graph.NodeID(g.Len()); id > 0; id-- {
		if used[id] {
			for _, t := range g.Operands(id) {
				uses[t]++
				used[t.Node] = true
			}
		}
	}
	return uses
}

// Fixed says for each node, indexed by its id, whether it is an operator that
// depends on weights and constants only, and not on dynamic sizes. What an opaque node depends
// on is not known.
func Fixed(g *graph.Graph) []bool {
	fixed := make([]bool, g.Len()+1) // weights included
	once := make([]bool, g.Len()+1)
	for id := range g.Nodes() {
		if g.Op(id) == nil {
			fixed[id] = g.IsWeight(id)
			continue
		}
		_, _, opaque := g.Opaque(id)
		all := !opaque && !g.Varies(id)
		for _, t := range g.Operands(id) {
			all = all && fixed[t.Node]
		}
		fixed[id], once[id] = all, all
	}
	return once
}

// lowerer makes a plan, node by node.
type lowerer struct {
	*Plan
	t       *Target
	opt     Options
	uses    map[graph.Tensor]int
	readers []int               // by buffer, the sum of uses over the values in it, but by views
	maker   []int               // by buffer, the kernel of Run that writes it, or -1
	copied  map[ValueID]ValueID // dense copies of views
	packed  map[string]ValueID  // constants that were prepared, by what was asked for
	node    graph.NodeID        // that is being lowered
	// By convolution, what it reads spread with zeros; by node, the one that does its work.
	spread   map[graph.NodeID]spreadImage
	absorbed map[graph.NodeID]graph.NodeID
	// What is whole, and who reads a tensor.
	ranges ranges
	users  map[graph.Tensor][]graph.NodeID
}

func (l *lowerer) lower(id graph.NodeID, op *graph.Op) error {
	a := Attrs{op, l.Graph.Attrs(id)}
	in := make([]ValueID, 0, 4)
	for i, t := range l.Graph.Operands(id) {
		if s, ok := l.spread[id]; ok && i == 0 {
			t = s.from
		}
		in = l.parts(in, t)
	}
	out := make([]graph.TensorType, l.Graph.NumOut(id))
	for i := range out {
		out[i] = l.Graph.Type(id.Out(i))
	}
	if op.Name == "concat" {
		in = l.filled(in)
	}
	vs, ok := l.empty(a, in, out)
	switch {
	case ok:
	case op.Name == "concat" && len(in) == 1:
		vs = []ValueID{l.same(in[0])}
	default:
		var err error
		if vs, err = l.results(a, in, out); err != nil {
			return err
		}
	}
	for i, v := range vs {
		// Without fusion each operator does its own work: views are copied,
		// except where nothing has to move.
		if l.opt.NoFuse || l.t.Copies[op.Name] {
			v = l.dense(v)
		}
		l.set(id.Out(i), v)
	}
	return nil
}

// set notes the value of a tensor of the graph.
func (l *lowerer) set(t graph.Tensor, v ValueID) {
	l.Of[t] = v
	l.readers[l.Values[v].Buffer] += l.uses[t]
}

// value adds a value; of the node that is being lowered.
func (l *lowerer) value(v Value) ValueID {
	v.Node = l.node
	l.Values = append(l.Values, v)
	return ValueID(len(l.Values) - 1)
}

// fresh is a new dense value in a buffer of its own.
func (l *lowerer) fresh(t graph.TensorType, home Home) ValueID {
	held := l.t.held(t.DType)
	b := Buffer{Home: home, Bytes: graph.NumElements(t.Sizes) * held.Bytes(), Shares: None}
	if home == Weight {
		b.Node = l.node
	}
	l.Buffers = append(l.Buffers, b)
	l.readers, l.maker = append(l.readers, 0), append(l.maker, -1)
	return l.value(Value{Buffer: BufferID(len(l.Buffers) - 1), Sizes: t.Sizes, Strides: graph.Strides(t.Sizes), DType: held, Type: t.DType})
}

func (l *lowerer) constant(v ValueID) bool { return l.Buffer(v).Constant() }

// add appends a kernel that writes tensors of the given types and returns their
// values. A kernel that reads constants only runs once, unless it is opaque.
func (l *lowerer) add(k Kernel, out ...graph.TensorType) []ValueID {
	k.Node = l.node
	home := Computed
	if _, _, opaque := l.Graph.Opaque(l.node); opaque {
		home = Arena
	}
	k.Reads(func(v ValueID) {
		if !l.constant(v) {
			home = Arena
		}
	})
	for _, t := range out {
		k.Out = append(k.Out, l.fresh(t, home))
	}
	if home == Computed {
		l.Once = append(l.Once, k)
		return k.Out
	}
	for _, v := range k.Out {
		l.maker[l.Values[v].Buffer] = len(l.Run)
	}
	l.Run = append(l.Run, k)
	return k.Out
}

// dense is v itself or a dense copy of it.
func (l *lowerer) dense(id ValueID) ValueID {
	v := l.Values[id]
	if v.Dense() {
		return id
	}
	if c, ok := l.copied[id]; ok {
		return c
	}
	node := l.node
	l.node = v.Node
	c := l.add(Kernel{Kind: Copy, As: "copy", In: []ValueID{id}}, graph.TensorType{DType: v.Type, Sizes: v.Sizes})[0]
	l.node = node
	l.copied[id] = c
	return c
}

// read gives operands the form that a kernel reads.
func (l *lowerer) read(as string, in []ValueID) []ValueID {
	out := slices.Clone(in)
	for i, v := range in {
		if !l.t.Takes(as, &l.Values[v]) {
			out[i] = l.dense(v)
		}
	}
	return out
}
