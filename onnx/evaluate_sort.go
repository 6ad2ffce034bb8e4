package onnx

import (
	"cmp"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Constants in the order of their elements.

func init() {
	evaluators["Unique"] = evalUnique
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
