package onnx

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Padding, and blocks of cells that become channels or the reverse.

func init() {
	register(map[string]lowering{"Pad": lowerPad, "DepthToSpace": lowerDepthToSpace, "SpaceToDepth": lowerSpaceToDepth})
}

// lowerPad: constant padding is an operator; the others pick positions along
// each axis. Negative pads cut.
func lowerPad(c *call) error {
	in, err := c.need(1, 4)
	if err != nil {
		return err
	}
	x := in[0]
	before, after, err := c.padding(x)
	if err != nil {
		return err
	}
	fill, err := c.float("value", 0)
	if err != nil {
		return err
	}
	if in[2] != nil {
		k, err := c.known(2, "value")
		if err != nil {
			return err
		}
		if k.len() != 1 {
			return fmt.Errorf("its value is %s", in[2])
		}
		if fill = k.number(0); k.dtype == graph.Float32 {
			fill = shortest(float32(fill))
		}
	}
	mode, err := c.text("mode", "constant")
	if err != nil {
		return err
	}
	for a := range before {
		lo, hi := before[a], after[a]
		if x, err = c.im.slice(x, a, max(-lo, 0), x.sizes[a]-max(-hi, 0)); err != nil {
			return err
		}
		before[a], after[a] = max(lo, 0), max(hi, 0)
	}
	if mode == "constant" {
		if c.marked("enlarge") && x.rank() == 4 && fill == 0 && central(before, after) {
			return c.set(c.im.apply("enlarge", attrs{"kh": intAttr(x.sizes[2] + before[2] + after[2]), "kw": intAttr(x.sizes[3] + before[3] + after[3])}, x))
		}
		if c.marked("keep") {
			return c.set(c.im.apply("pad", attrs{"before": tupleAttr(before...), "after": tupleAttr(after...), "value": graph.NumberValue(fill)}, x))
		}
		if v, _ := c.exact("value", fill).Number(); v != fill {
			fill = v
		}
		return c.set(c.im.pad(x, before, after, fill))
	}
	for a := range before {
		if before[a] == 0 && after[a] == 0 {
			continue
		}
		n := x.sizes[a]
		total := before[a] + n + after[a]
		if total > maxConstant {
			return unsupported("it pads to %d", total)
		}
		idx := make([]int, total)
		for i := range idx {
			p := i - before[a]
			switch mode {
			case "edge":
				p = min(max(p, 0), n-1)
			case "reflect":
				if period := 2 * (n - 1); period == 0 {
					p = 0
				} else if p = ((p % period) + period) % period; p >= n {
					p = period - p
				}
			case "wrap":
				p = ((p % n) + n) % n
			default:
				return unsupported("mode is %q", clip(mode))
			}
			idx[i] = p
		}
		if x, err = c.im.pick(x, a, idx); err != nil {
			return err
		}
	}
	return c.set(x, nil)
}

// padding is what a Pad adds before and after each axis, or cuts if negative.
func (c *call) padding(x *value) (before, after []int, err error) {
	pads, err := c.intsOrInput("pads", 1)
	if err != nil {
		return nil, nil, err
	}
	axes, err := c.knownInts(3, "axes")
	if err != nil {
		return nil, nil, err
	}
	if axes == nil {
		for i := range x.rank() {
			axes = append(axes, i)
		}
	}
	if axes, err = axesOf(axes, x.rank()); err != nil {
		return nil, nil, err
	}
	if len(pads) != 2*len(axes) {
		return nil, nil, fmt.Errorf("%d pads for %d axes", len(pads), len(axes))
	}
	before, after = make([]int, x.rank()), make([]int, x.rank())
	for i, a := range axes {
		lo, hi := pads[i], pads[len(axes)+i]
		if n := int64(x.sizes[a]); max(lo, hi) > graph.MaxSize || n+int64(lo)+int64(hi) < 1 || n+int64(min(lo, 0))+int64(min(hi, 0)) < 1 {
			return nil, nil, fmt.Errorf("pads %d and %d of an axis of size %d", lo, hi, n)
		}
		before[a], after[a] = lo, hi
	}
	return before, after, nil
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
func (c *call) blocks() (x *value, size int, err error) {
	in, err := c.need(1, 1)
	if err != nil {
		return nil, 0, err
	}
	n, err := c.int("blocksize", 0)
	if err != nil {
		return nil, 0, err
	}
	if n < 1 || n > 1<<15 {
		return nil, 0, fmt.Errorf("blocksize %d", n)
	}
	if in[0].rank() != 4 {
		return nil, 0, fmt.Errorf("%s: want 4 axes", in[0])
	}
	return in[0], int(n), nil
}

func (im *importer) reshuffle(x *value, apart, perm, out []int) (*value, error) {
	b := calc{im: im}
	v := b.keep(im.reshape(x, apart...))
	if b.err == nil {
		v = b.keep(im.transpose(v, perm...))
	}
	if b.err == nil {
		v = b.keep(im.reshape(v, out...))
	}
	return v, b.err
}

func lowerDepthToSpace(c *call) error {
	x, k, err := c.blocks()
	if err != nil {
		return err
	}
	mode, err := c.text("mode", "DCR")
	if err != nil {
		return err
	}
	b, ch, h, w := x.sizes[0], x.sizes[1], x.sizes[2], x.sizes[3]
	if ch%(k*k) != 0 {
		return fmt.Errorf("%d channels in blocks of %d", ch, k)
	}
	d := ch / (k * k)
	out := []int{b, d, h * k, w * k}
	if mode == "CRD" {
		return c.set(c.im.reshuffle(x, []int{b, d, k, k, h, w}, []int{0, 1, 4, 2, 5, 3}, out))
	}
	return c.set(c.im.reshuffle(x, []int{b, k, k, d, h, w}, []int{0, 3, 4, 1, 5, 2}, out))
}

func lowerSpaceToDepth(c *call) error {
	x, k, err := c.blocks()
	if err != nil {
		return err
	}
	b, ch, h, w := x.sizes[0], x.sizes[1], x.sizes[2], x.sizes[3]
	if h%k != 0 || w%k != 0 {
		return fmt.Errorf("%s in blocks of %d", x, k)
	}
	return c.set(c.im.reshuffle(x, []int{b, ch, h / k, k, w / k, k}, []int{0, 3, 5, 1, 2, 4},
		[]int{b, ch * k * k, h / k, w / k}))
}
