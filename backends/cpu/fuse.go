package cpu

import (
	"unsafe"

	"github.com/taso-go/taso/graph"
)

// Fusion. An elementwise node whose operand was just computed, for it alone,
// becomes one more operation of the tail of the step that computed it. Both
// operands of a binary one may be such; the later step takes it, since then the
// other operand is there. So conv2d + bias + residual + relu is one step.

// fusion is the tail of a step as it grows.
type fusion struct {
	ops   []chainOp
	args  [][2]*value // operands p, q of ops, nil if they have none
	sizes []int       // of the result
	// n is the row length and rowMod the number of rows after which row
	// operands repeat; n = 0 means that the step has not chosen.
	n, rowMod int
	registers bool // the kernel can scale, add and bound in registers
	tail      tail // what settle made of it
	block     *block
}

// accepts reports whether an operand's layout suits the step, and chooses the
// step's row length if that is open.
func (f *fusion) accepts(mode int32, n, rowMod int) bool {
	if mode != modeRow && mode != modeCol {
		return true
	}
	if f.n == 0 {
		f.n, f.rowMod = n, rowMod
		return true
	}
	if mode == modeRow && f.rowMod == 0 && f.n == n && f.flexible() {
		f.rowMod = rowMod
	}
	return f.n == n && (mode == modeCol || f.rowMod == rowMod)
}

// flexible: no operand depends on rowMod yet.
func (f *fusion) flexible() bool {
	for _, o := range f.ops {
		if o.mode == modeRow {
			return false
		}
	}
	return true
}

// elementwise appends an operation to v: fused into the step that computes v,
// or as a step of its own. p and q are operands, nil if there are none, and
// reversed the code to use when p's step takes the operation instead.
func (c *compiler) elementwise(op chainOp, v, p, q *value, reversed int32, t graph.TensorType) (*value, error) {
	x, y, code := v, p, op.code
	if p != nil && q == nil {
		// The later step takes the operation.
		if c.stepOf(p) > c.stepOf(v) && c.fits(p, t) {
			x, y, code = p, v, reversed
		} else if !c.fits(v, t) {
			x, y, code = p, v, reversed
		}
	}
	op.code = code
	mode, n, rowMod, err := c.operand(op.code, y, t.Sizes)
	if err != nil {
		return nil, err
	}
	if mode == modeFull && !y.dense() {
		if y, err = c.dense(y); err != nil {
			return nil, err
		}
	}
	op.mode = mode
	if s := c.fusable(x, t, y, q); s != nil && s.fuse.accepts(mode, n, rowMod) {
		s.fuse.ops = append(s.fuse.ops, op)
		s.fuse.args = append(s.fuse.args, [2]*value{y, q})
		at := c.maker[x.buf]
		for _, v := range []*value{y, q} {
			if v != nil {
				s.reads = append(s.reads, v.buf)
				v.buf.use(at)
				c.kept[v.buf] = true
			}
		}
		if s.node != c.node {
			c.into[c.node] = s.node
			c.readers[x.buf] = 0
		}
		return x, nil
	}
	if x, err = c.dense(x); err != nil {
		return nil, err
	}
	reads := []*value{x}
	for _, v := range []*value{y, q} {
		if v != nil {
			reads = append(reads, v)
		}
	}
	out, err := c.result(t, reads...)
	if err != nil {
		return nil, err
	}
	f := &fusion{ops: []chainOp{op}, args: [][2]*value{{y, q}}, sizes: t.Sizes, n: n, rowMod: rowMod}
	k := c.t
	s := &step{fuse: f, overwrites: x, run: func(ptr) error {
		n, rowMod := f.n, f.rowMod
		all := out.elements()
		if n == 0 {
			n = all
		}
		if rowMod == 0 {
			rowMod = 1
		}
		k.chain(out.ptr(), x.ptr(), all/n, n, rowMod, f.tail.ops, f.tail.nops)
		return nil
	}}
	return out, c.add(s, out, reads...)
}

