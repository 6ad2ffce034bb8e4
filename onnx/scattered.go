package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Elements combined with what stands at computed places: each place looks at all elements
// of its line and takes those that go there.

// lines are data and updates as [lines, places, row] and [lines, updates, row], and the
// places as [lines, updates].
type lines struct{ data, update, at *value }

// linesOf are those of a ScatterElements along an axis, or of rows of a ScatterND, of
// which there is one line. rows are the places of a flat tensor.
func (c *call) linesOf(rows *value, n int) lines {
	im, x, at, from := c.im, c.in[0], c.in[1], c.in[2]
	if c.node.GetOpType() != "ScatterND" {
		a := c.axisAttr(0, x.rank())
		others := func(sizes []int) []int { return slices.Delete(slices.Clone(sizes), a, a+1) }
		if slices.Equal(others(x.sizes()), others(at.sizes())) {
			last := func(v *value) *value {
				perm := append(slices.Delete(upTo(0, v.rank()), a, a+1), a)
				return im.reshape(im.transpose(v, perm...), v.elements()/v.sizes()[a], v.sizes()[a])
			}
			apart := func(v *value) *value { v = last(v); return im.reshape(v, append(slices.Clone(v.sizes()), 1)...) }
			return lines{apart(x), apart(from), last(im.fromFront(at, x.size(a)))}
		}
	}
	count, fresh := x.elements()/n, rows.elements()
	return lines{im.reshape(x, 1, count, n), im.reshape(from, 1, fresh, n), im.reshape(rows, 1, fresh)}
}

// unlined puts what linesOf made lines of back.
func (c *call) unlined(y *value) *value {
	im, x := c.im, c.in[0]
	if y.sizes()[0] == 1 && y.sizes()[1]*y.sizes()[2] == x.elements() {
		return im.reshapeTo(y, x.dims())
	}
	a := c.axisAttr(0, x.rank())
	order := append(slices.Delete(upTo(0, x.rank()), a, a+1), a)
	sizes, back := make([]int, x.rank()), make([]int, x.rank())
	for i, k := range order {
		sizes[i], back[k] = x.sizes()[k], i
	}
	return im.transpose(im.reshape(y, sizes...), back...)
}

// combinedLines are the data combined with the updates that go to them: the largest, the
// smallest or the product.
func (im *importer) combinedLines(how string, l lines) *value {
	many, count, n, fresh := l.data.sizes()[0], l.data.sizes()[1], l.data.sizes()[2], l.update.sizes()[1]
	if graph.Product(many, count, fresh, n) > maxSummed {
		must.Do(unsupported("combining %d elements, each with up to %d updates, at indices that are not constant is too large", l.data.elements(), fresh))
	}
	here := valueOf(intConstant(upTo(0, count)...))
	hit := im.do("ewequal", im.broadcast(im.reshape(l.at, many, 1, fresh), many, count, fresh), im.broadcast(im.reshape(here, 1, count, 1), many, count, fresh))
	wide := []int{many, count, fresh, n}
	hit = im.broadcast(im.reshape(im.cast(hit, l.data.dtype), many, count, fresh, 1), wide...)
	// Where an element goes elsewhere stands what changes nothing.
	rest := im.broadcast(im.reshape(l.data, many, count, 1, n), wide...)
	if how == "mul" {
		rest = im.broadcast(valueOf(one(l.data.dtype)), wide...)
	}
	y := im.do("ewwhere", hit, im.broadcast(im.reshape(l.update, many, 1, fresh, n), wide...), rest)
	data := l.data
	switch how {
	case "mul":
		return im.do("ewmul", data, reduceProd(im, y, []int{2}, false))
	case "min":
		return im.opposite(im.do("ewmax", im.opposite(data), im.reduce("reducemax", im.opposite(y), []int{2}, false)))
	}
	return im.do("ewmax", data, im.reduce("reducemax", y, []int{2}, false))
}

// one is the number 1.
func one(t graph.DType) *constant {
	k := newConstant(t)
	if t.IsFloat() {
		k.floats[0] = 1
	} else {
		k.ints[0] = 1
	}
	return k
}
