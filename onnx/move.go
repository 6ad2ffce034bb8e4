package onnx

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Operators that move elements and compute nothing.

func init() {
	register(map[string]lowering{
		"Reshape": lowerReshape, "Flatten": lowerFlatten, "Squeeze": lowerSqueeze, "Unsqueeze": lowerUnsqueeze,
		"Transpose": lowerTranspose, "Concat": lowerConcat, "Split": lowerSplit, "Slice": lowerSlice,
		"Expand": lowerExpand, "Tile": lowerTile, "Gather": lowerGather,
		"ConstantOfShape": lowerConstantOfShape,
	})
}

// reshapeTo are the sizes that a Reshape asks for: 0 keeps an axis, -1 is what
// remains.
func reshapeTo(from, shape []int, zeroIsZero bool) ([]int, error) {
	to := slices.Clone(shape)
	open, n := -1, int64(1)
	for i, s := range to {
		switch {
		case s == 0 && !zeroIsZero:
			if i >= len(from) {
				return nil, fmt.Errorf("shape %v keeps axis %d of sizes %v", shape, i, from)
			}
			to[i] = from[i]
		case s == -1 && open < 0:
			open = i
			continue
		case s < 0 || s > graph.MaxSize:
			return nil, fmt.Errorf("shape %v: size %d", shape, s)
		}
		n = graph.Product(int(n), to[i])
	}
	total := graph.Product(from...)
	if open >= 0 {
		if n == 0 || total%n != 0 {
			return nil, fmt.Errorf("sizes %v cannot be reshaped to %v", from, shape)
		}
		to[open] = int(total / n)
		n = total
	}
	if n != total {
		return nil, fmt.Errorf("sizes %v cannot be reshaped to %v", from, shape)
	}
	return to, nil
}

// reshapeSizes are the sizes a Reshape node makes.
func (c *call) reshapeSizes() ([]int, error) {
	in, err := c.need(1, 2)
	if err != nil {
		return nil, err
	}
	shape, err := c.intsOrInput("shape", 1)
	if err != nil {
		return nil, err
	}
	z, err := c.int("allowzero", 0)
	if err != nil {
		return nil, err
	}
	return reshapeTo(in[0].sizes, shape, z != 0)
}

func lowerReshape(c *call) error {
	sizes, err := c.reshapeSizes()
	if err != nil {
		return err
	}
	if c.marked("keep") {
		return c.set(c.im.apply("reshape", attrs{"shape": shapeAttr(sizes...)}, c.in[0]))
	}
	return c.set(c.im.reshape(c.in[0], sizes...))
}

func (c *call) flattenSizes() ([]int, error) {
	in, err := c.need(1, 1)
	if err != nil {
		return nil, err
	}
	a, err := c.int("axis", 1)
	if err != nil {
		return nil, err
	}
	r := int64(in[0].rank())
	if a < -r || a > r {
		return nil, fmt.Errorf("axis %d of a tensor with %d axes", a, r)
	}
	if a < 0 {
		a += r
	}
	return []int{graph.NumElements(in[0].sizes[:a]), graph.NumElements(in[0].sizes[a:])}, nil
}

func lowerFlatten(c *call) error {
	sizes, err := c.flattenSizes()
	if err != nil {
		return err
	}
	return c.set(c.im.reshape(c.in[0], sizes...))
}

// squeezeSizes leaves out the given axes, or all of size 1.
func (c *call) squeezeSizes() ([]int, error) {
	in, err := c.need(1, 2)
	if err != nil {
		return nil, err
	}
	list, err := c.intsOrInput("axes", 1)
	if err != nil {
		return nil, err
	}
	x := in[0]
	out, err := axesOf(list, x.rank())
	if err != nil {
		return nil, err
	}
	sizes := []int{}
	for i, n := range x.sizes {
		switch {
		case slices.Contains(out, i):
			if n != 1 {
				return nil, fmt.Errorf("axis %d of %s is not of size 1", i, x)
			}
		case list == nil && n == 1:
		default:
			sizes = append(sizes, n)
		}
	}
	return sizes, nil
}

