package bank

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bounds"
)

// Weights is what is known of the numbers of weights, by name.
type Weights struct {
	// Infinite are those with a number that is infinite, or none.
	Infinite map[string]bool
	// Interval is an interval of the numbers of one; nil: they may be any. It may be called
	// by several goroutines at once.
	Interval func(name string) graph.Interval
	// Whole are nodes of the graph, by name, that no move is to take apart: [Free] hides them.
	Whole map[string]bool
	// Constant is the number that all elements of one are; nil, and not ok: they differ. It
	// may be called by several goroutines at once.
	Constant func(name string) (x float64, ok bool)
}

// values says of which operands a result has values.
type values uint8

const (
	valuesUnknown  values = iota
	valuesAlways          // whatever the operands are
	valuesOfReal          // where the operands have values
	valuesInDomain        // where, besides, they are where a function has values
)

// Real reports whether each element of a tensor is known to have a value for all finite
// inputs: laws speak of an application only if that is so of its operands, or if it only
// rearranges these. Of a bank that [FromReal] did not make all tensors are taken to have
// values.
func (b *Bank) Real(t Tensor) bool { return !b.tensors[t].unreal }

// value notes whether laws speak of a new node, and whether its results have values. A
// result is judged by the network as it is when the node is made.
func (b *Bank) value(n Node, k *inferred) {
	if b.weights == nil {
		return
	}
	real := true
	for _, t := range b.Operands(n) {
		real = real && b.Real(t)
	}
	if !real && !b.Op(n).OnlyRearranges() {
		b.nodes[n].flags |= silent
	}
	if k.values == nil {
		k.values = make([]values, b.NumOut(n))
	}
	for i := range k.values {
		t, v := b.Out(n, i), &k.values[i]
		if *v == valuesUnknown {
			*v = b.valuesOf(t)
		}
		switch {
		case *v == valuesOfReal || !real && *v == valuesInDomain:
			b.tensors[t].unreal = !real
		case *v == valuesInDomain:
			s := bounds.Of[Tensor](numbers{b, 0}, t, b.Real)
			b.tensors[t].unreal = s != bounds.Real
			if s == bounds.Within {
				b.nodes[n].flags |= silent
			}
		}
	}
}

// valuesOf says it of a tensor whatever numbers its operands hold.
func (b *Bank) valuesOf(t Tensor) values {
	x := numbers{b, t}
	switch {
	case bounds.Of[Tensor](x, t, func(Tensor) bool { return false }) == bounds.Real:
		return valuesAlways
	case bounds.Of[Tensor](x, t, func(Tensor) bool { return true }) == bounds.Real:
		return valuesOfReal
	}
	return valuesInDomain
}

// numbers is a bank as the analysis of values sees it. If only is not 0, its operands are
// different tensors of which nothing is known.
type numbers struct {
	b    *Bank
	only Tensor
}

// aside marks operand i of such a tensor as aside+i.
const aside = Tensor(1 << 31)

func (x numbers) Application(t Tensor) (op *graph.Op, attrs graph.Attrs, operands []Tensor, out int) {
	if t >= aside {
		return nil, nil, nil, 0
	}
	n, out := x.b.NodeOf(t)
	operands = x.b.Operands(n)
	if x.only != 0 {
		operands = make([]Tensor, len(operands))
		for i := range operands {
			operands[i] = aside + Tensor(i)
		}
	}
	return x.b.Op(n), x.b.OpenAttrs(n), operands, out
}

func (x numbers) Shape(t Tensor) graph.Shape { return x.b.Shape(x.at(t)) }

func (x numbers) DType(t Tensor) graph.DType { return x.b.Type(x.at(t)).DType }

// at is the tensor that t stands for.
func (x numbers) at(t Tensor) Tensor {
	if t < aside {
		return t
	}
	n, _ := x.b.NodeOf(x.only)
	return x.b.Operand(n, int(t-aside))
}

func (x numbers) Leaf(t Tensor) graph.Interval {
	if t < aside && x.b.weights.Interval != nil {
		if n, _ := x.b.NodeOf(t); x.b.Fixed(n) {
			return x.b.weights.Interval(x.b.Name(n))
		}
	}
	return graph.IntervalOf(x.DType(t))
}
