package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// What operators on quantized numbers look like after they were read, see quantize.go.
// Here it is only said which tensors they may have read; whether they did is found out by
// reading them again.

// proposersOf are the proposals for what an operator makes, the larger ones first.
func proposersOf(own string) []func(*exporter, graph.NodeID) []proposal {
	switch own {
	case "cast":
		return []func(*exporter, graph.NodeID) []proposal{proposeRequantized, proposeDynamic, proposeQuantize, proposeInteger}
	case "ewmul":
		return []func(*exporter, graph.NodeID) []proposal{proposeDequantize}
	case "matmul", "reshape", "ewadd":
		return []func(*exporter, graph.NodeID) []proposal{proposeInteger}
	}
	return nil
}

// Operator sets in which quantized numbers of other types came.
const wideQuantized = 21

// quantizedSince is the first operator set that quantizes to integers of a type.
func quantizedSince(t graph.DType) int64 {
	if t.Bits() == 8 {
		return 10
	}
	return wideQuantized
}

// node is the operator that makes a tensor, "" for an input.
func (e *exporter) maker(t graph.Tensor) string {
	if op := e.g.Op(t.Node); op != nil {
		return op.Name
	}
	return ""
}

// by is what the operator makes the tensor of, and whether it does.
func (e *exporter) by(t graph.Tensor, op string) ([]graph.Tensor, bool) {
	if e.maker(t) != op {
		return nil, false
	}
	return e.g.Operands(t.Node), true
}

// maxSpread is the longest chain of operators that spread a scale.
const maxSpread = 6

// spreadOf are a tensor and those that it is made of by reshaping, repeating, cutting and
// converting, the last one first.
func (e *exporter) spreadOf(t graph.Tensor) []graph.Tensor {
	list := []graph.Tensor{t}
	for len(list) < maxSpread && slices.Contains([]string{"broadcast", "reshape", "slice", "cast"}, e.maker(t)) {
		t = e.g.Operands(t.Node)[0]
		list = append(list, t)
	}
	slices.Reverse(list)
	return list
}

// pointOf are the tensors of a type that a zero point may be, as it was spread.
func (e *exporter) pointsOf(t graph.Tensor, of graph.DType) (zs []graph.Tensor) {
	for _, z := range e.spreadOf(t) {
		if e.g.DType(z) == of {
			zs = append(zs, z)
		}
	}
	return zs
}

// point is the first of these, the zero tensor if there is none.
func (e *exporter) point(t graph.Tensor, of graph.DType) graph.Tensor {
	if zs := e.pointsOf(t, of); len(zs) > 0 {
		return zs[0]
	}
	return graph.Tensor{}
}

// scalesOf are the tensors that scales of the given sizes may be, as they were spread,
// each with the axis along which it has several.
func (e *exporter) scalesOf(t graph.Tensor, sizes []int) (list []graph.Tensor, axes []int) {
	chain := e.spreadOf(t)
	for i, s := range chain {
		form := e.g.Sizes(s)
		switch {
		case !e.g.DType(s).IsFloat() || len(form) > 1:
		case graph.NumElements(form) == 1:
			list, axes = append(list, s), append(axes, -1)
		default:
			axis := len(sizes) - 1
			for _, over := range chain[i:] {
				if f := e.g.Sizes(over); len(f) == len(sizes) && graph.NumElements(f) == form[0] {
					axis = slices.Index(f, form[0])
					break
				}
			}
			if axis >= 0 {
				list, axes = append(list, s), append(axes, axis)
			}
		}
	}
	return list, axes
}

// rounded is what is rounded to integers of the type of a cast, the zero point that is
// added to it, and whether it is made as quantized numbers are.
func (e *exporter) roundedBy(id graph.NodeID) (y, zero graph.Tensor, ok bool) {
	t := e.g.DType(id.Out(0))
	if !t.IsInt() || t.Bits() > 16 {
		return y, zero, false
	}
	cut, ok := e.by(e.g.Operands(id)[0], "clip")
	if !ok {
		return y, zero, false
	}
	y = cut[0]
	if sum, ok := e.by(y, "ewadd"); ok {
		for i, s := range sum {
			if r, ok := e.by(s, "round"); ok {
				return r[0], sum[1-i], true
			}
		}
		return y, zero, false
	}
	r, ok := e.by(y, "round")
	if !ok {
		return y, zero, false
	}
	return r[0], zero, true
}

