package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// Operators of derivatives, in forms that notes make operators again.

// Notes of these forms.
const (
	noteStep       = "step"
	noteReverse    = "reverse"
	noteScatterAdd = "scatteradd"
)

// writeStep: the sign of a rectified number.
func writeStep(e *exporter, id graph.NodeID) {
	positive := e.fresh(id, "positive")
	e.emit("Relu", e.operands(id), positive)
	mark(e.emit("Sign", []string{positive}, e.out(id)), noteStep)
}

// lowerSign reads what writeStep wrote, too.
func lowerSign(c *call) {
	x := c.need(1, 1)[0]
	if relu := c.im.from(x.tensor, "relu"); c.marked(noteStep) && relu != 0 {
		c.set(c.im.do("step", c.im.valuesOf(c.im.made.Graph().Operands(relu))...))
		return
	}
	pointwise("sign")(c)
}

// writeReverse: a slice of everything, backwards.
func writeReverse(e *exporter, id graph.NodeID) {
	axes, sizes := e.tuple(id, "axes"), e.sizes(id)
	if len(axes) == 0 {
		e.emit("Identity", e.operands(id), e.out(id))
		return
	}
	var first, end, step []int
	for _, a := range axes {
		first, end, step = append(first, -1), append(end, -sizes[a]-1), append(step, -1)
	}
	mark(e.emit("Slice", append(e.operands(id), e.intList(first...), e.intList(end...), e.intList(axes...), e.intList(step...)), e.out(id)), noteReverse)
}

// reversed are the axes of a slice of everything that goes backwards along them, if that
// is what a slice is.
func reversed(runs []run, sizes []graph.Dim) (axes []int64, ok bool) {
	for a, r := range runs {
		switch {
		case r.count != sizes[a]:
			return nil, false
		case r.step == -1:
			axes = append(axes, int64(a))
		case r.step != 1:
			return nil, false
		}
	}
	return axes, true
}

// writeScatterAdd adds to zeros along the first axis.
func writeScatterAdd(e *exporter, id graph.NodeID) {
	in, at := e.operands(id), e.g.Operands(id)[1]
	if e.int(id, "axis") != 0 || e.g.DType(at) != graph.Int64 {
		must.Failf("operator scatteradd has a form in ONNX for the first axis and positions of type int64 only")
	}
	zeros, places := e.fresh(id, "zeros"), e.fresh(id, "places")
	var zero []*onnxpb.AttributeProto
	if t := e.g.DType(id.Out(0)); t != graph.Float32 {
		p := tensorProto("", graph.TensorType{DType: t, Sizes: []int{1}})
		p.RawData = newConstant(t, 1).encode()
		zero = append(zero, &onnxpb.AttributeProto{Name: proto.String("value"), Type: onnxpb.AttributeProto_TENSOR.Enum(), T: p})
	}
	e.emit("ConstantOfShape", []string{e.intList(e.sizes(id)...)}, zeros, zero...)
	e.emit("Unsqueeze", []string{in[1], e.intList(len(e.g.Sizes(at)))}, places)
	mark(e.emit("ScatterND", []string{zeros, places, in[0]}, e.out(id), textAttribute("reduction", "add")), noteScatterAdd)
}

// isZero reports whether a value is known to be zeros.
func (im *importer) isZero(v *value) bool {
	if v.made {
		v = im.values[im.unspread(v.tensor)]
	}
	k, err := v.constant()
	return err == nil && k != nil && !slices.ContainsFunc(k.floats, func(x float64) bool { return x != 0 }) &&
		!slices.ContainsFunc(k.ints, func(n int64) bool { return n != 0 })
}

// lowerScatterND reads what writeScatterAdd wrote, and others.
func lowerScatterND(c *call) {
	in := c.need(3, 3)
	zeros, places, x := in[0], in[1], in[2]
	if !c.marked(noteScatterAdd) {
		unlessConstant(lowerScatterRows, 0, 2)(c)
		return
	}
	if c.text("reduction", "none") != "add" || zeros.rank() < 1 || places.rank() < 1 || places.sizes()[places.rank()-1] != 1 {
		must.Do(unsupported("it is not a sum at indices along the first axis"))
	}
	flat := c.im.from(places.tensor, "reshape")
	if flat == 0 {
		must.Do(unsupported("its indices are constant"))
	}
	at := c.im.valuesOf(c.im.made.Graph().Operands(flat))[0]
	if !slices.Equal(at.sizes(), places.sizes()[:places.rank()-1]) || !c.im.isZero(zeros) {
		must.Do(unsupported("it is not a sum of parts"))
	}
	c.set(c.im.apply("scatteradd", attrs{"axis": graph.IntValue(0), "n": graph.IntValue(zeros.sizes()[0])}, x, at))
}