func lowerSqueeze(c *call) error {
	sizes, err := c.squeezeSizes()
	if err != nil {
		return err
	}
	return c.set(c.im.reshape(c.in[0], sizes...))
}

// unsqueezeSizes adds axes of size 1 at the given places of the result.
func (c *call) unsqueezeSizes() ([]int, error) {
	in, err := c.need(1, 2)
	if err != nil {
		return nil, err
	}
	list, err := c.intsOrInput("axes", 1)
	if err != nil {
		return nil, err
	}
	rank := in[0].rank() + len(list)
	if rank > graph.MaxRank {
		return nil, fmt.Errorf("%d axes, more than %d", rank, graph.MaxRank)
	}
	at, err := axesOf(list, rank)
	if err != nil {
		return nil, err
	}
	sizes, rest := make([]int, rank), in[0].sizes
	for i := range sizes {
		if slices.Contains(at, i) {
			sizes[i] = 1
		} else {
			sizes[i], rest = rest[0], rest[1:]
		}
	}
	return sizes, nil
}

func lowerUnsqueeze(c *call) error {
	sizes, err := c.unsqueezeSizes()
	if err != nil {
		return err
	}
	return c.set(c.im.reshape(c.in[0], sizes...))
}

// perm is the order of axes of a Transpose, the reverse if none is given.
func (c *call) perm() ([]int, error) {
	in, err := c.need(1, 1)
	if err != nil {
		return nil, err
	}
	rank := in[0].rank()
	perm, err := c.ints("perm")
	if err != nil {
		return nil, err
	}
	if perm == nil {
		for i := rank - 1; i >= 0; i-- {
			perm = append(perm, i)
		}
	}
	if perm, err = axesOf(perm, rank); err != nil {
		return nil, fmt.Errorf("perm: %w", err)
	}
	if len(perm) != rank {
		return nil, fmt.Errorf("perm %v for %d axes", perm, rank)
	}
	return perm, nil
}

func lowerTranspose(c *call) error {
	perm, err := c.perm()
	if err != nil {
		return err
	}
	if c.marked("keep") {
		return c.set(c.im.apply("transpose", attrs{"perm": tupleAttr(perm...)}, c.in[0]))
	}
	return c.set(c.im.transpose(c.in[0], perm...))
}

func lowerConcat(c *call) error {
	in, err := c.need(1, max(len(c.in), 1))
	if err != nil {
		return err
	}
	var parts []*value
	for _, v := range in {
		if v == nil {
			return fmt.Errorf("an input is missing")
		}
		if !v.empty() {
			parts = append(parts, v)
		}
	}
	if len(parts) == 0 {
		return fmt.Errorf("no operand has elements")
	}
	a, err := c.axisAttr(1, parts[0].rank())
	if err != nil {
		return err
	}
	v := parts[0]
	for _, w := range parts[1:] {
		if v, err = c.im.apply("concat", attrs{"axis": intAttr(a)}, v, w); err != nil {
			return err
		}
	}
	return c.set(v, nil)
}

// splitSizes are the axis of a Split and the sizes of its parts.
func (c *call) splitSizes() (int, []int, error) {
	in, err := c.need(1, 2)
	if err != nil {
		return 0, nil, err
	}
	a, err := c.axisAttr(0, in[0].rank())
	if err != nil {
		return 0, nil, err
	}
	parts, err := c.intsOrInput("split", 1)
	if err != nil {
		return 0, nil, err
	}
	size, n := in[0].sizes[a], len(c.node.GetOutput())
	if parts == nil {
		if n == 0 {
			return 0, nil, fmt.Errorf("no outputs")
		}
		each := (size + n - 1) / n // the last part may be smaller
		if each*n != size && c.im.opset < 18 {
			return 0, nil, fmt.Errorf("size %d does not split into %d equal parts", size, n)
		}
		for rest := size; rest > 0; rest -= each {
			parts = append(parts, min(each, rest))
		}
	}
	sum := 0
	for _, p := range parts {
		if p < 0 || p > size {
			return 0, nil, fmt.Errorf("parts %v of size %d", parts, size)
		}
		sum += p
	}
	if sum != size || len(parts) != n {
		return 0, nil, fmt.Errorf("parts %v of size %d for %d outputs", parts, size, n)
	}
	return a, parts, nil
}

