package bank

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"github.com/taso-go/taso/graph"
)

// From is a bank with the operators that the outputs of g depend on, and with all
// its inputs. A derived operator becomes what it expands to. place says which
// tensor of the bank stands for one of the graph (0: for none, it is dead).
func From(g *graph.Graph, price Price) (b *Bank, place func(graph.Tensor) Tensor, err error) {
	return from(g, price, nil)
}

// FromReal is From where laws say nothing of what is not a real number: a node is one of
// which laws do not speak if an operand is a weight with other numbers or may be infinite
// because of one, if it has an infinite attribute, or if an operand may have no value, such
// as the logarithm of what is not known to be positive, and it does more than to rearrange
// its operands. No law reaches these. The same holds of nodes with an operand or a result
// without elements, in all banks.
func FromReal(g *graph.Graph, price Price, w Weights) (b *Bank, place func(graph.Tensor) Tensor, err error) {
	return from(g, price, &w)
}

func from(g *graph.Graph, price Price, w *Weights) (b *Bank, place func(graph.Tensor) Tensor, err error) {
	b = New(price)
	if b.weights = w; w == nil {
		w = &Weights{}
	}
	b.Vary(g.Sizing())
	// keep says of a node of the bank, which a node of the graph has become, that laws do
	// not speak of it, where that is so because of infinite numbers.
	unreal := map[graph.Tensor]bool{}
	keep := func(id graph.NodeID, n Node) {
		if w.Whole[g.Name(id)] {
			b.nodes[n].flags |= whole
		}
		itself := g.Unreal(id)
		if !itself && !slices.ContainsFunc(g.Operands(id), func(t graph.Tensor) bool { return unreal[t] }) {
			return
		}
		b.nodes[n].flags |= silent
		for k := range g.NumOut(id) {
			unreal[id.Out(k)] = (itself || !g.Op(id).Bounded) && g.DType(id.Out(k)).IsFloat()
		}
	}
	to := map[graph.Tensor]Tensor{}
	numbers := constants{b: b, came: map[graph.Tensor]Tensor{}, value: map[graph.Tensor]float64{}}
	g = g.WithoutDead()
	serial := 0
	for id := range g.Nodes() {
		op := g.Op(id)
		if op == nil {
			n, err := b.AddOpen(g.Name(id), g.IsWeight(id), g.DType(id.Out(0)), g.Shape(id.Out(0)))
			if err != nil {
				return nil, nil, fmt.Errorf("input %s: %w", g.Name(id), err)
			}
			if to[id.Out(0)], err = numbers.weight(id.Out(0), b.Out(n, 0)); err != nil {
				return nil, nil, fmt.Errorf("weight %s: %w", g.Name(id), err)
			}
			unreal[id.Out(0)] = w.Infinite[g.Name(id)] && g.IsWeight(id)
			continue
		}
		apart := !w.Whole[g.Name(id)]
		if x, ok, err := numbers.moved(g, id, apart); err != nil {
			return nil, nil, fmt.Errorf("node %s: %w", g.Name(id), err)
		} else if ok {
			to[id.Out(0)] = x
			continue
		}
		in := make([]Tensor, len(g.Operands(id)))
		for i, t := range g.Operands(id) {
			in[i] = to[t]
			// What stays whole keeps its own weights: several of the same number are one
			// tensor elsewhere.
			if x, ok := numbers.came[t]; ok && !apart {
				in[i] = x
			}
		}
		if kind, payload, ok := g.Opaque(id); ok {
			n, err := b.addOpaque(op, kind, payload, g.OpaqueDigest(id), g.DType(id.Out(0)), in, &serial, g, id)
			if err != nil {
				return nil, nil, fmt.Errorf("node %s: %w", g.Name(id), err)
			}
			b.origin[n] = g.Name(id)
			keep(id, n)
			for k := range g.NumOut(id) {
				to[id.Out(k)] = b.Out(n, k)
			}
			continue
		}
		if op.Expand == nil {
			n, err := b.Apply(op, g.OpenAttrs(id), g.DType(id.Out(0)), in...)
			if err != nil {
				return nil, nil, fmt.Errorf("node %s: %w", g.Name(id), err)
			}
			b.named(n, g.Name(id))
			keep(id, n)
			for k := range g.NumOut(id) {
				to[id.Out(k)] = b.Out(n, k)
			}
			continue
		}
		shapes := make([]graph.Shape, len(in))
		for i, t := range in {
			shapes[i] = b.Shape(t)
		}
		prims, err := op.Expand(g.OpenAttrs(id), shapes)
		if err != nil {
			return nil, nil, fmt.Errorf("node %s: %w", g.Name(id), err)
		}
		for k, p := range prims {
			n, err := b.Apply(p.Op, p.Attrs, g.DType(id.Out(k)), in...)
			if err != nil {
				return nil, nil, fmt.Errorf("node %s, output %d: %w", g.Name(id), k, err)
			}
			b.named(n, g.Name(id)+"_"+strconv.Itoa(k))
			keep(id, n)
			to[id.Out(k)] = b.Out(n, 0)
		}
	}
	outs := make([]Tensor, len(g.Outputs()))
	for i, t := range g.Outputs() {
		outs[i] = to[t]
	}
	b.SetOutputs(outs...)
	b.settle()
	return b, func(t graph.Tensor) Tensor { return to[t] }, nil
}

