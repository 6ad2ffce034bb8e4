package cpu

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// step is a few kernel calls for one node.
type step struct {
	node   graph.NodeID
	run    func(scratch ptr) error
	reads  []*buffer
	writes *buffer
	// scratch is the elements of scratch it needs. It may be nil.
	scratch func() int
	// overwrites is a value that the step may compute its result into, because
	// it reads each element before it writes it; nil if there is none.
	overwrites *value
	// fuse is the tail of a step that takes one, nil for others.
	fuse *fusion
	out  *value
}

// compiler turns a graph into steps. Steps that depend on constants only are
// run at once.
type compiler struct {
	ctx     context.Context
	t       table
	m       *model.Model
	g       *graph.Graph
	opt     backends.CompileOptions
	steps   []*step
	bufs    []*buffer // of the arena
	consts  []*buffer
	val     map[graph.Tensor]*value
	uses    map[graph.Tensor]int          // how often live nodes and outputs read it
	readers map[*buffer]int               // the sum of uses over the values in a buffer
	pending map[*buffer]int               // those of the readers that are still to be compiled
	kept    map[*buffer]bool              // constants that steps read
	maker   map[*buffer]int               // the step that writes a buffer
	tails   []*fusion                     // of steps that were not run at once
	into    map[graph.NodeID]graph.NodeID // fused nodes
	node    graph.NodeID                  // the node being compiled
	scratch *block                        // of constant steps
}

// attrs gives access to a node's attributes by name.
type attrs struct {
	op *graph.Op
	a  graph.Attrs
}

func (x attrs) get(name string) (graph.Value, bool) {
	i := x.op.ParamIndex(name)
	if i < 0 {
		return graph.Value{}, false
	}
	return x.a[i], true
}

func (x attrs) int(name string) (int, error) {
	v, _ := x.get(name)
	d, _ := v.Dim()
	n, ok := d.Const()
	if !ok || v.Kind() != graph.KindDim {
		return 0, fmt.Errorf("attribute %s is not a number", name)
	}
	return int(n), nil
}

func (x attrs) number(name string) (float32, error) {
	n, err := x.real(name)
	return float32(n), err
}

// real is a number in full, which integers beyond 2^24 need.
func (x attrs) real(name string) (float64, error) {
	v, _ := x.get(name)
	n, ok := v.Number()
	if !ok {
		return 0, fmt.Errorf("attribute %s is not a real number", name)
	}
	return n, nil
}

func (x attrs) name(name string) string {
	v, _ := x.get(name)
	s, _ := v.Name()
	return s
}

// ints is a tuple, or a concrete shape.
func (x attrs) ints(name string) ([]int, error) {
	v, _ := x.get(name)
	if s, ok := v.Shape(); ok {
		if sizes, ok := s.Concrete(); ok {
			return sizes, nil
		}
	}
	t, ok := v.Tuple()
	if !ok {
		return nil, fmt.Errorf("attribute %s is no list of numbers", name)
	}
	out := make([]int, len(t))
	for i := range t {
		out[i] = int(t[i])
	}
	return out, nil
}

// emitter makes the steps of a node and returns its results.
type emitter func(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error)

// live marks the tensors that outputs depend on and counts their readers.
func live(g *graph.Graph) map[graph.Tensor]int {
	uses := map[graph.Tensor]int{}
	used := make([]bool, g.Len()+1)
	for _, t := range g.Outputs() {
		uses[t]++
		used[t.Node] = true
	}
	for id := graph.NodeID(g.Len()); id > 0; id-- {
		if used[id] {
			for _, t := range g.Operands(id) {
				uses[t]++
				used[t.Node] = true
			}
		}
	}
	return uses
}

