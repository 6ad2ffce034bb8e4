package onnx

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// writer emits the ONNX nodes of a node of the graph. Reading them must give the
// operator again; where a node by itself reads as another operator of the same
// meaning, a note says which. What has no form in ONNX leaves by package must.
type writer func(e *exporter, id graph.NodeID)

// broadcasts are the operators whose ONNX form broadcasts.
var broadcasts = map[string]string{
	"ewadd": "Add", "ewsub": "Sub", "ewmul": "Mul", "ewdiv": "Div", "ewmax": "Max", "ewmin": "Min", "ewpow": "Pow",
	"ewless": "Less", "ewlessequal": "LessOrEqual", "ewequal": "Equal", "ewwhere": "Where", "ewint": "",
}

func writePow(e *exporter, id graph.NodeID) {
	mark(e.emit("Pow", e.spread(id), e.out(id)), "keep")
}

// node emits what a node of the graph is in ONNX.
func (e *exporter) node(id graph.NodeID) {
	op := e.g.Op(id)
	e.dynamicFits(id)
	if f := e.as[id]; f != nil {
		f()
	} else if _, payload, ok := e.g.Opaque(id); ok {
		e.opaque(id, payload.(*Opaque))
	} else if w := writerOf(op.Name); w != nil {
		w(e, id)
	} else if op.In == 0 {
		e.constant(id)
	} else {
		must.Failf("operator %s has no form in ONNX", op.Name)
	}
}

// out is the name of the node's first output.
func (e *exporter) out(id graph.NodeID) string { return e.of(id.Out(0)) }

func plain(onnx string) writer {
	return func(e *exporter, id graph.NodeID) { e.emit(onnx, e.spread(id), e.out(id)) }
}

// spread are the operands of a node that broadcasts them itself.
func (e *exporter) spread(id graph.NodeID) []string {
	in := e.operands(id)
	for i, t := range e.g.Operands(id) {
		if e.covered[t.Node] && e.g.Op(t.Node).Name == "broadcast" {
			in[i] = e.of(e.g.Operands(t.Node)[0])
		}
	}
	return in
}

func (e *exporter) attr(id graph.NodeID, name string) graph.Value {
	return e.g.Attrs(id)[e.g.Op(id).ParamIndex(name)]
}

func (e *exporter) int(id graph.NodeID, name string) int {
	d, _ := e.attr(id, name).Dim()
	n, _ := d.Const()
	return int(n)
}

func (e *exporter) tuple(id graph.NodeID, name string) []int {
	t, _ := e.attr(id, name).Tuple()
	out := make([]int, len(t))
	for i, x := range t {
		out[i] = int(x)
	}
	return out
}

func (e *exporter) sizes(id graph.NodeID) []int { return e.g.Sizes(id.Out(0)) }

func (e *exporter) operandSizes(id graph.NodeID, i int) []int { return e.g.Sizes(e.g.Operands(id)[i]) }

// markNumbers notes the numbers of an operator that float32 does not hold as
// they are.
func (e *exporter) markNumbers(id graph.NodeID, n *onnxpb.NodeProto) {
	var parts []string
	for i, p := range e.g.Op(id).Params {
		if x, ok := e.g.Attrs(id)[i].Number(); ok && shortest(float32(x)) != x && !math.IsNaN(x) {
			parts = append(parts, p.Name+"="+graph.FormatNumber(x))
		}
	}
	if parts != nil {
		mark(n, strings.Join(parts, " "))
	}
}

// markKept notes that an operator stays, although its result is its operand.
func (e *exporter) markKept(id graph.NodeID, n *onnxpb.NodeProto) {
	if from := e.g.Operands(id)[0]; e.g.DType(from) == e.g.DType(id.Out(0)) && slices.Equal(e.g.Sizes(from), e.sizes(id)) {
		mark(n, "keep")
	}
}

// numbered writes an operator whose parameters, all of them numbers, are
// attributes in ONNX.
func numbered(onnx string, names ...string) writer {
	return func(e *exporter, id graph.NodeID) {
		n := e.emit(onnx, e.operands(id), e.out(id))
		for i, name := range names {
			x, _ := e.g.Attrs(id)[i].Number()
			n.Attribute = append(n.Attribute, floatAttribute(name, x))
		}
		e.markNumbers(id, n)
	}
}

