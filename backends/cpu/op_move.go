package cpu

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
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
	v, y := b.value(k.In[0]), b.value(k.Out[0])
	width, axes := v.width(), copied(y, v)
	s.made(b.t, func() []call {
		return []call{{y: y.ptr(), x: v.ptr(), bytes: width, axes: axes}}
	})
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
	kern, width := b.t, y.width()
	calls := func() []call {
		var cs []call
		for _, p := range ps {
			cs = append(cs, call{y: bytesPtr(y.ptr(), p.off*width), x: p.v.ptr(), bytes: width, axes: p.axes})
		}
		return cs
	}
	if !filled {
		s.made(kern, calls)
		return nil
	}
	s.run = func(ptr) error {
		switch {
		case y.DType == graph.Int64:
			fillWith(elements[int64](y), model.Wrap(y.Type, int64(fill)))
		case y.DType == graph.Float64:
			fillWith(elements[float64](y), fill)
		default:
			fillWith(elements[float32](y), float32(model.Round(y.Type, fill)))
		}
		for _, c := range calls() {
			c.make(kern)
		}
		return nil
	}
	return nil
}

func fillWith[T any](to []T, x T) {
	for i := range to {
		to[i] = x
	}
}

// bindGather picks slices along an axis by an int64 tensor; negative indices
// count from the end.
func bindGather(b *binder, k *lower.Kernel, s *step) error {
	x, idx, y := b.value(k.In[0]), b.value(k.In[1]), b.value(k.Out[0])
	outer, n, bytes := k.Span[0], k.Span[1], k.Span[2]*x.width()
	m := idx.Elements()
	switch bytes { // single elements, such as those that a condition chooses
	case 4:
		s.run = func(ptr) error {
			return gatherSingle(all[uint32](y.ptr(), outer*m), all[uint32](x.ptr(), outer*n), all[int64](idx.ptr(), m), n)
		}
		return nil
	case 8:
		s.run = func(ptr) error {
			return gatherSingle(all[uint64](y.ptr(), outer*m), all[uint64](x.ptr(), outer*n), all[int64](idx.ptr(), m), n)
		}
		return nil
	}
	s.run = func(ptr) error {
		from := bytesAt(x.ptr(), outer*n*bytes)
		to := bytesAt(y.ptr(), outer*m*bytes)
		for o := 0; o < outer; o++ {
			for j, k := range all[int64](idx.ptr(), m) {
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

func gatherSingle[T any](to, from []T, idx []int64, n int) error {
	for len(to) > 0 {
		row, out := from[:n], to[:len(idx)]
		for j, k := range idx {
			if k < 0 {
				k += int64(n)
			}
			if uint64(k) >= uint64(n) {
				return fmt.Errorf("index %d of an axis of %d", k, n)
			}
			out[j] = row[k]
		}
		from, to = from[n:], to[len(idx):]
	}
	return nil
}

// bindScatterAdd adds slices to those of zeros along an axis, at the positions of an
// int64 tensor, in the order of the positions.
func bindScatterAdd(b *binder, k *lower.Kernel, s *step) error {
	x, idx, y := b.value(k.In[0]), b.value(k.In[1]), b.value(k.Out[0])
	switch x.DType {
	case graph.Int64:
		s.run = func(ptr) error {
			defer wrap(y.Type, elements[int64](y))
			return scatterAdd(elements[int64](y), elements[int64](x), elements[int64](idx), k.Span)
		}
	case graph.Float64:
		s.run = func(ptr) error {
			return scatterAdd(elements[float64](y), elements[float64](x), elements[int64](idx), k.Span)
		}
	default:
		s.run = func(ptr) error {
			return scatterAdd(elements[float32](y), elements[float32](x), elements[int64](idx), k.Span)
		}
	}
	return nil
}

func scatterAdd[T int64 | float64 | float32](to, from []T, idx []int64, span [3]int) error {
	outer, n, per := span[0], span[1], span[2]
	m := len(idx)
	clear(to)
	for j, k := range idx {
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

// bindPick adds, for each position, the rows whose key it is, in their order.
func bindPick(b *binder, k *lower.Kernel, s *step) error {
	x, keys, idx, y := b.value(k.In[0]), b.value(k.In[1]), b.value(k.In[2]), b.value(k.Out[0])
	n, err := b.attrs(k.Node).Int("n")
	if err != nil {
		return err
	}
	per := k.Span[2]
	switch x.DType {
	case graph.Int64:
		s.run = func(ptr) error {
			defer wrap(y.Type, elements[int64](y))
			return pick(elements[int64](y), elements[int64](x), elements[int64](keys), elements[int64](idx), n, per)
		}
	case graph.Float64:
		s.run = func(ptr) error {
			return pick(elements[float64](y), elements[float64](x), elements[int64](keys), elements[int64](idx), n, per)
		}
	default:
		s.run = func(ptr) error {
			return pick(elements[float32](y), elements[float32](x), elements[int64](keys), elements[int64](idx), n, per)
		}
	}
	return nil
}

func pick[T int64 | float64 | float32](to, from []T, keys, idx []int64, n, per int) error {
	rows := map[int64][]int{} // by key
	for i, key := range keys {
		rows[key] = append(rows[key], i)
	}
	clear(to)
	for j, k := range idx {
		if k < -int64(n) || k >= int64(n) {
			return fmt.Errorf("index %d of %d keys", k, n)
		}
		for _, key := range []int64{k, k + int64(n)} {
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
			reversed(all[int64](y.ptr(), n), all[int64](x.ptr(), n), x.Sizes, axes)
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
