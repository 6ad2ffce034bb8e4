package runpcg

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/parallel"
)

// Options say what is run.
type Options struct {
	Name  string // of the graph, for messages
	Graph *graph.Graph
	// Against is a graph without layouts that is said to compute the same, nil: none. Its
	// inputs are those of Graph, by name.
	Against     *graph.Graph
	AgainstName string
	Seed        uint64 // of the random inputs and weights
	NoRun       bool   // say what would be sent, and run nothing
}

// MaxFLOPs bounds the operations of a graph that is run; virtual devices are for
// checking, not for computing.
const MaxFLOPs = 1 << 30

// Report is what is known of a graph on devices.
type Report struct {
	Name        string               `json:"name"`
	Mesh        []parallel.Dimension `json:"mesh"`
	Devices     int                  `json:"devices"`
	Tensors     []Tensor             `json:"tensors"`
	Collectives []Collective         `json:"collectives"`
	// Loaded and Sent are the bytes of inputs that are distributed, and all others.
	Loaded   int64    `json:"loaded_bytes"`
	Sent     int64    `json:"sent_bytes"`
	Findings []string `json:"findings"`
	// Run is nil where nothing was run, and NotRun says why.
	Run    *Run   `json:"run,omitempty"`
	NotRun string `json:"not_run,omitempty"`
}

// Tensor is a tensor that lies on a mesh.
type Tensor struct {
	Name   string `json:"name"`
	Op     string `json:"op"`
	Member []int  `json:"member"` // sizes of a member
	Layout string `json:"layout"`
}

// Collective is what layout operators send.
type Collective struct {
	Kind  string   `json:"kind"`
	Nodes []string `json:"nodes"`
	// Degree is the number of devices of a group, Groups that of groups.
	Degree int `json:"degree"`
	Groups int `json:"groups"`
	// Input: what is sent is an input or a weight of the graph.
	Input bool `json:"input"`
	// Bytes are sent by all devices; Busiest by or to one, at most. They follow from
	// sizes; a run counts the same, or is an error.
	Bytes   int64 `json:"bytes"`
	Busiest int64 `json:"busiest_bytes"`
	// Messages were counted in the run.
	Messages int64 `json:"messages"`
}

// Run is what runs on virtual devices gave.
type Run struct {
	Seed uint64 `json:"seed"`
	// Equal: modulo 2^61 - 1 the outputs are those of the graph as one of tensors.
	Equal bool `json:"equal"`
	// Against is the graph that was compared with, if any, and EqualAgainst whether its
	// outputs are the same.
	Against      string `json:"against,omitempty"`
	EqualAgainst bool   `json:"equal_against,omitempty"`
	// Deviation is the largest difference between an output in float32 on the devices and
	// in float64 without them (of Against, if there is one), relative to the largest
	// element of that output. NaN where that is infinite, as null.
	Deviation *float64 `json:"float32_deviation"`
}

// Good reports whether nothing was found.
func (r *Report) Good() bool {
	return len(r.Findings) == 0 && (r.Run == nil || r.Run.Equal && (r.Run.Against == "" || r.Run.EqualAgainst))
}

// Verdict is the report in a line.
func (r *Report) Verdict() string {
	switch {
	case r.Run != nil && !r.Run.Equal:
		return "the devices compute something else than one device"
	case r.Run != nil && r.Run.Against != "" && !r.Run.EqualAgainst:
		return "outputs differ from those of " + r.Run.Against
	case len(r.Findings) > 0:
		return fmt.Sprintf("placements do not fit in %d places", len(r.Findings))
	}
	switch {
	case len(r.Mesh) == 0:
		return "no tensor is distributed over devices"
	case r.Run == nil:
		return "placements fit; not run"
	case r.Run.Against != "":
		return "the devices compute the same as one device and as " + r.Run.Against
	}
	return "the devices compute the same as one device"
}