func writeLayerNorm(e *exporter, id graph.NodeID) {
	eps, _ := e.attr(id, "eps").Number()
	if e.opset < layerNormOpset {
		e.spellLayerNorm(id, eps)
		return
	}
	n := e.emit("LayerNormalization", e.operands(id), e.out(id), intAttribute("axis", int64(e.int(id, "axis"))), floatAttribute("epsilon", eps))
	e.markNumbers(id, n)
}

func writeClip(e *exporter, id graph.NodeID) {
	in := e.operands(id)
	t := e.g.DType(id.Out(0))
	if e.opset < clipOpset {
		n := e.emit("Clip", in, e.out(id))
		for i, name := range []string{"min", "max"} {
			if x, _ := e.g.Attrs(id)[i].Number(); !math.IsInf(x, 0) {
				n.Attribute = append(n.Attribute, floatAttribute(name, x))
			}
		}
		if len(n.Attribute) == 0 {
			mark(n, "keep")
		} else {
			e.markNumbers(id, n)
		}
		return
	}
	for _, name := range []string{"lo", "hi"} {
		x, _ := e.attr(id, name).Number()
		if math.IsInf(x, 0) {
			in = append(in, "")
		} else {
			in = append(in, e.number(t, x))
		}
	}
	for in[len(in)-1] == "" {
		in = in[:len(in)-1]
	}
	n := e.emit("Clip", in, e.out(id))
	if len(in) == 1 {
		mark(n, "keep")
	} else {
		e.markNumbers(id, n)
	}
}

func writeRsqrt(e *exporter, id graph.NodeID) {
	x, t := e.operands(id)[0], e.g.DType(id.Out(0))
	eps, _ := e.attr(id, "eps").Number()
	sum, root := e.fresh(id, "sum"), e.fresh(id, "root")
	mark(e.emit("Add", []string{x, e.number(t, eps)}, sum), "keep")
	e.emit("Sqrt", []string{sum}, root)
	mark(e.emit("Reciprocal", []string{root}, e.out(id)), "rsqrt eps="+graph.FormatNumber(eps))
}

// noteRepeated is the note of a product with a tensor of one number that is repeated. Without
// it such a product reads as one with a scalar, smul.
const noteRepeated = "repeated"

func writeMul(e *exporter, id graph.NodeID) {
	n := e.emit("Mul", e.spread(id), e.out(id))
	for _, t := range e.g.Operands(id) {
		if e.covered[t.Node] && graph.NumElements(e.g.Sizes(e.g.Operands(t.Node)[0])) == 1 {
			mark(n, noteRepeated)
		}
	}
}

func writeSmul(e *exporter, id graph.NodeID) {
	n := e.emit("Mul", e.operands(id), e.out(id))
	if len(e.sizes(id)) == 0 {
		mark(n, "smul")
	}
}

func writeSoftmax(e *exporter, id graph.NodeID) {
	axis := e.int(id, "axis")
	if e.opset < softmaxOpset && axis != len(e.sizes(id))-1 {
		must.Failf("before operator set %d Softmax joins the axes behind axis %d", softmaxOpset, axis)
	}
	e.emit("Softmax", e.operands(id), e.out(id), intAttribute("axis", int64(axis)))
}

// windowAttributes are the stride and the padding of a window.
func (e *exporter) windowAttributes(id graph.NodeID) []*onnxpb.AttributeProto {
	a := []*onnxpb.AttributeProto{intsAttribute("strides", e.tuple(id, "stride")...)}
	pad := e.attr(id, "pad")
	if p, ok := pad.Tuple(); ok {
		return append(a, textAttribute("auto_pad", "NOTSET"), intsAttribute("pads", p...))
	}
	name, _ := pad.Name()
	return append(a, textAttribute("auto_pad", strings.ToUpper(name)))
}

func writeConv(e *exporter, id graph.NodeID) {
	out := e.out(id)
	act, _ := e.attr(id, "act").Name()
	last := out
	if act != "none" {
		out = e.fresh(id, "conv")
	}
	e.conv(id, e.operands(id), out)
	if act == "none" {
		return
	}
	for onnx, own := range unary {
		if own == act {
			mark(e.emit(onnx, []string{out}, last), "fused")
			return
		}
	}
	must.Failf("the activation %s has no form in ONNX", act)
}