// quantizers are nodes that quantize or dequantize x, for each way to see their scales
// and zero points.
func (e *exporter) quantizers(op string, id graph.NodeID, x, scale graph.Tensor, zeros []graph.Tensor, since int64) (ps []proposal) {
	scales, axes := e.scalesOf(scale, e.sizes(id))
	for i, s := range scales {
		for _, z := range zeros {
			p := proposal{op: op, in: []graph.Tensor{x, s, z}, out: []graph.Tensor{id.Out(0)}, since: since}
			if axes[i] >= 0 {
				p.attrs = []*onnxpb.AttributeProto{intAttribute("axis", int64(axes[i]))}
			}
			ps = append(ps, p)
		}
	}
	return ps
}

func proposeQuantize(e *exporter, id graph.NodeID) []proposal {
	y, zero, ok := e.roundedBy(id)
	if !ok {
		return nil
	}
	div, ok := e.by(y, "ewdiv")
	if !ok || e.g.DType(div[0]) != graph.Float32 {
		return nil
	}
	t := e.g.DType(id.Out(0))
	zeros := []graph.Tensor{{}}
	if zero.Node != 0 {
		zeros = e.pointsOf(zero, t)
	} else if t != graph.Uint8 {
		return nil
	}
	return e.quantizers("QuantizeLinear", id, div[0], div[1], zeros, quantizedSince(t))
}

func proposeDequantize(e *exporter, id graph.NodeID) []proposal {
	for i, x := range e.g.Operands(id) {
		scale, zero := e.g.Operands(id)[1-i], graph.Tensor{}
		if sub, ok := e.by(x, "ewsub"); ok {
			x, zero = sub[0], sub[1]
		}
		from, ok := e.by(x, "cast")
		if !ok || e.g.DType(x) != graph.Float32 {
			continue
		}
		q := from[0]
		t := e.g.DType(q)
		switch {
		case !t.IsInt() || t.Bits() > 32 || t == graph.Uint32 || len(e.g.Sizes(q)) == 0:
			continue
		case t.Bits() == 32 && !(e.g.IsWeight(q.Node) && e.g.IsWeight(e.spreadOf(scale)[0].Node)):
			// A sum of products that is scaled: a runtime looks for the operators as they are.
			continue
		}
		zeros, since := []graph.Tensor{{}}, int64(10)
		if zero.Node != 0 {
			zeros = e.pointsOf(zero, t)
		}
		if t != graph.Int32 {
			since = quantizedSince(t)
		}
		return e.quantizers("DequantizeLinear", id, q, scale, zeros, since)
	}
	return nil
}

// proposeDynamic: the scale is a choice between two, and the zero point is rounded for
// itself.
func proposeDynamic(e *exporter, id graph.NodeID) []proposal {
	y, zero, ok := e.roundedBy(id)
	if !ok || e.g.DType(id.Out(0)) != graph.Uint8 || zero.Node == 0 {
		return nil
	}
	div, ok := e.by(y, "ewdiv")
	if !ok {
		return nil
	}
	scale := div[1]
	if s, ok := e.by(scale, "broadcast"); ok {
		scale = s[0]
	}
	if s, ok := e.by(zero, "broadcast"); ok {
		zero = s[0]
	}
	if e.maker(scale) != "ewwhere" || e.maker(zero) != "round" {
		return nil
	}
	p := proposal{op: "DynamicQuantizeLinear", in: []graph.Tensor{div[0]}, out: []graph.Tensor{id.Out(0), scale, {}}, since: 11}
	for _, user := range e.users[zero] {
		if t := user.Out(0); e.maker(t) == "cast" && e.g.DType(t) == graph.Uint8 && user != id {
			p.out[2] = t
			break
		}
	}
	return []proposal{p}
}