// operand says how the operand of an operation lies under a tensor, see
// value.spread. One that fits no mode is to be made dense.
func (c *compiler) operand(code int32, y *value, sizes []int) (mode int32, n, rowMod int, err error) {
	switch {
	case y == nil:
		return modeNone, 0, 0, nil
	case code == opAffine: // by channels, whatever their number
		return modeRow, graph.NumElements(sizes[2:]), sizes[1], nil
	}
	mode, n, rowMod, ok := y.spread()
	if !ok {
		return modeFull, 0, 0, nil
	}
	return mode, n, rowMod, nil
}

// fits reports whether a value has the result's sizes without broadcasting, so
// that it can be what an operation starts from.
func (c *compiler) fits(v *value, t graph.TensorType) bool {
	mode, _, _, ok := v.spread()
	return ok && (mode == modeFull || v.elements() == graph.NumElements(t.Sizes) && graph.NumElements(t.Sizes) == 1)
}

// stepOf is the step that computes a value, -1 for constants and inputs.
func (c *compiler) stepOf(v *value) int {
	if at, ok := c.maker[v.buf]; ok {
		return at
	}
	return -1
}

// fusable is the step that computes v, if an operation that also reads the
// others may join its tail, or nil.
func (c *compiler) fusable(v *value, t graph.TensorType, others ...*value) *step {
	at, ok := c.maker[v.buf]
	if !ok || c.opt.NoFuse || c.opt.KeepAll {
		return nil
	}
	s := c.steps[at]
	if s.fuse == nil || !v.whole() || !equal(v.sizes, s.fuse.sizes) || !equal(v.sizes, t.Sizes) {
		return nil
	}
	// Nobody else may want the value as it is, nor a view of it.
	if c.readers[v.buf] != 1 && s.node != c.node {
		return nil
	}
	for _, o := range others {
		if o != nil && c.stepOf(o) >= at {
			return nil
		}
	}
	return s
}

// settle makes the kernel's tail. What the registers can do is taken from the
// front of the operations: a scale by rows, then additions of a whole tensor,
// of one value a row or one a column, then a bound below and above.
func (f *fusion) settle() error {
	ops, args := f.ops, f.args
	take := func() { ops, args = ops[1:], args[1:] }
	f.tail = tail{}
	var init, rowScale, rowBias, colBias *value
	var rowBiasOf *value
	if f.registers {
		if len(ops) > 0 && ops[0].code == opAffine {
			rowScale, rowBiasOf = args[0][0], args[0][1]
			take()
		}
	adds:
		for len(ops) > 0 && ops[0].code == opAdd {
			switch ops[0].mode {
			case modeFull:
				if init != nil || rowScale != nil {
					break adds
				}
				init = args[0][0]
			case modeRow:
				if rowBias != nil || rowBiasOf != nil {
					break adds
				}
				rowBias = args[0][0]
			case modeCol:
				if colBias != nil {
					break adds
				}
				colBias = args[0][0]
			default:
				break adds
			}
			take()
		}
		if len(ops) > 0 && (ops[0].code == opRelu || ops[0].code == opClip) {
			f.tail.clamp, f.tail.lo, f.tail.hi = true, 0, infinity
			if ops[0].code == opClip {
				f.tail.lo, f.tail.hi = ops[0].a, ops[0].b
			}
			take()
		}
	}
	if rowBias == nil {
		rowBias = rowBiasOf
	}
	address := func(v *value) ptr {
		if v == nil {
			return nil
		}
		return v.ptr()
	}
	f.tail.init, f.tail.rowScale = address(init), address(rowScale)
	f.tail.rowBias, f.tail.colBias = address(rowBias), address(colBias)
	f.tail.nops = len(ops)
	if len(ops) == 0 {
		return nil
	}
	var err error
	f.block.free()
	if f.block, err = newBlock(len(ops) * int(unsafe.Sizeof(chainOp{}))); err != nil {
		return err
	}
	f.tail.ops = f.block.p
	for i, o := range unsafe.Slice((*chainOp)(f.tail.ops), len(ops)) {
		o = ops[i]
		o.p, o.q = address(args[i][0]), address(args[i][1])
		unsafe.Slice((*chainOp)(f.tail.ops), len(ops))[i] = o
	}
	return nil
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
