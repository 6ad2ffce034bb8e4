package cpu

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Operators that move elements.

// copied are the axes of a copy of v to a place in y.
func copied(y, v *value) []axis {
	axes := make([]axis, len(v.Sizes))
	for i := range axes {
		axes[i] = axis{v.Sizes[i], v.Strides[i], y.Strides[i]}
	}
	return merged(axes)
}

// bindCopy makes a view dense.
func bindCopy(b *binder, k *lower.Kernel, s *step) error {
	kern, v, y := b.t, b.value(k.In[0]), b.value(k.Out[0])
	width, axes := v.width(), copied(y, v)
	s.run = func(ptr) error {
		kern.move(y.ptr(), v.ptr(), width, axes)
		return nil
	}
	return nil
}

// place is a copy of a value into a part of a larger tensor.
type place struct {
	v    *value
	off  int
	axes []axis
}

// bindPlaced is concat, and pad and enlarge, which fill the rest; enlarge puts a
// kernel in the middle of a larger one.
func bindPlaced(b *binder, k *lower.Kernel, s *step) error {
	a, y := b.attrs(k.Node), b.value(k.Out[0])
	fill, filled := 0.0, k.As != "concat"
	first := make([]int, len(y.Sizes)) // where the next operand begins
	axis := 0
	var err error
	switch k.As {
	case "concat":
		axis, err = a.Int("axis")
	case "pad":
		if fill, err = a.Real("value"); err == nil {
			first, err = a.Ints("before")
		}
	case "enlarge":
		w := b.plan.Values[k.In[0]].Sizes
		first = []int{0, 0, (y.Sizes[2] - w[2]) / 2, (y.Sizes[3] - w[3]) / 2}
	}
	if err != nil {
		return err
	}
	var ps []place
	for _, v := range b.values(k.In) {
		p := place{v: v, axes: copied(y, v)}
		for i, at := range first {
			p.off += at * y.Strides[i]
		}
		ps = append(ps, p)
		if !filled {
			first[axis] += v.Sizes[axis]
		}
	}
	kern, n, width := b.t, y.Elements(), y.width()
	s.run = func(ptr) error {
		if filled && y.DType == graph.Int64 {
			whole := i64(y.ptr(), n)
			for i := range whole {
				whole[i] = int64(fill)
			}
		} else if filled {
			whole := f32(y.ptr(), n)
			for i := range whole {
				whole[i] = float32(fill)
			}
		}
		for _, p := range ps {
			kern.move(bytesPtr(y.ptr(), p.off*width), p.v.ptr(), width, p.axes)
		}
		return nil
	}
	return nil
}

// bindGather picks slices along an axis by an int64 tensor; negative indices
// count from the end.
func bindGather(b *binder, k *lower.Kernel, s *step) error {
	x, idx, y := b.value(k.In[0]), b.value(k.In[1]), b.value(k.Out[0])
	outer, n, bytes := k.Span[0], k.Span[1], k.Span[2]*x.width()
	m := idx.Elements()
	s.run = func(ptr) error {
		from := bytesAt(x.ptr(), outer*n*bytes)
		to := bytesAt(y.ptr(), outer*m*bytes)
		for o := 0; o < outer; o++ {
			for j, k := range i64(idx.ptr(), m) {
				if k < 0 {
					k += int64(n)
				}
				if k < 0 || k >= int64(n) {
					return fmt.Errorf("index %d of an axis of %d", k, n)
				}
				copy(to[(o*m+j)*bytes:][:bytes], from[(o*n+int(k))*bytes:])
			}
		}
		return nil
	}
	return nil
}

