package kernel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Operators that move elements.

// moved adds a kernel that writes each element of the result from that of an operand: from
// gives its place by its index.
func (b *binder) moved(k *lower.Kernel, from func(s *source, idx []string) string) error {
	x, y := k.In[0], k.Out[0]
	s := b.source(x, y)
	sizes := b.value(y).Sizes
	n := b.value(y).Elements()
	s.each(n)
	at := from(s, s.unravel("i", sizes))
	p, t, err := s.reads(x)
	if err != nil {
		return err
	}
	return b.stored(s, k, k.Out[0], term{code: p + "[" + at + "]", typ: t}, n)
}

// stored ends a kernel with one thread for each of the n elements of a result, of which
// x is number i: the tail is applied and the element written.
func (b *binder) stored(s *source, k *lower.Kernel, out lower.ValueID, x term, n int) error {
	to, t, err := s.writes(out)
	if err != nil {
		return err
	}
	v := s.name()
	s.line("const %s %s = %s;", t, v, x.as(t))
	if v, err = s.tail(k.Tail, v, "i", t); err != nil {
		return err
	}
	s.line("%s[i] = %s;", to, v)
	b.launchEach(s, n)
	return nil
}

// bindReverse turns axes around.
func bindReverse(b *binder, k *lower.Kernel) error {
	axes, err := b.attrs(k.Node).Ints("axes")
	if err != nil {
		return err
	}
	x := b.value(k.In[0])
	strides, first := slices.Clone(x.Strides), 0
	for _, a := range axes {
		first += (x.Sizes[a] - 1) * strides[a]
		strides[a] = -strides[a]
	}
	return b.moved(k, func(s *source, idx []string) string { return s.place(idx, strides, first) })
}

// bindCopy makes a view dense.
func bindCopy(b *binder, k *lower.Kernel) error {
	x, y := b.value(k.In[0]), b.value(k.Out[0])
	axes := merged(x.Sizes, x.Strides)
	last := len(axes) - 1
	for i, a := range axes[:last] {
		if a.stride == 1 && a.n >= tile/2 && axes[last].n >= tile/2 {
			return b.turned(k, axes, i)
		}
	}
	s := b.source(k.In[0], k.Out[0])
	n := y.Elements()
	s.each(n)
	sizes, strides := make([]int, len(axes)), make([]int, len(axes))
	for i, a := range axes {
		sizes[i], strides[i] = a.n, a.stride
	}
	at := s.place(s.unravel("i", sizes), strides, 0)
	p, t, err := s.reads(k.In[0])
	if err != nil {
		return err
	}
	return b.stored(s, k, k.Out[0], term{code: p + "[" + at + "]", typ: t}, n)
}

// tile is the side of the squares in which a matrix is transposed, by blocks of
// tile x tileRows threads.
const tile, tileRows = 32, 8

// turned copies a view whose elements lie one after the other along axis inner, which is
// not the last one: squares of these two axes go through shared memory, so that both
// sides are read and written along their memory.
func (b *binder) turned(k *lower.Kernel, axes []axis, inner int) error {
	s := b.source(k.In[0], k.Out[0])
	from, t, err := s.reads(k.In[0])
	if err != nil {
		return err
	}
	to, _, err := s.writes(k.Out[0])
	if err != nil {
		return err
	}
	last := len(axes) - 1
	n, m := axes[inner].n, axes[last].n
	across, along := (n+tile-1)/tile, (m+tile-1)/tile
	// Where the square begins, and the other axes.
	strides, step := make([]int, len(axes)), 1
	for i := last; i >= 0; i-- {
		strides[i] = step
		step *= axes[i].n
	}
	var sizes, read, write []int
	for i, a := range axes {
		if i != inner && i != last {
			sizes, read, write = append(sizes, a.n), append(read, a.stride), append(write, strides[i])
		}
	}
	others := graph.NumElements(sizes)
	I := s.index
	s.line("__shared__ %s square[%d][%d];", t, tile, tile+1)
	s.line("const %s o = (%s)blockIdx.x / %d, u = (%s)blockIdx.x / %d %% %d * %d, v = (%s)blockIdx.x %% %d * %d;",
		I, I, across*along, I, along, across, tile, I, along, tile)
	idx := s.unravel("o", sizes)
	s.line("const %s *x = %s + %s;", t, from, s.place(idx, read, 0))
	s.line("%s *y = %s + %s;", t, to, s.place(idx, write, 0))
	s.line("for (int r = threadIdx.y; r < %d; r += %d)", tile, tileRows)
	s.line("\tif (u + threadIdx.x < %d && v + r < %d) square[r][threadIdx.x] = x[u + threadIdx.x + (v + r) * %d];", n, m, axes[last].stride)
	s.line("__syncthreads();")
	s.line("for (int r = threadIdx.y; r < %d; r += %d)", tile, tileRows)
	s.line("\tif (u + r < %d && v + threadIdx.x < %d) y[(u + r) * %d + v + threadIdx.x] = square[threadIdx.x][r];", n, m, strides[inner])
	b.launch(s, [3]int{others * across * along, 1, 1}, [3]int{tile, tileRows, 1})
	return nil
}

