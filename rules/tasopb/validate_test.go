package tasopb

import (
	"errors"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	concat := func(params ...Parameter) Operator {
		return Operator{Type: OpConcat, Inputs: []Tensor{v(1), v(4)}, Params: params}
	}
	for _, c := range []struct {
		name   string
		change func(*Rule)
		want   string // lines joined by " | "
	}{
		{"valid", func(r *Rule) {}, ""},
		{"unknown type", func(r *Rule) { r.SrcOps[1].Type = 99 }, "src operator 1: unknown operator type 99"},
		{"negative type", func(r *Rule) { r.SrcOps[1].Type = -1 }, "src operator 1: unknown operator type -1"},
		{"unknown key", func(r *Rule) { r.DstOps[0].Params = []Parameter{{Key: 18}} }, "dst operator 0: unknown parameter key 18"},
		{"parameter twice", func(r *Rule) {
			r.DstOps[0].Params = []Parameter{{Key: ParamActi}, {Key: ParamActi, Value: 2}}
		}, "dst operator 0: parameter ACTI is given twice"},
		{"activation", func(r *Rule) { r.DstOps[0].Params = []Parameter{{Key: ParamActi, Value: 4}} },
			"dst operator 0: parameter ACTI is 4, want 0 to 3"},
		{"padding", func(r *Rule) { r.DstOps[0].Params = []Parameter{{Key: ParamPad, Value: -1}} },
			"dst operator 0: parameter PAD is -1, want 0 to 1"},
		{"stride", func(r *Rule) { r.DstOps[0].Params = []Parameter{{Key: ParamStrideH}} },
			"dst operator 0: parameter STRIDE_H is 0, want 1 to 1073741824"},
		{"few inputs", func(r *Rule) { r.DstOps[0].Inputs = []Tensor{v(1)} }, "dst operator 0: MATMUL has 1 inputs, want 2"},
		{"many inputs", func(r *Rule) {
			r.DstOps[0] = Operator{Type: OpEnlarge, Inputs: []Tensor{v(1), v(4), v(5)}}
		}, "dst operator 0: ENLARGE has 3 inputs, want at most 2"},
		{"no inputs", func(r *Rule) { r.DstOps[0] = Operator{Type: OpBatchNorm} }, "dst operator 0: BATCHNORM has 0 inputs, want at least 1"},
		{"lacking", func(r *Rule) { r.DstOps[0] = concat(Parameter{Key: ParamNumInputs, Value: 2}) },
			"dst operator 0: CONCAT lacks parameter AXIS"},
		{"wrong count and axis", func(r *Rule) {
			r.DstOps[0] = concat(Parameter{Key: ParamNumInputs, Value: 3}, Parameter{Key: ParamAxis, Value: 2}, Parameter{Key: ParamNumDim, Value: 2})
		}, "dst operator 0: AXIS is 2 of 2 dimensions | dst operator 0: NUM_INPUTS is 3, there are 2 inputs"},
		{"type twice over", func(r *Rule) { r.DstOps[0].Params = []Parameter{{Key: ParamOpType, Value: 7}} },
			"dst operator 0: OP_TYPE is 7, the operator is MATMUL (18)"},
		{"cycle", func(r *Rule) { r.SrcOps[0].Inputs[0] = in(1) },
			"src operator 0: input 0 is of operator 1, which does not come earlier | dst operator 0: variable -4 does not occur in the source"},
		{"itself", func(r *Rule) { r.DstOps[1].Inputs[1] = in(1) }, "dst operator 1: input 1 is of operator 1, which does not come earlier"},
		{"out of range", func(r *Rule) { r.DstOps[1].Inputs[1] = in(2) }, "dst operator 1: input 1 is of operator 2, there are 2"},
		{"output of variable", func(r *Rule) { r.DstOps[1].Inputs[1].TsID = 1 },
			"dst operator 1: input 1 is output 1 of variable -5, which has one output"},
		{"output of operator", func(r *Rule) { r.DstOps[1].Inputs[0].TsID = -1 },
			"dst operator 1: input 0 is output -1 of operator 0, which has 1"},
		{"dead operator", func(r *Rule) { r.DstOps[1].Inputs[0] = v(1) }, "dst operator 0: neither an input nor a mapped output"},
		{"free variable", func(r *Rule) { r.DstOps[1].Inputs[1] = v(9) }, "dst operator 1: variable -9 does not occur in the source"},
		{"nothing mapped", func(r *Rule) { r.Mapped = nil },
			"no mapped output | src operator 1: neither an input nor a mapped output | dst operator 1: neither an input nor a mapped output"},
		{"mapped twice", func(r *Rule) { r.Mapped = append(r.Mapped, MapOutput{SrcOpID: 1, DstOpID: 0}) },
			"mapped outputs 0 and 1 have the same source tensor"},
		{"mapped range", func(r *Rule) { r.Mapped = append(r.Mapped, MapOutput{SrcOpID: 2, DstOpID: 0, DstTsID: 3}) },
			"mapped output 1 is of src operator 2, there are 2 | mapped output 1 is output 3 of dst operator 0, which has 1"},
		{"mapped variable", func(r *Rule) { r.Mapped = append(r.Mapped, MapOutput{SrcOpID: 0, DstOpID: -1}) },
			"mapped output 1 is of dst operator -1, there are 2"},
		{"split without count", func(r *Rule) {
			r.DstOps[0] = Operator{Type: OpSplit, Inputs: []Tensor{v(1)}, Params: []Parameter{{Key: ParamAxis}}}
		}, "dst operator 0: SPLIT lacks parameter NUM_OUTPUTS | dst operator 1: input 0 is output 0 of operator 0, which has 0"},
		{"split", func(r *Rule) {
			r.DstOps[0] = Operator{Type: OpSplit, Inputs: []Tensor{v(1)}, Params: []Parameter{{Key: ParamNumOutputs, Value: 2}, {Key: ParamAxis}}}
			r.DstOps[1].Inputs = []Tensor{{OpID: 0, TsID: 1}, {OpID: 0, TsID: 2}}
		}, "dst operator 1: input 1 is output 2 of operator 0, which has 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := associativity()
			c.change(&r)
			got := ""
			if err := r.Validate(); err != nil {
				got = strings.ReplaceAll(err.Error(), "\n", " | ")
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestValidateCollection: problems of all rules come together, in order.
func TestValidateCollection(t *testing.T) {
	bad := associativity()
	bad.DstOps[1].Inputs[1] = v(9)
	bad.SrcOps[0].Type = 77
	c := &RuleCollection{Rules: []Rule{bad, associativity(), bad}}
	err := c.Validate()
	var ps Problems
	if !errors.As(err, &ps) || len(ps) != 4 {
		t.Fatalf("error %v", err)
	}
	want := `rule 0: src operator 0: unknown operator type 77
rule 0: dst operator 1: variable -9 does not occur in the source
rule 2: src operator 0: unknown operator type 77
rule 2: dst operator 1: variable -9 does not occur in the source`
	if err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if err := (&RuleCollection{Rules: manyRules(3)}).Validate(); err != nil {
		t.Errorf("valid collection: %v", err)
	}
}

// TestTables: every type and key has a name of its own, and arities that a rule
// can have.
func TestTables(t *testing.T) {
	seen := map[string]bool{}
	for op := range numOpTypes {
		info := opTable[op]
		for _, s := range []string{info.name, "fn " + info.fn} {
			if len(s) < 3 || seen[s] {
				t.Errorf("operator %d: name %q is empty or taken", int(op), s)
			}
			seen[s] = true
		}
		if info.min > info.max || info.max > MaxInputs {
			t.Errorf("%v: arity %d to %d", op, info.min, info.max)
		}
	}
	for k := range numParamKeys {
		if s := "key " + k.String(); len(s) < 5 || seen[s] {
			t.Errorf("parameter %d: name %q is empty or taken", int(k), s)
		} else {
			seen[s] = true
		}
	}
	// The numbers are TASO's; these pin the two lists at several places.
	for name, pair := range map[string][2]int{
		"CONV2D": {int(OpConv2D), 3}, "RELU": {int(OpRelu), 8}, "CONCAT": {int(OpConcat), 12},
		"MATMUL": {int(OpMatmul), 18}, "CONSTANT_POOL": {int(OpConstantPool), 25},
		"GROUP": {int(ParamGroup), 3}, "ACTI": {int(ParamActi), 9}, "EPSILON": {int(ParamEpsilon), 17},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %d, want %d", name, pair[0], pair[1])
		}
	}
	if s := OpType(-1).String() + ParamKey(40).String() + Padding(2).String() + Activation(9).String(); s != "OpType(-1)ParamKey(40)29" {
		t.Errorf("unknown values print as %q", s)
	}
}