func lowerSplit(c *call) error {
	a, parts, err := c.splitSizes()
	if err != nil {
		return err
	}
	if c.marked("keep") && len(parts) == 2 {
		v, err := c.im.apply("split", attrs{"axis": intAttr(a), "at": intAttr(parts[0])}, c.in[0])
		if err != nil {
			return err
		}
		copy(c.outs, v.step.outs)
		return nil
	}
	lo := 0
	for i, n := range parts {
		if c.node.GetOutput()[i] != "" {
			if n == 0 {
				return fmt.Errorf("part %d is empty", i)
			}
			if c.outs[i], err = c.im.slice(c.in[0], a, lo, lo+n); err != nil {
				return err
			}
		}
		lo += n
	}
	return nil
}

// run is the positions start, start+step, … along one axis, count of them.
type run struct{ start, step, count int }

// runs are what a Slice keeps of each axis.
func (c *call) runs() ([]run, error) {
	in, err := c.need(1, 5)
	if err != nil {
		return nil, err
	}
	x := in[0]
	var lists [4][]int // starts, ends, axes, steps
	for i, name := range []string{"starts", "ends", "axes", "steps"} {
		if lists[i], err = c.bounds(name, i+1); err != nil {
			return nil, err
		}
	}
	starts, ends, axes, steps := lists[0], lists[1], lists[2], lists[3]
	if axes == nil {
		for i := range starts {
			axes = append(axes, i)
		}
	}
	if axes, err = axesOf(axes, x.rank()); err != nil {
		return nil, err
	}
	if len(ends) != len(starts) || len(axes) != len(starts) || steps != nil && len(steps) != len(starts) {
		return nil, fmt.Errorf("%d starts, %d ends, %d axes, %d steps", len(starts), len(ends), len(axes), len(steps))
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
			return nil, fmt.Errorf("step 0")
		}
	}
	return out, nil
}

func lowerSlice(c *call) error {
	runs, err := c.runs()
	if err != nil {
		return err
	}
	v := c.in[0]
	if axes, err := c.intsOrInput("axes", 3); err == nil && c.marked("keep") && len(axes) == 1 {
		if a, err := axis(axes[0], v.rank()); err == nil && runs[a].count == v.sizes[a] && runs[a].step == 1 {
			return c.set(c.im.apply("slice", attrs{"axis": intAttr(a), "lo": intAttr(0), "hi": intAttr(v.sizes[a])}, v))
		}
	}
	for a, r := range runs {
		switch {
		case r.count == 0:
			return fmt.Errorf("the slice of %s is empty along axis %d", c.in[0], a)
		case r.step == 1:
			v, err = c.im.slice(v, a, r.start, r.start+r.count)
		default:
			v, err = c.im.every(v, a, r.start, r.step, r.count)
		}
		if err != nil {
			return err
		}
	}
	return c.set(v, nil)
}

// pick keeps the given positions along an axis, in their order.
func (im *importer) pick(v *value, axis int, idx []int) (*value, error) {
	return im.apply("gather", attrs{"axis": intAttr(axis)}, v, valueOf(intConstant(idx...)))
}

func (c *call) expandSizes() ([]int, error) {
	in, err := c.need(2, 2)
	if err != nil {
		return nil, err
	}
	shape, err := c.knownInts(1, "shape")
	if err != nil {
		return nil, err
	}
	for _, n := range shape {
		if n < 0 || n > graph.MaxSize {
			return nil, fmt.Errorf("shape %v", shape)
		}
	}
	return joint(in[0], &value{sizes: shape})
}

