package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// Tensors that are made of a rule and a few numbers, and triangles of constants.

func init() {
	for op, f := range map[string]evaluator{
		"Range": evalRange, "NonZero": evalNonZero, "OneHot": evalOneHot, "EyeLike": evalEyeLike, "Trilu": evalTrilu,
		"HannWindow": evalWindow(0.5, 0.5, 0), "HammingWindow": evalWindow(25.0/46, 21.0/46, 0), "BlackmanWindow": evalWindow(0.42, 0.5, 0.08),
		"MelWeightMatrix": evalMel,
	} {
		evaluators[op] = f
	}
}

func evalRange(c *call, in []*constant) []*constant {
	notFolded(len(in) != 3 || slices.Contains(in, nil) || in[0].len() != 1 || in[1].len() != 1 || in[2].len() != 1)
	step := in[2].number(0)
	n := math.Max(0, math.Ceil((in[1].number(0)-in[0].number(0))/step))
	notFolded(!(n <= maxConstant))
	out := newConstant(in[0].dtype, int(n))
	for i := range int(n) {
		if out.dtype.IsFloat() {
			out.floats[i] = model.Round(out.dtype, in[0].floats[0]+float64(i)*step)
		} else {
			out.ints[i] = model.Wrap(out.dtype, in[0].ints[0]+int64(i)*in[2].ints[0])
		}
	}
	return []*constant{out}
}

func evalNonZero(_ *call, in []*constant) []*constant {
	notFolded(len(in) != 1)
	var at [][]int
	graph.Each(in[0].sizes, func(flat int, idx []int) {
		if in[0].number(flat) != 0 {
			at = append(at, slices.Clone(idx))
		}
	})
	out := newConstant(graph.Int64, in[0].rank(), len(at))
	for j, idx := range at {
		for i, x := range idx {
			out.ints[i*len(at)+j] = int64(x)
		}
	}
	return []*constant{out}
}

// evalOneHot: a new axis, on which the position that an index says has one value and all
// others another. Before operator set 11 positions did not count from the end.
func evalOneHot(c *call, in []*constant) []*constant {
	notFolded(len(in) != 3 || slices.Contains(in, nil) || in[1].len() != 1 || in[2].len() != 2)
	k, off := in[0], in[2]
	depth := in[1].number(0)
	if !(depth >= 1) || depth != math.Trunc(depth) {
		must.Failf("a depth of %g", depth)
	}
	notFolded(depth > maxConstant)
	n := int(depth)
	a := c.axisAttr(-1, k.rank()+1)
	sizes, st := slices.Insert(slices.Clone(k.sizes), a, n), graph.Strides(k.sizes)
	return off.pick(sizes, func(idx []int) int {
		p := k.number(dot(idx[:a], st) + dot(idx[a+1:], st[a:]))
		if p < 0 && c.im.opset >= 11 {
			p += depth
		}
		return int(truth(p == float64(idx[a])))
	})
}

// diagonal is a number of a diagonal, which an attribute or an input says.
func diagonal(k int64) int64 { return min(max(k, -1<<32), 1<<32) }

func evalEyeLike(c *call, in []*constant) []*constant {
	notFolded(len(in) != 1 || in[0] == nil)
	return []*constant{c.eye()}
}

// eye is the matrix that an EyeLike makes, of which only the type is its input's.
func (c *call) eye() *constant {
	x := c.need(1, 1)[0]
	t := x.dtype
	if c.has("dtype") {
		t = must.Get(dtypeOf(elem(c.int("dtype", 0))))
	}
	if x.rank() != 2 {
		must.Failf("%s is no matrix", x)
	}
	notFolded(x.elements() > maxConstant)
	out, k := newConstant(t, x.sizes...), diagonal(c.int("k", 0))
	graph.Each(x.sizes, func(flat int, idx []int) {
		if int64(idx[1]-idx[0]) != k {
			return
		}
		if t.IsFloat() {
			out.floats[flat] = 1
		} else {
			out.ints[flat] = 1
		}
	})
	return out
}

// evalTrilu: elements above or below a diagonal become zero.
func evalTrilu(c *call, in []*constant) []*constant {
	notFolded(len(in) == 0 || in[0] == nil)
	x, upper := in[0], c.int("upper", 1) != 0
	if x.rank() < 2 {
		must.Failf("sizes %v are no matrices", x.sizes)
	}
	k := int64(0)
	if by := c.knownInts(1, "diagonal"); by != nil {
		if len(by) != 1 {
			must.Failf("%d diagonals", len(by))
		}
		k = diagonal(int64(by[0]))
	}
	out := newConstant(x.dtype, x.sizes...)
	graph.Each(x.sizes, func(flat int, idx []int) {
		d := int64(idx[len(idx)-1]-idx[len(idx)-2]) - k
		if d == 0 || upper == (d > 0) {
			out.put(flat, x, flat)
		}
	})
	return []*constant{out}
}

// evalWindow: a - b cos(t) + c cos(2t), with t once around.
func evalWindow(a, b, c2 float64) evaluator {
	return func(c *call, in []*constant) []*constant {
		notFolded(len(in) != 1 || in[0] == nil || in[0].len() != 1)
		t := must.Get(dtypeOf(elem(c.int("output_datatype", int64(elemFloat)))))
		n := in[0].number(0)
		notFolded(!(n >= 0 && n <= maxConstant))
		round := n
		if c.int("periodic", 1) == 0 {
			round--
		}
		out := newConstant(graph.Float64, int(n))
		for i := range out.floats {
			at := 2 * math.Pi * float64(i) / round
			out.floats[i] = a - b*math.Cos(at) + c2*math.Cos(2*at)
		}
		return []*constant{out.cast(t)}
	}
}

// evalMel: triangles over the bins of a spectrum, the same distance apart in mel.
func evalMel(c *call, in []*constant) []*constant {
	notFolded(len(in) != 5 || slices.Contains(in, nil))
	for _, k := range in {
		notFolded(k.len() != 1)
	}
	t := must.Get(dtypeOf(elem(c.int("output_datatype", int64(elemFloat)))))
	bins, length, rate := in[0].number(0), math.Floor(in[1].number(0)/2)+1, in[2].number(0)
	notFolded(!(bins >= 0 && length >= 1 && (bins+2)*length <= maxConstant))
	mel := func(f float64) float64 { return 2595 * math.Log10(1+f/700) }
	lo, hi := mel(in[3].number(0)), mel(in[4].number(0))
	edge := make([]int, int(bins)+2)
	for i := range edge {
		f := 700 * (math.Pow(10, (lo+float64(i)*(hi-lo)/float64(len(edge)))/2595) - 1)
		at := math.Floor((in[1].number(0) + 1) * f / rate)
		notFolded(!(at >= 0 && at < length))
		edge[i] = int(at)
	}
	out := newConstant(graph.Float64, int(length), int(bins))
	for i := range int(bins) {
		low, mid, high := edge[i], edge[i+1], edge[i+2]
		if low == mid {
			out.floats[mid*int(bins)+i] = 1
		}
		for j := low; j <= mid && low < mid; j++ {
			out.floats[j*int(bins)+i] = float64(j-low) / float64(mid-low)
		}
		for j := mid; j < high; j++ {
			out.floats[j*int(bins)+i] = float64(high-j) / float64(high-mid)
		}
	}
	return []*constant{out.cast(t)}
}
