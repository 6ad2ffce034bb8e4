package onnx

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// Dynamic sizes are written as the file's own computations would be: the size of an input's
// axis is read by Shape, and integer arithmetic makes of it what is needed.

// emitSize adds a node that computes sizes. It has no note, so that it is folded when it is read.
func (e *exporter) emitSize(op string, in []string, out string, a ...*onnxpb.AttributeProto) {
	e.emit(op, in, out, a...).DocString = proto.String("")
}

// dims is the value of a node's attribute as sizes that may have variables.
func (e *exporter) dims(id graph.NodeID, name string) []graph.Dim {
	op := e.g.Op(id)
	i := op.ParamIndex(name)
	v := e.g.OpenAttrs(id)[i]
	if d, ok := v.Dim(); ok {
		return []graph.Dim{d}
	}
	s, ok := v.Shape()
	if !ok {
		must.Failf("operator %s: attribute %s is no size", op.Name, name)
	}
	return dimsOfShape(s)
}

func dimsOfShape(s graph.Shape) []graph.Dim {
	dims := make([]graph.Dim, len(s))
	for i, it := range s {
		dims[i] = it.Dim
	}
	return dims
}

// writtenSizes are the attributes with dynamic sizes that have a form in ONNX.
var writtenSizes = map[string]bool{"reshape": true, "broadcast": true, "slice": true}

// dynamicFits refuses a node whose attributes have dynamic sizes that are not written.
func (e *exporter) dynamicFits(id graph.NodeID) {
	if op := e.g.Op(id); op != nil && e.g.OpenAttrs(id).Varies() && !writtenSizes[op.Name] {
		must.Failf("operator %s with the dynamic sizes %s has no form in the file", op.Name, op.FormatAttrs(e.g.OpenAttrs(id)))
	}
}

// dimList is a list of sizes as a value: an initializer if all are numbers.
func (e *exporter) dimList(dims ...graph.Dim) string {
	if xs, ok := fixed(dims); ok {
		return e.intList(xs...)
	}
	key := "sizes " + graph.ShapeOf(dims...).Key()
	if n, ok := e.ints[key]; ok {
		return n
	}
	var parts []string
	var numbers []int
	flush := func() {
		if len(numbers) > 0 {
			parts = append(parts, e.intList(numbers...))
			numbers = nil
		}
	}
	for _, d := range dims {
		if n, ok := d.Const(); ok {
			numbers = append(numbers, int(n))
			continue
		}
		flush()
		parts = append(parts, e.dim(d))
	}
	flush()
	out := parts[0]
	if len(parts) > 1 {
		out = e.names.unique("sizes")
		e.emitSize("Concat", parts, out, intAttribute("axis", 0))
	}
	e.ints[key] = out
	return out
}

// dim is a size with variables as a list of one number.
func (e *exporter) dim(d graph.Dim) string {
	key := "size " + d.Key()
	if n, ok := e.ints[key]; ok {
		return n
	}
	out := e.sum(d)
	e.ints[key] = out
	return out
}

func (e *exporter) sum(d graph.Dim) string {
	if name, ok := d.IsVar(); ok {
		return e.sizeVar(name)
	}
	if d.TooLarge() {
		must.Failf("the size %s is too large to be written", d)
	}
	join := func(op, a, b string) string {
		if a == "" {
			return b
		}
		out := e.names.unique("size")
		e.emitSize(op, []string{a, b}, out)
		return out
	}
	terms, constant := d.Terms()
	all := ""
	for _, t := range terms {
		part := ""
		for _, a := range t.Atoms {
			if a.Kind != graph.AtomVar {
				must.Failf("the size %s has no form in the file", d)
			}
			part = join("Mul", part, e.sizeVar(a.Name))
		}
		if t.Coef != 1 {
			part = join("Mul", part, e.intList(int(t.Coef)))
		}
		all = join("Add", all, part)
	}
	if constant != 0 {
		all = join("Add", all, e.intList(int(constant)))
	}
	return all
}

// sizeVar is the size of an axis of an input of the file.
func (e *exporter) sizeVar(name string) string {
	i := slices.IndexFunc(e.vars, func(v Variable) bool { return v.Name == name })
	if i < 0 {
		must.Failf("no input of the file has the size %s", name)
	}
	v := e.vars[i]
	key := fmt.Sprintf("axis %d of %s", v.Axis, v.Input)
	if n, ok := e.ints[key]; ok {
		return n
	}
	shape, ok := e.ints["shape of "+v.Input]
	if !ok {
		shape = e.names.unique(v.Input + "/shape")
		e.emitSize("Shape", []string{v.Input}, shape)
		e.ints["shape of "+v.Input] = shape
	}
	size := v.Input + "/size" + strconv.Itoa(v.Axis)
	out := e.names.unique(size)
	e.emitSize("Gather", []string{shape, e.intList(v.Axis)}, out, intAttribute("axis", 0))
	if v.Step > 1 {
		part := e.names.unique(size + "/part")
		e.emitSize("Div", []string{out, e.intList(v.Step)}, part)
		out = part
	}
	e.ints[key] = out
	return out
}

// sizeValue computes integers that depend on dynamic sizes.
func (e *exporter) sizeValue(v *value, name string) {
	at := e.dimList(v.ints...)
	if v.dtype != graph.Int64 {
		cast := e.names.unique(name + "/cast")
		e.emitSize("Cast", []string{at}, cast, intAttribute("to", int64(elemOf(v.dtype))))
		at = cast
	}
	if len(v.sized) != 1 {
		e.emitSize("Reshape", []string{at, e.intList(v.sized...)}, name)
		return
	}
	e.emitSize("Identity", []string{at}, name)
}

// relativeDims is a shape for Reshape that names as few sizes as it can, as [relative] at fixed
// sizes: 0 is the size that the operand has at that axis, and -1, once, what is left.
func relativeDims(from, to []graph.Dim) []graph.Dim {
	out, left := slices.Clone(to), -1
	for i, d := range to {
		if _, number := d.Const(); number {
			continue
		}
		switch {
		case i < len(from) && from[i] == d:
			out[i] = graph.Int(0)
		case left < 0:
			left = i
		default:
			return to
		}
	}
	if left >= 0 {
		out[left] = graph.Int(-1)
	}
	return out
}