// conv emits a convolution, without its activation.
func (e *exporter) conv(id graph.NodeID, in []string, out string) *onnxpb.NodeProto {
	n := e.emit("Conv", in, out, e.convAttributes(id)...)
	if same := e.dilatedSame(id); same != "" {
		mark(n, notePadded+same)
	}
	return n
}

// convAttributes are the attributes of a convolution.
func (e *exporter) convAttributes(id graph.NodeID) []*onnxpb.AttributeProto {
	w, a := e.operandSizes(id, 1), e.windowAttributes(id)
	if name, _ := e.attr(id, "pad").Name(); name == graph.Valid {
		// No padding is zeros without auto_pad, not VALID: ONNX Runtime lets the
		// convolution do what a Pad before it does only where it has such numbers.
		a[1] = intsAttribute("pads", 0, 0, 0, 0)
	}
	if d := e.tuple(id, "dilation"); !all(d, 1) {
		a = append(a, intsAttribute("dilations", d...))
	}
	if e.dilatedSame(id) != "" {
		a[1] = intsAttribute("pads", e.pads(id)...)
	}
	return append(a, intsAttribute("kernel_shape", w[2:]...), intAttribute("group", int64(e.int(id, "groups"))))
}

// notePadded, with a padding, is the note of a convolution whose pads are what that gives.
// Dilated convolutions are written so: not every runtime knows paddings by name there.
const notePadded = "padded by "

// dilatedSame is the padding of a dilated convolution that has a name, but for valid.
func (e *exporter) dilatedSame(id graph.NodeID) string {
	name, ok := e.attr(id, "pad").Name()
	if !ok || name == graph.Valid || all(e.tuple(id, "dilation"), 1) {
		return ""
	}
	return name
}

// pads are those of a convolution as numbers.
func (e *exporter) pads(id graph.NodeID) []int {
	x, w, d := e.operandSizes(id, 0), e.operandSizes(id, 1), e.tuple(id, "dilation")
	out := make([]int, 4)
	for i := range 2 {
		before, after, err := graph.WindowPads(x[2+i], (w[2+i]-1)*d[i]+1, e.attr(id, "stride"), e.attr(id, "pad"), i)
		must.Do(err)
		out[i], out[2+i] = before, after
	}
	return out
}

// markedSame gives a window the padding that its note says, if its pads are what that gives.
func (c *call) markedSame(x *value, w *window) {
	text, _ := c.noteOf()
	name, ok := strings.CutPrefix(text, notePadded)
	if !ok || name != graph.SameUpper && name != graph.SameLower || x.rank() != 4 || w.same != "" {
		return
	}
	v := w.over(0, 2)
	v.same = name
	v.explicit(x.sizes()[2:])
	if slices.Equal(v.before, w.before) && slices.Equal(v.after, w.after) {
		w.same = name
	}
}

func writePool(onnx string) writer {
	return func(e *exporter, id graph.NodeID) {
		a := append(e.windowAttributes(id), intsAttribute("kernel_shape", e.int(id, "kh"), e.int(id, "kw")))
		if onnx == "AveragePool" {
			count := int64(0)
			if border, _ := e.attr(id, "border").Name(); border == "counted" {
				count = 1
			}
			a = append(a, intAttribute("count_include_pad", count))
		}
		e.emit(onnx, e.operands(id), e.out(id), a...)
	}
}

// writeConcat writes a chain of concatenations as one node.
func writeConcat(e *exporter, id graph.NodeID) {
	in := e.operands(id)
	for at := id; e.covered[e.g.Operands(at)[0].Node] && e.g.Op(e.g.Operands(at)[0].Node).Name == "concat"; {
		at = e.g.Operands(at)[0].Node
		in = append(e.operands(at), in[1:]...)
	}
	e.emit("Concat", in, e.out(id), intAttribute("axis", int64(e.int(id, "axis"))))
}

