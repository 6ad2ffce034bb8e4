package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/plan"
)

// placements are how the tensors of the sequential step lie, an entry for each mesh axis of
// devices: by DTensor's names.
type placements struct {
	of     *spmd
	p      *plan.Plan
	axes   []int // of devices
	inputs []spec
	acts   map[graph.NodeID][]parallel.Role // of sequential nodes, by axis of axes
	not    []string                         // what cannot be said
}

func newPlacements(p *plan.Plan) (*placements, error) {
	s, err := newSPMD(p)
	if err != nil {
		return nil, err
	}
	x := &placements{of: s, p: p, inputs: s.ins, acts: map[graph.NodeID][]parallel.Role{}}
	for a := range s.lay.Degrees() {
		if a != s.time {
			x.axes = append(x.axes, a)
		}
	}
	if v := p.Saving; v != nil {
		x.cannot("%d results are made again for the backward pass, %d are at the host until then", len(v.Again), len(v.Away))
	}
	twice := map[graph.NodeID]bool{}
	for id := range s.g.Nodes() {
		o := s.lay.Origin(id)
		if o.Converts || s.g.Op(id) == nil || !s.need[id] {
			continue
		}
		roles := make([]parallel.Role, len(x.axes))
		for _, l := range s.lay.Layout(id.Out(0)) {
			if k := slices.Index(x.axes, l.Axis); k >= 0 {
				roles[k] = l.Role
			}
		}
		name := p.Source().Graph.Name(o.Tensor.Node)
		if old, ok := x.acts[o.Tensor.Node]; ok && !slices.Equal(old, roles) {
			if !twice[o.Tensor.Node] {
				x.cannot("%s is computed in two layouts: the first one is said", name)
			}
			twice[o.Tensor.Node] = true
			continue
		}
		x.acts[o.Tensor.Node] = roles
	}
	return x, nil
}

func (x *placements) cannot(format string, args ...any) {
	x.not = append(x.not, fmt.Sprintf(format, args...))
}

// ofInput are the placements of an input, and why they cannot be said.
func (x *placements) ofInput(i int) ([]string, string) {
	out := slices.Repeat([]string{"Replicate()"}, len(x.axes))
	for dim, axes := range x.inputs[i].axes {
		if !slices.IsSorted(axes) {
			return nil, fmt.Sprintf("axis %d is dealt out by mesh axis %s first, then by an earlier one", dim, axisName(axes[0]))
		}
		for _, a := range axes {
			out[slices.Index(x.axes, a)] = fmt.Sprintf("Shard(%d)", dim)
		}
	}
	return out, ""
}

// ofActivation are the placements of a sequential node's first result, and why they cannot
// be said.
func (x *placements) ofActivation(id graph.NodeID) ([]string, string) {
	var out []string
	for k, r := range x.acts[id] {
		switch {
		case r.Kind == parallel.Copy:
			out = append(out, "Replicate()")
		case r.Kind == parallel.Sum:
			out = append(out, "Partial()")
		case r.Kind == parallel.Shard && r.Blocks <= 1 && r.Before == 0 && r.After == 0:
			out = append(out, fmt.Sprintf("Shard(%d)", r.Axis))
		case r == parallel.Role{}:
			out = append(out, "Replicate()") // the plan has it on the first device
		default:
			return nil, fmt.Sprintf("along mesh axis %s it is %s", axisName(x.axes[k]), r)
		}
	}
	for i, a := range out {
		if strings.HasPrefix(a, "Shard") && slices.Contains(out[:i], a) {
			return nil, "two mesh axes deal out one axis, in an order that is not kept"
		}
	}
	return out, ""
}

// style is how a matrix of weights is used along a mesh axis, in PyTorch's and Megatron's
// words: "colwise" where its columns are dealt out, "rowwise" where rows are and partial sums
// are added up, "" where it is neither.
func (x *placements) style(weight graph.NodeID, k int) string {
	of := x.p.Source().Graph
	i := slices.Index(of.Inputs(), weight)
	if len(of.Sizes(weight.Out(0))) != 2 {
		return ""
	}
	lies := x.inputs[i].axes
	column, row := slices.Contains(lies[1], x.axes[k]), slices.Contains(lies[0], x.axes[k])
	found := ""
	forward := x.p.Source().Forward()
	for id := range of.Nodes() {
		if of.Op(id) == nil || !forward[id] || of.Op(id).Name != "matmul" || of.Operands(id)[1] != weight.Out(0) {
			continue
		}
		roles, ok := x.acts[id]
		if !ok {
			return ""
		}
		last := len(of.Sizes(id.Out(0))) - 1
		now := ""
		switch r := roles[k]; {
		case column && r.Kind == parallel.Shard && r.Axis == last:
			now = "colwise"
		case row && r.Kind == parallel.Sum:
			now = "rowwise"
		}
		if now == "" || found != "" && found != now {
			return ""
		}
		found = now
	}
	return found
}
