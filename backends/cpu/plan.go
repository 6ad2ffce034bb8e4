package cpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Plan is a compiled model.
type Plan struct {
	plan    *lower.Plan
	g       *graph.Graph
	inputs  []*value // nil for an input that is a weight
	outputs []*value
	steps   []*step
	run     []stretch // the steps, those put together that are made together
	consts  []*buffer // that steps and outputs read
	arena   *block
	scratch *block
	times   []time.Duration // of the steps in the last run
	ran     bool
	closed  bool
}

// Run computes the outputs.
func (p *Plan) Run(ctx context.Context, in []backends.Tensor) ([]backends.Tensor, error) {
	if p.closed {
		return nil, errors.New("run: the plan is closed")
	}
	if err := backends.CheckInputs(p.g, in); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	p.feed(in)
	if err := p.execute(ctx); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	out := make([]backends.Tensor, len(p.outputs))
	for i, v := range p.outputs {
		t := p.g.Type(p.g.Outputs()[i])
		out[i] = backends.Tensor{DType: t.DType, Sizes: slices.Clone(t.Sizes)}
		switch v.DType {
		case graph.Int64:
			out[i].I64 = slices.Clone(elements[int64](v))
		case graph.Float64:
			out[i].F64 = slices.Clone(elements[float64](v))
		default:
			out[i].F32 = slices.Clone(elements[float32](v))
			backends.RoundTo(t.DType, out[i].F32)
		}
	}
	return out, nil
}

// feed writes the inputs.
func (p *Plan) feed(in []backends.Tensor) {
	k := 0
	for _, v := range p.inputs {
		if v == nil {
			continue
		}
		switch v.DType {
		case graph.Int64:
			copy(elements[int64](v), in[k].I64)
		case graph.Float64:
			copy(elements[float64](v), in[k].F64)
		default:
			copy(elements[float32](v), in[k].F32)
		}
		k++
	}
}

// execute runs the steps.
func (p *Plan) execute(ctx context.Context) error {
	start, last := time.Now(), time.Duration(0)
	for i := range p.run {
		r := &p.run[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.calls != nil {
			r.calls.run()
			now := time.Since(start) // half of what time.Now takes
			r.share(p.times, now-last)
			last = now
			continue
		}
		s := p.steps[r.first]
		if err := s.run(p.scratch.p); err != nil {
			return fmt.Errorf("node %s (%s): %w", p.g.Name(s.node), p.g.Op(s.node).Name, err)
		}
		now := time.Since(start)
		p.times[r.first] = now - last
		last = now
	}
	p.ran = true
	return nil
}

// Profile is the time of each node in the last run, in the graph's order, which
// is that of execution.
func (p *Plan) Profile() []backends.OpTime {
	if !p.ran {
		return nil
	}
	sum := map[graph.NodeID]time.Duration{}
	for i, s := range p.steps {
		sum[s.node] += p.times[i]
	}
	var out []backends.OpTime
	for id := range p.g.Nodes() {
		if op := p.g.Op(id); op != nil {
			out = append(out, backends.OpTime{Node: id, Name: p.g.Name(id), Op: op.Name,
				Seconds: cost.FromDuration(sum[id]), Into: p.plan.Into[id]})
		}
	}
	return out
}

// Memory is what the plan holds, in bytes: tensors of a run, weights and
// constants as the kernels want them, and scratch.
func (p *Plan) Memory() (arena, weights, scratch int64) {
	for _, b := range p.consts {
		weights += int64(b.bytes)
	}
	return int64(p.arena.bytes), weights, int64(p.scratch.bytes)
}

// PeakBytes is the sum of Memory.
func (p *Plan) PeakBytes() int64 {
	a, w, s := p.Memory()
	return a + w + s
}

// Close releases the memory.
func (p *Plan) Close() error {
	if p.closed {
		return nil
	}
	p.closed = true
	// A plan that could not be made to its end has no arena.
	large := p.arena != nil && p.scratch != nil && p.PeakBytes() > largePlan
	p.arena.free()
	p.scratch.free()
	for _, b := range p.consts {
		b.mem.free()
	}
	for _, s := range p.steps {
		s.tail.free()
	}
	for _, r := range p.run {
		if r.calls != nil {
			r.calls.free()
		}
	}
	if large {
		trim()
	}
	return nil
}

// largePlan is the bytes of a plan whose memory goes back to the system at once.
const largePlan = 1 << 28
