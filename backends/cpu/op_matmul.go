package cpu

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// matrices is a batch of matrices inside a value.
type matrices struct {
	rows, cols int
	rs, cs     int   // strides
	first      []int // offset of each matrix, in elements
	one        bool  // all matrices are the same one
}

func newMatrices(v *lower.Value) matrices {
	r := len(v.Sizes)
	m := matrices{rows: v.Sizes[r-2], cols: v.Sizes[r-1], rs: v.Strides[r-2], cs: v.Strides[r-1], one: true}
	graph.Each(v.Sizes[:r-2], func(_ int, idx []int) {
		off := 0
		for i, k := range idx {
			off += k * v.Strides[i]
		}
		m.first = append(m.first, off)
		m.one = m.one && off == 0
	})
	return m
}

// joined are the matrices of a dense value as one: their rows are rows of one
// product. The strides of axes of size 1 say nothing, those of a dense matrix do.
func (m matrices) joined() matrices {
	return matrices{rows: m.rows * len(m.first), cols: m.cols, rs: m.cols, cs: 1, first: []int{0}, one: true}
}

// product is a batch of products of matrices.
type product struct{ a, b matrices }

func newProduct(a, b *lower.Value) product {
	p := product{newMatrices(a), newMatrices(b)}
	if lower.OneProduct(a, b) {
		p.a = p.a.joined()
	}
	return p
}

// count is how many different second matrices there are.
func (p product) count() int {
	if p.b.one {
		return 1
	}
	return len(p.b.first)
}

// packedMatMul: operands that are constants are packed once, the others by the
// product itself.
func packedMatMul(t table, a *lower.App) []lower.Packed {
	p := newProduct(&a.In[0], &a.In[1])
	m, n, k := p.a.rows, p.b.cols, p.a.cols
	out := make([]lower.Packed, 2)
	if a.Constant[0] {
		out[0] = lower.Packed{Elements: len(p.a.first) * t.packedA(m, k), Span: [3]int{len(p.a.first), m, k}}
	}
	if a.Constant[1] {
		out[1] = lower.Packed{Elements: p.count() * t.packedB(n, k), Span: [3]int{p.count(), k, n}}
	}
	return out
}

func packMatMul(b *binder, k *lower.Kernel, s *step) error {
	kern, v, to := b.t, b.value(k.In[0]), b.value(k.Out[0])
	ms, count := newMatrices(v.Value), k.Span[0]
	if ms.rows != k.Span[1] {
		ms = ms.joined()
	}
	s.run = func(ptr) error {
		for i := range count {
			from := at(v.ptr(), ms.first[i])
			if k.Part == 0 {
				kern.packA(at(to.ptr(), i*kern.packedA(ms.rows, ms.cols)), from, ms.rows, ms.cols, ms.rs, ms.cs)
			} else {
				kern.packB(at(to.ptr(), i*kern.packedB(ms.cols, ms.rows)), from, ms.cols, ms.rows, ms.rs, ms.cs)
			}
		}
		return nil
	}
	return nil
}

func bindMatMul(b *binder, k *lower.Kernel, s *step) error {
	kern, x, w, y, f := b.t, b.value(k.In[0]), b.value(k.In[1]), b.value(k.Out[0]), s.tail
	pa, pb := b.prepared(k, 0), b.prepared(k, 1)
	p := newProduct(x.Value, w.Value)
	m, n, depth, batch := p.a.rows, p.b.cols, p.a.cols, len(p.a.first)
	sizeA, sizeB := kern.packedA(m, depth), kern.packedB(n, depth)
	s.scratch = kern.gemmScratch()
	s.run = func(scratch ptr) error {
		g := gemm{m: m, n: n, k: depth, ars: p.a.rs, acs: p.a.cs, brs: p.b.rs, bcs: p.b.cs, ldc: n, scratch: scratch}
		for i := 0; i < batch; i++ {
			if pa != nil {
				g.ap = at(pa.ptr(), i*sizeA)
			} else {
				g.a = at(x.ptr(), p.a.first[i])
			}
			switch {
			case pb != nil && p.b.one:
				g.bp = pb.ptr()
			case pb != nil:
				g.bp = at(pb.ptr(), i*sizeB)
			default:
				g.b = at(w.ptr(), p.b.first[i])
			}
			g.c = at(y.ptr(), i*m*n)
			g.tail = f.tail.moved(0, i*m*n, n)
			kern.gemm(&g)
		}
		return nil
	}
	return nil
}
