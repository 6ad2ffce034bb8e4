package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Constants whose elements are those of others, at other places.

// put copies element j of another constant of the type to element i.
func (k *constant) put(i int, from *constant, j int) {
	if k.dtype.IsFloat() {
		k.floats[i] = from.floats[j]
	} else {
		k.ints[i] = from.ints[j]
	}
}

// gathered makes a constant whose element at an index is what from says.
func gathered(t graph.DType, sizes []int, from func(idx []int) (k *constant, at int)) *constant {
	notFolded(graph.Product(sizes...) > maxConstant)
	out := newConstant(t, sizes...)
	graph.Each(sizes, func(flat int, idx []int) {
		k, at := from(idx)
		out.put(flat, k, at)
	})
	return out
}

// pick makes a constant whose element at an index is element from(index) of k.
func (k *constant) pick(sizes []int, from func(idx []int) int) []*constant {
	return []*constant{gathered(k.dtype, sizes, func(idx []int) (*constant, int) { return k, from(idx) })}
}

// spread is where element idx of the joint sizes lies in a tensor that is
// broadcast.
func spread(sizes, idx []int) int {
	p, n := 0, 1
	for i := len(sizes) - 1; i >= 0; i-- {
		if sizes[i] > 1 {
			p += idx[len(idx)-len(sizes)+i] * n
		}
		n *= sizes[i]
	}
	return p
}

// dot is the place of an index, given what a step along each axis adds.
func dot(idx, strides []int) int {
	p := 0
	for i, x := range idx {
		p += x * strides[i]
	}
	return p
}

// resized folds an operator that changes sizes only.
func resized(f func(c *call) []int) evaluator {
	return func(c *call, in []*constant) []*constant {
		k := *in[0]
		k.sizes = f(c)
		return []*constant{&k}
	}
}

func evalExpand(c *call, in []*constant) []*constant {
	return in[0].pick(c.expandSizes(), func(idx []int) int { return spread(in[0].sizes, idx) })
}

func evalTile(c *call, in []*constant) []*constant {
	sizes, st := slices.Clone(in[0].sizes), graph.Strides(in[0].sizes)
	for i, r := range c.repeats() {
		sizes[i] *= r
	}
	return in[0].pick(sizes, func(idx []int) int {
		p := 0
		for i, n := range in[0].sizes {
			p += idx[i] % n * st[i]
		}
		return p
	})
}

func evalTranspose(c *call, in []*constant) []*constant {
	perm, st := c.perm(), graph.Strides(in[0].sizes)
	sizes, steps := make([]int, len(perm)), make([]int, len(perm))
	for i, p := range perm {
		sizes[i], steps[i] = in[0].sizes[p], st[p]
	}
	return in[0].pick(sizes, func(idx []int) int { return dot(idx, steps) })
}

func evalSlice(c *call, in []*constant) []*constant {
	runs := c.runs()
	sizes, steps, st := make([]int, len(runs)), make([]int, len(runs)), graph.Strides(in[0].sizes)
	first := 0
	for i, r := range runs {
		sizes[i], steps[i] = r.count, r.step*st[i]
		first += r.start * st[i]
	}
	return in[0].pick(sizes, func(idx []int) int { return first + dot(idx, steps) })
}

func evalSplit(c *call, in []*constant) []*constant {
	a, parts := c.splitSizes()
	st := graph.Strides(in[0].sizes)
	var outs []*constant
	first := 0
	for _, n := range parts {
		sizes := slices.Clone(in[0].sizes)
		sizes[a] = n
		outs = append(outs, in[0].pick(sizes, func(idx []int) int { return first + dot(idx, st) })...)
		first += n * st[a]
	}
	return outs
}

func evalConcat(c *call, in []*constant) []*constant {
	if slices.Contains(in, nil) {
		must.Failf("an input is missing")
	}
	a := c.axisAttr(0, in[0].rank())
	sizes := slices.Clone(in[0].sizes)
	sizes[a] = 0
	for _, k := range in {
		same := slices.Clone(k.sizes)
		if len(same) == len(sizes) {
			same[a] = sizes[a]
		}
		if !slices.Equal(same, sizes) || k.dtype != in[0].dtype {
			must.Failf("%s%v does not fit %s%v", k.dtype, k.sizes, in[0].dtype, in[0].sizes)
		}
		sizes[a] += k.sizes[a]
	}
	notFolded(graph.Product(sizes...) > maxConstant)
	out := newConstant(in[0].dtype, sizes...)
	st, first := graph.Strides(sizes), 0
	for _, k := range in {
		graph.Each(k.sizes, func(flat int, idx []int) { out.put(first+dot(idx, st), k, flat) })
		first += k.sizes[a] * st[a]
	}
	return []*constant{out}
}

func evalGather(c *call, in []*constant) []*constant {
	notFolded(len(in) != 2 || slices.Contains(in, nil))
	x, pos := in[0], in[1]
	if pos.dtype.IsFloat() {
		must.Failf("indices of type %s", pos.dtype)
	}
	a := c.axisAttr(0, x.rank())
	n := int64(x.sizes[a])
	for _, p := range pos.ints {
		if p < -n || p >= n {
			must.Failf("index %d of an axis of size %d", p, n)
		}
	}
	sizes := slices.Concat(x.sizes[:a], pos.sizes, x.sizes[a+1:])
	st, posSt, behind := graph.Strides(x.sizes), graph.Strides(pos.sizes), a+pos.rank()
	return x.pick(sizes, func(idx []int) int {
		p := pos.ints[dot(idx[a:behind], posSt)]
		return dot(idx[:a], st) + int((p+n)%n)*st[a] + dot(idx[behind:], st[a+1:])
	})
}

func evalFilled(c *call, _ []*constant) []*constant {
	x, sizes := c.filled()
	return x.pick(sizes, func([]int) int { return 0 })
}

func evalWhere(c *call, in []*constant) []*constant {
	notFolded(len(in) != 3 || slices.Contains(in, nil) || in[1].dtype != in[2].dtype || in[0].dtype.IsFloat())
	sizes := joint(in[0].sizes, in[1].sizes, in[2].sizes)
	return []*constant{gathered(in[1].dtype, sizes, func(idx []int) (*constant, int) {
		k := in[2]
		if in[0].ints[spread(in[0].sizes, idx)] != 0 {
			k = in[1]
		}
		return k, spread(k.sizes, idx)
	})}
}