// Do makes the report. An error says that no devices can run the graph, or what went
// wrong; that outputs differ is none.
func Do(ctx context.Context, o Options) (*Report, error) {
	p, err := parallel.New(ctx, o.Graph)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	r := describe(o, p)
	flops := o.Graph.Work().FLOPs
	switch {
	case o.NoRun:
		r.NotRun = "not requested"
	case flops > MaxFLOPs:
		r.NotRun = fmt.Sprintf("%.3g FLOP are more than virtual devices are for", float64(flops))
	case p.Devices() > parallel.MaxDevices:
		r.NotRun = fmt.Sprintf("%d devices are more than %d", p.Devices(), parallel.MaxDevices)
	default:
		if err := r.run(ctx, o, p); err != nil {
			return nil, fmt.Errorf("%s: %w", o.Name, err)
		}
	}
	return r, nil
}

func describe(o Options, p *parallel.PCG) *Report {
	g := p.Graph
	r := &Report{Name: o.Name, Mesh: append([]parallel.Dimension{}, p.Mesh...), Devices: p.Devices(),
		Tensors: []Tensor{}, Collectives: []Collective{}, Findings: []string{}}
	for id := range g.Nodes() {
		for k := range g.NumOut(id) {
			t := id.Out(k)
			l := p.Layout(t)
			if len(l) == 0 {
				continue
			}
			name := g.Name(id)
			if g.NumOut(id) > 1 {
				name = fmt.Sprintf("%s.%d", name, k)
			}
			r.Tensors = append(r.Tensors, Tensor{name, g.Op(id).Name, append([]int{}, g.Sizes(t)[len(l):]...), p.LayoutText(l)})
		}
	}
	for _, c := range p.Collectives {
		one := Collective{Kind: c.Kind.String(), Degree: c.Degree, Groups: c.Groups, Input: c.Input, Bytes: c.Total, Busiest: c.Busiest}
		for _, id := range c.Nodes {
			one.Nodes = append(one.Nodes, g.Name(id))
		}
		if c.Input {
			r.Loaded += c.Total
		} else {
			r.Sent += c.Total
		}
		r.Collectives = append(r.Collectives, one)
	}
	for _, f := range p.Findings {
		r.Findings = append(r.Findings, f.Text)
	}
	return r
}

func (r *Report) run(ctx context.Context, o Options, p *parallel.PCG) error {
	r.Run = &Run{Seed: o.Seed, Against: o.AgainstName}
	in := inputs(o.Graph, o.Seed)
	ring := fingerprint.Zp{Key: fingerprint.Mix(o.Seed)}
	got, err := parallel.Run(ctx, p, ring, in)
	if err != nil {
		return err
	}
	for i, c := range got.Counts {
		if r.Collectives[i].Messages = c.Messages; c.Bytes != p.Collectives[i].Total {
			return fmt.Errorf("%s of %v: %d bytes were sent, %d by the formula", r.Collectives[i].Kind, r.Collectives[i].Nodes, c.Bytes, p.Collectives[i].Total)
		}
	}
	plain, err := interp.EvalGraph(ctx, ring, o.Graph, in)
	if err != nil {
		return err
	}
	r.Run.Equal = same(got.Outputs, plain)
	numbers := floats(o.Graph, in)
	reference, feed := o.Graph, numbers
	if o.Against != nil {
		reference = o.Against
		place, err := pair(o.Graph, o.Against)
		if err != nil {
			return fmt.Errorf("compared with %s: %w", o.AgainstName, err)
		}
		other := make([]interp.Tensor[uint64], len(place))
		feed = make([]interp.Tensor[float64], len(place))
		for i, j := range place {
			other[i], feed[i] = in[j], numbers[j]
		}
		want, err := interp.EvalGraph(ctx, ring, o.Against, other)
		if err != nil {
			return fmt.Errorf("%s: %w", o.AgainstName, err)
		}
		r.Run.EqualAgainst = same(got.Outputs, want)
	}
	float, err := parallel.Run(ctx, p, interp.Single{}, singles(numbers))
	if err != nil {
		return err
	}
	want, err := interp.EvalGraph(ctx, interp.Float{}, reference, feed)
	if err != nil {
		return err
	}
	if d := deviation(float.Outputs, want); !math.IsNaN(d) && !math.IsInf(d, 0) {
		r.Run.Deviation = &d
	}
	return nil
}

