package cost

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Time is the roofline: what the work takes on elements of type t.
//
//	launch + max(compute, move) + serial · min(compute, move)
//	compute = FLOPs / (peak of t · the class's fraction) · shape
//	shape   = (1 + class's outputs / Outputs) · (1 + class's depth / Depth)
//	move    = (weights / memory bandwidth + others / bandwidth) / the class's fraction
//
// Weights come from the memory; the bandwidth of all other bytes is that of the
// smallest cache that holds Work.Reach, else of the memory. A view costs Machine.View.
// An element type without a peak computes as fast as float32 for each of its bytes.
// Products and convolutions without groups have the peak of matrix units where there is
// one, and the shape of a work without sums is 1. More of a product never takes less time.
//
// An elementwise operator costs no more than what it adds to any kernel that it is fused
// into and that kernel together, so that an operator more never makes a network cheaper:
// tensors of one size are moved at one bandwidth, and no class moves faster than
// Pointwise.
func (m *Machine) Time(w Work, t graph.DType) Seconds {
	if w.Class == View {
		return m.View
	}
	launch, compute, move := m.terms(w, t)
	long, short := max(compute, move), min(compute, move)
	return launch + Seconds(long+m.Serial*short)
}

// terms are the time to start and the seconds of computing and of moving.
func (m *Machine) terms(w Work, t graph.DType) (launch Seconds, compute, move float64) {
	r := m.rate(w.Class, t)
	launch = max(m.Launch, r.Launch)
	compute, move = m.ideal(w, t, r)
	return launch, compute / r.FLOPS, move / r.Bandwidth
}

// rate are the fractions of a class. Functions move what other elementwise operators do,
// and nothing moves faster than these.
func (m *Machine) rate(c Class, t graph.DType) Rate {
	r, stream := m.rateOf(c, t), m.rateOf(Pointwise, t).Bandwidth
	if c == Function || r.Bandwidth > stream {
		r.Bandwidth = stream
	}
	return r
}

// rateOf is the class's rate as the description has it. Convolutions in groups start, and
// fill the device, as others do: else they would be a cheaper way to compute small ones.
func (m *Machine) rateOf(c Class, t graph.DType) Rate {
	if r, ok := m.Rates[c]; ok && (c == GroupConv || c == Depthwise) {
		like := m.rateOf(Conv, t)
		r.Outputs, r.Depth, r.Launch = max(r.Outputs, like.Outputs), max(r.Depth, like.Depth), max(r.Launch, like.Launch)
		return r
	}
	for ; c != ""; c = c.like() {
		for _, name := range [2]string{t.String(), graph.Float32.String()} {
			if r, ok := m.Fitted[name][c]; ok {
				return r
			}
		}
		if r, ok := m.Rates[c]; ok {
			return r
		}
	}
	return Rate{FLOPS: 1, Bandwidth: 1}
}

// Extrapolates reports whether the machine has fitted rates, and none for this class of
// work on elements of type t: the time is then one of a similar class or type, or of
// rounded estimates.
func (m *Machine) Extrapolates(w Work, t graph.DType) bool {
	_, ok := m.Fitted[t.String()][w.Class]
	return len(m.Fitted) > 0 && w.Class != View && !ok
}

// ideal are the seconds of computing and moving at the peak rates, and of computing with
// as few results and channels as there are.
func (m *Machine) ideal(w Work, t graph.DType, r Rate) (compute, move float64) {
	compute = float64(w.FLOPs) / m.peak(t)
	if w.Outputs > 0 {
		padded := 1.0
		if x, ok := m.Matrix[t.String()]; ok && w.Padded > 0 {
			padded = float64(w.Padded) / float64(max(1, w.FLOPs))
			compute = float64(w.Padded) / x
		}
		compute *= 1 + r.Outputs/padded/float64(w.Outputs)
		if w.Depth > 0 {
			compute *= 1 + r.Depth/padded/float64(w.Depth)
		}
	}
	others := w.Bytes() - w.Weights
	reach := w.Reach
	if reach == 0 {
		reach = others
	}
	return compute, float64(w.Weights)/m.Bandwidth + float64(others)/m.bandwidth(reach)
}

// peak is the rate of arithmetic outside of matrix units.
func (m *Machine) peak(t graph.DType) float64 {
	if x, ok := m.FLOPS[t.String()]; ok {
		return x
	}
	return m.FLOPS[graph.Float32.String()] * 4 / math.Max(1, float64(t.Bytes()))
}

// bandwidth is that of the smallest level that holds n bytes.
func (m *Machine) bandwidth(n int64) float64 {
	for _, c := range m.Caches {
		if n <= c.Bytes {
			return c.Bandwidth
		}
	}
	return m.Bandwidth
}

// Bound says which term of the roofline is the longest.
type Bound string

// What an application's time consists of most.
const (
	ByLaunch  Bound = "launch"
	ByCompute Bound = "compute"
	ByMemory  Bound = "memory"
)

// BoundOf says what bounds the work on elements of type t.
func (m *Machine) BoundOf(w Work, t graph.DType) Bound {
	launch, compute, move := m.terms(w, t)
	switch {
	case w.Class == View || float64(launch) >= max(compute, move):
		return ByLaunch
	case compute >= move:
		return ByCompute
	}
	return ByMemory
}

// Cost makes a machine a [Model]: every application has a cost, and it is
// modelled. A group costs what its root does and what the fused operators add.
func (m *Machine) Cost(a Application) (Seconds, Source, error) {
	if len(a.Tail) > 0 {
		return ofParts(m, a)
	}
	a.In, a.Out = m.held(a.In), m.held(a.Out)
	return m.Time(WorkOf(a), elementType(a.In, a.Out)), Modelled, nil
}

// held are types as the machine holds them.
func (m *Machine) held(ts []graph.TensorType) []graph.TensorType {
	if !m.Wide {
		return ts
	}
	out := slices.Clone(ts)
	for i := range out {
		out[i].DType = lower.Wide(out[i].DType)
	}
	return out
}

// Fused is the arithmetic of the operator, and moving the operands that are read
// beside the running value. It saves its start and the traffic of the result in
// between.
func (m *Machine) Fused(f Fused, t graph.TensorType) (Seconds, Source, error) {
	t, f.Others = m.held([]graph.TensorType{t})[0], m.held(f.Others)
	w := WorkOf(f.alone(t))
	w.Read, w.Write, w.Reach = f.bytes(t), 0, add(t.Bytes(), t.Bytes())
	return m.Time(w, t.DType) - m.Launch, Modelled, nil
}

// elementType is the type that arithmetic is done in: that of the first
// output, else of the first input.
func elementType(in, out []graph.TensorType) graph.DType {
	if len(out) > 0 {
		return out[0].DType
	}
	if len(in) > 0 {
		return in[0].DType
	}
	return graph.Float32
}
