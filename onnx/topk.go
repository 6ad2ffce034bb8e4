package onnx

import (
	"cmp"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// The largest or smallest elements along an axis: their positions are an operator, and the
// elements are what a gather reads there.

func init() {
	register(map[string]lowering{"TopK": lowerTopK})
	writers["topk"] = writeTopK
	evaluators["TopK"] = evalTopK
}

// maxCompared bounds the pairs of elements that the definition of topk compares.
const maxCompared = 1 << 24

// best is what a TopK asks for.
type best struct {
	axis, k  int
	smallest bool
}

// best reads it; before operator set 10 the number was an attribute.
func (c *call) best(sizes []int) best {
	k := []int{int(min(max(c.int("k", -1), -1), 1<<40))}
	if c.im.opset >= 10 {
		k = c.knownInts(1, "k")
	}
	a := c.axisAttr(-1, len(sizes))
	if len(k) != 1 || k[0] < 0 || k[0] > sizes[a] {
		must.Failf("the first %d of axis %d of sizes %v", k, a, sizes)
	}
	return best{a, k[0], c.int("largest", 1) == 0}
}

// lowerTopK: where the order of the results is left open, it is the sorted one.
func lowerTopK(c *call) {
	in, im := c.need(1, 2), c.im
	x := in[0]
	if !x.dtype.IsReal() && !x.dtype.IsInt() {
		must.Failf("elements of type %s", x.dtype)
	}
	b := c.best(x.sizes)
	if b.k == 0 {
		must.Do(unsupported("its results have no elements"))
	}
	if len(c.outs) < 1 || len(c.outs) > 2 {
		must.Failf("%d outputs", len(c.outs))
	}
	if n := x.sizes[b.axis]; graph.Product(x.elements(), n) > maxCompared {
		must.Do(unsupported("it compares %d elements by lines of %d, more than %d pairs", x.elements(), n, maxCompared))
	}
	at := im.apply("topk", attrs{"axis": graph.IntValue(b.axis), "k": graph.IntValue(b.k), "smallest": graph.IntValue(int(truth(b.smallest)))}, x)
	if c.wanted(0) {
		c.outs[0] = im.elementsAt(x, at, b.axis)
	}
	if len(c.outs) > 1 {
		c.outs[1] = at
	}
}

// evalTopK: the first of equal elements first; a number that is none is the largest.
func evalTopK(c *call, in []*constant) []*constant {
	notFolded(len(in) == 0 || in[0] == nil)
	x := in[0]
	b := c.best(x.sizes)
	sizes := slices.Clone(x.sizes)
	sizes[b.axis] = b.k
	values, at := newConstant(x.dtype, sizes...), newConstant(graph.Int64, sizes...)
	var places []int // of lines of the results
	values.lines(b.axis, func(to func(i int) int) { places = append(places, to(0)) })
	step, n := graph.Strides(sizes)[b.axis], 0
	x.lines(b.axis, func(from func(i int) int) {
		if values.len() == 0 {
			return
		}
		order := upTo(0, x.sizes[b.axis])
		slices.SortStableFunc(order, func(i, j int) int {
			if b.smallest {
				return x.ordered(from(i), from(j))
			}
			return x.ordered(from(j), from(i))
		})
		for i, p := range order[:b.k] {
			values.put(places[n]+i*step, x, from(p))
			at.ints[places[n]+i*step] = int64(p)
		}
		n++
	})
	return []*constant{values, at}
}

// ordered is compare, but numbers that are none are behind all others.
func (k *constant) ordered(i, j int) int {
	if !k.dtype.IsFloat() {
		return k.compare(i, j)
	}
	if a, b := math.IsNaN(k.floats[i]), math.IsNaN(k.floats[j]); a || b {
		return cmp.Compare(truth(a), truth(b))
	}
	return k.compare(i, j)
}

// writeTopK writes the positions alone: the elements are gathered.
func writeTopK(e *exporter, id graph.NodeID) {
	n := e.emit("TopK", append(e.operands(id), e.intList(e.int(id, "k"))), e.out(id),
		intAttribute("axis", int64(e.int(id, "axis"))), intAttribute("largest", int64(1-e.int(id, "smallest"))))
	n.Output = []string{e.fresh(id, "values"), e.out(id)}
}
