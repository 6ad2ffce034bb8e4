package onnx

import (
	"cmp"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// Operators that no graph has, since they say more than operators of graphs can: how large
// their results are depends on elements (NonZero, Unique, Range), they make a table of a few
// numbers (windows, MelWeightMatrix), or they look at bits (BitCast). They are computed where
// their inputs are known. All others are lowered and run by the interpreter, see fold.go.

func evalRange(c *call, in []*constant) []*constant {
	notFolded(len(in) != 3 || slices.Contains(in, nil) || in[0].len() != 1 || in[1].len() != 1 || in[2].len() != 1)
	for _, k := range in { // float64 arithmetic counts the elements
		notFolded(k.dtype != in[0].dtype || !(math.Abs(k.number(0)) < 1<<53))
	}
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

// evalUnique: the distinct elements, or slices along an axis, sorted or as they come; where
// each was first, which of them each was, and how often it came.
func evalUnique(c *call, in []*constant) []*constant {
	notFolded(len(in) != 1 || in[0] == nil || slices.ContainsFunc(in[0].floats, math.IsNaN))
	x, a := c.alongAxis(in[0])
	// The elements of slice i, in order.
	n, st, one := x.sizes[a], graph.Strides(x.sizes), slices.Clone(x.sizes)
	one[a] = 1
	var within []int
	graph.Each(one, func(_ int, idx []int) { within = append(within, dot(idx, st)) })
	compare := func(i, j int) int {
		for _, p := range within {
			if d := x.compare(p+i*st[a], p+j*st[a]); d != 0 {
				return d
			}
		}
		return 0
	}
	order := upTo(0, n)
	slices.SortStableFunc(order, compare)
	which := make([]int, n) // the first of those that are equal
	var firsts []int
	for i, p := range order {
		if i > 0 && compare(order[i-1], p) == 0 {
			which[p] = which[order[i-1]]
			continue
		}
		which[p], firsts = p, append(firsts, p)
	}
	if c.int("sorted", 1) == 0 {
		slices.Sort(firsts)
	}
	rank := make([]int, n)
	for i, p := range firsts {
		rank[p] = i
	}
	inverse, counts := make([]int, n), make([]int, len(firsts))
	for i, p := range which {
		inverse[i] = rank[p]
		counts[rank[p]]++
	}
	sizes := slices.Clone(x.sizes)
	sizes[a] = len(firsts)
	y := x.pick(sizes, func(idx []int) int { return dot(idx, st) + (firsts[idx[a]]-idx[a])*st[a] })
	return []*constant{y, intConstant(firsts...), intConstant(inverse...), intConstant(counts...)}
}

// compare says which of two elements is less; there must be no NaN.
func (k *constant) compare(i, j int) int {
	if k.dtype.IsFloat() {
		return cmp.Compare(k.floats[i], k.floats[j])
	}
	if k.dtype == graph.Uint64 {
		return cmp.Compare(uint64(k.ints[i]), uint64(k.ints[j]))
	}
	return cmp.Compare(k.ints[i], k.ints[j])
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

// evalBitCast: the bits of numbers as another type.
func evalBitCast(c *call, in []*constant) []*constant {
	notFolded(len(in) != 1 || in[0] == nil)
	t := c.castTo()
	c.sameWidth(in[0].dtype, t)
	return []*constant{must.Get(decodeConstant(t, in[0].sizes, in[0].encode()))}
}
