package parallel

import "github.com/taso-go/taso/graph/interp"

// blocks are the product of the sizes before an axis, the size of it, and the product of
// those behind.
func blocks(sizes []int, axis int) (outer, n, inner int) {
	outer, inner = 1, 1
	for i, s := range sizes {
		switch {
		case i < axis:
			outer *= s
		case i > axis:
			inner *= s
		}
	}
	return outer, sizes[axis], inner
}

// with are sizes with another one along an axis.
func with(sizes []int, axis, n int) []int {
	out := append([]int{}, sizes...)
	out[axis] = n
	return out
}

// cut copies the places lo to hi-1 along an axis.
func cut[T any](x interp.Tensor[T], axis, lo, hi int) interp.Tensor[T] {
	outer, n, inner := blocks(x.Sizes, axis)
	out := interp.Tensor[T]{Sizes: with(x.Sizes, axis, hi-lo), Data: make([]T, 0, outer*(hi-lo)*inner)}
	for o := range outer {
		out.Data = append(out.Data, x.Data[(o*n+lo)*inner:(o*n+hi)*inner]...)
	}
	return out
}

// join puts tensors side by side along an axis.
func join[T any](xs []interp.Tensor[T], axis int) interp.Tensor[T] {
	total := 0
	for _, x := range xs {
		total += x.Sizes[axis]
	}
	outer, _, inner := blocks(xs[0].Sizes, axis)
	out := interp.Tensor[T]{Sizes: with(xs[0].Sizes, axis, total), Data: make([]T, 0, outer*total*inner)}
	for o := range outer {
		for _, x := range xs {
			k := x.Sizes[axis] * inner
			out.Data = append(out.Data, x.Data[o*k:(o+1)*k]...)
		}
	}
	return out
}

// sum adds lists of one length up, in their order.
func sum[T any](r interp.Ring[T], xs [][]T) []T {
	out := append([]T{}, xs[0]...)
	for _, x := range xs[1:] {
		for i := range out {
			out[i] = r.Add(out[i], x[i])
		}
	}
	return out
}

// zeros is a tensor of zeros.
func zeros[T any](r interp.Ring[T], sizes []int) interp.Tensor[T] {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	out := interp.Tensor[T]{Sizes: sizes, Data: make([]T, n)}
	for i := range out.Data {
		out.Data[i] = r.Rat(0, 1)
	}
	return out
}
