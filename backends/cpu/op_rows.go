package cpu

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
)

// reduced reduces the middle of [outer, n, inner].
func (c *compiler) reduced(x *value, outer, n, inner int, kind int32, t graph.TensorType) (*value, error) {
	y, err := c.result(t, x)
	if err != nil {
		return nil, err
	}
	kern := c.t
	return y, c.add(&step{run: func(ptr) error {
		kern.reduce(y.ptr(), x.ptr(), outer, n, inner, kind)
		return nil
	}}, y, x)
}

func emitReduce(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	axes, err := a.ints("axes")
	if err != nil {
		return nil, err
	}
	kind := map[string]int32{"reducesum": reduceSum, "reducemean": reduceMean, "reducemax": reduceMax}[a.op.Name]
	x := in[0]
	// Axes of size 1 do not matter; the others must be neighbours, or come last.
	rank := len(x.sizes)
	reduced := make([]bool, rank)
	first, last := rank, -1
	for _, k := range axes {
		reduced[k] = true
		if x.sizes[k] > 1 {
			first, last = min(first, k), max(last, k)
		}
	}
	together := true
	for k := first; k < last; k++ {
		together = together && (reduced[k] || x.sizes[k] == 1)
	}
	if !together {
		var perm []int
		for k := range rank {
			if !reduced[k] {
				perm = append(perm, k)
			}
		}
		first = len(perm)
		for k := range rank {
			if reduced[k] {
				perm = append(perm, k)
			}
		}
		sizes, strides := make([]int, rank), make([]int, rank)
		for i, k := range perm {
			sizes[i], strides[i] = x.sizes[k], x.strides[k]
		}
		x, last = c.viewed(x.view(0, sizes, strides)), rank-1
	}
	if x, err = c.dense(x); err != nil {
		return nil, err
	}
	outer, n, inner := x.elements(), 1, 1
	if last >= 0 {
		outer = graph.NumElements(x.sizes[:first])
		n = graph.NumElements(x.sizes[first : last+1])
		inner = graph.NumElements(x.sizes[last+1:])
	}
	y, err := c.reduced(x, outer, n, inner, kind, out[0])
	return []*value{y}, err
}

func emitSoftmax(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	axis, err := a.int("axis")
	if err != nil {
		return nil, err
	}
	x, err := c.dense(in[0])
	if err != nil {
		return nil, err
	}
	y, err := c.result(out[0], x)
	if err != nil {
		return nil, err
	}
	kern := c.t
	outer, n, inner := graph.NumElements(x.sizes[:axis]), x.sizes[axis], graph.NumElements(x.sizes[axis+1:])
	return []*value{y}, c.add(&step{run: func(ptr) error {
		kern.softmax(y.ptr(), x.ptr(), outer, n, inner)
		return nil
	}}, y, x)
}

func emitLayerNorm(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	axis, err := a.int("axis")
	if err != nil {
		return nil, err
	}
	eps, err := a.number("eps")
	if err != nil {
		return nil, err
	}
	if in, err = c.allDense(in); err != nil {
		return nil, err
	}
	x, scale, bias := in[0], in[1], in[2]
	y, err := c.result(out[0], in...)
	if err != nil {
		return nil, err
	}
	kern := c.t
	rows, n := graph.NumElements(x.sizes[:axis]), graph.NumElements(x.sizes[axis:])
	return []*value{y}, c.add(&step{run: func(ptr) error {
		kern.layerNorm(y.ptr(), x.ptr(), scale.ptr(), bias.ptr(), rows, n, eps)
		return nil
	}}, y, in...)
}

// emitBatchNorm computes x*s + t with s = scale/sqrt(var+eps) and t = bias -
// mean*s, for each channel.
func emitBatchNorm(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	eps, err := a.number("eps")
	if err != nil {
		return nil, err
	}
	params, err := c.allDense(in[1:])
	if err != nil {
		return nil, err
	}
	channels := out[0].Sizes[1]
	st, err := c.result(graph.TensorType{DType: graph.Float32, Sizes: []int{2 * channels}}, params...)
	if err != nil {
		return nil, err
	}
	err = c.add(&step{run: func(ptr) error {
		scale, bias := f32(params[0].ptr(), channels), f32(params[1].ptr(), channels)
		mean, variance := f32(params[2].ptr(), channels), f32(params[3].ptr(), channels)
		s, t := f32(st.ptr(), channels), f32(at(st.ptr(), channels), channels)
		for i := range s {
			f := float64(scale[i]) / math.Sqrt(float64(variance[i])+float64(eps))
			s[i], t[i] = float32(f), float32(float64(bias[i])-float64(mean[i])*f)
		}
		return nil
	}}, st, params...)
	if err != nil {
		return nil, err
	}
	strides := make([]int, len(out[0].Sizes))
	strides[1] = 1
	p, q := st.view(0, out[0].Sizes, strides), st.view(channels, out[0].Sizes, strides)
	y, err := c.elementwise(chainOp{code: opAffine}, in[0], p, q, 0, out[0])
	return []*value{y}, err
}

