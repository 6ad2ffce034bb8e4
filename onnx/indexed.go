package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Elements read from and written to places that are computed, or combined with what stands
// there. A tensor is rows; places are numbers of rows.

// unlessConstant is for nodes whose second input holds places: where these are constant
// and nothing is combined, elements are moved, of the data inputs.
func unlessConstant(low lowering, data ...int) lowering {
	if data == nil {
		data = []int{0}
	}
	return func(c *call) {
		c.need(2, 3)
		elements := 0
		for _, i := range data {
			switch v := c.optional(i); {
			case v == nil:
			case v.open != nil || elements > maxConstant:
				elements = maxConstant + 1
			default:
				elements += v.elements()
			}
		}
		if c.foldKnown() {
			return
		}
		if must.Get(c.in[1].constant()) != nil && elements <= maxConstant && c.text("reduction", "none") == "none" {
			lowerMoved(data...)(c)
			return
		}
		if !c.in[1].dtype.IsInt() {
			must.Failf("indices must be integers, not %s", c.in[1].dtype)
		}
		low(c)
	}
}

// whole is an integer repeated.
func (im *importer) whole(n int, sizes ...int) *value {
	k := newConstant(graph.Int64)
	k.ints[0] = int64(n)
	return im.broadcast(valueOf(k), sizes...)
}

// wholeTo is whole for sizes that may have variables.
func (im *importer) wholeTo(n graph.Dim, dims []graph.Dim) *value {
	return im.broadcastTo(wholes(graph.Int64, []int{}, n), dims)
}

// fromFront are positions on an axis of n, of which negative ones count from the end.
func (im *importer) fromFront(at *value, n graph.Dim) *value {
	at = im.cast(at, graph.Int64)
	if k := must.Get(at.constant()); k != nil {
		out := newConstant(graph.Int64, at.sizes()...)
		for i, p := range k.positions(numberOf(n)) {
			out.ints[i] = int64(p)
		}
		return valueOf(out)
	}
	if im.fromStart(at) {
		return at
	}
	back := im.between(im.do("neg", at), 0, 1)
	return im.do("ewadd", at, im.do("ewmul", back, im.wholeTo(n, at.dims())))
}

// fromStart reports whether no position is negative, since an operator has counted them.
func (im *importer) fromStart(at *value) bool {
	if !at.made {
		return false
	}
	t := at.tensor
	for im.from(t, "reshape") != 0 {
		t = im.made.Graph().Operands(t.Node)[0]
	}
	return im.from(t, "topk") != 0
}

// elementRows are the places of elements that a GatherElements or ScatterElements means.
func (im *importer) elementRows(dims []graph.Dim, at *value, axis int) *value {
	sizes, ok := fixed(dims)
	if !ok || at.open != nil {
		return im.elementRowsOpen(dims, at, axis)
	}
	if len(sizes) != at.rank() {
		must.Failf("indices %s do not fit shape %v", at, sizes)
	}
	for i, n := range at.sizes() {
		if i != axis && n > sizes[i] {
			must.Failf("indices %s do not fit shape %v", at, sizes)
		}
	}
	if n := at.elements(); n > maxConstant {
		must.Do(unsupported("%s has more than %d elements", at, maxConstant))
	}
	line, st := newConstant(graph.Int64, at.sizes()...), graph.Strides(sizes)
	graph.Each(at.sizes(), func(flat int, idx []int) {
		line.ints[flat] = int64(dot(idx, st) - idx[axis]*st[axis])
	})
	p := im.fromFront(at, graph.Int(int64(sizes[axis])))
	if st[axis] != 1 {
		p = im.do("ewmul", p, im.whole(st[axis], at.sizes()...))
	}
	return im.do("ewadd", p, valueOf(line))
}

// elementRowsOpen is elementRows for sizes that have variables.
func (im *importer) elementRowsOpen(dims []graph.Dim, at *value, axis int) *value {
	if len(dims) != at.rank() {
		must.Failf("indices %s do not fit shape %v", at, dims)
	}
	var rows *value
	for i := range dims {
		var p *value
		if i == axis {
			p = im.fromFront(at, dims[i])
		} else {
			if !im.open.require(dims[i], at.size(i)) {
				must.Failf("indices %s do not fit shape %v", at, dims)
			}
			form := dimsOf(ones(at.rank())...)
			form[i] = at.size(i)
			p = im.broadcastTo(im.reshapeTo(im.placesFrom(at.size(i), graph.Int64), form), at.dims())
		}
		if each := product(dims[i+1:]...); each != graph.Int(1) {
			p = im.do("ewmul", p, im.wholeTo(each, at.dims()))
		}
		if rows == nil {
			rows = p
		} else {
			rows = im.do("ewadd", rows, p)
		}
	}
	return rows
}

