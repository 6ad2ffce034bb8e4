package onnx

import (
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Padding, and blocks of cells that become channels or the reverse.

// lowerPad: constant padding is an operator; the others pick positions along
// each axis. Negative pads cut.
func lowerPad(c *call) {
	in := c.need(1, 4)
	x := in[0]
	before, after := c.padding(x)
	fill := c.float("value", 0)
	if k := c.known(2, "value"); k != nil {
		if k.len() != 1 {
			must.Failf("the padding value must be one number, not %s", in[2])
		}
		fill = k.written()
		if !k.dtype.IsFloat() && (math.Abs(fill) > 1<<53) {
			must.Do(unsupported("the padding value is an integer above 2^53"))
		}
	}
	mode := c.text("mode", "constant")
	for a := range before {
		lo, hi := before[a], after[a]
		x = c.im.sliceTo(x, a, graph.Int(int64(max(-lo, 0))), x.size(a).Sub(graph.Int(int64(max(-hi, 0)))))
		before[a], after[a] = max(lo, 0), max(hi, 0)
	}
	if mode == "constant" {
		c.set(c.constantPad(x, before, after, fill))
		return
	}
	for a := range before {
		if before[a] == 0 && after[a] == 0 {
			continue
		}
		if _, ok := x.size(a).Const(); !ok {
			x = c.im.mirrored(x, a, before[a], after[a], mode)
			continue
		}
		n := numberOf(x.size(a))
		total := before[a] + n + after[a]
		if total > maxConstant {
			must.Do(unsupported("the padded size %d is too large", total))
		}
		idx := make([]int, total)
		for i := range idx {
			idx[i] = mirrored(mode, i-before[a], n)
		}
		x = c.im.pick(x, a, idx)
	}
	c.set(x)
}

func (c *call) constantPad(x *value, before, after []int, fill float64) *value {
	if c.marked("enlarge") && x.rank() == 4 && fill == 0 && central(before, after) {
		return c.im.apply("enlarge", attrs{"kh": graph.IntValue(x.sizes()[2] + before[2] + after[2]), "kw": graph.IntValue(x.sizes()[3] + before[3] + after[3])}, x)
	}
	if c.marked("keep") {
		return c.im.apply("pad", attrs{"before": graph.TupleValue(before...), "after": graph.TupleValue(after...), "value": graph.NumberValue(fill)}, x)
	}
	if v, _ := c.exact("value", fill).Number(); v != fill {
		fill = v
	}
	return c.im.pad(x, before, after, fill)
}

// mirrored is the cell of an axis of n that stands at position p, which may be
// outside.
func mirrored(mode string, p, n int) int {
	switch mode {
	case "edge":
		return min(max(p, 0), n-1)
	case "reflect":
		period := 2 * (n - 1)
		if period == 0 {
			return 0
		}
		if p = ((p % period) + period) % period; p >= n {
			p = period - p
		}
		return p
	case "wrap":
		return ((p % n) + n) % n
	}
	must.Do(unsupported("mode is %q", clip(mode)))
	return 0
}

// mirrored pads an axis of a dynamic size with cells of its own: slices of it, turned around.
func (im *importer) mirrored(x *value, axis, before, after int, mode string) *value {
	n, dim := x.size(axis), func(k int) graph.Dim { return graph.Int(int64(k)) }
	least := map[string]int{"edge": 1, "reflect": max(before, after) + 1, "wrap": max(before, after)}[mode]
	if least == 0 {
		must.Do(unsupported("mode is %q", clip(mode)))
	}
	if yes, known := im.open.decided(n, dim(least)); !known {
		// Exporters and runtimes know reflection and wrapping by less than an axis only; the
		// reference goes on beyond it.
		must.Do(&undefined{least: n.Sub(dim(least)), agreed: true, text: fmt.Sprintf("whether %s is at least %d depends on the sizes", n.Words(), least)})
	} else if !yes {
		must.Do(unsupported("mode %s with pads %d and %d of an axis of %s cells", mode, before, after, n))
	}
	part := func(lo, hi graph.Dim) *value {
		v := im.sliceTo(x, axis, lo, hi)
		if mode == "reflect" {
			v = im.apply("reverse", attrs{"axes": graph.TupleValue(axis)}, v)
		}
		return v
	}
	one := func(at graph.Dim, times int) *value {
		dims := slices.Clone(x.dims())
		dims[axis] = dim(times)
		return im.broadcastTo(im.sliceTo(x, axis, at, at.Add(dim(1))), dims)
	}
	join := func(a, b *value) *value { return im.apply("concat", attrs{"axis": graph.IntValue(axis)}, a, b) }
	y := x
	if before > 0 {
		switch mode {
		case "edge":
			y = join(one(dim(0), before), y)
		case "reflect":
			y = join(part(dim(1), dim(before+1)), y)
		default:
			y = join(part(n.Sub(dim(before)), n), y)
		}
	}
	if after > 0 {
		switch mode {
		case "edge":
			y = join(y, one(n.Sub(dim(1)), after))
		case "reflect":
			y = join(y, part(n.Sub(dim(after+1)), n.Sub(dim(1))))
		default:
			y = join(y, part(dim(0), dim(after)))
		}
	}
	return y
}

// padding is what a Pad adds before and after each axis, or cuts if negative.
func (c *call) padding(x *value) (before, after []int) {
	pads := c.intsOrInput("pads", 1)
	axes := axesOrAll(c.knownInts(3, "axes"), x.rank())
	if len(pads) != 2*len(axes) {
		must.Failf("%d pads for %d axes, want two per axis", len(pads), len(axes))
	}
	before, after = make([]int, x.rank()), make([]int, x.rank())
	for i, a := range axes {
		lo, hi := pads[i], pads[len(axes)+i]
		if x.size(a) == graph.Int(0) && min(lo, hi) >= 0 && max(lo, hi) <= graph.MaxSize && c.text("mode", "constant") == "constant" {
			before[a], after[a] = lo, hi // cells of the number alone
			continue
		}
		n := x.size(a)
		room := func(lo, hi int) bool { return c.im.open.require(n.Add(graph.Int(int64(lo)+int64(hi))), graph.Int(1)) }
		if max(lo, hi) > graph.MaxSize || !room(lo, hi) || !room(min(lo, 0), min(hi, 0)) {
			must.Failf("pads %d and %d do not fit an axis of size %s", lo, hi, n)
		}
		before[a], after[a] = lo, hi
	}
	return before, after
}

// central reports whether pads are those of enlarge.
func central(before, after []int) bool {
	for a := range before {
		if a < 2 && before[a]+after[a] != 0 || before[a] != (before[a]+after[a])/2 {
			return false
		}
	}
	return true
}

// blocks checks the block size of DepthToSpace and SpaceToDepth.
func (c *call) blocks() (x *value, size int) {
	x = c.need(1, 1)[0]
	n := c.int("blocksize", 0)
	if n < 1 || n > 1<<15 {
		must.Failf("blocksize %d, want 1 to 32768", n)
	}
	if x.rank() != 4 {
		must.Failf("%s: want 4 axes", x)
	}
	return x, int(n)
}

// reshuffle takes axes apart, exchanges them and puts them together.
func (im *importer) reshuffle(x *value, apart []graph.Dim, perm []int, out []graph.Dim) *value {
	return im.reshapeTo(im.transpose(im.reshapeTo(x, apart), perm...), out)
}

func lowerDepthToSpace(c *call) {
	x, k := c.blocks()
	mode := c.text("mode", "DCR")
	b, ch, h, w := x.size(0), numberOf(x.size(1)), x.size(2), x.size(3)
	if ch%(k*k) != 0 {
		must.Failf("%d channels do not divide into blocks of size %d", ch, k)
	}
	d, n := graph.Int(int64(ch/(k*k))), graph.Int(int64(k))
	apart, perm := []graph.Dim{b, n, n, d, h, w}, []int{0, 3, 4, 1, 5, 2}
	switch mode {
	case "DCR":
	case "CRD":
		apart, perm = []graph.Dim{b, d, n, n, h, w}, []int{0, 1, 4, 2, 5, 3}
	default:
		must.Failf("mode is %q", clip(mode))
	}
	c.set(c.im.reshuffle(x, apart, perm, []graph.Dim{b, d, h.Mul(n), w.Mul(n)}))
}

func lowerSpaceToDepth(c *call) {
	x, k := c.blocks()
	b, ch, h, w, n := x.size(0), x.size(1), x.size(2), x.size(3), graph.Int(int64(k))
	part := func(size graph.Dim) graph.Dim {
		d, ok := size.Quo(n)
		if _, number := size.Const(); !ok && number {
			must.Failf("%s does not divide into blocks of size %d", x, k)
		} else if !ok {
			must.Do(indivisible(size, n, fmt.Sprintf("%s does not divide into blocks of size %d at all sizes", x, k)))
		}
		return d
	}
	c.set(c.im.reshuffle(x, []graph.Dim{b, ch, part(h), n, part(w), n}, []int{0, 3, 5, 1, 2, 4},
		[]graph.Dim{b, ch.Scale(int64(k * k)), part(h), part(w)}))
}
