package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// What is computed along axes of constants: reductions, running sums, and the places
// of extremes.

func init() {
	for op, r := range reducing {
		evaluators[op] = r.evaluator
	}
	for op, f := range map[string]evaluator{
		"CumSum": evalCumSum, "Det": evalDeterminant,
		"ArgMax": evalArg(func(a, b float64) bool { return a > b }), "ArgMin": evalArg(func(a, b float64) bool { return a < b }),
	} {
		evaluators[op] = f
	}
}

// reducer is a reduction: what it makes of two numbers, of integers and of others,
// what it is of none, and what it makes of each element before and of the result behind;
// nil where that is nothing, or, of integers, where it is not folded.
type reducer struct {
	ints          func(a, b int64) int64
	none          float64 // of no elements; of integers, the least or largest of the type
	floats        func(a, b float64) float64
	before, after func(x float64) float64
	mean          bool
}

var reducing = map[string]reducer{
	"ReduceSum":  {ints: func(a, b int64) int64 { return a + b }, floats: func(a, b float64) float64 { return a + b }},
	"ReduceProd": {ints: func(a, b int64) int64 { return a * b }, floats: func(a, b float64) float64 { return a * b }, none: 1},
	"ReduceMax":  {ints: func(a, b int64) int64 { return max(a, b) }, floats: math.Max, none: math.Inf(-1)},
	"ReduceMin":  {ints: func(a, b int64) int64 { return min(a, b) }, floats: math.Min, none: math.Inf(1)},
	"ReduceMean": {floats: func(a, b float64) float64 { return a + b }, mean: true},
	"ReduceL1": {ints: func(a, b int64) int64 { return a + b }, floats: func(a, b float64) float64 { return a + b },
		before: math.Abs},
	"ReduceL2":        {floats: func(a, b float64) float64 { return a + b }, before: square, after: math.Sqrt},
	"ReduceSumSquare": {ints: func(a, b int64) int64 { return a + b }, floats: func(a, b float64) float64 { return a + b }, before: square},
	"ReduceLogSum":    {floats: func(a, b float64) float64 { return a + b }, after: math.Log},
	"ReduceLogSumExp": {floats: logAdd, none: math.Inf(-1)},
}

func square(x float64) float64 { return x * x }

// logAdd is log(exp(a) + exp(b)), which does not overflow.
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(a, 0) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

func (r reducer) evaluator(c *call, in []*constant) []*constant {
	_, axes, keep := c.reduction()
	x := in[0]
	notFolded(!x.dtype.IsFloat() && r.ints == nil)
	kept := reducedSizes(x.sizes, axes, true)
	notFolded(graph.Product(kept...) > maxConstant)
	out := newConstant(x.dtype, kept...)
	counts := make([]int, out.len())
	sums := make([]float64, out.len())
	graph.Each(x.sizes, func(flat int, idx []int) {
		p := spread(kept, idx)
		first := counts[p] == 0
		counts[p]++
		if x.dtype.IsFloat() {
			v := x.floats[flat]
			if r.before != nil {
				v = r.before(v)
			}
			if !first {
				v = r.floats(sums[p], v)
			}
			sums[p] = v
			return
		}
		v := x.ints[flat]
		if r.before != nil {
			notFolded(math.Abs(float64(v)) > 1<<26)
			v = int64(r.before(float64(v)))
		}
		if !first {
			v = r.ints(out.ints[p], v)
		}
		out.ints[p] = model.Wrap(x.dtype, v)
	})
	for p, n := range counts {
		switch {
		case !x.dtype.IsFloat():
			if n == 0 {
				out.ints[p] = noneOf(x.dtype, r.none)
			}
			continue
		case n == 0:
			sums[p] = r.none
		}
		if r.mean {
			sums[p] /= float64(n)
		}
		if r.after != nil {
			sums[p] = r.after(sums[p])
		}
		out.floats[p] = model.Round(x.dtype, sums[p])
	}
	out.sizes = reducedSizes(x.sizes, axes, keep)
	return []*constant{out}
}

// noneOf is a reduction of no integers.
func noneOf(t graph.DType, x float64) int64 {
	lo, hi := t.IntRange()
	if t == graph.Bool {
		hi = 1
	}
	switch {
	case math.IsInf(x, -1):
		return lo
	case math.IsInf(x, 1):
		return int64(hi)
	}
	return int64(x)
}

