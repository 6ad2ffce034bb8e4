package cpu

import (
	"github.com/taso-go/taso/graph"
)

// matrices is a batch of matrices inside a value.
type matrices struct {
	v          *value
	rows, cols int
	rs, cs     int   // strides
	first      []int // offset of each matrix, in elements
	one        bool  // all matrices are the same one
}

func newMatrices(v *value) matrices {
	r := len(v.sizes)
	m := matrices{v: v, rows: v.sizes[r-2], cols: v.sizes[r-1], rs: v.strides[r-2], cs: v.strides[r-1], one: true}
	graph.Each(v.sizes[:r-2], func(_ int, idx []int) {
		off := 0
		for i, k := range idx {
			off += k * v.strides[i]
		}
		m.first = append(m.first, off)
		m.one = m.one && off == 0
	})
	return m
}

// packable reports whether packing reads a matrix along its memory.
func (m matrices) packable() bool {
	return m.rs == 1 || m.cs == 1 || m.rows == 1 || m.cols == 1
}

func emitMatMul(c *compiler, _ attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	var ms [2]matrices
	for i, v := range in {
		if ms[i] = newMatrices(v); !ms[i].packable() {
			d, err := c.dense(v)
			if err != nil {
				return nil, err
			}
			ms[i] = newMatrices(d)
		}
	}
	y, err := c.product(ms[0], ms[1], out[0])
	return []*value{y}, err
}

// product multiplies batches of matrices.
func (c *compiler) product(a, b matrices, t graph.TensorType) (*value, error) {
	m, n, k := a.rows, b.cols, a.cols
	batch := len(a.first)
	if b.one && batch > 1 && a.v.dense() {
		// One matrix for all of the batch: its rows are rows of one product. The
		// strides of axes of size 1 say nothing, those of a dense matrix do.
		m, batch = m*batch, 1
		a.rs, a.cs = k, 1
	}
	kern := c.t
	pa, pb, err := c.packedOperands(a, b, m, n, k, batch)
	if err != nil {
		return nil, err
	}
	reads := []*value{a.v, b.v}
	if pa != nil {
		reads[0] = pa
	}
	if pb != nil {
		reads[1] = pb
	}
	y, err := c.result(t, reads...)
	if err != nil {
		return nil, err
	}
	sizeA, sizeB := kern.packedA(m, k), kern.packedB(n, k)
	f := &fusion{sizes: t.Sizes, n: n, rowMod: m, registers: true}
	s := &step{fuse: f, scratch: kern.gemmScratch}
	s.run = func(scratch ptr) error {
		g := gemm{m: m, n: n, k: k, ars: a.rs, acs: a.cs, brs: b.rs, bcs: b.cs, ldc: n, scratch: scratch}
		for i := 0; i < batch; i++ {
			if pa != nil {
				g.ap = at(pa.ptr(), i*sizeA)
			} else {
				g.a = at(a.v.ptr(), a.first[i])
			}
			switch {
			case pb != nil && b.one:
				g.bp = pb.ptr()
			case pb != nil:
				g.bp = at(pb.ptr(), i*sizeB)
			default:
				g.b = at(b.v.ptr(), b.first[i])
			}
			g.c = at(y.ptr(), i*m*n)
			g.tail = f.tail.moved(0, i*m*n, n)
			kern.gemm(&g)
		}
		return nil
	}
	return y, c.add(s, y, reads...)
}

// packedOperands packs the operands that are constants, when compiling; the
// others are packed by the product itself.
func (c *compiler) packedOperands(a, b matrices, m, n, k, batch int) (pa, pb *value, err error) {
	kern := c.t
	if a.v.buf.constant() {
		size := kern.packedA(m, k)
		if pa, err = c.floats(batch * size); err != nil {
			return nil, nil, err
		}
		for i := 0; i < batch; i++ {
			kern.packA(at(pa.ptr(), i*size), at(a.v.ptr(), a.first[i]), m, k, a.rs, a.cs)
		}
	}
	if b.v.buf.constant() {
		size, count := kern.packedB(n, k), batch
		if b.one {
			count = 1
		}
		if pb, err = c.floats(count * size); err != nil {
			return nil, nil, err
		}
		for i := 0; i < count; i++ {
			kern.packB(at(pb.ptr(), i*size), at(b.v.ptr(), b.first[i]), n, k, b.rs, b.cs)
		}
	}
	return pa, pb, nil
}
