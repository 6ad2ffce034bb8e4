package kernel

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// product is a batch of products of matrices as they lie in memory. The results are dense.
type product struct {
	m, n, k int
	a, b    matrix
	d       Ref
	axes    []batchAxis
}

// matrix is where the first matrix of a batch lies: elements from a row to the next,
// and from a column to the next.
type matrix struct {
	ref    Ref
	rs, cs int
}

// batchAxis is an axis of a batch: elements from one matrix to the next.
type batchAxis struct{ n, a, b, d int }

// newProduct is the product of two values; a batch that is one product is one.
func (b *binder) newProduct(x, w, y lower.ValueID) product {
	u, v := b.value(x), b.value(w)
	r := len(u.Sizes)
	p := product{m: u.Sizes[r-2], n: v.Sizes[r-1], k: u.Sizes[r-1], d: Ref{Value: y},
		a: matrix{Ref{Value: x}, u.Strides[r-2], u.Strides[r-1]},
		b: matrix{Ref{Value: w}, v.Strides[r-2], v.Strides[r-1]}}
	if lower.OneProduct(u, v) {
		// Strides of axes of size 1 say nothing: those of a dense matrix do.
		p.m, p.a.rs, p.a.cs = u.Elements()/p.k, p.k, 1
		return p
	}
	for i := range r - 2 {
		ax := batchAxis{n: u.Sizes[i], a: u.Strides[i], b: v.Strides[i]}
		if ax.n == 1 {
			continue
		}
		if l := len(p.axes) - 1; l >= 0 && p.axes[l].a == ax.n*ax.a && p.axes[l].b == ax.n*ax.b {
			ax.n *= p.axes[l].n
			p.axes = p.axes[:l]
		}
		p.axes = append(p.axes, ax)
	}
	p.dense()
	return p
}

// dense lets the results of a batch lie one behind the other.
func (p *product) dense() {
	step := p.m * p.n
	for i := len(p.axes) - 1; i >= 0; i-- {
		p.axes[i].d = step
		step *= p.axes[i].n
	}
}

// batch is how many products there are.
func (p *product) batch() int {
	n := 1
	for _, ax := range p.axes {
		n *= ax.n
	}
	return n
}

// bindMatmul is a product by cuBLASLt, if it may be called and can read the operands as
// they lie, or by tiles.
func bindMatmul(b *binder, k *lower.Kernel) error {
	if !b.floats(k) {
		return bindMeaning(b, k)
	}
	p := b.newProduct(k.In[0], k.In[1], k.Out[0])
	if b.lib.CublasLt {
		if ms := p.calls(); ms != nil {
			return b.byCublas(k, ms)
		}
	}
	s := b.source(k.In[0], k.In[1], k.Out[0])
	return b.multiply(s, &p, func(v, at, _ string) (string, error) { return s.tail(k.Tail, v, at, float) })
}

// floats reports whether all that a kernel reads and writes is float32.
func (b *binder) floats(k *lower.Kernel) bool {
	all := true
	look := func(v lower.ValueID) { all = all && b.value(v).DType == graph.Float32 }
	k.Reads(look)
	for _, v := range k.Out {
		look(v)
	}
	return all
}

// multiply adds the kernel of a product: s is its source, and finish writes what is done
// to element number at of the results, which is in a column.
func (b *binder) multiply(s *source, p *product, finish func(v, at, col string) (string, error)) error {
	from := [2]string{s.pointer(param{float, p.a.ref, true}), s.pointer(param{float, p.b.ref, true})}
	to := s.pointer(param{float, p.d, false})
	var sizes []int
	var strides [3][]int // of a, b and the result
	for _, ax := range p.axes {
		sizes = append(sizes, ax.n)
		for i, n := range []int{ax.a, ax.b, ax.d} {
			strides[i] = append(strides[i], n)
		}
	}
	var idx []string
	operand := func(i, rs, ks int) side {
		return side{alongK: ks == 1 && rs != 1, element: func(at, k string) (string, []string) {
			return fmt.Sprintf("%cm[%s]", "ab"[i], s.place([]string{at, k}, []int{rs, ks}, 0)), nil
		}}
	}
	t := tiles{m: p.m, n: p.n, k: p.k, batch: p.batch(), a: operand(0, p.a.rs, p.a.cs), b: operand(1, p.b.cs, p.b.rs)}
	t.begin = func(z string) {
		idx = s.unravel(z, sizes)
		for i := range 2 {
			s.line("const float *%cm = %s + (%s);", "ab"[i], from[i], s.place(idx, strides[i], 0))
		}
	}
	t.store = func(v, _, row, col string) error {
		at := s.name()
		s.line("const %s %s = %s;", s.index, at, s.place(append([]string{row, col}, idx...), append([]int{p.n, 1}, strides[2]...), 0))
		x := s.name()
		s.line("const float %s = %s;", x, v)
		x, err := finish(x, at, col)
		s.line("%s[%s] = %s;", to, at, x)
		return err
	}
	return b.tiled(s, &t, float)
}
