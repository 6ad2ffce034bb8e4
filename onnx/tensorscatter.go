package onnx

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// lowerTensorScatter: ONNX's own operator.
func lowerTensorScatter(c *call) {
	in := c.need(2, 3)
	mode := c.text("mode", "linear")
	if mode != "linear" && mode != "circular" {
		must.Failf("mode is %q", clip(mode))
	}
	c.set(c.im.overwritten(in[0], in[1], in[2], c.axisAttr(-2, in[0].rank()), mode == "circular"))
}

// overwritten is a cache [batch, …] of which rows along an axis are those of an update; the
// update of each sample begins at a row that begin [batch] says, or at the first one. What
// lies behind the axis is a row; where each of the result comes from is arithmetic on
// where updates begin.
func (im *importer) overwritten(cache, update, begin *value, axis int, circular bool) *value {
	if axis == 0 || update.rank() != cache.rank() || update.dtype != cache.dtype {
		must.Failf("an update %s of %s along axis %d", update, cache, axis)
	}
	for i, n := range update.sizes() {
		if n > cache.sizes()[i] || i != axis && n != cache.sizes()[i] {
			must.Failf("an update %s of %s along axis %d", update, cache, axis)
		}
	}
	r := rows{batch: cache.sizes()[0], before: graph.NumElements(cache.sizes()[:axis]), long: cache.sizes()[axis], fresh: update.sizes()[axis], circular: circular}
	if n := r.before * r.long; n > maxConstant {
		must.Do(unsupported("%s has %d rows, more than %d", cache, n, maxConstant))
	}
	if begin == nil {
		begin = valueOf(newConstant(graph.Int64, r.batch))
	}
	if begin.rank() != 1 || begin.sizes()[0] != r.batch || !begin.dtype.IsInt() {
		must.Failf("places %s of %d samples", begin, r.batch)
	}
	var places *value
	if known := must.Get(begin.constant()); known != nil {
		places = valueOf(r.known(known.ints))
	} else {
		places = r.places(im, begin)
	}
	row := graph.NumElements(cache.sizes()[axis+1:])
	all := im.apply("concat", attrs{"axis": graph.IntValue(0)}, im.reshape(update, r.before*r.fresh, row), im.reshape(cache, r.before*r.long, row))
	return im.reshapeTo(im.apply("gather", attrs{"axis": graph.IntValue(0)}, all, places), cache.dims())
}

// rows are those of an update, before of fresh ones, and behind them those of a cache,
// before of long ones; each sample of the batch has as many of before.
type rows struct {
	batch, before, long, fresh int
	circular                   bool
}

// old is where row j of part i of the cache is, and new where the first one of the update is
// that belongs to the part.
func (r rows) old(i, j int) int64 { return int64(r.before*r.fresh + i*r.long + j) }
func (r rows) new(i int) int64    { return int64(i * r.fresh) }

// known are the places where the rows of the result are, [before, long].
func (r rows) known(begin []int64) *constant {
	at, long := newConstant(graph.Int64, r.before, r.long), int64(r.long)
	for i := range r.before {
		first := begin[i*r.batch/r.before]
		if !r.circular && (first < 0 || first > long-int64(r.fresh)) {
			must.Failf("an update of %d rows from row %d on, of %d", r.fresh, first, long)
		}
		first = (first%long + long) % long
		for j := range r.long {
			n := i*r.long + j
			if nth := (int64(j) - first + long) % long; nth < int64(r.fresh) {
				at.ints[n] = r.new(i) + nth
			} else {
				at.ints[n] = r.old(i, j)
			}
		}
	}
	return at
}

// places are the same, computed.
func (r rows) places(im *importer, begin *value) *value {
	if r.circular {
		must.Do(unsupported("the start of a circular update is not constant"))
	}
	row, old, apart := newConstant(graph.Int64, r.before, r.long), newConstant(graph.Int64, r.before, r.long), newConstant(graph.Int64, r.before, r.long)
	for i := range r.before {
		for j := range r.long {
			n := i*r.long + j
			row.ints[n], old.ints[n], apart.ints[n] = int64(j), r.old(i, j), r.new(i)-r.old(i, j)
		}
	}
	begin = im.broadcast(im.reshape(im.cast(begin, graph.Int64), r.batch, 1, 1), r.batch, r.before/r.batch, r.long)
	nth := im.do("ewsub", valueOf(row), im.reshape(begin, r.before, r.long))
	inside := im.do("ewmul", im.between(nth, -1, 1), im.between(im.do("neg", nth), -r.fresh, 1))
	return im.do("ewadd", valueOf(old), im.do("ewmul", inside, im.do("ewadd", valueOf(apart), nth)))
}

// between is an integer less lo, kept between 0 and hi: with hi 1, whether it is above lo.
func (im *importer) between(v *value, lo, hi int) *value {
	number := func(n int) *value {
		k := newConstant(v.dtype)
		k.ints[0] = int64(n)
		return im.broadcastTo(valueOf(k), v.dims())
	}
	if lo != 0 {
		v = im.do("ewsub", v, number(lo))
	}
	return im.do("ewmin", im.do("ewmax", v, number(0)), number(hi))
}
