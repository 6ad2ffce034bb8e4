package cpu

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// Compile prepares a model: all nodes that its outputs depend on must be
// supported; the error names each that is not.
func (b *Backend) Compile(ctx context.Context, m *model.Model, opt backends.CompileOptions) (backends.Plan, error) {
	if m == nil || m.Graph == nil {
		return nil, errors.New("compile: no graph")
	}
	wrap := func(err error) (backends.Plan, error) { return nil, fmt.Errorf("compile %s: %w", m.Name, err) }
	needed, err := backends.Needed(b, m.Graph)
	if err != nil {
		return wrap(err)
	}
	if err := checkSizes(m.Graph, needed); err != nil {
		return wrap(err)
	}
	l, err := lower.Graph(m.Graph, b.Target(), lower.Options{NoFuse: opt.NoFuse, KeepAll: opt.KeepAll})
	if err != nil {
		return wrap(err)
	}
	c := &compiler{binder: binder{t: b.t, plan: l}, ctx: ctx, m: m, pending: make([]int, len(l.Buffers))}
	p := &Plan{plan: l, g: m.Graph}
	if err := c.compile(p); err != nil {
		for _, b := range c.bufs {
			b.mem.free()
		}
		p.Close()
		return wrap(err)
	}
	return p, nil
}

// compiler fills the constants of a plan and binds its kernels.
type compiler struct {
	binder
	ctx     context.Context
	m       *model.Model
	pending []int // by buffer, how often kernels that run once are still to read it
}

func (c *compiler) compile(p *Plan) error {
	c.bufs = make([]*buffer, len(c.plan.Buffers))
	for i := range c.bufs {
		c.bufs[i] = &buffer{bytes: c.plan.Buffers[i].Bytes}
	}
	if err := c.once(); err != nil {
		return err
	}
	for i, b := range c.bufs {
		switch k := &c.plan.Buffers[i]; {
		case !k.Constant():
		case !k.Kept:
			b.mem.free()
		default:
			if err := c.load(lower.BufferID(i)); err != nil {
				return err
			}
			p.consts = append(p.consts, b)
		}
	}
	var err error
	if p.arena, err = newBlock(c.plan.Arena); err != nil {
		return err
	}
	for i, b := range c.bufs {
		if !c.plan.Buffers[i].Constant() {
			b.base = bytesPtr(p.arena.p, c.plan.Place(lower.BufferID(i)))
		}
	}
	if err := gather(p.consts); err != nil {
		return err
	}
	for _, v := range c.plan.Inputs {
		p.inputs = append(p.inputs, c.value(v))
	}
	p.outputs = c.values(c.plan.Outputs)
	scratch := 0
	for i := range c.plan.Run {
		s, err := c.bind(&c.plan.Run[i])
		if err != nil {
			return c.named(&c.plan.Run[i], err)
		}
		p.steps = append(p.steps, s)
		scratch = max(scratch, s.scratch)
		if s.tail != nil {
			if err := s.tail.settle(); err != nil {
				return err
			}
		}
	}
	p.times = make([]time.Duration, len(p.steps))
	if p.scratch, err = newBlock(4 * scratch); err != nil {
		return err
	}
	return p.stretches(c.t)
}

func (c *compiler) named(k *lower.Kernel, err error) error {
	return fmt.Errorf("node %s (%s): %w", c.plan.Graph.Name(k.Node), c.plan.Graph.Op(k.Node).Name, err)
}

// once runs the kernels that run once. A weight that was packed, or that went
// into a constant, is released: the model's weights and the packed ones are not
// held at once.
func (c *compiler) once() (err error) {
	of := func(v lower.ValueID) lower.BufferID { return c.plan.Values[v].Buffer }
	for i := range c.plan.Once {
		c.plan.Once[i].Reads(func(v lower.ValueID) { c.pending[of(v)]++ })
	}
	var scratch *block
	defer func() { scratch.free() }()
	for i := range c.plan.Once {
		k := &c.plan.Once[i]
		if err := c.ctx.Err(); err != nil {
			return err
		}
		k.Reads(func(v lower.ValueID) { err = errors.Join(err, c.load(of(v))) })
		if err != nil {
			return err
		}
		for _, v := range k.Out {
			if err := c.allocate(of(v)); err != nil {
				return c.named(k, err)
			}
		}
		s, err := c.bind(k)
		if err != nil {
			return c.named(k, err)
		}
		if s.tail != nil {
			if err := s.tail.settle(); err != nil {
				return err
			}
		}
		if scratch == nil || scratch.bytes < 4*s.scratch {
			scratch.free()
			if scratch, err = newBlock(4 * s.scratch); err != nil {
				return err
			}
		}
		err = s.run(scratch.p)
		s.tail.free()
		if err != nil {
			return c.named(k, err)
		}
		k.Reads(func(v lower.ValueID) {
			if b := of(v); !c.plan.Buffers[b].Kept {
				if c.pending[b]--; c.pending[b] == 0 {
					c.bufs[b].mem.free()
				}
			}
		})
	}
	return nil
}

// allocate gives a constant memory of its own.
func (c *compiler) allocate(id lower.BufferID) (err error) {
	b := c.bufs[id]
	if b.mem, err = newBlock(b.bytes); err == nil {
		b.base = b.mem.p
	}
	return err
}

// load reads the weight that a buffer holds, if it holds one and does not have
// it yet.
func (c *compiler) load(id lower.BufferID) error {
	node := c.plan.Buffers[id].Node
	if c.plan.Buffers[id].Home != lower.Weight || c.bufs[id].constant() {
		return nil
	}
	raw, err := backends.ReadWeight(c.m, node)
	if err != nil {
		return err
	}
	if err := c.allocate(id); err != nil {
		return fmt.Errorf("weight %s: %w", c.m.Graph.Name(node), err)
	}
	decode(c.bufs[id].base, lower.Wide(c.m.Graph.DType(node.Out(0))).Bytes(), raw)
	return nil
}

// decode copies little-endian numbers of w bytes to a constant.
func decode(to ptr, w int, raw []byte) {
	// Every platform with a table of kernels is little-endian; the others decode
	// number by number.
	one := uint16(1)
	if *(*byte)(unsafe.Pointer(&one)) == 1 {
		copy(bytesAt(to, len(raw)), raw)
		return
	}
	dst := bytesAt(to, len(raw))
	for i := 0; i < len(raw); i += w {
		for k := 0; k < w; k++ {
			dst[i+k] = raw[i+w-1-k]
		}
	}
}
