package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Rotary embeddings: pairs of numbers turned by angles that depend on the place.

// rotary is how heads [batch, heads, places, size] or [batch, places, heads, size] are turned.
type rotary struct {
	cos, sin *value // [batch, places, dim/2], or [places, dim/2] for all of the batch
	dim      int    // numbers at the front of a head that are turned
	pairs    bool   // neighbours are a pair, not numbers of the two halves
	places   int    // axis of places: 1 or 2
}

// turned are heads turned.
func (im *importer) turned(x *value, r rotary) *value {
	half := r.dim / 2
	if x.rank() != 4 || r.dim < 2 || r.dim%2 != 0 || r.dim > x.sizes()[3] {
		must.Failf("%d numbers of each head of %s are to be turned", r.dim, x)
	}
	front := im.slice(x, 3, 0, r.dim)
	sizes := append(slices.Clone(x.sizes()[:3]), half)
	angle := func(v *value) *value {
		if v.dtype != x.dtype || v.rank() != 2 && v.rank() != 3 {
			must.Failf("angles %s for %s", v, x)
		}
		b := 1
		if v.rank() == 3 {
			b = v.sizes()[0]
		}
		if p := x.sizes()[r.places]; v.sizes()[v.rank()-2] != p || v.sizes()[v.rank()-1] != half || b != 1 && b != x.sizes()[0] {
			must.Failf("angles %s for %d places and %d numbers of %s", v, p, half, x)
		}
		at := []int{b, 1, 1, half}
		at[r.places] = x.sizes()[r.places]
		return im.broadcast(im.reshape(v, at...), sizes...)
	}
	cos, sin := angle(r.cos), angle(r.sin)
	part := func(i int) *value {
		if r.pairs {
			cut := im.reshape(front, append(slices.Clone(sizes), 2)...)
			return im.reshape(im.slice(cut, 4, i, i+1), sizes...)
		}
		return im.slice(front, 3, i*half, (i+1)*half)
	}
	a, b := part(0), part(1)
	times := func(x, y *value) *value { return im.do("ewmul", x, y) }
	re := im.do("ewsub", times(a, cos), times(b, sin))
	ie := im.do("ewadd", times(a, sin), times(b, cos))
	axis := 3
	if r.pairs {
		axis = 4
		re, ie = im.reshape(re, append(slices.Clone(sizes), 1)...), im.reshape(ie, append(slices.Clone(sizes), 1)...)
	}
	y := im.apply("concat", attrs{"axis": graph.IntValue(axis)}, re, ie)
	y = im.reshape(y, append(slices.Clone(x.sizes()[:3]), r.dim)...)
	if r.dim < x.sizes()[3] {
		y = im.apply("concat", attrs{"axis": graph.IntValue(3)}, y, im.slice(x, 3, r.dim, x.sizes()[3]))
	}
	return y
}

// looked are rows of a table of angles at positions.
func (im *importer) looked(table, at *value) *value {
	if table.rank() != 2 {
		must.Failf("the cosine cache %s must have 2 axes", table)
	}
	return im.lookedUp(table, at)
}

// lookedUp are the rows of a table at positions.
func (im *importer) lookedUp(table, at *value) *value {
	if !at.dtype.IsInt() {
		must.Failf("positions %s", at)
	}
	return im.apply("gather", attrs{"axis": graph.IntValue(0)}, table, im.cast(at, graph.Int64))
}

// lowerRotary: ONNX's own operator. Of three axes the last is that of all heads.
func lowerRotary(c *call) {
	in, im := c.need(3, 4), c.im
	x := in[0]
	c.arithmetic("", x)
	r := rotary{cos: in[1], sin: in[2], pairs: c.bit("interleaved", 0), places: 2}
	y := x
	if x.rank() == 3 {
		n := int(c.int("num_heads", 0))
		if n < 1 || x.sizes()[2]%n != 0 {
			must.Failf("%s does not divide into %d heads", x, n)
		}
		y, r.places = im.reshape(x, x.sizes()[0], x.sizes()[1], n, x.sizes()[2]/n), 1
	}
	if y.rank() != 4 {
		must.Failf("%s: want 3 or 4 axes", x)
	}
	if r.dim = int(c.int("rotary_embedding_dim", 0)); r.dim == 0 {
		r.dim = y.sizes()[3]
	}
	if at := in[3]; at != nil {
		if at.rank() != 2 || at.sizes()[0] != x.sizes()[0] {
			must.Failf("position_ids %s do not fit %s", at, x)
		}
		r.cos, r.sin = im.looked(r.cos, at), im.looked(r.sin, at)
	} else if r.cos.rank() != 3 || r.sin.rank() != 3 {
		must.Failf("angles %s and %s without positions: want 3 axes", r.cos, r.sin)
	}
	c.set(im.reshapeTo(im.turned(y, r), x.dims()))
}
