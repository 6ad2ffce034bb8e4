package tasopb

import (
	"strings"
	"testing"
)

func TestString(t *testing.T) {
	p := func(kv ...int32) (ps []Parameter) {
		for i := 0; i < len(kv); i += 2 {
			ps = append(ps, Parameter{Key: ParamKey(kv[i]), Value: kv[i+1]})
		}
		return ps
	}
	kernel := p(int32(ParamKernelH), 3, int32(ParamKernelW), 1)
	for _, c := range []struct {
		ops  []Operator
		ts   int32
		want string
	}{
		{[]Operator{{Type: OpConv2D, Inputs: []Tensor{v(1), v(2)},
			Params: append(append([]Parameter(nil), kernel...), p(int32(ParamStrideH), 2, int32(ParamStrideW), 1, int32(ParamPad), 0, int32(ParamActi), 2)...)}},
			0, "conv2d[kernel=3x1, stride=2x1, pad=same, act=relu](x1, x2)"},
		{[]Operator{{Type: OpConcat, Inputs: []Tensor{v(3), v(3)}, Params: p(int32(ParamNumInputs), 2, int32(ParamAxis), 1, int32(ParamNumDim), 4)}},
			0, "concat[axis=1, numdim=4](x3, x3)"},
		{[]Operator{{Type: OpConcat, Inputs: []Tensor{v(3)}, Params: p(int32(ParamNumInputs), 2)}}, 0, "concat[num_inputs=2](x3)"},
		{[]Operator{{Type: OpConstantIconv, Params: kernel}}, 0, "Iconv[kernel=3x1]"},
		{[]Operator{{Type: OpConstantImm}, {Type: OpMatmul, Inputs: []Tensor{in(0), v(7)}}}, 0, "matmul(Imatmul, x7)"},
		{[]Operator{{Type: OpSplit, Inputs: []Tensor{v(1)}, Params: p(int32(ParamNumOutputs), 2, int32(ParamAxis), 0)}},
			1, "split[num_outputs=2, axis=0](x1).1"},
		{[]Operator{{Type: OpPool2DMax, Inputs: []Tensor{v(1)}, Params: p(int32(ParamOpType), 6, int32(ParamPad), 7)}}, 0, "poolmax[pad=7](x1)"},
		{[]Operator{{Type: 50, Inputs: []Tensor{{OpID: -1, TsID: 2}}, Params: p(77, -5)}}, 3, "op50[key77=-5](x1.2).3"},
		{[]Operator{{Type: OpRelu, Inputs: []Tensor{in(0)}}}, 0, "relu(<operator 0>.0)"},
		{nil, 0, "<operator -0>.0"},
	} {
		r := Rule{SrcOps: c.ops, DstOps: c.ops, Mapped: []MapOutput{{
			SrcOpID: int32(len(c.ops)) - 1, DstOpID: int32(len(c.ops)) - 1, SrcTsID: c.ts, DstTsID: c.ts}}}
		want := c.want + " => " + c.want
		if c.ops == nil { // operator -1 is variable 1
			want = "x1 => x1"
		}
		if got := r.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := (&Rule{}).String(); got != "() => ()" {
		t.Errorf("empty rule: %q", got)
	}
	r := associativity()
	r.Mapped = append(r.Mapped, MapOutput{SrcOpID: 0, DstOpID: 0})
	want := "(matmul[act=none](x1, matmul[act=none](x4, x5)), matmul[act=none](x4, x5)) => " +
		"(matmul[act=none](matmul[act=none](x1, x4), x5), matmul[act=none](x1, x4))"
	if got := r.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestStringIsBounded: a graph of 60 operators that is a term of 2^60 is cut.
func TestStringIsBounded(t *testing.T) {
	ops := []Operator{{Type: OpEwAdd, Inputs: []Tensor{v(1), v(1)}}}
	for i := int32(0); i < 60; i++ {
		ops = append(ops, Operator{Type: OpEwAdd, Inputs: []Tensor{in(i), in(i)}})
	}
	r := Rule{SrcOps: ops, DstOps: ops, Mapped: []MapOutput{{SrcOpID: 60, DstOpID: 60}}}
	if err := r.Validate(); err != nil {
		t.Fatal(err)
	}
	if s := r.String(); len(s) > 2*maxStringBytes+20 || strings.Count(s, "…") != 2 {
		t.Errorf("%d bytes", len(s))
	}
}

// What nothing uses is shown too: it makes a rule senseless.
func TestStringShowsUnused(t *testing.T) {
	x := func(op int32) Tensor { return Tensor{OpID: op} }
	r := Rule{
		SrcOps: []Operator{{Type: OpRelu, Inputs: []Tensor{x(-1)}}, {Type: OpTanh, Inputs: []Tensor{x(0)}}},
		DstOps: []Operator{{Type: OpRelu, Inputs: []Tensor{x(-1)}}},
		Mapped: []MapOutput{{}},
	}
	const want = "relu(x1) => relu(x1); unused in src: tanh(relu(x1))"
	if got := r.String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