func lowerExpand(c *call) error {
	sizes, err := c.expandSizes()
	if err != nil {
		return err
	}
	if c.marked("keep") {
		return c.set(c.im.apply("broadcast", attrs{"shape": shapeAttr(sizes...)}, c.in[0]))
	}
	return c.set(c.im.broadcast(c.in[0], sizes...))
}

func (c *call) repeats() ([]int, error) {
	in, err := c.need(2, 2)
	if err != nil {
		return nil, err
	}
	rep, err := c.knownInts(1, "repeats")
	if err != nil {
		return nil, err
	}
	if len(rep) != in[0].rank() {
		return nil, fmt.Errorf("%d repeats for %s", len(rep), in[0])
	}
	for i, r := range rep {
		if r < 0 || graph.Product(in[0].sizes[i], r) > graph.MaxSize {
			return nil, fmt.Errorf("%d repeats", r)
		}
	}
	return rep, nil
}

// lowerTile: [n] is repeated as [1, n], broadcast to [r, n], reshaped to [r*n].
func lowerTile(c *call) error {
	rep, err := c.repeats()
	if err != nil {
		return err
	}
	x := c.in[0]
	var apart, wide, out []int
	for i, n := range x.sizes {
		if rep[i] == 0 {
			return fmt.Errorf("0 repeats of axis %d", i)
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
	b := calc{im: c.im}
	v := b.keep(c.im.reshape(x, apart...))
	if b.err == nil {
		v = b.keep(c.im.broadcast(v, wide...))
	}
	if b.err == nil {
		v = b.keep(c.im.reshape(v, out...))
	}
	return c.set(v, b.err)
}

func lowerGather(c *call) error {
	in, err := c.need(2, 2)
	if err != nil {
		return err
	}
	x, idx := in[0], in[1]
	a, err := c.axisAttr(0, x.rank())
	if err != nil {
		return err
	}
	k, err := idx.constant()
	if err != nil {
		return err
	}
	if idx.dtype != graph.Int64 && idx.dtype != graph.Int32 {
		return fmt.Errorf("indices of type %s", idx.dtype)
	}
	if k != nil {
		n := int64(x.sizes[a])
		pos := newConstant(graph.Int64, k.sizes...)
		for i, p := range k.ints {
			if p < -n || p >= n {
				return fmt.Errorf("index %d of axis %d of %s", p, a, x)
			}
			pos.ints[i] = (p + n) % n
		}
		if !slices.Equal(pos.ints, k.ints) || k.dtype != graph.Int64 {
			idx = valueOf(pos)
		}
	} else if idx, err = c.im.cast(idx, graph.Int64); err != nil {
		return err
	}
	return c.set(c.im.apply("gather", attrs{"axis": intAttr(a)}, x, idx))
}

// lowerConstantOfShape is for tensors that are too large to be constants: one
// number, broadcast.
func lowerConstantOfShape(c *call) error {
	x, sizes, err := c.filled()
	if err != nil {
		return err
	}
	return c.set(c.im.broadcast(valueOf(x), sizes...))
}

// filled is the element and the sizes of a ConstantOfShape.
func (c *call) filled() (*constant, []int, error) {
	if _, err := c.need(1, 1); err != nil {
		return nil, nil, err
	}
	sizes, err := c.knownInts(0, "shape")
	if err != nil {
		return nil, nil, err
	}
	for _, n := range sizes {
		if n < 0 || n > graph.MaxSize {
			return nil, nil, fmt.Errorf("shape %v", sizes)
		}
	}
	x := newConstant(graph.Float32)
	if a := c.attr["value"]; a != nil {
		w, err := readWeight(a.GetT(), c.im.src)
		if err != nil {
			return nil, nil, fmt.Errorf("value: %w", err)
		}
		k, err := weightValue("", w).constant()
		if err != nil {
			return nil, nil, err
		}
		if k == nil || k.len() != 1 {
			return nil, nil, fmt.Errorf("value: %s, want one element", describe(w))
		}
		x = &constant{dtype: k.dtype, ints: k.ints, floats: k.floats}
	}
	return x, sizes, nil
}
