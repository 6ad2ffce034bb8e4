package onnx

import (
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Other element types: what Cast, CastLike and BitCast mean.

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
	if x := im.uncast(v); x != nil && x.dtype == t && v.dtype.Holds(t) && !im.own {
		return x
	}
	return im.castBy(v, t, how.mode(v.dtype, t))
}

// uncast returns the value that v is a cast of, nil if it is none.
func (im *importer) uncast(v *value) *value {
	g := im.made.Graph()
	if !v.made || g.Op(v.tensor.Node) == nil || g.Op(v.tensor.Node).Name != "cast" {
		return nil
	}
	return im.values[g.Operands(v.tensor.Node)[0]]
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
		must.Do(unsupported("a bit cast from %s to %s is supported for constants only", x.dtype, t))
	}
	c.set(c.im.cast(x, t))
}

func (c *call) sameWidth(from, to graph.DType) {
	if from.Bits() != to.Bits() {
		must.Failf("%s has %d bits and %s has %d", from, from.Bits(), to, to.Bits())
	}
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