// emitResize interpolates along one axis after the other. Where the source
// cell of an output cell lies is the mode's to say.
func emitResize(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	mode := a.name("mode")
	x, err := c.dense(in[0])
	if err != nil {
		return nil, err
	}
	for k := range out[0].Sizes {
		n, m := x.sizes[k], out[0].Sizes[k]
		if n == m {
			continue
		}
		sizes := slices.Clone(x.sizes)
		sizes[k] = m
		if x, err = c.interpolated(x, k, mode, graph.TensorType{DType: graph.Float32, Sizes: sizes}); err != nil {
			return nil, err
		}
	}
	if !equal(x.sizes, in[0].sizes) {
		return []*value{x}, nil
	}
	return []*value{c.viewed(x.reshaped(out[0].Sizes))}, nil
}

// interpolated resizes one axis.
func (c *compiler) interpolated(x *value, k int, mode string, t graph.TensorType) (*value, error) {
	n, m := x.sizes[k], t.Sizes[k]
	tab, err := c.floats(3 * m)
	if err != nil {
		return nil, err
	}
	i0, i1 := i32(tab.ptr(), m), i32(at(tab.ptr(), m), m)
	w := f32(at(tab.ptr(), 2*m), m)
	for j := range m {
		lo, frac, err := sourceCell(mode, j, n, m)
		if err != nil {
			return nil, err
		}
		i0[j], i1[j], w[j] = int32(lo), int32(min(lo+1, n-1)), frac
	}
	y, err := c.result(t, x)
	if err != nil {
		return nil, err
	}
	kern := c.t
	outer, inner := graph.NumElements(x.sizes[:k]), graph.NumElements(x.sizes[k+1:])
	return y, c.add(&step{run: func(ptr) error {
		kern.lerp(y.ptr(), x.ptr(), outer, n, m, inner, tab.ptr(), at(tab.ptr(), m), at(tab.ptr(), 2*m))
		return nil
	}}, y, x, tab)
}

// sourceCell is where output cell j of m lies on an axis of n: between cells
// lo and lo+1, by a fraction. A mode is a method and a kind of coordinates, as
// operator resize defines them.
func sourceCell(mode string, j, n, m int) (lo int, frac float32, err error) {
	method, coord := mode, ""
	for _, prefix := range []string{"linear_", "nearest_floor_", "nearest_ceil_", "nearest_roundup_", "nearest_round_"} {
		if rest, ok := strings.CutPrefix(mode, prefix); ok {
			method, coord = prefix[:len(prefix)-1], rest
			break
		}
	}
	// The coordinate is (num*j + add)/den, kept exact.
	num, add, den := n, 0, m
	switch coord {
	case "half_pixel", "pytorch_half_pixel":
		num, add, den = 2*n, n-m, 2*m
		if coord == "pytorch_half_pixel" && m == 1 {
			num, add, den = 0, 0, 1
		}
	case "align_corners":
		num, den = n-1, m-1
		if m == 1 {
			num, den = 0, 1
		}
	case "asymmetric":
	default:
		return 0, 0, fmt.Errorf("mode %s is not known", mode)
	}
	pos := num*j + add
	lo = pos / den
	if pos < lo*den {
		lo--
	}
	rest := pos - lo*den
	up := false
	switch method {
	case "linear":
		if pos > 0 && pos < (n-1)*den {
			return lo, float32(float64(rest) / float64(den)), nil
		}
	case "nearest_ceil":
		up = rest > 0
	case "nearest_round":
		up = 2*rest > den
	case "nearest_roundup":
		up = 2*rest >= den
	}
	if up {
		lo++
	}
	return min(max(lo, 0), n-1), 0, nil
}
