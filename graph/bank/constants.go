package bank

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// constants are the tensors of a graph that are a number everywhere: weights whose elements
// are all 0 or all 1, and what is only rearranged of these. In the bank they are terms that
// name the number, so that laws see it; Graph writes them as they came.
type constants struct {
	b     *Bank
	came  map[graph.Tensor]Tensor  // such a tensor as it came
	value map[graph.Tensor]float64 // its number
}

// weight looks at a weight that was added, and is the tensor to use for it.
func (c *constants) weight(t graph.Tensor, x Tensor) (Tensor, error) {
	b := c.b
	n, _ := b.NodeOf(x)
	typ := b.Type(x)
	if b.weights == nil || b.weights.Constant == nil || !typ.DType.IsFloat() || typ.Empty() || !b.Fixed(n) || b.weights.Infinite[b.Name(n)] {
		return x, nil
	}
	v, ok := b.weights.Constant(b.Name(n))
	if !ok {
		return x, nil
	}
	return c.stand(t, x, v)
}

// moved is the tensor to use for an operator on constants that only rearranges; ok is false
// of others, and of what stays whole.
func (c *constants) moved(g *graph.Graph, id graph.NodeID, apart bool) (x Tensor, ok bool, err error) {
	op := g.Op(id)
	if !apart || !op.Rearranges || op.Expand != nil || g.NumOut(id) != 1 || len(g.Operands(id)) == 0 {
		return 0, false, nil
	}
	var in []Tensor
	for _, t := range g.Operands(id) {
		x, ok := c.came[t]
		if !ok || c.value[t] != c.value[g.Operands(id)[0]] {
			return 0, false, nil
		}
		in = append(in, x)
	}
	n, err := c.b.Apply(op, g.OpenAttrs(id), g.DType(id.Out(0)), in...)
	if err != nil {
		return 0, false, err
	}
	c.b.named(n, g.Name(id))
	x, err = c.stand(id.Out(0), c.b.Out(n, 0), c.value[g.Operands(id)[0]])
	return x, true, err
}

// stand is the term of the number v that stands for x.
func (c *constants) stand(t graph.Tensor, x Tensor, v float64) (Tensor, error) {
	b := c.b
	name, attrs := "one", graph.Attrs{graph.ShapeValue(b.Shape(x))}
	if v == 0 {
		name, attrs = "fill", append(attrs, graph.NumberValue(0), graph.IntValue(1))
	}
	op, ok := graph.Lookup(name)
	if !ok || v != 0 && v != 1 {
		return x, nil
	}
	n, err := b.Apply(op, attrs, b.Type(x).DType)
	if err != nil {
		return 0, err
	}
	y := b.Out(n, 0)
	if _, ok := b.came[y]; !ok {
		if b.came == nil {
			b.came = map[Tensor]Tensor{}
		}
		b.came[y] = x
	}
	c.came[t], c.value[t] = x, v
	return y, nil
}

// Came is the tensor that Graph writes for t: a weight, or what is rearranged of one, for a
// number that stands for it, else t.
func (b *Bank) Came(t Tensor) Tensor {
	if x, ok := b.came[t]; ok {
		return x
	}
	return t
}

// written are tensors as Graph writes them.
func (b *Bank) written(ts []Tensor) []Tensor {
	out := slices.Clone(ts)
	for i, t := range out {
		out[i] = b.Came(t)
	}
	return out
}