// compile makes all steps.
func (c *compiler) compile() error {
	g := c.g
	c.uses = live(g)
	needed := map[graph.NodeID]bool{}
	for t := range c.uses {
		needed[t.Node] = true
	}
	for id := range g.Nodes() {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		c.node = id
		op := g.Op(id)
		if op == nil {
			if err := c.input(id, needed[id]); err != nil {
				return err
			}
			continue
		}
		if !needed[id] {
			continue
		}
		if err := c.emit(id, op); err != nil {
			return fmt.Errorf("node %s (%s): %w", g.Name(id), op.Name, err)
		}
		// A weight that was packed, or that went into a constant, is not needed
		// any more: the model's weights and the packed ones are not held at once.
		for _, t := range g.Operands(id) {
			b := c.val[t].buf
			if c.pending[b]--; c.pending[b] == 0 && b.constant() && !c.kept[b] {
				b.mem.free()
			}
		}
	}
	return nil
}

func (c *compiler) emit(id graph.NodeID, op *graph.Op) error {
	operands := c.g.Operands(id)
	in := make([]*value, len(operands))
	for i, t := range operands {
		in[i] = c.val[t]
	}
	out := make([]graph.TensorType, c.g.NumOut(id))
	for i := range out {
		out[i] = c.g.Type(id.Out(i))
	}
	if len(in) == 0 {
		v, err := c.constant(op, c.g.Attrs(id), out[0])
		if err != nil {
			return err
		}
		c.set(id.Out(0), v)
		return nil
	}
	e, ok := emitters[op.Name]
	if !ok {
		return fmt.Errorf("there is no kernel for this operator")
	}
	vs, err := e(c, attrs{op, c.g.Attrs(id)}, in, out)
	if err != nil {
		return err
	}
	for i, v := range vs {
		// Without fusion each operator does its own work: views are copied,
		// except where nothing has to move.
		if c.opt.NoFuse && !v.dense() {
			if v, err = c.dense(v); err != nil {
				return err
			}
		}
		c.set(id.Out(i), v)
	}
	return nil
}

// set notes the value of a tensor of the graph.
func (c *compiler) set(t graph.Tensor, v *value) {
	c.val[t] = v
	c.readers[v.buf] += c.uses[t]
	c.pending[v.buf] += c.uses[t]
}

// input makes the value of an input or loads a weight.
func (c *compiler) input(id graph.NodeID, needed bool) error {
	t := c.g.Type(id.Out(0))
	if !c.g.IsWeight(id) {
		v := c.arena(t)
		v.buf.use(-1)
		c.set(id.Out(0), v)
		return nil
	}
	if !needed {
		return nil
	}
	w := c.m.Weights[id]
	if w == nil {
		return fmt.Errorf("weight %s has no numbers", c.g.Name(id))
	}
	if w.DType != t.DType || !equal(w.Sizes, t.Sizes) {
		return fmt.Errorf("weight %s: its numbers are %s%s, the input is %s", c.g.Name(id), w.DType, graph.Sizes(w.Sizes...), t)
	}
	raw, err := w.Read()
	if err != nil {
		return fmt.Errorf("weight %s: %w", c.g.Name(id), err)
	}
	v, err := c.newConstant(t)
	if err != nil {
		return fmt.Errorf("weight %s: %w", c.g.Name(id), err)
	}
	decode(v, raw)
	c.set(id.Out(0), v)
	return nil
}

// constant evaluates an operator without operands by its meaning.
func (c *compiler) constant(op *graph.Op, a graph.Attrs, t graph.TensorType) (*value, error) {
	res, err := interp.Apply(interp.Float{}, op, a, nil)
	if err != nil {
		return nil, err
	}
	v, err := c.newConstant(t)
	if err != nil {
		return nil, err
	}
	switch t.DType {
	case graph.Float32:
		for i, x := range res[0].Data {
			f32(v.ptr(), len(res[0].Data))[i] = float32(x)
		}
	case graph.Int64:
		for i, x := range res[0].Data {
			i64(v.ptr(), len(res[0].Data))[i] = int64(x)
		}
	default:
		return nil, fmt.Errorf("elements of type %s", t.DType)
	}
	return v, nil
}

// arena is a new dense value whose memory is planned later.
func (c *compiler) arena(t graph.TensorType) *value {
	b := &buffer{bytes: graph.NumElements(t.Sizes) * t.DType.Bytes(), def: len(c.steps), last: len(c.steps)}
	c.bufs = append(c.bufs, b)
	return &value{buf: b, sizes: t.Sizes, strides: graph.Strides(t.Sizes), dtype: t.DType, node: c.node}
}

