package onnx

import (
	"cmp"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Constants in the order of their elements.

func init() {
	evaluators["TopK"], evaluators["Unique"] = evalTopK, evalUnique
}

// compare says which of two elements is less; there must be no NaN.
func (k *constant) compare(i, j int) int {
	if k.dtype.IsFloat() {
		return cmp.Compare(k.floats[i], k.floats[j])
	}
	return cmp.Compare(k.ints[i], k.ints[j])
}

// evalTopK: the largest or smallest along an axis in their order, the first of equal ones
// first, and their positions. Before operator set 10 their number was an attribute.
func evalTopK(c *call, in []*constant) []*constant {
	notFolded(len(in) == 0 || in[0] == nil || slices.ContainsFunc(in[0].floats, math.IsNaN))
	x := in[0]
	k := []int{int(min(max(c.int("k", -1), -1), 1<<40))}
	if c.im.opset >= 10 {
		k = c.knownInts(1, "k")
	}
	a := c.axisAttr(-1, x.rank())
	if len(k) != 1 || k[0] < 0 || k[0] > x.sizes[a] {
		must.Failf("the first %d of axis %d of sizes %v", k, a, x.sizes)
	}
	sizes := slices.Clone(x.sizes)
	sizes[a] = k[0]
	values, at := newConstant(x.dtype, sizes...), newConstant(graph.Int64, sizes...)
	least := c.int("largest", 1) == 0
	var places []int // of lines of the results
	values.lines(a, func(to func(i int) int) { places = append(places, to(0)) })
	step, n := graph.Strides(sizes)[a], 0
	x.lines(a, func(from func(i int) int) {
		if values.len() == 0 {
			return
		}
		order := upTo(0, x.sizes[a])
		slices.SortStableFunc(order, func(i, j int) int {
			if least {
				return x.compare(from(i), from(j))
			}
			return x.compare(from(j), from(i))
		})
		for i, p := range order[:k[0]] {
			values.put(places[n]+i*step, x, from(p))
			at.ints[places[n]+i*step] = int64(p)
		}
		n++
	})
	return []*constant{values, at}
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
	return append(y, intConstant(firsts...), intConstant(inverse...), intConstant(counts...))
}
