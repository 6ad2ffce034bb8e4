package cpu

import "github.com/taso-go/taso/lower"

// Products of whole numbers that are held as float32, see integers.h.

func (goTable) packedInts(n, k int) int                  { return n * k }
func (goTable) intsScratch(int) int                      { return 0 }
func (g goTable) packInts(to, b ptr, n, k, brs, bcs int) { g.packA(to, b, k, n, brs, bcs) }

func (goTable) ints(g *gemm) {
	w, sums := f32(g.bp, g.k*g.n), make([]int64, g.n)
	for i := range g.m {
		clear(sums)
		for l := range g.k {
			x := int64(f32(at(g.a, i*g.ars+l*g.acs), 1)[0])
			for j, v := range w[l*g.n:][:g.n] {
				sums[j] += x * int64(v)
			}
		}
		y := f32(at(g.c, i*g.ldc), g.n)
		for j, sum := range sums {
			y[j] = float32(sum)
		}
		g.tail.end(y, i)
	}
}

// packedIntegers: the second matrix is a constant, and packed once.
func packedIntegers(t table, a *lower.App) []lower.Packed {
	p := newProduct(&a.In[0], &a.In[1])
	n, k := p.b.cols, p.b.rows
	return []lower.Packed{{}, {Elements: t.packedInts(n, k), Span: [3]int{1, k, n}}}
}

func packIntegers(b *binder, k *lower.Kernel, s *step) error {
	kern, v, to := b.t, b.value(k.In[0]), b.value(k.Out[0])
	m := newMatrices(v.Value)
	s.run = func(ptr) error {
		kern.packInts(to.ptr(), v.ptr(), m.cols, m.rows, m.rs, m.cs)
		return nil
	}
	return nil
}

func bindIntegers(b *binder, k *lower.Kernel, s *step) error {
	kern, x, w, y, f := b.t, b.value(k.In[0]), b.value(k.In[1]), b.value(k.Out[0]), s.tail
	pb, p := b.prepared(k, 1), newProduct(x.Value, w.Value)
	m, n, depth := p.a.rows, p.b.cols, p.a.cols
	s.scratch = kern.intsScratch(depth)
	s.run = func(scratch ptr) error {
		g := gemm{m: m, n: n, k: depth, ars: p.a.rs, acs: p.a.cs, bp: pb.ptr(), ldc: n, scratch: scratch}
		for i, first := range p.a.first {
			g.a, g.c = at(x.ptr(), first), at(y.ptr(), i*m*n)
			g.tail = f.tail.moved(0, i*m*n, n)
			kern.ints(&g)
		}
		return nil
	}
	return nil
}
