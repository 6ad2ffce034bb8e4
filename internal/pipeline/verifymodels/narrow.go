package verifymodels

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// narrow lists the element types of one byte in which the models compute sums or
// products. What leaves the range of such a type wraps around there; neither the
// exact arithmetic nor that in numbers knows of ranges, so models that are not the
// same operators of the same operands may differ where they say nothing of it.
// Wider integers are taken to stay within their types.
func narrow(ms ...*model.Model) []string {
	var found []string
	seen := map[graph.DType]bool{}
	for _, m := range ms {
		uses := readers(m.Graph)
		for id := range m.Graph.Nodes() {
			op := m.Graph.Op(id)
			if op == nil || uses[id] == 0 || m.Graph.WorkOf(id).FLOPs == 0 {
				continue
			}
			for out := range op.Out {
				if t := m.Graph.DType(id.Out(out)); t.IsInt() && t.Bytes() == 1 && !seen[t] {
					seen[t] = true
					found = append(found, fmt.Sprintf("what leaves the range of %s, in which %s computes", t, m.Graph.Name(id)))
				}
			}
		}
	}
	return found
}
