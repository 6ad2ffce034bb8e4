package onnx

import (
	"fmt"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// What a node says beside its inputs: attributes, and inputs that must be constant.
// A wrong type is an error.

func (c *call) has(name string) bool { return c.attr[name] != nil }

// typed is an attribute of a type, or nil; untyped, it is one if it holds a value of
// the type.
func (c *call) typed(name string, t onnxpb.AttributeProto_AttributeType, holds func(a *onnxpb.AttributeProto) bool) *onnxpb.AttributeProto {
	a := c.attr[name]
	if a != nil && a.GetType() != t && !(a.Type == nil && holds(a)) {
		must.Failf("attribute %s is of type %s, want %s", name, a.GetType(), t)
	}
	return a
}

func (c *call) int(name string, missing int64) int64 {
	a := c.typed(name, onnxpb.AttributeProto_INT, func(a *onnxpb.AttributeProto) bool { return a.I != nil })
	if a == nil {
		return missing
	}
	return a.GetI()
}

// bit is an integer that is 1 for yes and 0 for no; runtimes do not agree on what others mean.
func (c *call) bit(name string, missing int64) bool {
	n := c.int(name, missing)
	if n != 0 && n != 1 {
		must.Do(unsupported("its %s is %d, neither 0 nor 1", name, n))
	}
	return n == 1
}

// flag is an integer that is not 0 for yes.
func (c *call) flag(name string) bool { return c.int(name, 0) != 0 }

func (c *call) float(name string, missing float64) float64 {
	a := c.typed(name, onnxpb.AttributeProto_FLOAT, func(a *onnxpb.AttributeProto) bool { return a.F != nil })
	if a == nil {
		return missing
	}
	return shortest(a.GetF())
}

func (c *call) text(name, missing string) string {
	a := c.typed(name, onnxpb.AttributeProto_STRING, func(a *onnxpb.AttributeProto) bool { return a.S != nil })
	if a == nil {
		return missing
	}
	return string(a.GetS())
}

func anyList(*onnxpb.AttributeProto) bool { return true }

// ints is a list of integers, nil if it is missing.
func (c *call) ints(name string) []int {
	a := c.typed(name, onnxpb.AttributeProto_INTS, anyList)
	if a == nil {
		return nil
	}
	out := make([]int, len(a.GetInts()))
	for i, x := range a.GetInts() {
		// Sums and products of sizes can hold it.
		if x > 1<<40 || x < -1<<40 {
			must.Failf("%d is too large", x)
		}
		out[i] = int(x)
	}
	return out
}

func (c *call) floats(name string) []float64 {
	a := c.typed(name, onnxpb.AttributeProto_FLOATS, anyList)
	if a == nil {
		return nil
	}
	out := make([]float64, len(a.GetFloats()))
	for i, x := range a.GetFloats() {
		out[i] = float64(x)
	}
	return out
}

// known are the elements of an input, which must be constant; nil if it is left
// out.
func (c *call) known(i int, what string) *constant {
	v := c.optional(i)
	if v == nil {
		return nil
	}
	k := must.Get(v.constant())
	if k == nil {
		must.Do(unsupported("its %s is not constant%s", what, c.im.wayToConstant(v)))
	}
	return k
}

// wayToConstant tells how a value may become constant: what it depends on has a default in
// the file.
func (im *importer) wayToConstant(v *value) string {
	if v.tensor.Node == 0 {
		return ""
	}
	g, seen := im.made.Graph(), map[graph.NodeID]bool{v.tensor.Node: true}
	for id := v.tensor.Node; id > 0; id-- {
		if !seen[id] {
			continue
		}
		for _, t := range g.Operands(id) {
			seen[t.Node] = true
		}
		if in := im.values[id.Out(0)]; g.Op(id) == nil && in != nil && im.standard[in.name] != nil {
			return fmt.Sprintf("; input %q has a default in the file, which --defaults takes for a constant", clip(in.name))
		}
	}
	return ""
}

// knownInts are the elements of an integer input; nil if it is left out. Those
// that mean "to the end" are cut to 40 bits.
func (c *call) knownInts(i int, what string) []int {
	k := c.known(i, what)
	if k == nil {
		return nil
	}
	if k.dtype.IsFloat() || k.rank() > 1 {
		must.Failf("its %s is a %s%v", what, k.dtype, k.sizes)
	}
	return cut(k.ints)
}

// knownDims are the elements of an integer input, which may have variables; nil if it is
// left out.
func (c *call) knownDims(i int, what string) []graph.Dim {
	if v := c.optional(i); v != nil && v.ints != nil {
		if v.rank() > 1 {
			must.Failf("its %s is %s", what, v)
		}
		return v.ints
	}
	xs := c.knownInts(i, what)
	if xs == nil {
		return nil
	}
	return dimsOf(xs...)
}

// bounds is a list of positions, an attribute or an input, in which large
// numbers stand for "to the end"; they are cut to 40 bits.
func (c *call) bounds(name string, i int) []int {
	if a := c.typed(name, onnxpb.AttributeProto_INTS, anyList); a != nil {
		return cut(a.GetInts())
	}
	return c.knownInts(i, name)
}

// boundDims are bounds that may have variables.
func (c *call) boundDims(name string, i int) []graph.Dim {
	if v := c.optional(i); v != nil && v.ints != nil {
		return c.knownDims(i, name)
	}
	xs := c.bounds(name, i)
	if xs == nil {
		return nil
	}
	return dimsOf(xs...)
}

// cut are integers that sums of sizes can hold, far beyond any size.
func cut(xs []int64) []int {
	out := make([]int, len(xs))
	for i, x := range xs {
		out[i] = int(min(max(x, -1<<40), 1<<40))
	}
	return out
}

// intsOrInput is a list that was an attribute in old operator sets and is an
// input in new ones.
func (c *call) intsOrInput(name string, i int) []int {
	if c.has(name) {
		return c.ints(name)
	}
	return c.knownInts(i, name)
}

// dimsOrInput is intsOrInput for integers that may have variables.
func (c *call) dimsOrInput(name string, i int) []graph.Dim {
	if !c.has(name) {
		return c.knownDims(i, name)
	}
	xs := c.ints(name)
	if xs == nil {
		return nil
	}
	return dimsOf(xs...)
}

// axis is an axis number that may count from the end.
func axis(a, rank int) int {
	if a < -rank || a >= rank {
		must.Failf("axis %d of a tensor with %d axes", a, rank)
	}
	if a < 0 {
		a += rank
	}
	return a
}

// axesOf are distinct axes, in their order in the list.
func axesOf(list []int, rank int) []int {
	out := make([]int, len(list))
	seen := map[int]bool{}
	for i, a := range list {
		out[i] = axis(a, rank)
		if seen[out[i]] {
			must.Failf("axis %d is named twice", a)
		}
		seen[out[i]] = true
	}
	return out
}

// axesOrAll are the listed axes, or all of them if there is no list.
func axesOrAll(list []int, rank int) []int {
	if list == nil {
		return upTo(0, rank)
	}
	return axesOf(list, rank)
}

// axisAttr is the attribute axis for a tensor of the given rank.
func (c *call) axisAttr(missing, rank int) int {
	a := c.int("axis", int64(missing))
	if a < -1<<20 || a > 1<<20 {
		must.Failf("axis %d of a tensor with %d axes", a, rank)
	}
	return axis(int(a), rank)
}

// onnxStrings is the type of an attribute that is a list of texts.
const onnxStrings = onnxpb.AttributeProto_STRINGS