// sliceRows are the places of slices that the rows of an index mean, behind axes that a
// batch has in common, counted in slices, and the sizes of a slice.
func (im *importer) sliceRows(sizes []graph.Dim, at *value, batch int) (rows *value, slice []graph.Dim) {
	if at.rank() <= batch || len(sizes) < batch || batch < 0 || !slices.Equal(sizes[:batch], at.dims()[:batch]) {
		must.Failf("indices %s do not fit shape %v with batch_dims %d", at, sizes, batch)
	}
	last := at.rank() - 1
	n := numberOf(at.size(last))
	if n < 1 || n+batch > len(sizes) {
		must.Failf("indices %s do not fit shape %v", at, sizes)
	}
	lead := at.dims()[:last]
	for i := range n {
		p := im.fromFront(im.reshapeTo(im.slice(at, last, i, i+1), lead), sizes[batch+i])
		if rows != nil {
			p = im.do("ewadd", im.do("ewmul", rows, im.wholeTo(sizes[batch+i], lead)), p)
		}
		rows = p
	}
	if batch > 0 {
		lead, sizes := at.sizes()[:last], numbersOf(sizes)
		if graph.Product(lead...) > maxConstant {
			must.Do(unsupported("%s has more than %d rows", at, maxConstant))
		}
		first := newConstant(graph.Int64, lead...)
		each := graph.NumElements(sizes[batch : batch+n])
		behind := graph.NumElements(lead[batch:])
		for i := range first.ints {
			first.ints[i] = int64(i / behind * each)
		}
		rows = im.do("ewadd", rows, valueOf(first))
	}
	return rows, sizes[batch+n:]
}

func lowerGatherElements(c *call) {
	x := c.in[0]
	c.set(c.im.elementsAt(x, c.in[1], c.axisAttr(0, x.rank())))
}

// elementsAt are the elements at positions along an axis, of which each place has its own.
func (im *importer) elementsAt(x, at *value, axis int) *value {
	rows := im.elementRows(x.dims(), at, axis)
	return im.apply("gather", attrs{"axis": graph.IntValue(0)}, im.reshapeTo(x, []graph.Dim{product(x.dims()...)}), rows)
}

func lowerGatherND(c *call) {
	x, im := c.in[0], c.im
	batch := int(min(max(c.int("batch_dims", 0), -1), 1000))
	rows, slice := im.sliceRows(x.dims(), c.in[1], batch)
	count := product(x.dims()[:x.rank()-len(slice)]...)
	table := im.reshapeTo(x, []graph.Dim{count, product(slice...)})
	y := im.apply("gather", attrs{"axis": graph.IntValue(0)}, table, im.reshapeTo(rows, []graph.Dim{product(rows.dims()...)}))
	c.set(im.reshapeTo(y, slices.Concat(rows.dims(), slice)))
}

func lowerScatterElements(c *call) {
	in := c.need(3, 3)
	x, at, from := in[0], in[1], in[2]
	if !slices.Equal(at.dims(), from.dims()) || from.dtype != x.dtype {
		must.Failf("updates %s do not fit indices %s", from, at)
	}
	c.scatter(c.im.elementRows(x.dims(), at, c.axisAttr(0, x.rank())), 1)
}

func lowerScatterRows(c *call) {
	in := c.need(3, 3)
	x, at, from := in[0], in[1], in[2]
	rows, open := c.im.sliceRows(x.dims(), at, 0)
	slice := numbersOf(open)
	if !slices.Equal(from.sizes(), slices.Concat(rows.sizes(), slice)) || from.dtype != x.dtype {
		must.Failf("updates %s do not fit indices %s", from, at)
	}
	c.scatter(rows, graph.NumElements(slice))
}

