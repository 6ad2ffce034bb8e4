package onnx

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// Other element types: what Cast, CastLike and BitCast mean, while reading and as
// operators.

func init() {
	register(map[string]lowering{"Cast": lowerCast, "CastLike": lowerCastLike, "BitCast": lowerBitCast})
	evaluators["Cast"], evaluators["CastLike"], evaluators["BitCast"] = evalCast, evalCastLike, evalBitCast
}

// conversion is how a node makes elements of another type: to the 8-bit floating-point
// types with or without saturation, to float8e8m0 in one of three directions.
type conversion struct {
	overflow bool
	to       string
}

// byDefault is the conversion where a node says nothing.
var byDefault = conversion{to: "up"}

func (c *call) conversion() conversion {
	how := conversion{overflow: c.int("saturate", 1) == 0, to: c.text("round_mode", "up")}
	if !slices.Contains([]string{"up", "down", "nearest"}, how.to) {
		must.Failf("round_mode is %q", clip(how.to))
	}
	return how
}

// mode is the conversion from one type to another as the operator cast names it. Of
// numbers that an integer type does not hold nothing is said; integers wrap around.
func (how conversion) mode(from, to graph.DType) string {
	fromLo, fromHi := from.IntRange()
	lo, hi := to.IntRange()
	switch {
	case to.IsInt() && from.IsInt() && (fromLo < lo || fromHi > hi):
		return "wrap"
	case graph.CastMode(from, to) == graph.Exact:
		return graph.Exact
	case to == graph.Float8E8M0 && how.overflow:
		return how.to + "_overflow"
	case to == graph.Float8E8M0 && how.to != "up":
		return how.to
	case to != graph.Float8E8M0 && how.overflow && slices.Contains(graph.Modes(to), "overflow"):
		return "overflow"
	}
	return "default"
}

// castTo is the element type that a node's attribute names.
func (c *call) castTo() graph.DType {
	t, err := dtypeOf(elem(c.int("to", 0)))
	if err != nil {
		must.Do(unsupported("%v", err))
	}
	return t
}

// noteMode begins the note of a Cast that is of another mode than it would be read with.
const noteMode = "mode="

func lowerCast(c *call) {
	x, t, how := c.need(1, 1)[0], c.castTo(), c.conversion()
	text, _ := c.noteOf()
	if mode, ok := strings.CutPrefix(text, noteMode); ok && slices.Contains(graph.Modes(t), mode) && (mode != "wrap" || !x.dtype.IsFloat()) && (mode != graph.Exact || t.Holds(x.dtype)) {
		c.set(c.im.castBy(x, t, mode))
		return
	}
	if c.marked("keep") {
		c.set(c.im.castBy(x, t, how.mode(x.dtype, t)))
		return
	}
	c.set(c.im.castAs(x, t, how))
}

func lowerCastLike(c *call) {
	in := c.need(2, 2)
	c.set(c.im.castAs(in[0], in[1].dtype, c.conversion()))
}

func (im *importer) cast(v *value, t graph.DType) *value { return im.castAs(v, t, byDefault) }

func (im *importer) castAs(v *value, t graph.DType, how conversion) *value {
	if v.ones != nil && t == v.ones.dtype {
		return v.ones
	}
	if v.dtype == t {
		return v
	}
	return im.castBy(v, t, how.mode(v.dtype, t))
}

func (im *importer) castBy(v *value, t graph.DType, mode string) *value {
	return im.apply("cast", attrs{"to": graph.NameValue(t.String()), "mode": graph.NameValue(mode)}, v)
}

// lowerBitCast: the same bits as another type. Of integers of one width those are the same
// numbers modulo 2 to their number.
func lowerBitCast(c *call) {
	x, t := c.need(1, 1)[0], c.castTo()
	c.sameWidth(x.dtype, t)
	if x.dtype != t && (x.dtype.IsFloat() || t.IsFloat() || t == graph.Bool) {
		must.Do(unsupported("the bits of what is not constant are taken from %s for %s", x.dtype, t))
	}
	c.set(c.im.cast(x, t))
}

func (c *call) sameWidth(from, to graph.DType) {
	if from.Bits() != to.Bits() {
		must.Failf("elements of type %s are %d bits, those of type %s %d", from, from.Bits(), to, to.Bits())
	}
}