func (b *Bank) named(n Node, name string) {
	if _, ok := b.origin[n]; !ok {
		b.origin[n] = name
	}
}

// addOpaque adds a node whose meaning is not known. Its operator is its own, so
// that no other node is equal to it.
func (b *Bank) addOpaque(op *graph.Op, kind string, payload any, digest []byte, dtype graph.DType, in []Tensor, serial *int, g *graph.Graph, id graph.NodeID) (Node, error) {
	text := fmt.Sprintf("opaque %d:%s %s", len(kind), kind, hex.EncodeToString(digest))
	outs := make([]typeID, g.NumOut(id))
	for i := range outs {
		var err error
		if outs[i], err = b.typeID(g.DType(id.Out(i)), g.Shape(id.Out(i))); err != nil {
			return 0, err
		}
		text += " " + g.Type(id.Out(i)).String()
	}
	*serial++
	n, _ := b.add(b.symbol(op, nil, dtype, text), in, outs, 0, 0)
	b.opaque[n] = opaque{kind, payload}
	return n, nil
}

// Graph is the graph that the outputs are computed by, with all inputs; of tells
// for each of its nodes which node of the bank it is. Names are those that nodes
// came with; others are given one.
func (b *Bank) Graph() (g *graph.Graph, of map[graph.NodeID]Node, err error) {
	var gb graph.Builder
	if b.sizing != nil {
		if err := gb.Vary(b.sizing); err != nil {
			return nil, nil, err
		}
	}
	to := map[Tensor]graph.Tensor{}
	of = map[graph.NodeID]Node{}
	used := map[string]bool{}
	for _, n := range b.inputs {
		t := b.Type(b.Out(n, 0))
		var x graph.Tensor
		if b.Fixed(n) {
			x, err = gb.AddWeight(b.origin[n], t.DType, t.Sizes...)
		} else {
			x, err = gb.AddOpen(b.origin[n], t.DType, b.Shape(b.Out(n, 0)))
		}
		if err != nil {
			return nil, nil, err
		}
		used[b.origin[n]] = true
		to[b.Out(n, 0)], of[x.Node] = x, n
	}
	var visit func(n Node) error
	visit = func(n Node) error {
		if _, ok := to[b.Out(n, 0)]; ok {
			return nil
		}
		in := make([]graph.Tensor, b.Arity(n))
		for i := range in {
			t := b.Came(b.Operand(n, i))
			if err := visit(b.tensors[t].node); err != nil {
				return err
			}
			in[i] = to[t]
		}
		name := b.origin[n]
		for k := 2; used[name] && name != ""; k++ {
			name = b.origin[n] + "_" + strconv.Itoa(k)
		}
		used[name] = true
		id, err := b.write(&gb, n, name, in)
		if err != nil {
			return err
		}
		of[id] = n
		for k := range b.NumOut(n) {
			to[b.Out(n, k)] = id.Out(k)
		}
		return nil
	}
	outs := make([]graph.Tensor, len(b.outputs))
	for i, t := range b.written(b.outputs) {
		if err := visit(b.tensors[t].node); err != nil {
			return nil, nil, err
		}
		outs[i] = to[t]
	}
	g, err = gb.Finish(outs...)
	return g, of, err
}

func (b *Bank) write(gb *graph.Builder, n Node, name string, in []graph.Tensor) (graph.NodeID, error) {
	if o, ok := b.opaque[n]; ok {
		outs := make([]graph.TensorType, b.NumOut(n))
		for k := range outs {
			outs[k] = b.Type(b.Out(n, k))
		}
		shapes := make([]graph.Shape, b.NumOut(n))
		for k := range shapes {
			shapes[k] = b.Shape(b.Out(n, k))
		}
		return gb.OpaqueOpen(name, o.kind, o.payload, in, outs, shapes)
	}
	op := b.Op(n)
	if op.In == 0 {
		return gb.Constant(name, b.Type(b.Out(n, 0)).DType, op, b.OpenAttrs(n))
	}
	return gb.Apply(name, op, b.OpenAttrs(n), in...)
}
