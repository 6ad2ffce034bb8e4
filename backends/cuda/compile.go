package cuda

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/backends/cuda/kernel"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// Compile prepares a model: all nodes that its outputs depend on must be supported;
// the error names each that is not. Where the device's memory is short, algorithms
// with less workspace are taken; if that does not do, the error is a
// [dl.MemoryError], with what the model needs.
func (b *Backend) Compile(ctx context.Context, m *model.Model, opt backends.CompileOptions) (backends.Plan, error) {
	p, err := b.compile(ctx, m, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (b *Backend) compile(ctx context.Context, m *model.Model, opt backends.CompileOptions) (*Plan, error) {
	if m == nil || m.Graph == nil {
		return nil, errors.New("compile: no graph")
	}
	wrap := func(err error) (*Plan, error) { return nil, fmt.Errorf("compile %s: %w", m.Name, err) }
	if err := ctx.Err(); err != nil {
		return wrap(err)
	}
	if _, err := backends.Needed(b, m.Graph); err != nil {
		return wrap(err)
	}
	l, err := lower.Graph(m.Graph, b.Target(), lower.Options{NoFuse: opt.NoFuse, KeepAll: opt.KeepAll})
	if err != nil {
		return wrap(err)
	}
	c := &compiler{
		binder: newBinder(b, l), ctx: ctx, m: m,
		memory: newMemory(b.dev), pending: make([]int, len(l.Buffers)),
	}
	c.table = make([]dl.Ptr, c.bases)
	p, err := c.compile()
	if err != nil {
		return wrap(first(err, c.close(), c.memory.close()))
	}
	return p, nil
}

// compiler fills the constants of a plan and makes its calls.
type compiler struct {
	*binder
	ctx     context.Context
	m       *model.Model
	memory  *memory
	table   []dl.Ptr // of bases
	pending []int    // by buffer, how often kernels that run once are still to read it
}

func (c *compiler) compile() (*Plan, error) {
	once, onceScratch, err := c.calls(c.plan.Once)
	if err != nil {
		return nil, err
	}
	run, scratch, err := c.calls(c.plan.Run)
	if err != nil {
		return nil, err
	}
	all := flat(run)
	if err := c.load(c.ctx, append(flat(once), all...)); err != nil {
		return nil, err
	}
	wrap := func(err error) (*Plan, error) {
		return nil, shortage(err, int64(c.plan.Constants), int64(c.plan.Arena), scratch, c.b.opt.Workspace)
	}
	if err := c.once(once, onceScratch); err != nil {
		return wrap(err)
	}
	for i := range c.plan.Buffers {
		if c.plan.Buffers[i].Kept {
			if err := c.weight(lower.BufferID(i)); err != nil {
				return wrap(err)
			}
		}
	}
	p := &Plan{b: c.b, plan: c.plan, binder: c.binder, memory: c.memory, table: c.table, arena: int64(c.plan.Arena)}
	for _, at := range c.table[firstConstant:] {
		p.constants += c.memory.blocks[at]
	}
	if err := c.finish(p, scratch, all); err != nil {
		return wrap(err)
	}
	return p, nil
}

// finish gives a plan its calls and the memory of its runs, at last the workspace:
// where that is short, libraries get none, and generated kernels do what they cannot
// do without.
func (c *compiler) finish(p *Plan, scratch int64, calls []kernel.Call) (err error) {
	words := int64(faultWords(calls)) * kernel.FaultBytes
	for base, bytes := range []int64{arenaBase: p.arena, scratchBase: scratch, faultBase: words} {
		if c.table[base], err = c.memory.take(bytes); err != nil {
			return err
		}
	}
	var workspace int64
	if p.prog, workspace, err = c.fitting(c.ctx, calls); err != nil {
		return err
	}
	p.calls, p.workspace, p.scratch = calls, workspace, scratch+words+workspace
	p.prepare()
	return nil
}

// fitting is a program with its workspace, or with none where memory is short.
func (n *binder) fitting(ctx context.Context, calls []kernel.Call) (p *program, workspace int64, err error) {
	for _, bound := range []int64{n.b.opt.Workspace, 0} {
		if p, err = n.program(ctx, calls, bound); err != nil {
			return nil, 0, err
		}
		if workspace, _, err = p.Workspace(); err == nil {
			return p, workspace, nil
		}
		err = first(err, p.Close())
		if short := (*dl.MemoryError)(nil); !errors.As(err, &short) {
			break
		}
	}
	return nil, 0, err
}

// calls are those of kernels, by kernel, and the most scratch memory that one needs.
func (c *compiler) calls(ks []lower.Kernel) (calls [][]kernel.Call, scratch int64, err error) {
	for i := range ks {
		cs, s, err := kernel.Calls(c.plan, &ks[i], c.b.calls)
		if err != nil {
			return nil, 0, err
		}
		calls, scratch = append(calls, cs), max(scratch, s)
	}
	return calls, scratch, nil
}

func flat(calls [][]kernel.Call) []kernel.Call {
	var all []kernel.Call
	for _, cs := range calls {
		all = append(all, cs...)
	}
	return all
}

// once runs the kernels that run once. A weight that no kernel of a run reads is
// given back behind its last reader: the model's weights and what was made of them
// are not held at once.
func (c *compiler) once(calls [][]kernel.Call, scratch int64) (err error) {
	if len(calls) == 0 {
		return nil
	}
	of := func(v lower.ValueID) lower.BufferID { return c.plan.Values[v].Buffer }
	for i := range c.plan.Once {
		c.plan.Once[i].Reads(func(v lower.ValueID) { c.pending[of(v)]++ })
	}
	if c.table[scratchBase], err = c.memory.take(scratch); err != nil {
		return err
	}
	words := 0
	for _, cs := range calls {
		words = max(words, faultWords(cs))
	}
	if c.table[faultBase], err = c.memory.take(int64(words) * kernel.FaultBytes); err != nil {
		return err
	}
	for i := range c.plan.Once {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := c.onceKernel(&c.plan.Once[i], calls[i]); err != nil {
			return err
		}
	}
	return first(c.memory.free(c.table[scratchBase]), c.memory.free(c.table[faultBase]))
}

func (c *compiler) onceKernel(k *lower.Kernel, calls []kernel.Call) error {
	of := func(v lower.ValueID) lower.BufferID { return c.plan.Values[v].Buffer }
	var errs []error
	k.Reads(func(v lower.ValueID) { errs = append(errs, c.weight(of(v))) })
	for _, v := range k.Out {
		errs = append(errs, c.allocate(of(v)))
	}
	if err := first(errs...); err != nil {
		return c.named(k.Node, err)
	}
	make := func() (*program, error) { return c.program(c.ctx, calls, c.b.opt.Workspace) }
	p, err := make()
	if err != nil {
		return err
	}
	if p, err = c.settle(p, func(p *program) error { return p.Run(c.table) }, make); err == nil {
		err = c.check(p, c.table)
	} else {
		err = c.named(k.Node, err)
	}
	if err := first(err, p.Close()); err != nil {
		return err
	}
	errs = errs[:0]
	k.Reads(func(v lower.ValueID) {
		if b := of(v); !c.plan.Buffers[b].Kept {
			if c.pending[b]--; c.pending[b] == 0 {
				errs = append(errs, c.memory.free(c.table[c.base[b]]))
				c.table[c.base[b]] = 0
			}
		}
	})
	return first(errs...)
}

// allocate gives a constant memory of its own, if it has none yet.
func (c *compiler) allocate(id lower.BufferID) (err error) {
	at := &c.table[c.base[id]]
	if *at == 0 {
		*at, err = c.memory.take(int64(c.plan.Buffers[id].Bytes))
	}
	return err
}

// weight brings the weight to the device that a buffer holds, if it holds one that is
// not there yet.
func (c *compiler) weight(id lower.BufferID) error {
	buf := &c.plan.Buffers[id]
	if buf.Home != lower.Weight || c.table[c.base[id]] != 0 {
		return nil
	}
	if err := c.ctx.Err(); err != nil {
		return err
	}
	raw, err := backends.ReadWeight(c.m, buf.Node)
	if err != nil {
		return err
	}
	if err := c.allocate(id); err != nil {
		return fmt.Errorf("weight %s: %w", c.m.Graph.Name(buf.Node), err)
	}
	return c.b.dev.CopyIn(c.table[c.base[id]], raw)
}
