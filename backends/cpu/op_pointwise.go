package cpu

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// unaryCodes are the functions of one element without parameters.
var unaryCodes = map[string]int32{
	"relu": opRelu, "sigmoid": opSigmoid, "tanh": opTanh, "gelu": opGelu, "exp": opExp, "sqrt": opSqrt,
	"erf": opErf, "reciprocal": opReciprocal, "neg": opNeg, "abs": opAbs, "log": opLog, "hardswish": opHardSwish,
}

// unaryParams are those with parameters: the names of a and b.
var unaryParams = map[string]struct {
	code int32
	a, b string
}{
	"leakyrelu":   {opLeakyRelu, "alpha", ""},
	"elu":         {opElu, "alpha", ""},
	"rsqrt":       {opRsqrt, "eps", ""},
	"clip":        {opClip, "lo", "hi"},
	"hardsigmoid": {opHardSigmoid, "alpha", "beta"},
}

// binaryCodes are the functions of two elements, and the same with the operands
// exchanged.
var binaryCodes = map[string][2]int32{
	"ewadd": {opAdd, opAdd}, "ewmul": {opMul, opMul}, "ewmax": {opMax, opMax}, "ewmin": {opMin, opMin},
	"ewsub": {opSub, opRSub}, "ewdiv": {opDiv, opRDiv},
}

func emitUnary(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	op := chainOp{code: unaryCodes[a.op.Name]}
	if p, ok := unaryParams[a.op.Name]; ok {
		op.code = p.code
		var err error
		if op.a, err = a.number(p.a); err != nil {
			return nil, err
		}
		if p.b != "" {
			if op.b, err = a.number(p.b); err != nil {
				return nil, err
			}
		}
	}
	y, err := c.elementwise(op, in[0], nil, nil, 0, out[0])
	return []*value{y}, err
}

func emitBinary(c *compiler, a attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	codes := binaryCodes[a.op.Name]
	y, err := c.elementwise(chainOp{code: codes[0]}, in[0], in[1], nil, codes[1], out[0])
	return []*value{y}, err
}

// emitScale is smul: a tensor times a scalar.
func emitScale(c *compiler, _ attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	s := in[1].view(0, out[0].Sizes, make([]int, len(out[0].Sizes)))
	x, err := c.dense(in[0])
	if err != nil {
		return nil, err
	}
	y, err := c.elementwise(chainOp{code: opMul}, x, s, nil, opMul, out[0])
	return []*value{y}, err
}

// emitCast converts between element types.
func emitCast(c *compiler, _ attrs, in []*value, out []graph.TensorType) ([]*value, error) {
	x, err := c.dense(in[0])
	if err != nil {
		return nil, err
	}
	if x.dtype == out[0].DType {
		return []*value{x}, nil
	}
	y, err := c.result(out[0], x)
	if err != nil {
		return nil, err
	}
	n := x.elements()
	run := func(ptr) error {
		from, to := i64(x.ptr(), n), f32(y.ptr(), n)
		for i := range to {
			to[i] = float32(from[i])
		}
		return nil
	}
	switch {
	case x.dtype == graph.Int64 && y.dtype == graph.Float32:
	case x.dtype == graph.Float32 && y.dtype == graph.Int64:
		run = func(ptr) error {
			from, to := f32(x.ptr(), n), i64(y.ptr(), n)
			for i := range to {
				to[i] = int64(from[i]) // towards zero
			}
			return nil
		}
	default:
		return nil, fmt.Errorf("from %s to %s: there is no kernel", x.dtype, y.dtype)
	}
	return []*value{y}, c.add(&step{run: run}, y, x)
}
