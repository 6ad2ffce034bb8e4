package plan

import (
	"slices"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/machine"
)

// Computing is the modelled time of the operators of one class.
type Computing struct {
	Class cost.Class   `json:"class"`
	Time  machine.Time `json:"time_ps"`
	Count int          `json:"operators"`
	// Extrapolated: the device's description has fitted rates, but none for these
	// operators, see [cost.Machine.Extrapolates].
	Extrapolated bool `json:"extrapolated"`
}

// Computing sums the times of operators by class, the longest first: each operator as one
// device computes it, stages one after the other. Collectives are left out.
func (p *Plan) Computing() ([]Computing, error) {
	x := &prices{p.Mesh, p.Laying}
	g := p.Laying.Graph()
	var out []Computing
	for id := range g.Nodes() {
		if g.Op(id) == nil || layout(g, id) != graph.LayoutNone {
			continue
		}
		ap, err := x.application(id, nil, 1)
		if err != nil {
			return nil, err
		}
		time, err := x.timeOf(id, ap)
		if err != nil {
			return nil, err
		}
		w := cost.WorkOf(ap)
		c := Computing{Class: w.Class, Extrapolated: p.Mesh.Cluster.Device.Extrapolates(w, ap.Out[0].DType)}
		i := slices.IndexFunc(out, func(y Computing) bool { return y.Class == c.Class && y.Extrapolated == c.Extrapolated })
		if i < 0 {
			i = len(out)
			out = append(out, c)
		}
		out[i].Time += time * x.turns(id.Out(0))
		out[i].Count++
	}
	slices.SortStableFunc(out, func(a, b Computing) int { return int(min(1, max(-1, b.Time-a.Time))) })
	return out, nil
}
