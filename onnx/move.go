package onnx

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Operators that move elements and compute nothing.

func moveOperators() []*operator {
	return []*operator{
		{name: "Reshape", versions: "1 5 13 14 19 21 23 24 25", attrs: "allowzero ~consumed_inputs shape", lower: lowerReshape,
			writes: map[string]writer{"reshape": writeReshape("Reshape")}},
		{name: "Flatten", versions: "1 9 11 13 21 23 24 25", attrs: "axis", lower: sized((*call).flattenSizes)},
		{name: "Squeeze", versions: "1 11 13 21 23 24 25", attrs: "axes", lower: sized((*call).squeezeSizes)},
		{name: "Unsqueeze", versions: "1 11 13 21 23 24 25", attrs: "axes", lower: sized((*call).unsqueezeSizes)},
		{name: "Transpose", versions: "1 13 21 23 24 25", attrs: "perm", lower: lowerTranspose, writes: map[string]writer{"transpose": writeTranspose}},
		{name: "Concat", versions: "1 4 11 13", attrs: "axis", lower: lowerConcat, writes: map[string]writer{"concat": writeConcat}},
		{name: "Split", versions: "1 2 11 13 18", attrs: "axis num_outputs split", lower: lowerSplit, writes: map[string]writer{"split": writeSplit}},
		{name: "Slice", versions: "1 10 11 13", attrs: "axes ends starts", lower: lowerSlice,
			writes: map[string]writer{"slice": writeSlice, "reverse": writeReverse}},
		{name: "Expand", versions: "8 13", lower: lowerExpand, writes: map[string]writer{"broadcast": writeReshape("Expand")}},
		{name: "Tile", versions: "!1 6 13", lower: lowerTile},
		{name: "Pad", versions: "!1 2 11 13 18 19 21 23 24 25", attrs: "mode !paddings pads value", lower: lowerPad, types: paddedType,
			writes: map[string]writer{"pad": writePad, "enlarge": writeEnlarge}},
		{name: "DepthToSpace", versions: "1 11 13", attrs: "blocksize mode", lower: lowerDepthToSpace},
		{name: "SpaceToDepth", versions: "1 13", attrs: "blocksize", lower: lowerSpaceToDepth},
	}
}

// sized lowers an operator that changes sizes only.
func sized(sizes func(c *call) []graph.Dim) lowering {
	return func(c *call) {
		to := sizes(c)
		c.set(c.im.reshapeTo(c.in[0], to))
	}
}

// reshapeTo are the sizes that a Reshape asks for: 0 keeps an axis, -1 is what
// remains.
func (d *dynamic) reshapeTo(from, shape []graph.Dim, zeroIsZero bool) []graph.Dim {
	to := slices.Clone(shape)
	open, n := -1, graph.Int(1)
	for i, s := range to {
		k, number := s.Const()
		switch {
		case !number:
			if !d.sizing().NonNegative(s.Sub(graph.Int(1))) {
				must.Do(unsupported("shape %v: size %s is not above 0 at all sizes", shape, s))
			}
		case k == 0 && !zeroIsZero:
			if i >= len(from) {
				must.Failf("shape %v keeps axis %d of sizes %v", shape, i, from)
			}
			to[i] = from[i]
		case k == -1 && open < 0:
			open = i
			continue
		case k < 0 || k > graph.MaxSize:
			must.Failf("shape %v: size %d", shape, k)
		}
		n = n.Mul(to[i])
	}
	total := product(from...)
	if open >= 0 {
		rest, ok := total.Quo(n)
		_, number := fixed([]graph.Dim{total, n})
		switch {
		case n == graph.Int(0) || !ok && number:
			must.Failf("sizes %v cannot be reshaped to %v", from, shape)
		case !ok:
			must.Do(indivisible(total, n, fmt.Sprintf("sizes %v cannot be reshaped to %v at all sizes", from, shape)))
		}
		to[open] = rest
	} else if total != n {
		if !d.differ(total, n) {
			must.Do(disagree(total, n, fmt.Sprintf("sizes %v cannot be reshaped to %v at all sizes", from, shape)))
		}
		must.Failf("sizes %v cannot be reshaped to %v", from, shape)
	}
	return to
}

