package onnx

import (
	"errors"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// Folding. A node is computed while reading if all its inputs are known and
// either its result is integers or truth values, as in arithmetic on shapes,
// or one of its inputs is a literal of the file. Operators on initializers
// alone stay: they are part of the model as its author wrote it, and files of
// our own must come back as they were. What has no lowering is computed from any
// known inputs, and from what was lowered from such: kept as it is, nothing could
// run it.

// errNotFolded: the node is lowered instead.
var errNotFolded = errors.New("not folded")

// evaluator computes the outputs of a node that no graph has from known inputs; in has nil
// where an input is left out.
type evaluator func(c *call, in []*constant) []*constant

// maxFoldWork bounds the operations of one folded node, and the elements that an operator makes.
const maxFoldWork = 1 << 24

// fold computes the node and reports whether it can.
func (c *call) fold() bool {
	im := c.im
	if im.inFold || !defaultDomain(c.node.GetDomain()) || im.opset == 0 {
		return false
	}
	switch c.node.GetOpType() {
	case "Constant":
		c.set(c.literal())
		return true
	case "Shape", "Size":
		c.set(c.shape(c.need(1, 1)[0]))
		return true
	case "If", "Loop", "Scan", "Identity":
		return false
	}
	if c.op != nil && c.op.lists == onlyLists {
		return false // a sequence is no constant
	}
	if c.foldOpen() {
		return true
	}
	if im.own {
		return false // what we write is to be computed, not folded
	}
	if !c.op.reads() {
		return false
	}
	// The element of a ConstantOfShape is an attribute.
	literal, floats, some := c.node.GetOpType() == "ConstantOfShape", false, false
	for _, v := range c.in {
		if v == nil {
			continue
		}
		if !v.fixed() || v.elements() > maxConstant {
			return false
		}
		literal = literal || v.literal || v.empty() // no operator takes what has no elements
		floats = floats || v.dtype.IsFloat()
		some = true
	}
	if !some || c.in[0] == nil || floats && !literal {
		return false
	}
	out := c.evaluated()
	for _, k := range out {
		if k != nil && k.dtype.IsFloat() && !literal {
			return false // a Cast of an initializer
		}
	}
	return c.become(out)
}

// foldKnown computes a node that has no lowering from inputs that are known in any
// way, and reports whether it can.
func (c *call) foldKnown() bool {
	if c.im.inFold || c.im.own || !defaultDomain(c.node.GetDomain()) || !c.knowable() {
		return false
	}
	if !c.become(c.evaluated()) {
		return false
	}
	c.im.report.Folded++
	return true
}

// become makes constants the outputs, if they are all that somebody may read.
func (c *call) become(out []*constant) bool {
	for i, name := range c.node.GetOutput() {
		if name != "" && i >= len(out) || c.wanted(i) && out[i] == nil {
			return false
		}
	}
	for i, k := range out {
		if i < len(c.outs) && k != nil {
			k.folded = true
			c.outs[i] = valueOf(k)
		}
	}
	return len(out) > 0
}

// evaluated are the outputs of a node, none if nothing here computes them or an input
// is not known.
func (c *call) evaluated() []*constant {
	switch c.node.GetOpType() {
	case "If", "Loop", "Scan", "Identity":
		return nil
	}
	if c.op != nil && c.op.lists == onlyLists {
		return nil
	}
	in := make([]*constant, len(c.in))
	for i, v := range c.in {
		if v == nil {
			continue
		}
		if in[i] = must.Get(v.constant()); in[i] == nil {
			return nil
		}
	}
	var out []*constant
	err := errNotFolded
	if c.op.fold != nil {
		err = must.Try(func() { out = c.op.fold(c, in) })
	}
	if errors.Is(err, errNotFolded) {
		err = must.Try(func() { out = c.interpret(in) })
	}
	var u *errUnsupported
	if errors.Is(err, errNotFolded) || errors.As(err, &u) {
		return nil
	}
	must.Do(err)
	return out
}

// notFolded leaves with errNotFolded if something is so.
func notFolded(so bool) {
	if so {
		must.Do(errNotFolded)
	}
}

// interpret lowers the node by itself; each operator is evaluated at once.
func (c *call) interpret(in []*constant) []*constant {
	low := c.op.lower
	notFolded(low == nil)
	im := &importer{file: c.im.file, src: c.im.src, report: &Report{Fused: map[string]int{}}, opset: c.im.opset,
		values: map[graph.Tensor]*value{}, inFold: true, budget: 1}
	sub := &call{im: im, node: c.node, op: c.op, env: c.env, in: make([]*value, len(in)), outs: make([]*value, len(c.outs)), attr: c.attr}
	for i, k := range in {
		if k != nil {
			sub.in[i] = valueOf(k)
		}
	}
	low(sub)
	out := make([]*constant, len(sub.outs))
	for i, v := range sub.outs {
		if v != nil {
			notFolded(v.known == nil || v.elements() > maxConstant)
			out[i] = v.known
		}
	}
	return out
}

// evaluate applies an operator to known values, as the interpreter does by their element types.
func (im *importer) evaluate(o *graph.Op, a graph.Attrs, in []*value, to []graph.TensorType) []*value {
	args, sizes := make([]interp.Values, len(in)), [2][][]int{}
	for i, v := range in {
		k := must.Get(v.constant())
		notFolded(k == nil)
		args[i], sizes[0] = k.values(), append(sizes[0], v.sizes())
	}
	types := make([]graph.DType, len(to))
	for i, t := range to {
		notFolded(graph.Product(t.Sizes...) > maxFoldWork)
		types[i], sizes[1] = t.DType, append(sizes[1], t.Sizes)
	}
	im.foldWork += o.WorkOf(a, sizes[0], sizes[1]).FLOPs
	notFolded(im.foldWork > maxFoldWork)
	out, err := interp.ApplyValues(o, a, args, types)
	notFolded(err != nil)
	outs := make([]*value, len(out))
	for i, v := range out {
		outs[i] = valueOf(ofValues(v))
	}
	return outs
}

// literal is the value of a Constant node. Long ones are weights.
func (c *call) literal() *value {
	for _, a := range c.node.GetAttribute() {
		switch a.GetName() {
		case "value":
			return c.literalTensor(a)
		case "value_float", "value_floats":
			xs := a.GetFloats()
			k := newConstant(graph.Float32, len(xs))
			if a.GetName() == "value_float" {
				xs, k = []float32{a.GetF()}, newConstant(graph.Float32)
			}
			for i, x := range xs {
				k.floats[i] = float64(x)
			}
			return valueOf(k)
		case "value_int":
			return valueOf(&constant{dtype: graph.Int64, ints: []int64{a.GetI()}})
		case "value_ints":
			return valueOf(&constant{dtype: graph.Int64, sizes: []int{len(a.GetInts())}, ints: a.GetInts()})
		}
	}
	must.Failf("no value, or one that is not a tensor of numbers")
	return nil
}

func (c *call) literalTensor(a *onnxpb.AttributeProto) *value {
	if a.GetT() == nil {
		must.Failf("its value is not a tensor")
	}
	w, err := readWeight(a.GetT(), c.im.src)
	if err != nil {
		must.Failf("its value: %w", err)
	}
	v := weightValue("", w)
	v.literal = true
	if v.empty() {
		must.Get(v.constant())
	}
	return v
}

// shape is the result of Shape or Size.
func (c *call) shape(x *value) *value {
	if c.node.GetOpType() == "Size" {
		return wholes(graph.Int64, []int{}, product(x.dims()...))
	}
	r := int64(x.rank())
	clamp := func(a int64) int64 {
		if a < 0 {
			a += r
		}
		return min(max(a, 0), r)
	}
	lo, hi := clamp(c.int("start", 0)), clamp(c.int("end", r))
	dims := x.dims()[lo:max(lo, hi)]
	return wholes(graph.Int64, []int{len(dims)}, dims...)
}
