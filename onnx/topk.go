package onnx

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// The largest or smallest elements along an axis: their positions are an operator, and the
// elements are what a gather reads there.

// maxCompared bounds the pairs of elements that the definition of topk compares.
const maxCompared = 1 << 24

// best is what a TopK asks for.
type best struct {
	axis, k  int
	smallest bool
}

// best reads it; before operator set 10 the number was an attribute.
func (c *call) best(sizes []graph.Dim) best {
	k := []int{int(min(max(c.int("k", -1), -1), 1<<40))}
	if c.im.opset >= 10 {
		k = c.knownInts(1, "k")
	}
	a := c.axisAttr(-1, len(sizes))
	if len(k) != 1 || k[0] < 0 || !c.im.open.require(sizes[a], graph.Int(int64(k[0]))) {
		must.Failf("k = %d is out of range for axis %d of shape %v", k, a, sizes)
	}
	return best{a, k[0], c.int("largest", 1) == 0}
}

// lowerTopK: the results are sorted.
func lowerTopK(c *call) {
	in, im := c.need(1, 2), c.im
	x := in[0]
	if !x.dtype.IsReal() && !x.dtype.IsInt() {
		must.Failf("element type %s is not supported", x.dtype)
	}
	b := c.best(x.dims())
	if len(c.outs) < 1 || len(c.outs) > 2 {
		must.Failf("%d outputs", len(c.outs))
	}
	// How many comparisons it takes at other sizes is not known.
	if sizes, ok := fixed(x.dims()); ok {
		if n := sizes[b.axis]; graph.Product(x.elements(), n) > maxCompared {
			must.Do(unsupported("comparing %d elements along an axis of size %d takes more than %d comparisons", x.elements(), n, maxCompared))
		}
	}
	at := im.apply("topk", attrs{"axis": graph.IntValue(b.axis), "k": graph.IntValue(b.k), "smallest": graph.IntValue(int(truth(b.smallest)))}, x)
	if c.wanted(0) {
		c.outs[0] = im.elementsAt(x, at, b.axis)
	}
	if len(c.outs) > 1 {
		c.outs[1] = at
	}
}

// writeTopK writes the positions alone: the elements are gathered.
func writeTopK(e *exporter, id graph.NodeID) {
	n := e.emit("TopK", append(e.operands(id), e.intList(e.int(id, "k"))), e.out(id),
		intAttribute("axis", int64(e.int(id, "axis"))), intAttribute("largest", int64(1-e.int(id, "smallest"))))
	n.Output = []string{e.fresh(id, "values"), e.out(id)}
}