// scatter sets or combines rows of n elements of the first input with those of the third.
func (c *call) scatter(rows *value, n int) {
	im, x := c.im, c.in[0]
	count, fresh := x.elements()/n, rows.elements()
	data, update := im.reshape(x, count, n), im.reshape(c.in[2], fresh, n)
	rows = im.reshape(rows, fresh)
	var y *value
	switch how := c.text("reduction", "none"); how {
	case "none":
		y = im.replaced(data, update, rows)
	case "add":
		c.arithmetic("ewadd", x)
		if k := must.Get(c.in[2].constant()); im.inFold && slices.ContainsFunc(k.floats, func(x float64) bool { return x-x != 0 }) {
			must.Do(unsupported("adding infinity or NaN is not supported")) // at all places, times zero
		}
		y = im.do("ewadd", data, im.apply("scatteradd", attrs{"axis": graph.IntValue(0), "n": graph.IntValue(count)}, update, rows))
	case "mul", "max", "min":
		c.arithmetic("ew"+how, x)
		if k := must.Get(c.in[1].constant()); k != nil {
			y = im.combined(how, data, update, c.rowsOf(k))
		} else {
			y = c.unlined(im.combinedLines(how, c.linesOf(rows, n)))
		}
	default:
		must.Failf("reduction is %q", clip(how))
	}
	c.set(im.reshapeTo(y, x.dims()))
}

// rowsOf are the rows that a constant index means.
func (c *call) rowsOf(k *constant) []int {
	x := c.in[0]
	if c.node.GetOpType() != "ScatterND" {
		return elementPlaces(x.sizes(), k, c.axisAttr(0, x.rank()))
	}
	at, slice := slicePlaces(x.sizes(), k, 0)
	for i := range at {
		at[i] /= graph.NumElements(slice)
	}
	return at
}

// replaced has rows of an update in the place of its own. Rows of zeros to which the
// numbers of those of the update are added say where these go; no two may go to one place.
func (im *importer) replaced(data, update, rows *value) *value {
	count, fresh := data.sizes()[0], update.sizes()[0]
	if count > maxConstant || fresh > maxConstant {
		must.Do(unsupported("setting %d of %d rows is not supported, at most %d", fresh, count, maxConstant))
	}
	number, own := newConstant(graph.Int64, fresh), newConstant(graph.Int64, count)
	for i := range fresh {
		number.ints[i] = int64(i + 1)
	}
	for i := range count {
		own.ints[i] = int64(fresh + i)
	}
	from := im.apply("scatteradd", attrs{"axis": graph.IntValue(0), "n": graph.IntValue(count)}, valueOf(number), rows)
	from = im.do("ewmin", from, im.whole(fresh, count))
	hit := im.do("ewmin", from, im.whole(1, count))
	apart := im.do("ewsub", im.do("ewsub", from, im.whole(1, count)), valueOf(own))
	all := im.apply("concat", attrs{"axis": graph.IntValue(0)}, update, data)
	return im.apply("gather", attrs{"axis": graph.IntValue(0)}, all, im.do("ewadd", valueOf(own), im.do("ewmul", hit, apart)))
}

// combined are rows combined with those of an update that go to them: of each the largest,
// the smallest or the product.
func (im *importer) combined(how string, data, update *value, rows []int) *value {
	count, fresh, most := data.sizes()[0], update.sizes()[0], 1
	lists := make([][]int, count)
	for i, r := range rows {
		lists[r] = append(lists[r], i)
		most = max(most, len(lists[r]))
	}
	if graph.Product(count, most) > maxSummed {
		must.Do(unsupported("combining up to %d updates with each of %d rows is too large", most, count))
	}
	// Where there is nothing more, the row itself changes nothing, nor does a one.
	rest := data
	if how == "mul" {
		rest = im.broadcastTo(valueOf(one(data.dtype)), data.dims())
	}
	all := im.apply("concat", attrs{"axis": graph.IntValue(0)}, update, rest)
	y := data
	for j := range most {
		at := newConstant(graph.Int64, count)
		for r, list := range lists {
			if at.ints[r] = int64(fresh + r); j < len(list) {
				at.ints[r] = int64(list[j])
			}
		}
		y = im.do("ew"+how, y, im.apply("gather", attrs{"axis": graph.IntValue(0)}, all, valueOf(at)))
	}
	return y
}