// bindScatterAdd adds slices to those of zeros along an axis, at the positions of an
// int64 tensor, in the order of the positions.
func bindScatterAdd(b *binder, k *lower.Kernel, s *step) error {
	x, idx, y := b.value(k.In[0]), b.value(k.In[1]), b.value(k.Out[0])
	if x.DType != graph.Float32 {
		return fmt.Errorf("elements of type %s: there is no kernel", x.DType)
	}
	outer, n, per := k.Span[0], k.Span[1], k.Span[2]
	m := idx.Elements()
	s.run = func(ptr) error {
		from, to := f32(x.ptr(), outer*m*per), f32(y.ptr(), outer*n*per)
		clear(to)
		for j, k := range i64(idx.ptr(), m) {
			if k < 0 {
				k += int64(n)
			}
			if k < 0 || k >= int64(n) {
				return fmt.Errorf("index %d of an axis of %d", k, n)
			}
			for o := range outer {
				at := to[(o*n+int(k))*per:][:per]
				for i, v := range from[(o*m+j)*per:][:per] {
					at[i] += v
				}
			}
		}
		return nil
	}
	return nil
}

// bindPick adds, for each position, the rows whose key it is, in their order.
func bindPick(b *binder, k *lower.Kernel, s *step) error {
	x, keys, idx, y := b.value(k.In[0]), b.value(k.In[1]), b.value(k.In[2]), b.value(k.Out[0])
	if x.DType != graph.Float32 {
		return fmt.Errorf("elements of type %s: there is no kernel", x.DType)
	}
	all, err := b.attrs(k.Node).Int("n")
	if err != nil {
		return err
	}
	n, per, m := k.Span[1], k.Span[2], idx.Elements()
	s.run = func(ptr) error {
		rows := map[int64][]int{} // by key
		for i, key := range i64(keys.ptr(), n) {
			rows[key] = append(rows[key], i)
		}
		from, to := f32(x.ptr(), n*per), f32(y.ptr(), m*per)
		clear(to)
		for j, k := range i64(idx.ptr(), m) {
			if k < -int64(all) || k >= int64(all) {
				return fmt.Errorf("index %d of %d keys", k, all)
			}
			for _, key := range []int64{k, k + int64(all)} {
				for _, i := range rows[key] {
					at := to[j*per:][:per]
					for q, v := range from[i*per:][:per] {
						at[q] += v
					}
				}
			}
		}
		return nil
	}
	return nil
}

// bindReverse turns axes around.
func bindReverse(b *binder, k *lower.Kernel, s *step) error {
	x, y := b.value(k.In[0]), b.value(k.Out[0])
	axes, err := b.attrs(k.Node).Ints("axes")
	if err != nil {
		return err
	}
	n := x.Elements()
	s.run = func(ptr) error {
		if x.width() == 8 {
			reversed(i64(y.ptr(), n), i64(x.ptr(), n), x.Sizes, axes)
		} else {
			reversed(f32(y.ptr(), n), f32(x.ptr(), n), x.Sizes, axes)
		}
		return nil
	}
	return nil
}

func reversed[T any](to, from []T, sizes, axes []int) {
	at, step := 0, graph.Strides(sizes)
	for _, a := range axes {
		at += (sizes[a] - 1) * step[a]
		step[a] = -step[a]
	}
	idx := make([]int, len(sizes))
	for i := range to {
		to[i] = from[at]
		for k := len(idx) - 1; k >= 0; k-- {
			idx[k]++
			at += step[k]
			if idx[k] < sizes[k] {
				break
			}
			idx[k] = 0
			at -= sizes[k] * step[k]
		}
	}
}

// bindCast converts between element types.
func bindCast(b *binder, k *lower.Kernel, s *step) error {
	x, y := b.value(k.In[0]), b.value(k.Out[0])
	n := x.Elements()
	switch {
	case x.DType == graph.Int64 && y.DType == graph.Float32:
		s.run = func(ptr) error {
			from, to := i64(x.ptr(), n), f32(y.ptr(), n)
			for i := range to {
				to[i] = float32(from[i])
			}
			return nil
		}
	case x.DType == graph.Float32 && y.DType == graph.Int64:
		s.run = func(ptr) error {
			from, to := f32(x.ptr(), n), i64(y.ptr(), n)
			for i := range to {
				to[i] = int64(from[i]) // towards zero
			}
			return nil
		}
	default:
		return fmt.Errorf("from %s to %s: there is no kernel", x.DType, y.DType)
	}
	return nil
}