// evalCumSum: sums of all elements up to one, or of those before it, from either end.
func evalCumSum(c *call, in []*constant) []*constant {
	notFolded(len(in) != 2 || slices.Contains(in, nil) || in[1].len() != 1)
	x := in[0]
	a := axis(c.knownInts(1, "axis")[0], x.rank())
	exclusive, back := c.flag("exclusive"), c.flag("reverse")
	out := newConstant(x.dtype, x.sizes...)
	x.lines(a, func(at func(i int) int) {
		sum, whole := 0.0, int64(0)
		for i := range x.sizes[a] {
			p := at(i)
			if back {
				p = at(x.sizes[a] - 1 - i)
			}
			before, wholeBefore := sum, whole
			if x.dtype.IsFloat() {
				sum += x.floats[p]
			} else {
				whole += x.ints[p]
			}
			if !exclusive {
				before, wholeBefore = sum, whole
			}
			if x.dtype.IsFloat() {
				out.floats[p] = model.Round(x.dtype, before)
			} else {
				out.ints[p] = model.Wrap(x.dtype, wholeBefore)
			}
		}
	})
	return []*constant{out}
}

// lines calls f for each line of elements along an axis, with their places.
func (k *constant) lines(axis int, f func(at func(i int) int)) {
	sizes, st := slices.Clone(k.sizes), graph.Strides(k.sizes)
	if k.len() == 0 {
		return
	}
	sizes[axis] = 1
	graph.Each(sizes, func(_ int, idx []int) {
		first := dot(idx, st)
		f(func(i int) int { return first + i*st[axis] })
	})
}

// evalArg folds the place of the first or last extreme along an axis.
func evalArg(better func(a, b float64) bool) evaluator {
	return func(c *call, in []*constant) []*constant {
		notFolded(len(in) != 1 || in[0] == nil || in[0].rank() == 0)
		x := in[0]
		a, last := c.axisAttr(0, x.rank()), c.flag("select_last_index")
		if x.sizes[a] == 0 {
			must.Failf("axis %d of sizes %v is empty", a, x.sizes)
		}
		sizes := reducedSizes(x.sizes, []int{a}, true)
		out := newConstant(graph.Int64, sizes...)
		n := 0
		x.lines(a, func(at func(i int) int) {
			best := 0
			for i := range x.sizes[a] {
				v, w := x.number(at(i)), x.number(at(best))
				notFolded(math.IsNaN(v) || !x.dtype.IsFloat() && math.Abs(v) >= 1<<53)
				if better(v, w) || last && v == w {
					best = i
				}
			}
			out.ints[n] = int64(best)
			n++
		})
		out.sizes = reducedSizes(x.sizes, []int{a}, c.int("keepdims", 1) != 0)
		return []*constant{out}
	}
}

// evalDeterminant: of each matrix, by elimination with the largest pivot.
func evalDeterminant(_ *call, in []*constant) []*constant {
	notFolded(len(in) != 1 || in[0] == nil || !in[0].dtype.IsFloat())
	x := in[0]
	r := x.rank()
	if r < 2 || x.sizes[r-1] != x.sizes[r-2] {
		must.Failf("sizes %v are no square matrices", x.sizes)
	}
	n := x.sizes[r-1]
	notFolded(n > 256 || x.len() == 0)
	out := newConstant(x.dtype, x.sizes[:r-2]...)
	for i := range out.floats {
		m := slices.Clone(x.floats[i*n*n : (i+1)*n*n])
		det := 1.0
		for k := range n {
			p := k
			for j := k; j < n; j++ {
				if math.Abs(m[j*n+k]) > math.Abs(m[p*n+k]) {
					p = j
				}
			}
			if p != k {
				det = -det
				for j := range n {
					m[p*n+j], m[k*n+j] = m[k*n+j], m[p*n+j]
				}
			}
			if det *= m[k*n+k]; det == 0 {
				break
			}
			for j := k + 1; j < n; j++ {
				f := m[j*n+k] / m[k*n+k]
				for l := k; l < n; l++ {
					m[j*n+l] -= f * m[k*n+l]
				}
			}
		}
		out.floats[i] = model.Round(x.dtype, det)
	}
	return []*constant{out}
}
