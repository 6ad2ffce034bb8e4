package parallel

import "github.com/taso-go/taso/graph"

// Origin is where a node of a network that is laid out comes from.
type Origin struct {
	// Tensor is one of the network as it came. Where nothing is converted its node is the
	// node that is computed, and it is the first result.
	Tensor graph.Tensor
	// Converts: the node is a layout operator, which makes members of the tensor or ends them.
	Converts bool
}

// Origin is where a node of the network as it is comes from.
func (l *Laying) Origin(id graph.NodeID) Origin {
	if l.origins == nil {
		return Origin{Tensor: id.Out(0)}
	}
	return l.origins[id]
}

// converted is the origin of what converts a tensor of the network as it is.
func (l *Laying) converted(t graph.Tensor) Origin {
	o := l.Origin(t.Node)
	if !o.Converts {
		o.Tensor = o.Tensor.Node.Out(int(t.Out))
	}
	return Origin{o.Tensor, true}
}

// converts notes that a new node converts a tensor.
func (p *pass) converts(t graph.Tensor) func(graph.NodeID, error) (graph.NodeID, error) {
	return func(id graph.NodeID, err error) (graph.NodeID, error) {
		if err == nil {
			p.from[id] = p.converted(t)
		}
		return id, err
	}
}
