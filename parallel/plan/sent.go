package plan

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
)

// Sent is a collective that a plan is charged for.
type Sent struct {
	Kind parallel.Kind
	Axis int // of the mesh
	// Bytes is what each device has before ([parallel.Collective]).
	Bytes int64
	// Node is the layout operator of the graph as it is laid out with which it is done.
	Node graph.NodeID
}

// Sent lists the collectives of a step that [Plan.Simulate] charges, in the order in which
// they are done, those of micro-batches once for each. What deals inputs out before the step,
// and what puts outputs together behind it, are none. A plan of several stages is an error.
func (p *Plan) Sent() ([]Sent, error) {
	q, err := p.program()
	if err != nil {
		return nil, err
	}
	var out []Sent
	for _, s := range q.slots {
		if s.kind != parallel.None && !s.result {
			out = append(out, Sent{s.kind, s.axis, s.sent, s.node})
		}
	}
	return out, nil
}
