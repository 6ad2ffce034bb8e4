package onnx

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// Folding. A node is computed while reading if all its inputs are known and
// either its result is integers or truth values, as in arithmetic on shapes,
// or one of its inputs is a literal of the file. Operators on initializers
// alone stay: they are part of the model as its author wrote it, and files of
// our own must come back as they were.

// errNotFolded: the node is lowered instead.
var errNotFolded = errors.New("not folded")

// evaluator computes a node's outputs from known inputs; in has nil where an
// input is left out.
type evaluator func(c *call, in []*constant) ([]*constant, error)

var evaluators = map[string]evaluator{}

// maxFoldWork bounds the operations of one folded node.
const maxFoldWork = 1 << 24

// fold tries to compute the node.
func (c *call) fold() (bool, error) {
	im := c.im
	if im.inFold || !defaultDomain(c.node.GetDomain()) || im.opset == 0 {
		return false, nil
	}
	switch c.node.GetOpType() {
	case "Constant":
		v, err := c.literal()
		if err != nil {
			return false, err
		}
		return true, c.set(v, nil)
	case "Shape", "Size":
		in, err := c.need(1, 1)
		if err != nil {
			return false, err
		}
		k, err := c.shape(in[0])
		if err != nil {
			return false, err
		}
		return true, c.set(valueOf(k), nil)
	case "If", "Loop", "Scan", "Identity":
		return false, nil
	}
	if im.own {
		return false, nil // what we write is to be computed, not folded
	}
	eval := evaluators[c.node.GetOpType()]
	if eval == nil && lowerings[c.node.GetOpType()] == nil {
		return false, nil
	}
	in := make([]*constant, len(c.in))
	// The element of a ConstantOfShape is an attribute.
	literal, floats, some := c.node.GetOpType() == "ConstantOfShape", false, false
	for _, v := range c.in {
		if v == nil {
			continue
		}
		if !v.fixed() || v.elements() > maxConstant {
			return false, nil
		}
		literal = literal || v.literal
		floats = floats || v.dtype.IsFloat()
		some = true
	}
	if !some || c.in[0] == nil || floats && !literal {
		return false, nil
	}
	for i, v := range c.in {
		if v == nil {
			continue
		}
		k, err := v.constant()
		if err != nil || k == nil {
			return false, err
		}
		in[i] = k
	}
	var out []*constant
	err := errNotFolded
	if eval != nil {
		out, err = eval(c, in)
	}
	if errors.Is(err, errNotFolded) {
		out, err = c.interpret(in)
	}
	var u *errUnsupported
	if errors.Is(err, errNotFolded) || errors.As(err, &u) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, k := range out {
		if k != nil && k.dtype.IsFloat() && !literal {
			return false, nil // a Cast of an initializer
		}
	}
	for i, k := range out {
		if i < len(c.outs) && k != nil {
			c.outs[i] = valueOf(k)
		}
	}
	return true, nil
}

// interpret lowers the node by itself and evaluates that in float64; the result
// is rounded to its element type.
func (c *call) interpret(in []*constant) ([]*constant, error) {
	low := lowerings[c.node.GetOpType()]
	if low == nil {
		return nil, errNotFolded
	}
	im := &importer{file: c.im.file, src: c.im.src, report: &Report{Fused: map[string]int{}}, opset: c.im.opset, inFold: true, budget: 1}
	sub := &call{im: im, node: c.node, env: c.env, in: make([]*value, len(in)), outs: make([]*value, len(c.outs)), attr: c.attr}
	for i, k := range in {
		if k == nil {
			continue
		}
		if !k.dtype.IsFloat() && k.dtype != graph.Int64 || k.len() == 0 {
			return nil, errNotFolded
		}
		sub.in[i] = valueOf(k)
	}
	if err := low(sub); err != nil {
		return nil, err
	}
	var outs []*value
	var at []int
	for i, v := range sub.outs {
		if v != nil {
			outs, at = append(outs, v), append(at, i)
		}
	}
	res := make([]*constant, len(sub.outs))
	for _, v := range outs {
		if v.elements() > maxConstant || !v.dtype.IsFloat() {
			return nil, errNotFolded
		}
	}
	b, err := im.build(outs)
	if err != nil {
		return nil, err
	}
	if b.graph.Work().FLOPs > maxFoldWork {
		return nil, errNotFolded
	}
	args := make([]interp.Tensor[float64], len(b.weightV))
	for i, v := range b.weightV {
		args[i] = interp.Tensor[float64]{Sizes: v.sizes, Data: make([]float64, v.known.len())}
		for j := range args[i].Data {
			args[i].Data[j] = v.known.number(j)
		}
	}
	ts, err := interp.EvalGraph(context.Background(), interp.Float{}, b.graph, args)
	if err != nil {
		return nil, errNotFolded
	}
	for i, t := range ts {
		k := newConstant(outs[i].dtype, t.Sizes...)
		for j, x := range t.Data {
			k.floats[j] = round(k.dtype, x)
		}
		res[at[i]] = k
	}
	return res, nil
}

// literal is the value of a Constant node. Long ones are weights.
func (c *call) literal() (*value, error) {
	for _, a := range c.node.GetAttribute() {
		switch a.GetName() {
		case "value":
			if a.GetT() == nil {
				return nil, errors.New("its value is not a tensor")
			}
			w, err := readWeight(a.GetT(), c.im.src)
			if err != nil {
				return nil, fmt.Errorf("its value: %w", err)
			}
			v := weightValue("", w)
			v.literal = true
			if v.empty() {
				_, err = v.constant()
			}
			return v, err
		case "value_float":
			k := newConstant(graph.Float32)
			k.floats[0] = float64(a.GetF())
			return valueOf(k), nil
		case "value_floats":
			k := newConstant(graph.Float32, len(a.GetFloats()))
			for i, x := range a.GetFloats() {
				k.floats[i] = float64(x)
			}
			return valueOf(k), nil
		case "value_int":
			k := newConstant(graph.Int64)
			k.ints[0] = a.GetI()
			return valueOf(k), nil
		case "value_ints":
			k := newConstant(graph.Int64, len(a.GetInts()))
			copy(k.ints, a.GetInts())
			return valueOf(k), nil
		}
	}
	return nil, errors.New("no value, or one that is not a tensor of numbers")
}

// shape is the result of Shape or Size.
func (c *call) shape(x *value) (*constant, error) {
	if c.node.GetOpType() == "Size" {
		return &constant{dtype: graph.Int64, ints: []int64{graph.Product(x.sizes...)}}, nil
	}
	r := int64(x.rank())
	lo, err := c.int("start", 0)
	if err != nil {
		return nil, err
	}
	hi, err := c.int("end", r)
	if err != nil {
		return nil, err
	}
	clamp := func(a int64) int64 {
		if a < 0 {
			a += r
		}
		return min(max(a, 0), r)
	}
	lo, hi = clamp(lo), clamp(hi)
	return intConstant(x.sizes[lo:max(lo, hi)]...), nil
}