func writeSlice(e *exporter, id graph.NodeID) {
	axis := e.int(id, "axis")
	lo, hi := e.dims(id, "lo")[0], e.dims(id, "hi")[0]
	if lo == graph.Int(0) && hi == e.g.Shape(e.g.Operands(id)[0])[axis].Dim { // a runtime takes an Identity away
		mark(e.emit("Identity", e.operands(id), e.out(id)), noteWhole+strconv.Itoa(axis))
		return
	}
	e.emit("Slice", append(e.operands(id), e.dimList(lo), e.dimList(hi), e.intList(axis)), e.out(id))
}

// noteWhole, with an axis, is the note of an Identity that is a slice along the axis from
// which nothing is cut.
const noteWhole = "slice of all of axis "

func writeSplit(e *exporter, id graph.NodeID) {
	a, at := e.int(id, "axis"), e.int(id, "at")
	n := e.emit("Split", append(e.operands(id), e.intList(at, e.operandSizes(id, 0)[a]-at)), e.out(id), intAttribute("axis", int64(a)))
	n.Output = append(n.Output, e.of(id.Out(1)))
	mark(n, "keep")
}

func writeTranspose(e *exporter, id graph.NodeID) {
	perm := e.tuple(id, "perm")
	n := e.emit("Transpose", e.operands(id), e.out(id), intsAttribute("perm", perm...))
	if slices.IsSorted(perm) {
		mark(n, "keep")
	}
}

// writeReshape writes an operator whose second input is the shape.
func writeReshape(onnx string) writer {
	return func(e *exporter, id graph.NodeID) {
		to := dimsOfShape(e.g.Shape(id.Out(0)))
		switch _, number := fixed(to); {
		case onnx == "Reshape" && !number:
			to = relativeDims(dimsOfShape(e.g.Shape(e.g.Operands(id)[0])), to)
		case onnx == "Reshape" && e.open:
			to = dimsOf(relative(e.operandSizes(id, 0), e.sizes(id))...)
		}
		n := e.emit(onnx, append(e.operands(id), e.dimList(to...)), e.out(id))
		if onnx == "Reshape" && slices.Contains(e.sizes(id), 0) { // else 0 is the size that the operand has there
			n.Attribute = append(n.Attribute, intAttribute("allowzero", 1))
		}
		e.markKept(id, n)
	}
}

// relative is a shape for Reshape that names as few sizes as it can: 0 is the size that the
// operand has at that axis, -1 what is left. It is the same shape for the sizes at hand.
func relative(from, to []int) []int {
	if slices.Contains(from, 0) {
		return to
	}
	out, at := slices.Clone(to), 0
	for ; at < min(len(from), len(to)) && from[at] == to[at]; at++ {
		out[at] = 0
	}
	for k := at; k < len(out); k++ {
		if out[k] != 1 {
			out[k] = -1
			break
		}
	}
	return out
}

func writeGather(e *exporter, id graph.NodeID) {
	e.emit("Gather", e.operands(id), e.out(id), intAttribute("axis", int64(e.int(id, "axis"))))
}

func writePad(e *exporter, id graph.NodeID) {
	before, after := e.tuple(id, "before"), e.tuple(id, "after")
	x, _ := e.attr(id, "value").Number()
	if e.opset < padOpset {
		n := e.emit("Pad", e.operands(id), e.out(id), intsAttribute("pads", append(before, after...)...), floatAttribute("value", x))
		e.markNumbers(id, n)
		e.markKept(id, n)
		return
	}
	n := e.emit("Pad", append(e.operands(id), e.intList(append(before, after...)...), e.number(e.g.DType(id.Out(0)), x)), e.out(id))
	e.markNumbers(id, n)
	e.markKept(id, n)
}

func writeEnlarge(e *exporter, id graph.NodeID) {
	from, to := e.operandSizes(id, 0), e.sizes(id)
	pads := make([]int, 8)
	for a := 2; a < 4; a++ {
		pads[a] = (to[a] - from[a]) / 2
		pads[4+a] = to[a] - from[a] - pads[a]
	}
	mark(e.emit("Pad", append(e.operands(id), e.intList(pads...)), e.out(id)), "enlarge")
}

// resizeOpset is the operator set from which on Resize needs neither region nor scales.
const resizeOpset = 13

