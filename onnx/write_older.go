package onnx

import (
	"math"

	"github.com/taso-go/taso/graph"
	"google.golang.org/protobuf/proto"
)

// Operators that ONNX did not have from its beginning are written in smaller ones where the
// operator set is older. The reader recognizes these by spelled.rules, as it does those of
// other exporters: they have no notes.

// The operator sets from which on an operator is there, or has its present form.
const (
	clipOpset      = 11 // bounds are inputs
	padOpset       = 11 // sizes are inputs
	softmaxOpset   = 13 // sums over one axis
	hardSwishOpset = 14
	layerNormOpset = 17
)

// spell emits a node of those that spell out an operator.
func (e *exporter) spell(op string, in []string, out string) string {
	e.emit(op, in, out).DocString = proto.String("")
	return out
}

// writeGelu writes x * (1 + erf(x / sqrt 2)) * 1/2 where there is no Gelu.
func writeGelu(e *exporter, id graph.NodeID) {
	if e.opset >= geluOpset {
		plain("Gelu")(e, id)
		return
	}
	x, t := e.operands(id)[0], e.g.DType(id.Out(0))
	scaled := e.spell("Div", []string{x, e.number(t, math.Sqrt2)}, e.fresh(id, "scaled"))
	erf := e.spell("Erf", []string{scaled}, e.fresh(id, "erf"))
	sum := e.spell("Add", []string{erf, e.number(t, 1)}, e.fresh(id, "sum"))
	product := e.spell("Mul", []string{x, sum}, e.fresh(id, "product"))
	e.spell("Mul", []string{product, e.number(t, 0.5)}, e.out(id))
}

// writeHardSwish writes x * hardsigmoid(x) where there is no HardSwish.
func writeHardSwish(e *exporter, id graph.NodeID) {
	if e.opset >= hardSwishOpset {
		plain("HardSwish")(e, id)
		return
	}
	x, gate := e.operands(id)[0], e.fresh(id, "gate")
	n := e.emit("HardSigmoid", []string{x}, gate, floatAttribute("alpha", 1.0/6), floatAttribute("beta", 0.5))
	n.DocString = proto.String("")
	e.spell("Mul", []string{x, gate}, e.out(id))
}

// spellLayerNorm writes (x - mean) / sqrt(variance + eps) * scale + bias.
func (e *exporter) spellLayerNorm(id graph.NodeID, eps float64) {
	in, t := e.operands(id), e.g.DType(id.Out(0))
	var axes []int
	for a := e.int(id, "axis"); a < len(e.sizes(id)); a++ {
		axes = append(axes, a)
	}
	mean := func(x, what string) string {
		name := e.fresh(id, what)
		n := e.emit("ReduceMean", []string{x}, name, intsAttribute("axes", axes...), intAttribute("keepdims", 1))
		n.DocString = proto.String("")
		return name
	}
	centred := e.spell("Sub", []string{in[0], mean(in[0], "mean")}, e.fresh(id, "centred"))
	squares := e.spell("Mul", []string{centred, centred}, e.fresh(id, "squares"))
	sum := e.spell("Add", []string{mean(squares, "variance"), e.number(t, eps)}, e.fresh(id, "sum"))
	root := e.spell("Sqrt", []string{sum}, e.fresh(id, "root"))
	normal := e.spell("Div", []string{centred, root}, e.fresh(id, "normal"))
	scaled := e.spell("Mul", []string{normal, in[1]}, e.fresh(id, "scaled"))
	e.spell("Add", []string{scaled, in[2]}, e.out(id))
}
