package bounds

import "github.com/taso-go/taso/graph"

// Unreal are the tensors of a graph of which not every element is known to have a value for
// all finite inputs, with their status; leaf is the interval of the numbers of an input or a
// weight, nil: that of its element type.
func Unreal(g *graph.Graph, leaf func(graph.NodeID) graph.Interval) map[graph.Tensor]Status {
	out := map[graph.Tensor]Status{}
	for id := range g.Nodes() {
		for k := range g.NumOut(id) {
			t := id.Out(k)
			s := Of[graph.Tensor](network{g, leaf}, t, func(x graph.Tensor) bool { return out[x] == Real })
			if s != Real {
				out[t] = s
			}
		}
	}
	return out
}

// network is a graph as analyses see it.
type network struct {
	g    *graph.Graph
	leaf func(graph.NodeID) graph.Interval
}

func (n network) Application(t graph.Tensor) (op *graph.Op, attrs graph.Attrs, operands []graph.Tensor, out int) {
	return n.g.Op(t.Node), n.g.Attrs(t.Node), n.g.Operands(t.Node), int(t.Out)
}

func (n network) Shape(t graph.Tensor) graph.Shape { return graph.Sizes(n.g.Sizes(t)...) }

func (n network) DType(t graph.Tensor) graph.DType { return n.g.DType(t) }

func (n network) Leaf(t graph.Tensor) graph.Interval {
	if n.leaf != nil {
		return n.leaf(t.Node)
	}
	return graph.IntervalOf(n.g.DType(t))
}
