package cuda

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/backends/cuda/kernel"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Plan is a compiled model on the device.
type Plan struct {
	b      *Backend
	plan   *lower.Plan
	binder *binder
	memory *memory
	table  []dl.Ptr // of bases
	prog   *program
	calls  []kernel.Call // of prog

	inputs  []staged
	outputs []dl.Ref
	graph   *dl.Graph // of one run; nil before the first, and where it cannot be captured
	plain   bool      // it cannot be captured
	ran     bool
	profile []backends.OpTime // of the last run; nil: not made yet
	closed  bool

	arena, constants, scratch int64 // bytes
	workspace                 int64 // in scratch
}

// staged is an input on its way to the device. The host keeps it for a profile: its
// place in the arena may be another tensor's later in the run.
type staged struct {
	to   dl.Ref
	data []byte
}

// prepare says where inputs and outputs lie.
func (p *Plan) prepare() {
	for _, v := range p.plan.Inputs {
		if v == lower.None {
			continue
		}
		x := &p.plan.Values[v]
		p.inputs = append(p.inputs, staged{p.binder.place(v), make([]byte, x.Elements()*x.DType.Bytes())})
	}
	for _, v := range p.plan.Outputs {
		p.outputs = append(p.outputs, p.binder.place(v))
	}
}

// at is an address.
func (p *Plan) at(r dl.Ref) dl.Ptr { return p.table[r.Base] + dl.Ptr(r.Offset) }

// Run computes the outputs. A cancelled context ends it before the kernels, or before
// their results are fetched.
func (p *Plan) Run(ctx context.Context, in []backends.Tensor) ([]backends.Tensor, error) {
	if p.closed {
		return nil, errors.New("run: the plan is closed")
	}
	g := p.plan.Graph
	if err := backends.CheckInputs(g, in); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	out := make([]backends.Tensor, len(p.outputs))
	for i, t := range g.Outputs() {
		var err error
		if out[i], err = backends.Zeros(g.Type(t)); err != nil {
			return nil, fmt.Errorf("run: output %d: %w", i, err)
		}
	}
	for i, x := range in {
		copy(p.inputs[i].data, bytesOf(&x))
	}
	// All on the device's thread at once: each call by itself would have to wait for
	// its turn.
	err := p.b.dev.Do(func() error { return p.run(ctx, out) })
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	p.ran, p.profile = true, nil
	return out, nil
}

func (p *Plan) run(ctx context.Context, out []backends.Tensor) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var err error
	p.prog, err = p.binder.settle(p.prog, func(prog *program) error {
		p.prog = prog
		// Each time: what ran before a call that was refused may have overwritten them.
		if err := p.feed(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return p.execute()
	}, func() (*program, error) {
		prog, workspace, err := p.binder.fitting(ctx, p.calls)
		p.scratch += workspace - p.workspace
		p.workspace = workspace
		return prog, err
	})
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := p.binder.check(p.prog, p.table); err != nil {
		return err
	}
	for i := range out {
		if err := p.b.dev.CopyOut(bytesOf(&out[i]), p.at(p.outputs[i])); err != nil {
			return fmt.Errorf("fetch output %d: %w", i, err)
		}
		backends.RoundTo(out[i].DType, out[i].F32)
	}
	return nil
}

// feed writes the inputs.
func (p *Plan) feed() error {
	for i, s := range p.inputs {
		if err := p.b.dev.CopyIn(p.at(s.to), s.data); err != nil {
			return fmt.Errorf("bring input %d: %w", i, err)
		}
	}
	return nil
}

// execute runs the calls and waits for them.
func (p *Plan) execute() error {
	if p.prog.Len() == 0 {
		return nil
	}
	if p.graph != nil {
		_, err := p.graph.Replay(1)
		return err
	}
	if err := p.prog.Run(p.table); err != nil {
		return p.prog.named(p.binder, err)
	}
	if !p.plain {
		var err error
		if p.graph, err = p.prog.Capture(p.table); err != nil {
			// The results are there: whether the device is still good is found by
			// whatever is asked of it next.
			p.plain = true
		}
	}
	return nil
}

// named adds to an error of a call the node that it is for.
func (p *program) named(n *binder, err error) error {
	var e *dl.Error
	if errors.As(err, &e) && e.At >= 0 && e.At < len(p.nodes) && p.nodes[e.At] != 0 {
		return n.named(p.nodes[e.At], err)
	}
	return err
}

// check looks at the fault words after a run.
func (n *binder) check(p *program, table []dl.Ptr) error {
	if len(p.faults) == 0 {
		return nil
	}
	words := make([]byte, len(p.faults)*kernel.FaultBytes)
	if err := n.b.dev.CopyOut(words, table[faultBase]); err != nil {
		return fmt.Errorf("fetch the fault words: %w", err)
	}
	for i, f := range p.faults {
		w := words[i*kernel.FaultBytes:]
		if binary.LittleEndian.Uint64(w) != 0 {
			return n.named(f.node, fmt.Errorf(f.message, int64(binary.LittleEndian.Uint64(w[8:]))))
		}
	}
	return nil
}

// bytesOf is the memory of a tensor's elements. Devices and the processors that drive
// them are little-endian.
func bytesOf(t *backends.Tensor) []byte {
	switch {
	case t.I64 != nil:
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(t.I64))), 8*len(t.I64))
	case t.F64 != nil:
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(t.F64))), 8*len(t.F64))
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(t.F32))), 4*len(t.F32))
}

// Profile is the time of each node, in the graph's order, in a run on the inputs of the
// last one, which is made now with an event behind each call: times of events are
// some hundred nanoseconds longer each than what a run takes. It is empty before the
// first run, and where that run fails.
func (p *Plan) Profile() []backends.OpTime {
	if !p.ran || p.closed {
		return nil
	}
	if p.profile == nil {
		var ms []float32
		err := p.b.dev.Do(func() (err error) {
			if err = p.feed(); err == nil {
				ms, err = p.prog.Profile(p.table)
			}
			return err
		})
		if err != nil {
			return nil
		}
		p.profile = p.times(ms)
	}
	return slices.Clone(p.profile)
}

// times adds up by node.
func (p *Plan) times(ms []float32) []backends.OpTime {
	sum := map[graph.NodeID]cost.Seconds{}
	for i, t := range ms {
		sum[p.prog.nodes[i]] += cost.Seconds(t) / 1000
	}
	out := []backends.OpTime{}
	g := p.plan.Graph
	for id := range g.Nodes() {
		if op := g.Op(id); op != nil {
			out = append(out, backends.OpTime{Node: id, Name: g.Name(id), Op: op.Name, Seconds: sum[id], Into: p.plan.Into[id]})
		}
	}
	return out
}

// Memory is what the plan holds on the device, in bytes: tensors of a run, constants,
// and what kernels and libraries need for themselves.
func (p *Plan) Memory() (arena, constants, scratch int64) {
	return p.arena, p.constants, p.scratch
}

// PeakBytes is the sum of Memory.
func (p *Plan) PeakBytes() int64 {
	a, c, s := p.Memory()
	return a + c + s
}

// Close gives back what the plan holds. A second call does nothing.
func (p *Plan) Close() error {
	if p.closed {
		return nil
	}
	p.closed = true
	if err := closed(first(p.prog.Close(), p.binder.close(), p.memory.close())); err != nil {
		return fmt.Errorf("close a plan: %w", err)
	}
	return nil
}