// reshapeSizes are the sizes a Reshape node makes.
func (c *call) reshapeSizes() []graph.Dim {
	in := c.need(1, 2)
	shape := c.dimsOrInput("shape", 1)
	return c.im.open.reshapeTo(in[0].dims(), shape, c.flag("allowzero"))
}

func lowerReshape(c *call) {
	sizes := c.reshapeSizes()
	if c.marked("keep") {
		c.set(c.im.reshaped(c.in[0], sizes))
		return
	}
	c.set(c.im.reshapeTo(c.in[0], sizes))
}

func (c *call) flattenSizes() []graph.Dim {
	in := c.need(1, 1)
	a, r := c.int("axis", 1), int64(in[0].rank())
	if a < -r || a > r {
		must.Failf("axis %d of a tensor with %d axes", a, r)
	}
	if a < 0 {
		a += r
	}
	return []graph.Dim{product(in[0].dims()[:a]...), product(in[0].dims()[a:]...)}
}

// squeezeSizes leaves out the given axes, or all of size 1.
func (c *call) squeezeSizes() []graph.Dim {
	x := c.need(1, 2)[0]
	list := c.intsOrInput("axes", 1)
	out := axesOf(list, x.rank())
	sizes, one := []graph.Dim{}, graph.Int(1)
	for i, n := range x.dims() {
		switch {
		case slices.Contains(out, i):
			if !c.im.open.same(n, one) {
				must.Failf("axis %d of %s is not of size 1", i, x)
			}
		case list == nil && c.im.open.equalDims(n, one):
		default:
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// unsqueezeSizes adds axes of size 1 at the given places of the result.
func (c *call) unsqueezeSizes() []graph.Dim {
	in := c.need(1, 2)
	list := c.intsOrInput("axes", 1)
	rank := in[0].rank() + len(list)
	if rank > graph.MaxRank {
		must.Failf("%d axes, more than %d", rank, graph.MaxRank)
	}
	at := axesOf(list, rank)
	sizes, rest := make([]graph.Dim, rank), in[0].dims()
	for i := range sizes {
		if slices.Contains(at, i) {
			sizes[i] = graph.Int(1)
		} else {
			sizes[i], rest = rest[0], rest[1:]
		}
	}
	return sizes
}

// perm is the order of axes of a Transpose, the reverse if none is given.
func (c *call) perm() []int {
	rank := c.need(1, 1)[0].rank()
	perm := c.ints("perm")
	if perm == nil {
		perm = upTo(0, rank)
		slices.Reverse(perm)
	}
	if err := must.Try(func() { perm = axesOf(perm, rank) }); err != nil {
		must.Failf("perm: %w", err)
	}
	if len(perm) != rank {
		must.Failf("perm %v for %d axes", perm, rank)
	}
	return perm
}

func lowerTranspose(c *call) {
	perm := c.perm()
	if c.marked("keep") {
		c.set(c.im.apply("transpose", attrs{"perm": graph.TupleValue(perm...)}, c.in[0]))
		return
	}
	c.set(c.im.transpose(c.in[0], perm...))
}

func lowerConcat(c *call) {
	parts := c.need(len(c.in), len(c.in))
	a := c.axisAttr(1, parts[0].rank())
	v := parts[0]
	for _, w := range parts[1:] {
		v = c.im.apply("concat", attrs{"axis": graph.IntValue(a)}, v, w)
	}
	c.set(v)
}

// splitSizes are the axis of a Split and the sizes of its parts.
func (c *call) splitSizes() (int, []graph.Dim) {
	in := c.need(1, 2)
	a := c.axisAttr(0, in[0].rank())
	parts := c.dimsOrInput("split", 1)
	size, n := in[0].size(a), len(c.node.GetOutput())
	if c.has("num_outputs") && c.int("num_outputs", 0) != int64(n) {
		must.Failf("num_outputs is %d, and it has %d outputs", c.int("num_outputs", 0), n)
	}
	if parts == nil {
		if n == 0 {
			must.Failf("no outputs")
		}
		if each, ok := size.Quo(graph.Int(int64(n))); ok && c.im.open.sizing().NonNegative(each.Sub(graph.Int(1))) {
			parts = slices.Repeat([]graph.Dim{each}, n)
		} else {
			if _, number := size.Const(); !number && c.im.opset < 18 {
				must.Do(indivisible(size, graph.Int(int64(n)), fmt.Sprintf("size %s does not split into %d equal parts at all sizes", size.Words(), n)))
			}
			size := numberOf(size)
			each := (size + n - 1) / n // the last part may be smaller
			if each*n != size && c.im.opset < 18 {
				must.Failf("size %d does not split into %d equal parts", size, n)
			}
			for rest := size; rest > 0; rest -= each {
				parts = append(parts, graph.Int(int64(min(each, rest))))
			}
		}
	}
	sum := graph.Int(0)
	for _, p := range parts {
		if !c.im.open.require(p, graph.Int(0)) || !c.im.open.require(size, p) {
			must.Failf("parts %v of size %s", parts, size)
		}
		sum = sum.Add(p)
	}
	if len(parts) != n || !c.im.open.same(sum, size) {
		must.Failf("parts %v of size %s for %d outputs", parts, size, n)
	}
	return a, parts
}

func lowerSplit(c *call) {
	a, parts := c.splitSizes()
	if c.marked("keep") && len(parts) == 2 {
		split, _ := graph.Lookup("split")
		at := must.Get(split.Attr(attrs{"axis": graph.IntValue(a), "at": graph.DimValue(parts[0])}))
		copy(c.outs, c.im.applyAttrs(split, at, c.in[0]))
		return
	}
	lo := graph.Int(0)
	for i, n := range parts {
		if c.node.GetOutput()[i] != "" {
			if c.im.open.equalDims(n, graph.Int(0)) { // of which everything is known
				sizes := slices.Clone(c.in[0].sizes())
				sizes[a] = 0
				c.outs[i] = valueOf(newConstant(c.in[0].dtype, sizes...))
			} else {
				c.outs[i] = c.im.sliceTo(c.in[0], a, lo, lo.Add(n))
			}
		}
		lo = lo.Add(n)
	}
}

// run is the positions start, start+step, … along one axis, count of them.
type run struct {
	start graph.Dim
	step  int
	count graph.Dim
}

// runs are what a Slice keeps of each axis.
func (c *call) runs() []run {
	x := c.need(1, 5)[0]
	starts, ends := c.boundDims("starts", 1), c.boundDims("ends", 2)
	axes, steps := c.bounds("axes", 3), c.bounds("steps", 4)
	if axes == nil {
		axes = upTo(0, len(starts))
	}
	axes = axesOf(axes, x.rank())
	if len(ends) != len(starts) || len(axes) != len(starts) || steps != nil && len(steps) != len(starts) {
		must.Failf("%d starts, %d ends, %d axes, %d steps", len(starts), len(ends), len(axes), len(steps))
	}
	out := make([]run, x.rank())
	zero := graph.Int(0)
	for i, n := range x.dims() {
		out[i] = run{zero, 1, n}
	}
	for i, a := range axes {
		n, step := x.size(a), 1
		if steps != nil {
			step = steps[i]
		}
		switch {
		case step > 0:
			lo, hi := c.im.open.placeIn(starts[i], n, zero, n), c.im.open.placeIn(ends[i], n, zero, n)
			out[a] = run{lo, step, c.im.open.stepsOf(hi.Sub(lo), step)}
		case step < 0:
			least, most := graph.Int(-1), n.Sub(graph.Int(1))
			lo, hi := c.im.open.placeIn(starts[i], n, least, most), c.im.open.placeIn(ends[i], n, least, most)
			out[a] = run{lo, step, c.im.open.stepsOf(lo.Sub(hi), -step)}
		default:
			must.Failf("step 0")
		}
	}
	return out
}

// placeIn is a bound of a slice of n elements, which may count from the end, between lo and hi.
func (d *dynamic) placeIn(x, n, lo, hi graph.Dim) graph.Dim {
	// No size is larger than the largest of a graph.
	if k, ok := x.Const(); ok && k >= graph.MaxSize {
		return hi
	} else if ok && k < -graph.MaxSize {
		return lo
	}
	if !d.atLeast(x, graph.Int(0)) {
		x = x.Add(n)
	}
	switch {
	case !d.atLeast(x, lo):
		return lo
	case !d.atLeast(hi, x):
		return hi
	}
	return x
}

// stepsOf is how many steps of a length there are in d.
func (open *dynamic) stepsOf(d graph.Dim, step int) graph.Dim {
	switch {
	case !open.atLeast(d, graph.Int(1)):
		return graph.Int(0)
	case step == 1:
		return d
	}
	return open.quotient(d.Add(graph.Int(int64(step-1))), int64(step))
}

// quotient is x/by, rounded down, for x that is at least by at all values of the variables.
func (d *dynamic) quotient(x graph.Dim, by int64) graph.Dim {
	if k, ok := x.Const(); ok {
		return graph.Int(graph.FloorDiv(k, by))
	}
	if !d.atLeast(x, graph.Int(by)) {
		must.Do(unsupported("%s/%d is not above 0 at all sizes", x.Words(), by))
	}
	return d.Simplify(graph.WindowOut(x, graph.Int(by), graph.TupleValue(by, 1), graph.NameValue(graph.Valid), 0))
}

func lowerSlice(c *call) {
	runs, v := c.runs(), c.in[0]
	if axes, ok := reversed(runs, v.dims()); ok && c.marked(noteReverse) {
		c.set(c.im.apply("reverse", attrs{"axes": graph.TupleValue(axes...)}, v))
		return
	}
	for a, r := range runs {
		if r.step == 1 {
			v = c.im.sliceTo(v, a, r.start, r.start.Add(r.count))
		} else {
			v = c.im.everyTo(v, a, r)
		}
	}
	c.set(v)
}

// pick keeps the given positions along an axis, in their order.
func (im *importer) pick(v *value, axis int, idx []int) *value {
	return im.apply("gather", attrs{"axis": graph.IntValue(axis)}, v, valueOf(intConstant(idx...)))
}

// every keeps the n positions first, first+step, … along an axis.
func (im *importer) every(x *value, axis, first, step, n int) *value {
	if step == 1 {
		return im.slice(x, axis, first, first+n)
	}
	if n > maxConstant {
		must.Do(unsupported("keeping %d elements with step %d is too large", n, step))
	}
	idx := make([]int, n)
	for i := range idx {
		idx[i] = first + i*step
	}
	return im.pick(x, axis, idx)
}

// everyTo keeps the positions of a run along an axis.
func (im *importer) everyTo(x *value, axis int, r run) *value {
	if at, ok := fixed([]graph.Dim{r.start, r.count}); ok {
		return im.every(x, axis, at[0], r.step, at[1])
	}
	if r.step == -1 {
		end := r.start.Add(graph.Int(1))
		return im.apply("reverse", attrs{"axes": graph.TupleValue(axis)}, im.sliceTo(x, axis, end.Sub(r.count), end))
	}
	dims := []graph.Dim{r.count}
	at := im.do("ewmul", im.placesFrom(r.count, graph.Int64), im.wholeTo(graph.Int(int64(r.step)), dims))
	if r.start != graph.Int(0) {
		at = im.do("ewadd", at, im.wholeTo(r.start, dims))
	}
	return im.apply("gather", attrs{"axis": graph.IntValue(axis)}, x, at)
}

// sizesInput are the elements of an input that holds sizes.
func (c *call) sizesInput(i int) []graph.Dim {
	sizes := c.knownDims(i, "shape")
	for _, n := range sizes {
		if !c.im.open.require(n, graph.Int(0)) {
			must.Failf("shape %v", sizes)
		}
		if k, ok := n.Const(); ok && k > graph.MaxSize {
			must.Failf("shape %v", sizes)
		}
	}
	return sizes
}

func (c *call) expandSizes() []graph.Dim {
	in := c.need(2, 2)
	return c.im.open.jointOf(in[0].dims(), c.sizesInput(1))
}

func lowerExpand(c *call) {
	sizes := c.expandSizes()
	if c.marked("keep") {
		c.set(c.im.apply("broadcast", attrs{"shape": graph.ShapeValue(graph.ShapeOf(sizes...))}, c.in[0]))
		return
	}
	c.set(c.im.broadcastTo(c.in[0], sizes))
}

func (c *call) repeats() []graph.Dim {
	in := c.need(2, 2)
	rep := c.knownDims(1, "repeats")
	if len(rep) != in[0].rank() {
		must.Failf("%d repeats for %s", len(rep), in[0])
	}
	for i, r := range rep {
		to, number := in[0].size(i).Mul(r).Const()
		if !c.im.open.require(r, graph.Int(0)) || number && to > graph.MaxSize {
			must.Failf("%s repeats", r)
		}
		if _, number := r.Const(); !number && !c.im.open.atLeast(r, graph.Int(1)) {
			must.Do(unsupported("%s repeats", r))
		}
	}
	return slices.Clone(rep)
}

// lowerTile: [n] is repeated as [1, n], broadcast to [r, n], reshaped to [r*n].
func lowerTile(c *call) {
	rep, x := c.repeats(), c.in[0]
	var apart, wide, out []graph.Dim
	zero, one := graph.Int(0), graph.Int(1)
	for i, n := range x.dims() {
		if rep[i] == zero {
			x, n, rep[i] = c.im.sliceTo(x, i, zero, zero), zero, one
		}
		if rep[i] != one && n != one && n != zero {
			apart, wide = append(apart, one), append(wide, rep[i])
		}
		apart, out = append(apart, n), append(out, n.Mul(rep[i]))
		if n == one {
			wide = append(wide, rep[i])
		} else {
			wide = append(wide, n)
		}
	}
	c.set(c.im.reshapeTo(c.im.broadcastTo(c.im.reshapeTo(x, apart), wide), out))
}

func lowerGather(c *call) {
	in := c.need(2, 2)
	x, idx := in[0], in[1]
	a := c.axisAttr(0, x.rank())
	k := must.Get(idx.constant())
	if idx.dtype != graph.Int64 && idx.dtype != graph.Int32 {
		must.Failf("indices must be integers, not %s", idx.dtype)
	}
	if k == nil {
		c.set(c.im.apply("gather", attrs{"axis": graph.IntValue(a)}, x, c.im.cast(idx, graph.Int64)))
		return
	}
	n := x.size(a)
	if _, ok := n.Const(); !ok && len(k.ints) == 1 && k.ints[0] < 0 {
		// The position is a variable's, which no constant holds.
		lo := n.Add(graph.Int(k.ints[0]))
		if !c.im.open.require(lo, graph.Int(0)) {
			must.Failf("index %d of axis %d of %s", k.ints[0], a, x)
		}
		to := slices.Concat(x.dims()[:a], dimsOf(k.sizes...), x.dims()[a+1:])
		c.set(c.im.reshapeTo(c.im.sliceTo(x, a, lo, lo.Add(graph.Int(1))), to))
		return
	}
	pos, at := newConstant(graph.Int64, k.sizes...), make([]graph.Dim, len(k.ints))
	for i, p := range k.ints {
		d := graph.Int(p)
		switch {
		case !c.im.open.require(d.Add(n), graph.Int(0)) || !c.im.open.require(n, d.Add(graph.Int(1))):
			must.Failf("index %d of axis %d of %s", p, a, x)
		case p < 0:
			d = d.Add(n)
		}
		at[i] = d
	}
	for i, d := range at {
		p, ok := d.Const()
		if !ok {
			c.set(c.im.apply("gather", attrs{"axis": graph.IntValue(a)}, x, wholes(graph.Int64, k.sizes, at...)))
			return
		}
		pos.ints[i] = p
	}
	if len(k.sizes) == 1 && c.simplifies() && graph.Int(int64(len(pos.ints))) == n && counts(pos.ints) {
		c.set(x)
		return
	}
	if !slices.Equal(pos.ints, k.ints) || k.dtype != graph.Int64 {
		idx = valueOf(pos)
	}
	c.set(c.im.apply("gather", attrs{"axis": graph.IntValue(a)}, x, idx))
}

// lowerConstantOfShape is for tensors that are too large to be constants: one
// number, broadcast.
func lowerConstantOfShape(c *call) {
	x, sizes := c.filled()
	v := c.im.broadcastTo(valueOf(x), sizes)
	if c.set(v); v.dtype.IsFloat() && v.made && !c.im.inFold && v.open == nil {
		c.im.filled[v.tensor] += int64(v.elements())
	}
}

// filled is the element and the sizes of a ConstantOfShape.
func (c *call) filled() (*constant, []graph.Dim) {
	c.need(1, 1)
	sizes := c.sizesInput(0)
	a := c.attr["value"]
	if a == nil {
		return newConstant(graph.Float32), sizes
	}
	w, err := readWeight(a.GetT(), c.im.src)
	if err != nil {
		must.Failf("value: %w", err)
	}
	k := must.Get(weightValue("", w).constant())
	if k == nil || k.len() != 1 {
		must.Failf("value: %s, want one element", describe(w))
	}
	return &constant{dtype: k.dtype, ints: k.ints, floats: k.floats}, sizes
}