// productOf is the first product or convolution of which a tensor is made by what reading
// puts behind it, 0 if there is none.
func (e *exporter) productOf(t graph.Tensor) graph.NodeID {
	for range maxSpread {
		switch e.maker(t) {
		case "matmul", "conv2d":
			return t.Node
		case "reshape", "cast", "ewadd":
			t = e.g.Operands(t.Node)[0]
		default:
			return 0
		}
	}
	return 0
}

// factor is the tensor of small integers that a factor of a product is made of, and their
// zero point.
func (e *exporter) factor(t graph.Tensor) (q, zero graph.Tensor, ok bool) {
	for range maxSpread {
		switch e.maker(t) {
		case "reshape", "slice", "broadcast", "pad", "cast", "ewsub":
			in := e.g.Operands(t.Node)
			if e.maker(t) == "ewsub" {
				zero = in[1]
			}
			if t = in[0]; e.small(t) {
				return t, e.pointIf(zero, e.g.DType(t)), true
			}
		default:
			return t, zero, false
		}
	}
	return t, zero, false
}

func (e *exporter) pointIf(zero graph.Tensor, t graph.DType) graph.Tensor {
	if zero.Node == 0 {
		return zero
	}
	return e.point(zero, t)
}

// small reports whether a tensor is of integers of 8 bits.
func (e *exporter) small(t graph.Tensor) bool {
	d := e.g.DType(t)
	return d.IsInt() && d.Bits() == 8
}

// integers are the factors of a product and their zero points, in the order of the inputs
// of the operators of this name.
func (e *exporter) integers(product graph.NodeID) (x, xz, w, wz graph.Tensor, ok bool) {
	in := e.g.Operands(product)
	x, xz, ok = e.factor(in[0])
	if !ok {
		return
	}
	w, wz, ok = e.factor(in[1])
	return
}

func proposeInteger(e *exporter, id graph.NodeID) []proposal {
	if e.g.DType(id.Out(0)) != graph.Int32 {
		return nil
	}
	at := e.productOf(id.Out(0))
	if at == 0 {
		return nil
	}
	x, xz, w, wz, ok := e.integers(at)
	if !ok {
		return nil
	}
	p := proposal{op: "MatMulInteger", in: []graph.Tensor{x, w, xz, wz}, out: []graph.Tensor{id.Out(0)}, since: 10}
	if e.maker(at.Out(0)) == "conv2d" {
		p.op, p.attrs = "ConvInteger", e.convAttributes(at)
	}
	return []proposal{p}
}

// proposeRequantized: sums of products times a factor, which is made of three scales.
func proposeRequantized(e *exporter, id graph.NodeID) []proposal {
	y, zero, ok := e.roundedBy(id)
	if !ok || zero.Node == 0 || !e.small(id.Out(0)) {
		return nil
	}
	mul, ok := e.by(y, "ewmul")
	if !ok {
		return nil
	}
	at := e.productOf(mul[0])
	if at == 0 {
		return nil
	}
	factor := mul[1]
	for range maxSpread {
		if m := e.maker(factor); m != "reshape" && m != "broadcast" {
			break
		}
		factor = e.g.Operands(factor.Node)[0]
	}
	div, ok := e.by(factor, "ewdiv")
	if !ok {
		return nil
	}
	both, ok := e.by(div[0], "ewmul")
	if !ok {
		return nil
	}
	x, xz, w, wz, ok := e.integers(at)
	if !ok {
		return nil
	}
	whole := func(t graph.Tensor) graph.Tensor { return e.spreadOf(t)[0] }
	out := e.point(zero, e.g.DType(id.Out(0)))
	p := proposal{op: "QLinearMatMul", out: []graph.Tensor{id.Out(0)}, since: 10,
		in: []graph.Tensor{x, whole(both[0]), xz, w, both[1], wz, whole(div[1]), out}}
	if e.maker(at.Out(0)) == "matmul" {
		return []proposal{p}
	}
	p.op, p.attrs = "QLinearConv", e.convAttributes(at)
	if from, ok := e.by(mul[0], "cast"); ok {
		if sum, ok := e.by(from[0], "ewadd"); ok {
			biased := p
			biased.in = append(slices.Clone(p.in), e.point(sum[1], graph.Int32))
			return []proposal{biased, p}
		}
	}
	return []proposal{p}
}