func writeResize(e *exporter, id graph.NodeID) {
	mode, _ := e.attr(id, "mode").Name()
	a := []*onnxpb.AttributeProto{}
	method, coord := "linear", strings.TrimPrefix(mode, "linear_")
	if coord == mode {
		method = "nearest"
		for rounding, own := range roundings {
			if c, ok := strings.CutPrefix(mode, own+"_"); ok {
				coord = c
				a = append(a, textAttribute("nearest_mode", rounding))
			}
		}
	}
	a = append(a, textAttribute("mode", method), textAttribute("coordinate_transformation_mode", coord))
	none := ""
	if e.opset < resizeOpset { // the region and the scales cannot be left out
		none = e.noNumbers()
	}
	e.emit("Resize", append(e.operands(id), none, none, e.intList(e.tuple(id, "sizes")...)), e.out(id), a...)
}

// global are the reductions that have a name of their own over all of an image.
// Runtimes with a layout of their own for images know these.
var global = map[string]string{"ReduceMean": "GlobalAveragePool", "ReduceMax": "GlobalMaxPool"}

func writeReduce(onnx string, inputFrom int64) writer {
	return func(e *exporter, id graph.NodeID) {
		axes := e.tuple(id, "axes")
		keep := intAttribute("keepdims", int64(e.int(id, "keep")))
		if name := global[onnx]; name != "" && keep.GetI() == 1 && slices.Equal(axes, []int{2, 3}) && len(e.sizes(id)) == 4 && e.g.DType(id.Out(0)).IsFloat() {
			e.emit(name, e.operands(id), e.out(id))
		} else if e.opset >= inputFrom {
			e.emit(onnx, append(e.operands(id), e.intList(axes...)), e.out(id), keep)
		} else {
			e.emit(onnx, e.operands(id), e.out(id), keep, intsAttribute("axes", axes...))
		}
	}
}

// constant writes an operator without inputs as a weight with a note.
func (e *exporter) constant(id graph.NodeID) {
	op, a := e.g.Op(id), e.g.Attrs(id)
	t := e.g.Type(id.Out(0))
	if !t.DType.IsReal() {
		must.Failf("a constant of type %s is not supported", t.DType)
	}
	w := e.initializer(e.out(id), t, must.Get(constantNumbers(op, a, t.DType)))
	w.DocString = proto.String(note + op.Name + op.FormatAttrs(a))
}

// opaque writes a node back as it was.
func (e *exporter) opaque(id graph.NodeID, o *Opaque) {
	n := proto.Clone(o.Node).(*onnxpb.NodeProto)
	in := e.operands(id)
	at := 0
	for i, name := range n.Input {
		if name != "" {
			if at >= len(in) {
				must.Failf("it has %d operands, and needs more", len(in))
			}
			n.Input[i] = in[at]
			at++
		}
	}
	if len(in) != at+len(o.Captured) {
		must.Failf("it has %d operands, not %d", len(in), at+len(o.Captured))
	}
	rename := map[string]string{}
	for i, name := range o.Captured {
		rename[name] = in[at+i]
	}
	renameCaptured(n, rename)
	for i := range n.Output {
		t := id.Out(i)
		if n.Output[i] == "" && e.uses[t] == 0 {
			continue
		}
		n.Output[i] = e.of(t)
		e.infos = append(e.infos, valueInfo(n.Output[i], e.g.Type(t)))
	}
	for _, name := range o.Unread {
		if name != "" {
			name = e.names.unique(name)
		}
		n.Output = append(n.Output, name)
	}
	for _, f := range o.Functions {
		key := functionOf(f.GetDomain(), f.GetName(), f.GetOverload())
		if have := e.functions[key]; have == nil {
			e.functions[key] = f
			e.order = append(e.order, key)
		} else if !proto.Equal(have, f) {
			must.Failf("it needs the function %q of the domain %q, which another node needs in another form", clip(f.GetName()), clip(f.GetDomain()))
		}
	}
	for d, v := range o.Domains {
		if have, ok := e.domains[d]; ok && have != v {
			must.Failf("it needs version %d of the operator set %q, another node %d", v, d, have)
		}
		e.domains[d] = v
	}
	e.nodes = append(e.nodes, n)
}