// newConstant is a new dense value with memory of its own.
func (c *compiler) newConstant(t graph.TensorType) (*value, error) {
	b := &buffer{bytes: graph.NumElements(t.Sizes) * t.DType.Bytes()}
	var err error
	if b.mem, err = newBlock(b.bytes); err != nil {
		return nil, err
	}
	b.base = b.mem.p
	c.consts = append(c.consts, b)
	return &value{buf: b, sizes: t.Sizes, strides: graph.Strides(t.Sizes), dtype: t.DType, node: c.node}, nil
}

// floats is a constant of n floats.
func (c *compiler) floats(n int) (*value, error) {
	return c.newConstant(graph.TensorType{DType: graph.Float32, Sizes: []int{n}})
}

// result makes the value of a step's result: a constant one if all the step
// reads is, because then add runs it at once.
func (c *compiler) result(t graph.TensorType, reads ...*value) (*value, error) {
	for _, v := range reads {
		if !v.buf.constant() {
			return c.arena(t), nil
		}
	}
	return c.newConstant(t)
}

// add appends a step that computes out from the reads.
func (c *compiler) add(s *step, out *value, reads ...*value) error {
	s.node, s.out, s.writes = c.node, out, out.buf
	for _, v := range reads {
		s.reads = append(s.reads, v.buf)
	}
	if out.buf.constant() {
		n := 0
		if s.scratch != nil {
			n = s.scratch() * 4
		}
		if c.scratch == nil || c.scratch.bytes < n {
			c.scratch.free()
			var err error
			if c.scratch, err = newBlock(n); err != nil {
				return err
			}
		}
		if s.fuse != nil {
			if err := s.fuse.settle(); err != nil {
				return err
			}
			defer s.fuse.block.free()
		}
		return s.run(c.scratch.p)
	}
	if s.fuse != nil {
		c.tails = append(c.tails, s.fuse)
	}
	at := len(c.steps)
	out.buf.use(at)
	for _, b := range s.reads {
		b.use(at)
		c.kept[b] = true
	}
	c.maker[out.buf] = at
	c.steps = append(c.steps, s)
	return nil
}

// dense is v itself or a dense copy of it.
func (c *compiler) dense(v *value) (*value, error) {
	if v.dense() {
		return v, nil
	}
	if v.copied != nil {
		return v.copied, nil
	}
	out, err := c.result(graph.TensorType{DType: v.dtype, Sizes: v.sizes}, v)
	if err != nil {
		return nil, err
	}
	axes := make([]axis, len(v.sizes))
	for i := range axes {
		axes[i] = axis{v.sizes[i], v.strides[i], out.strides[i]}
	}
	axes = merged(axes)
	t, width := c.t, v.width()
	node := c.node
	if v.node != 0 {
		c.node = v.node
	}
	err = c.add(&step{run: func(ptr) error {
		t.move(out.ptr(), v.ptr(), width, axes)
		return nil
	}}, out, v)
	out.node, c.node = v.node, node
	v.copied = out
	return out, err
}

// allDense makes values dense.
func (c *compiler) allDense(in []*value) ([]*value, error) {
	out := make([]*value, len(in))
	for i, v := range in {
		var err error
		if out[i], err = c.dense(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// decode copies little-endian numbers to a constant.
func decode(v *value, raw []byte) {
	// Every platform with a table of kernels is little-endian; the others decode
	// number by number.
	one := uint16(1)
	if *(*byte)(unsafe.Pointer(&one)) == 1 {
		copy(unsafe.Slice((*byte)(v.ptr()), len(raw)), raw)
		return
	}
	w := v.width()
	dst := unsafe.Slice((*byte)(v.ptr()), len(raw))
	for i := 0; i < len(raw); i += w {
		for k := 0; k < w; k++ {
			dst[i+k] = raw[i+w-1-k]
		}
	}
}
