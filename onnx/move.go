package onnx

import (
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
func sized(sizes func(c *call) []int) lowering {
	return func(c *call) {
		to := sizes(c)
		c.set(c.im.reshape(c.in[0], to...))
	}
}

// reshapeTo are the sizes that a Reshape asks for: 0 keeps an axis, -1 is what
// remains.
func reshapeTo(from, shape []int, zeroIsZero bool) []int {
	to := slices.Clone(shape)
	open, n := -1, int64(1)
	for i, s := range to {
		switch {
		case s == 0 && !zeroIsZero:
			if i >= len(from) {
				must.Failf("shape %v keeps axis %d of sizes %v", shape, i, from)
			}
			to[i] = from[i]
		case s == -1 && open < 0:
			open = i
			continue
		case s < 0 || s > graph.MaxSize:
			must.Failf("shape %v: size %d", shape, s)
		}
		n = graph.Product(int(n), to[i])
	}
	total := graph.Product(from...)
	if open >= 0 && n != 0 && total%n == 0 {
		to[open] = int(total / n)
		n = total
	} else if open >= 0 || n != total {
		must.Failf("sizes %v cannot be reshaped to %v", from, shape)
	}
	return to
}

// reshapeSizes are the sizes a Reshape node makes.
func (c *call) reshapeSizes() []int {
	in := c.need(1, 2)
	shape := c.intsOrInput("shape", 1)
	return reshapeTo(in[0].sizes, shape, c.flag("allowzero"))
}

func lowerReshape(c *call) {
	sizes := c.reshapeSizes()
	if c.marked("keep") {
		c.set(c.im.reshaped(c.in[0], sizes...))
		return
	}
	c.set(c.im.reshape(c.in[0], sizes...))
}

func (c *call) flattenSizes() []int {
	in := c.need(1, 1)
	a, r := c.int("axis", 1), int64(in[0].rank())
	if a < -r || a > r {
		must.Failf("axis %d of a tensor with %d axes", a, r)
	}
	if a < 0 {
		a += r
	}
	return []int{graph.NumElements(in[0].sizes[:a]), graph.NumElements(in[0].sizes[a:])}
}

// squeezeSizes leaves out the given axes, or all of size 1.
func (c *call) squeezeSizes() []int {
	x := c.need(1, 2)[0]
	list := c.intsOrInput("axes", 1)
	out := axesOf(list, x.rank())
	sizes := []int{}
	for i, n := range x.sizes {
		switch {
		case slices.Contains(out, i):
			if n != 1 {
				must.Failf("axis %d of %s is not of size 1", i, x)
			}
		case list == nil && n == 1:
		default:
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// unsqueezeSizes adds axes of size 1 at the given places of the result.
func (c *call) unsqueezeSizes() []int {
	in := c.need(1, 2)
	list := c.intsOrInput("axes", 1)
	rank := in[0].rank() + len(list)
	if rank > graph.MaxRank {
		must.Failf("%d axes, more than %d", rank, graph.MaxRank)
	}
	at := axesOf(list, rank)
	sizes, rest := make([]int, rank), in[0].sizes
	for i := range sizes {
		if slices.Contains(at, i) {
			sizes[i] = 1
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
func (c *call) splitSizes() (int, []int) {
	in := c.need(1, 2)
	a := c.axisAttr(0, in[0].rank())
	parts := c.intsOrInput("split", 1)
	size, n := in[0].sizes[a], len(c.node.GetOutput())
	if c.has("num_outputs") && c.int("num_outputs", 0) != int64(n) {
		must.Failf("num_outputs is %d, and it has %d outputs", c.int("num_outputs", 0), n)
	}
	if parts == nil {
		if n == 0 {
			must.Failf("no outputs")
		}
		each := (size + n - 1) / n // the last part may be smaller
		if each*n != size && c.im.opset < 18 {
			must.Failf("size %d does not split into %d equal parts", size, n)
		}
		for rest := size; rest > 0; rest -= each {
			parts = append(parts, min(each, rest))
		}
	}
	sum := 0
	for _, p := range parts {
		if p < 0 || p > size {
			must.Failf("parts %v of size %d", parts, size)
		}
		sum += p
	}
	if sum != size || len(parts) != n {
		must.Failf("parts %v of size %d for %d outputs", parts, size, n)
	}
	return a, parts
}

func lowerSplit(c *call) {
	a, parts := c.splitSizes()
	if c.marked("keep") && len(parts) == 2 {
		split, _ := graph.Lookup("split")
		at := must.Get(split.Attr(attrs{"axis": graph.IntValue(a), "at": graph.IntValue(parts[0])}))
		copy(c.outs, c.im.applyAttrs(split, at, c.in[0]))
		return
	}
	lo := 0
	for i, n := range parts {
		if c.node.GetOutput()[i] != "" {
			if n == 0 { // of which everything is known
				sizes := slices.Clone(c.in[0].sizes)
				sizes[a] = 0
				c.outs[i] = valueOf(newConstant(c.in[0].dtype, sizes...))
			} else {
				c.outs[i] = c.im.slice(c.in[0], a, lo, lo+n)
			}
		}
		lo += n
	}
}

// run is the positions start, start+step, … along one axis, count of them.
type run struct{ start, step, count int }

// runs are what a Slice keeps of each axis.
func (c *call) runs() []run {
	x := c.need(1, 5)[0]
	var lists [4][]int
	for i, name := range []string{"starts", "ends", "axes", "steps"} {
		lists[i] = c.bounds(name, i+1)
	}
	starts, ends, axes, steps := lists[0], lists[1], lists[2], lists[3]
	if axes == nil {
		axes = upTo(0, len(starts))
	}
	axes = axesOf(axes, x.rank())
	if len(ends) != len(starts) || len(axes) != len(starts) || steps != nil && len(steps) != len(starts) {
		must.Failf("%d starts, %d ends, %d axes, %d steps", len(starts), len(ends), len(axes), len(steps))
	}
	out := make([]run, x.rank())
	for i, n := range x.sizes {
		out[i] = run{0, 1, n}
	}
	for i, a := range axes {
		n, step := x.sizes[a], 1
		if steps != nil {
			step = steps[i]
		}
		lo, hi := starts[i], ends[i]
		if lo < 0 {
			lo += n
		}
		if hi < 0 {
			hi += n
		}
		switch {
		case step > 0:
			lo, hi = min(max(lo, 0), n), min(max(hi, 0), n)
			out[a] = run{lo, step, max(0, (hi-lo+step-1)/step)}
		case step < 0:
			lo, hi = min(max(lo, -1), n-1), min(max(hi, -1), n-1)
			out[a] = run{lo, step, max(0, (lo-hi-step-1)/-step)}
		default:
			must.Failf("step 0")
		}
	}
	return out
}

func lowerSlice(c *call) {
	runs, v := c.runs(), c.in[0]
	if axes, ok := reversed(runs, v.sizes); ok && c.marked(noteReverse) {
		c.set(c.im.apply("reverse", attrs{"axes": graph.TupleValue(axes...)}, v))
		return
	}
	for a, r := range runs {
		v = c.im.every(v, a, r.start, r.step, r.count)
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

// sizesInput are the elements of an input that holds sizes.
func (c *call) sizesInput(i int) []int {
	sizes := c.knownInts(i, "shape")
	for _, n := range sizes {
		if n < 0 || n > graph.MaxSize {
			must.Failf("shape %v", sizes)
		}
	}
	return sizes
}

func (c *call) expandSizes() []int {
	in := c.need(2, 2)
	return joint(in[0].sizes, c.sizesInput(1))
}

func lowerExpand(c *call) {
	sizes := c.expandSizes()
	if c.marked("keep") {
		c.set(c.im.apply("broadcast", attrs{"shape": shapeAttr(sizes...)}, c.in[0]))
		return
	}
	c.set(c.im.broadcast(c.in[0], sizes...))
}

func (c *call) repeats() []int {
	in := c.need(2, 2)
	rep := c.knownInts(1, "repeats")
	if len(rep) != in[0].rank() {
		must.Failf("%d repeats for %s", len(rep), in[0])
	}
	for i, r := range rep {
		if r < 0 || graph.Product(in[0].sizes[i], r) > graph.MaxSize {
			must.Failf("%d repeats", r)
		}
	}
	return rep
}

// lowerTile: [n] is repeated as [1, n], broadcast to [r, n], reshaped to [r*n].
func lowerTile(c *call) {
	rep, x := c.repeats(), c.in[0]
	var apart, wide, out []int
	for i, n := range x.sizes {
		if rep[i] == 0 {
			x, n, rep[i] = c.im.slice(x, i, 0, 0), 0, 1
		}
		if rep[i] > 1 && n > 1 {
			apart, wide = append(apart, 1), append(wide, rep[i])
		}
		apart, out = append(apart, n), append(out, n*rep[i])
		if n == 1 {
			wide = append(wide, rep[i])
		} else {
			wide = append(wide, n)
		}
	}
	c.set(c.im.reshape(c.im.broadcast(c.im.reshape(x, apart...), wide...), out...))
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
	n := int64(x.sizes[a])
	pos := newConstant(graph.Int64, k.sizes...)
	for i, p := range k.ints {
		if p < -n || p >= n {
			must.Failf("index %d of axis %d of %s", p, a, x)
		}
		pos.ints[i] = (p + n) % n
	}
	if len(k.sizes) == 1 && c.simplifies() && len(pos.ints) == x.sizes[a] && counts(pos.ints) {
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
	v := c.im.broadcast(valueOf(x), sizes...)
	if c.set(v); v.dtype.IsFloat() && v.made && !c.im.inFold {
		c.im.filled[v.tensor] += int64(v.elements())
	}
}

// filled is the element and the sizes of a ConstantOfShape.
func (c *call) filled() (*constant, []int) {
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
