package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Places of extremes, and tensors that are one at places that indices say.

// indexOperators find places, or read and write at them.
func indexOperators() []*operator {
	return []*operator{
		{name: "ArgMax", versions: "1 11 12 13", attrs: "axis keepdims select_last_index", lower: lowerArg(false), types: argTypes},
		{name: "ArgMin", versions: "1 11 12 13", attrs: "axis keepdims select_last_index", lower: lowerArg(true), types: argTypes},
		{name: "TopK", versions: "1 10 11 24", attrs: "axis k largest !sorted", lower: lowerTopK, types: topTypes,
			writes: map[string]writer{"topk": writeTopK}},
		{name: "Unique", versions: "11", attrs: "axis sorted", fold: evalUnique},
		{name: "NonZero", versions: "9 13", fold: evalNonZero},
		{name: "OneHot", versions: "9 11", attrs: "axis", lower: lowerOneHot, move: oneHot},
		{name: "Gather", versions: "1 11 13", attrs: "axis", lower: lowerGather, writes: map[string]writer{"gather": writeGather}},
		{name: "GatherElements", versions: "11 13", attrs: "axis", lower: unlessConstant(lowerGatherElements), move: movedElements, types: gatheredType},
		{name: "GatherND", versions: "11 12 13", attrs: "batch_dims", lower: unlessConstant(lowerGatherND), move: movedSlices},
		{name: "Scatter", versions: "9 11", attrs: "axis", lower: unlessConstant(lowerScatterElements, 0, 2), move: scatteredElements, types: sameType},
		{name: "ScatterElements", versions: "11 13 16 18", attrs: "axis reduction", lower: unlessConstant(lowerScatterElements, 0, 2), move: scatteredElements, types: sameType},
		{name: "ScatterND", versions: "11 13 16 18", attrs: "reduction", lower: lowerScatterND, move: scatteredSlices, types: sameType,
			writes: map[string]writer{"scatteradd": writeScatterAdd}},
	}
}

// largest is 1 where an element is the largest along an axis, else 0, of its type.
func (im *importer) largest(x *value, axis int) *value {
	return im.do("ewequal", im.broadcastTo(im.reduce("reducemax", x, []int{axis}, true), x.dims()), x)
}

// opposite has the elements in the opposite order, all of which are of its type.
func (im *importer) opposite(x *value) *value {
	switch {
	case x.dtype.IsFloat():
		return im.do("neg", x)
	case x.dtype.IsSigned():
		return im.flipped(x, -1)
	}
	_, hi := x.dtype.IntRange()
	return im.flipped(x, int64(hi))
}

// flipped are integers taken from another: from -1, and from the largest of those without a
// sign, it is all of their bits.
func (im *importer) flipped(x *value, from int64) *value {
	k := newConstant(x.dtype)
	k.ints[0] = from
	return im.do("ewsub", im.broadcastTo(valueOf(k), x.dims()), x)
}

// lowerArg: of the places where the extreme stands, counted from the other end for the
// first, the largest.
func lowerArg(least bool) lowering {
	return func(c *call) {
		x, im := c.need(1, 1)[0], c.im
		if !x.dtype.IsReal() && !x.dtype.IsInt() {
			must.Do(unsupported("input %s is not supported", x.dtype))
		}
		if x.rank() == 0 {
			must.Failf("%s has no axes", x)
		}
		a, last := c.axisAttr(0, x.rank()), c.flag("select_last_index")
		n := x.size(a)
		if k, ok := n.Const(); ok && k > maxConstant {
			must.Do(unsupported("%d elements along the axis, at most %d are supported", k, maxConstant))
		}
		if least {
			x = im.opposite(x)
		}
		most := func(dims []graph.Dim) *value {
			if k, ok := n.Const(); ok {
				return im.broadcastTo(valueOf(&constant{dtype: graph.Float32, floats: []float64{float64(k - 1)}}), dims)
			}
			return im.broadcastTo(im.cast(wholes(graph.Int64, []int{}, n.Sub(graph.Int(1))), graph.Float32), dims)
		}
		form := append([]graph.Dim{n}, dimsOf(ones(x.rank()-a-1)...)...)
		var place *value
		if k, ok := n.Const(); ok {
			numbers := newConstant(graph.Float32, append([]int{int(k)}, ones(x.rank()-a-1)...)...)
			for i := range numbers.floats {
				if numbers.floats[i] = float64(i); !last {
					numbers.floats[i] = float64(int(k) - 1 - i)
				}
			}
			place = valueOf(numbers)
		} else if place = im.reshapeTo(im.placesFrom(n, graph.Float32), form); !last {
			place = im.do("ewsub", most(form), place)
		}
		y := im.do("ewmul", im.cast(im.largest(x, a), graph.Float32), im.broadcastTo(place, x.dims()))
		y = im.reduce("reducemax", y, []int{a}, c.int("keepdims", 1) != 0)
		if !last {
			y = im.do("ewsub", most(y.dims()), y)
		}
		c.set(im.cast(y, graph.Int64))
	}
}

// lowerOneHot: one of two values, by whether an index is the position on a new axis.
func lowerOneHot(c *call) {
	in, im := c.need(3, 3), c.im
	indices, values := in[0], in[2]
	depth := c.known(1, "depth")
	if must.Get(indices.constant()) != nil {
		lowerMoved(2)(c)
		return
	}
	if depth.len() != 1 || depth.number(0) < 1 || depth.number(0) != math.Trunc(depth.number(0)) || values.elements() != 2 || values.rank() != 1 {
		must.Failf("depth of shape %v and values %s: want a positive integer and two values", depth.sizes, values)
	}
	if depth.number(0) > maxConstant {
		must.Do(unsupported("depth %g is not supported", depth.number(0)))
	}
	switch t := indices.dtype; { // any of which a number of places is one
	case t.IsFloat():
		indices = im.cast(indices, graph.Float32)
	case !t.IsInt():
		must.Do(unsupported("its indices are %s", t))
	case t != graph.Int32:
		indices = im.cast(indices, graph.Int64)
	}
	if indices.dtype.IsFloat() { // the fraction does not count
		indices = im.cast(indices, graph.Int64)
	}
	n := int(depth.number(0))
	a := c.axisAttr(-1, indices.rank()+1)
	after := indices.rank() - a
	apart := slices.Insert(slices.Clone(indices.dims()), a, graph.Int(1))
	sizes := slices.Insert(slices.Clone(indices.dims()), a, graph.Int(int64(n)))
	x := im.broadcastTo(im.reshapeTo(indices, apart), sizes)
	equal := func(from int) *value {
		k := newConstant(graph.Float32, n)
		for i := range k.floats {
			k.floats[i] = float64(from + i)
		}
		k = k.cast(indices.dtype)
		k.sizes = append([]int{n}, ones(after)...)
		return im.do("ewequal", x, im.broadcastTo(valueOf(k), sizes))
	}
	is := equal(0)
	if c.im.opset >= 11 { // positions may count from the end
		is = im.do("ewmax", is, equal(-n))
	}
	c.set(im.apply("gather", attrs{"axis": graph.IntValue(0)}, values, im.cast(is, graph.Int64)))
}

// ones are n sizes of 1.
func ones(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = 1
	}
	return out
}
