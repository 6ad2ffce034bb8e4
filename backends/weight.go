package backends

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// ReadWeight is the little-endian numbers of a weight of m as the type that holds its
// elements ([lower.Wide]), as many as its type says. The error names the weight.
func ReadWeight(m *model.Model, node graph.NodeID) ([]byte, error) {
	t, w := m.Graph.Type(node.Out(0)), m.Weights[node]
	wrap := func(err error) ([]byte, error) { return nil, fmt.Errorf("weight %s: %w", m.Graph.Name(node), err) }
	if w == nil {
		return nil, fmt.Errorf("weight %s has no numbers", m.Graph.Name(node))
	}
	if w.DType != t.DType || !slices.Equal(w.Sizes, t.Sizes) {
		return wrap(fmt.Errorf("its numbers are %s%s, the input is %s", w.DType, graph.Sizes(w.Sizes...), t))
	}
	raw, err := w.Read()
	if err != nil {
		return wrap(err)
	}
	held := lower.Wide(t.DType)
	if held == t.DType || held.Bytes() == t.DType.Bytes() {
		return raw, nil
	}
	x, err := FromBytes(t, raw)
	if err != nil {
		return wrap(err)
	}
	x.DType = held
	return x.Bytes(), nil
}