// pair finds the inputs of the second graph among those of the first, by name.
func pair(g, h *graph.Graph) ([]int, error) {
	var place []int
	for _, id := range h.Inputs() {
		j := slices.IndexFunc(g.Inputs(), func(x graph.NodeID) bool { return g.Name(x) == h.Name(id) })
		if j < 0 {
			return nil, fmt.Errorf("input %s is none of the other graph", h.Name(id))
		}
		a, b := g.Type(g.Inputs()[j].Out(0)), h.Type(id.Out(0))
		if a.String() != b.String() {
			return nil, fmt.Errorf("input %s is %s, in the other graph %s", h.Name(id), b, a)
		}
		place = append(place, j)
	}
	return place, nil
}

// inputs are random elements of the field. Integers are places in the smallest table.
func inputs(g *graph.Graph, seed uint64) []interp.Tensor[uint64] {
	places := uint64(2)
	for id := range g.Nodes() {
		if op := g.Op(id); op != nil && op.Places != nil {
			var in []graph.Shape
			for _, t := range g.Operands(id) {
				in = append(in, graph.Sizes(g.Sizes(t)...))
			}
			if _, n, err := op.Places(g.Attrs(id), in); err == nil {
				if k, ok := n.Const(); ok && k > 0 {
					places = min(places, uint64(k))
				}
			}
		}
	}
	var out []interp.Tensor[uint64]
	for _, id := range g.Inputs() {
		t := g.Type(id.Out(0))
		x := interp.Tensor[uint64]{Sizes: t.Sizes, Data: fingerprint.Random(seed, g.Name(id), graph.NumElements(t.Sizes))}
		if !t.DType.IsFloat() {
			for i := range x.Data {
				x.Data[i] %= places
			}
		}
		out = append(out, x)
	}
	return out
}

// floats are numbers from -1 to 1 in place of elements of the field, and the same integers.
func floats(g *graph.Graph, in []interp.Tensor[uint64]) []interp.Tensor[float64] {
	out := make([]interp.Tensor[float64], len(in))
	for i, x := range in {
		out[i] = interp.Tensor[float64]{Sizes: x.Sizes, Data: make([]float64, len(x.Data))}
		for j, n := range x.Data {
			if out[i].Data[j] = float64(n); g.DType(g.Inputs()[i].Out(0)).IsFloat() {
				out[i].Data[j] = float64(float32(2*float64(n)/fingerprint.P - 1))
			}
		}
	}
	return out
}

func singles(in []interp.Tensor[float64]) []interp.Tensor[float32] {
	out := make([]interp.Tensor[float32], len(in))
	for i, x := range in {
		out[i] = interp.Tensor[float32]{Sizes: x.Sizes, Data: make([]float32, len(x.Data))}
		for j, v := range x.Data {
			out[i].Data[j] = float32(v)
		}
	}
	return out
}

func same(a, b []interp.Tensor[uint64]) bool {
	return slices.EqualFunc(a, b, func(x, y interp.Tensor[uint64]) bool {
		return slices.Equal(x.Sizes, y.Sizes) && slices.Equal(x.Data, y.Data)
	})
}

// deviation is the largest of the outputs' deviations, each relative to the largest
// element; infinite where sizes differ.
func deviation(got []interp.Tensor[float32], want []interp.Tensor[float64]) float64 {
	worst := 0.0
	if len(got) != len(want) {
		return math.Inf(1)
	}
	for i, x := range want {
		if !slices.Equal(got[i].Sizes, x.Sizes) {
			return math.Inf(1)
		}
		largest, diff := 0.0, 0.0
		for j, v := range x.Data {
			largest, diff = max(largest, math.Abs(v)), max(diff, math.Abs(float64(got[i].Data[j])-v))
		}
		if diff > 0 {
			diff /= largest
		}
		worst = max(worst, diff)
	}
	return worst
}