// axis is an axis of a view.
type axis struct{ n, stride int }

// merged drops axes of size 1 and joins neighbours that are one axis of the view. There
// is at least one.
func merged(sizes, strides []int) []axis {
	var out []axis
	for i, n := range sizes {
		if n == 1 {
			continue
		}
		if k := len(out) - 1; k >= 0 && out[k].stride == n*strides[i] {
			out[k] = axis{out[k].n * n, strides[i]}
			continue
		}
		out = append(out, axis{n, strides[i]})
	}
	if len(out) == 0 {
		out = append(out, axis{1, 1})
	}
	return out
}

// bindConcat puts tensors side by side along an axis.
func bindConcat(b *binder, k *lower.Kernel) error {
	axis, err := b.attrs(k.Node).Int("axis")
	if err != nil {
		return err
	}
	y := b.value(k.Out[0])
	s := b.source(append([]lower.ValueID{k.Out[0]}, k.In...)...)
	n := y.Elements()
	s.each(n)
	idx := s.unravel("i", y.Sizes)
	first, at := 0, idx[axis] // not "": there are two operands
	var parts []string
	var x term
	for _, v := range k.In {
		from := b.value(v)
		p, t, err := s.reads(v)
		if err != nil {
			return err
		}
		x = term{code: p + "[" + s.place(idx, from.Strides, -first*from.Strides[axis]) + "]", typ: t}
		first += from.Sizes[axis]
		parts = append(parts, x.code, fmt.Sprintf("%s < %d ? ", at, first))
	}
	x.code = ""
	for i := 0; i < len(parts); i += 2 {
		if i+2 < len(parts) {
			x.code += parts[i+1]
		}
		x.code += parts[i]
		if i+2 < len(parts) {
			x.code += " : "
		}
	}
	return b.stored(s, k, k.Out[0], x, n)
}

// bindPad surrounds a tensor with one number.
func bindPad(b *binder, k *lower.Kernel) error {
	a := b.attrs(k.Node)
	before, err := a.Ints("before")
	if err != nil {
		return err
	}
	value, err := a.Real("value")
	if err != nil {
		return err
	}
	return b.framed(k, before, value)
}

// bindEnlarge puts a kernel in the middle of a larger one of zeros.
func bindEnlarge(b *binder, k *lower.Kernel) error {
	w, y := b.value(k.In[0]).Sizes, b.value(k.Out[0]).Sizes
	return b.framed(k, []int{0, 0, (y[2] - w[2]) / 2, (y[3] - w[3]) / 2}, 0)
}

// framed puts a tensor into a larger one, behind this many places along each axis;
// the others are value.
func (b *binder) framed(k *lower.Kernel, before []int, value float64) error {
	x, y := b.value(k.In[0]), b.value(k.Out[0])
	s := b.source(k.In[0], k.Out[0])
	n := y.Elements()
	s.each(n)
	idx := s.unravel("i", y.Sizes)
	off := 0
	var inside []string
	for i, at := range idx {
		off -= before[i] * x.Strides[i]
		if before[i] > 0 {
			inside = append(inside, fmt.Sprintf("%s >= %d", at, before[i]))
		}
		if before[i]+x.Sizes[i] < y.Sizes[i] {
			inside = append(inside, fmt.Sprintf("%s < %d", at, before[i]+x.Sizes[i]))
		}
	}
	p, t, err := s.reads(k.In[0])
	if err != nil {
		return err
	}
	e := p + "[" + s.place(idx, x.Strides, off) + "]"
	if len(inside) > 0 {
		fill := t.literal(value)
		if t.integer() {
			fill = "(" + string(t) + ")" + integerLiteral(int64(value))
		}
		e = "(" + strings.Join(inside, " && ") + " ? " + e + " : " + fill + ")"
	}
	return b.stored(s, k, k.Out[0], term{code: e, typ: t}, n)
}
