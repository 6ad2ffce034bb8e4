package bounds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
)

// Unreal are the tensors of a graph of which not every element is known to have a value for
// all finite inputs, with their status; leaf is the interval of the numbers of an input or a
// weight, nil: that of its element type.
func Unreal(g *graph.Graph, leaf func(graph.NodeID) graph.Interval) map[graph.Tensor]Status {
	out := map[graph.Tensor]Status{}
	n := network{g, leaf, sameNodes(g)}
	for id := range g.Nodes() {
		for k := range g.NumOut(id) {
			t := id.Out(k)
			s := Of[graph.Tensor](n, t, func(x graph.Tensor) bool { return out[x] == Real })
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
	as   []graph.NodeID // of each node, the first one that applies the same to the same
}

// sameNodes finds the first node that is each node.
func sameNodes(g *graph.Graph) []graph.NodeID {
	var as []graph.NodeID
	first := map[string]graph.NodeID{}
	for id := range g.Nodes() {
		for int(id) >= len(as) {
			as = append(as, graph.NodeID(len(as)))
		}
		op := g.Op(id)
		if op == nil || op.Name == graph.OpaqueName {
			continue
		}
		key := op.Name + g.OpenAttrs(id).Key()
		var in []string
		for _, t := range g.Operands(id) {
			in = append(in, fmt.Sprintf(" %d.%d", as[t.Node], t.Out))
		}
		if op.Commutative {
			slices.Sort(in)
		}
		key += strings.Join(in, "") + g.DType(id.Out(0)).String()
		if of, ok := first[key]; ok {
			as[id] = of
		} else {
			first[key] = id
		}
	}
	return as
}

func (n network) Application(t graph.Tensor) (op *graph.Op, attrs graph.Attrs, operands []graph.Tensor, out int) {
	in := slices.Clone(n.g.Operands(t.Node))
	for i := range in {
		in[i].Node = n.as[in[i].Node]
	}
	return n.g.Op(t.Node), n.g.OpenAttrs(t.Node), in, int(t.Out)
}

func (n network) Shape(t graph.Tensor) graph.Shape { return n.g.Shape(t) }

func (n network) DType(t graph.Tensor) graph.DType { return n.g.DType(t) }

func (n network) Leaf(t graph.Tensor) graph.Interval {
	if n.leaf != nil {
		return n.leaf(t.Node)
	}
	return graph.IntervalOf(n.g.DType(t))
}