func evalCast(c *call, in []*constant) []*constant {
	notFolded(len(in) != 1 || in[0] == nil)
	t, err := dtypeOf(elem(c.int("to", 0)))
	notFolded(err != nil)
	return []*constant{in[0].castAs(t, c.conversion())}
}

func evalCastLike(c *call, in []*constant) []*constant {
	notFolded(len(in) != 2 || slices.Contains(in, nil))
	return []*constant{in[0].castAs(in[1].dtype, c.conversion())}
}

func evalBitCast(c *call, in []*constant) []*constant {
	notFolded(len(in) != 1 || in[0] == nil)
	t, err := dtypeOf(elem(c.int("to", 0)))
	notFolded(err != nil)
	c.sameWidth(in[0].dtype, t)
	return []*constant{must.Get(decodeConstant(t, in[0].sizes, in[0].encode()))}
}

// cast is a constant in another element type.
func (k *constant) cast(t graph.DType) *constant { return k.castAs(t, byDefault) }

func (k *constant) castAs(t graph.DType, how conversion) *constant {
	if k.dtype == t {
		return k
	}
	out := newConstant(t, k.sizes...)
	round := graph.CastValue(t, how.mode(k.dtype, t))
	for i := range k.len() {
		switch {
		case t.IsNarrow() || t == graph.Float32:
			x := k.sticky(i)
			if out.floats[i] = round(x); t == graph.Float32 {
				out.floats[i] = model.Round(t, x)
			}
		case t == graph.Float64:
			out.floats[i] = k.number(i)
		case !k.dtype.IsFloat():
			out.ints[i] = model.Wrap(t, k.ints[i])
		case t == graph.Bool:
			out.ints[i] = truth(k.floats[i] != 0)
		case t.Bits() < 8:
			x := round(k.floats[i])
			notFolded(math.IsNaN(x))
			out.putInt(i, x)
		default:
			// What the type does not hold wraps around here, as far as that can be told.
			x := math.Trunc(k.floats[i])
			notFolded(!(x >= -1<<63 && x < 1<<63) && !(t == graph.Uint64 && x >= 0 && x < 1<<64))
			out.putInt(i, x)
			out.ints[i] = model.Wrap(t, out.ints[i])
		}
	}
	return out
}

// putInt makes a whole number element i of integers.
func (k *constant) putInt(i int, x float64) {
	if k.dtype == graph.Uint64 && x >= 1<<63 {
		k.ints[i] = int64(uint64(x))
	} else {
		k.ints[i] = int64(x)
	}
}

// sticky is element i as a number which is rounded to any type of at most 51 bits of fraction as the
// element itself would be: of an integer that is no float64, the next one towards 0 with its
// lowest bit set, which tells that it is not that number.
func (k *constant) sticky(i int) float64 {
	if k.dtype.IsFloat() {
		return k.floats[i]
	}
	n, sign := uint64(k.ints[i]), 1.0
	if k.dtype != graph.Uint64 && k.ints[i] < 0 {
		n, sign = -n, -1
	}
	cut := max(bits.Len64(n)-53, 0)
	kept := n >> cut
	if kept<<cut != n {
		kept |= 1
	}
	return sign * math.Ldexp(float64(kept), cut)
}

// writeCast writes the mode as attributes, and as a note where it would be read as another.
func writeCast(e *exporter, id graph.NodeID) {
	from, to := e.g.DType(e.g.Operands(id)[0]), e.g.DType(id.Out(0))
	mode, _ := e.attr(id, "mode").Name()
	n := e.emit("Cast", e.operands(id), e.out(id), intAttribute("to", int64(elemOf(to))))
	how := byDefault
	if to.IsNarrow() {
		dir, overflow := strings.CutSuffix(mode, "overflow")
		if how.overflow = overflow; overflow {
			n.Attribute = append(n.Attribute, intAttribute("saturate", 0))
		}
		if dir = strings.TrimSuffix(dir, "_"); to == graph.Float8E8M0 && dir != "default" && dir != "up" {
			how.to = dir
			n.Attribute = append(n.Attribute, textAttribute("round_mode", dir))
		}
	}
	e.markKept(id, n)
	if how.mode(from, to) != mode {
		mark(n, noteMode+mode)
	}
}
