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
)

// Plan is a compiled model.
type Plan struct {
	g       *graph.Graph
	inputs  []*value // nil for an input that is a weight
	outputs []*value
	steps   []*step
	consts  []*buffer
	tails   []*fusion
	into    map[graph.NodeID]graph.NodeID
	arena   *block
	scratch *block
	times   []time.Duration // of the steps in the last run
	ran     bool
	closed  bool
}

// finish plans the memory and settles the steps.
func (c *compiler) finish() (*Plan, error) {
	p := &Plan{g: c.g, into: c.into}
	for _, t := range c.g.Outputs() {
		v, err := c.dense(c.val[t])
		if err != nil {
			return nil, err
		}
		p.outputs = append(p.outputs, v)
	}
	for _, v := range p.outputs {
		v.buf.use(len(c.steps))
	}
	for _, id := range c.g.Inputs() {
		if c.g.IsWeight(id) {
			p.inputs = append(p.inputs, nil)
			continue
		}
		p.inputs = append(p.inputs, c.val[id.Out(0)])
	}
	if !c.opt.KeepAll {
		c.inPlace()
	}
	var own []*buffer
	for _, b := range c.bufs {
		if b.same == nil {
			own = append(own, b)
		}
	}
	size := plan(own, c.opt.KeepAll)
	var err error
	if p.arena, err = newBlock(size); err != nil {
		return nil, err
	}
	for _, b := range c.bufs {
		root := b
		for root.same != nil {
			root = root.same
		}
		b.base = bytesPtr(p.arena.p, root.offset)
	}
	p.steps, p.tails = c.steps, c.tails
	p.times = make([]time.Duration, len(p.steps))
	c.dropUnused(p)
	if err := gather(p.consts); err != nil {
		p.arena.free()
		return nil, err
	}
	for _, f := range p.tails {
		if err := f.settle(); err != nil {
			p.arena.free()
			return nil, err
		}
	}
	scratch := 0
	for _, s := range p.steps {
		if s.scratch != nil {
			scratch = max(scratch, s.scratch())
		}
	}
	if p.scratch, err = newBlock(4 * scratch); err != nil {
		p.arena.free()
		return nil, err
	}
	return p, nil
}

// inPlace lets steps that may overwrite an operand do so where nobody reads it
// afterwards.
func (c *compiler) inPlace() {
	root := func(b *buffer) *buffer {
		for b.same != nil {
			b = b.same
		}
		return b
	}
	for i, s := range c.steps {
		x := s.overwrites
		if x == nil || x.buf.constant() || !x.whole() {
			continue
		}
		r := root(x.buf)
		if r.last != i || r.bytes != s.writes.bytes || r == root(s.writes) {
			continue
		}
		// An operand that shares the place must be read before it is written:
		// element by element, by the first operation.
		clash := false
		for k, args := range s.fuse.args {
			for _, v := range args {
				if v != nil && root(v.buf) == r && (k > 0 || s.fuse.ops[k].mode != modeFull || v.off != x.off) {
					clash = true
				}
			}
		}
		if !clash {
			s.writes.same = r
			r.last = max(r.last, s.writes.last)
		}
	}
}

// dropUnused releases the constants that no step reads, such as weights that
// were packed.
func (c *compiler) dropUnused(p *Plan) {
	used := map[*buffer]bool{}
	for _, s := range c.steps {
		for _, b := range s.reads {
			used[b] = true
		}
	}
	for _, v := range p.outputs {
		used[v.buf] = true
	}
	for _, b := range c.consts {
		if used[b] {
			p.consts = append(p.consts, b)
		} else {
			b.mem.free()
		}
	}
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
		if v.dtype == graph.Int64 {
			out[i].I64 = slices.Clone(i64(v.ptr(), v.elements()))
		} else {
			out[i].F32 = slices.Clone(f32(v.ptr(), v.elements()))
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
		if v.dtype == graph.Int64 {
			copy(i64(v.ptr(), v.elements()), in[k].I64)
		} else {
			copy(f32(v.ptr(), v.elements()), in[k].F32)
		}
		k++
	}
}

// execute runs the steps.
func (p *Plan) execute(ctx context.Context) error {
	last := time.Now()
	for i, s := range p.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.run(p.scratch.p); err != nil {
			return fmt.Errorf("node %s (%s): %w", p.g.Name(s.node), p.g.Op(s.node).Name, err)
		}
		now := time.Now()
		p.times[i] = now.Sub(last)
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
				Seconds: cost.FromDuration(sum[id]), Into: p.into[id]})
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
	p.arena.free()
	p.scratch.free()
	for _, b := range p.consts {
		b.mem.free()
	}
	for _, f := range p.tails {
		f.block.free()
	}
	return nil
}
