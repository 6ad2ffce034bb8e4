package peer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/rules/tasopb"
)

// ffRule is a rule in FlexFlow's JSON form. Fields that a rule must have are
// pointers, so that a missing one is seen.
type ffRule struct {
	T    ffMark `json:"_t"`
	Name string `json:"name"`
	// Dims, of a rule whose dimensions are counted from the innermost: how many
	// there are. FlexFlow looks up only the keys that it knows.
	Dims   *int32  `json:"_innermost_of,omitempty"`
	SrcOp  []ffOp  `json:"srcOp"`
	DstOp  []ffOp  `json:"dstOp"`
	Mapped []ffMap `json:"mappedOutput"`
}

// ffMark names the kind of an object; it is written and not read.
type ffMark string

// UnmarshalJSON takes anything.
func (*ffMark) UnmarshalJSON([]byte) error { return nil }

type ffOp struct {
	T     ffMark     `json:"_t"`
	Type  string     `json:"type"`
	Input []ffTensor `json:"input"`
	Para  []ffPara   `json:"para"`
}

type ffTensor struct {
	T    ffMark `json:"_t"`
	OpID *int32 `json:"opId"`
	TsID *int32 `json:"tsId"`
}

type ffPara struct {
	T     ffMark `json:"_t"`
	Key   string `json:"key"`
	Value *int32 `json:"value"`
}

type ffMap struct {
	T       ffMark `json:"_t"`
	SrcOpID *int32 `json:"srcOpId"`
	SrcTsID *int32 `json:"srcTsId"`
	DstOpID *int32 `json:"dstOpId"`
	DstTsID *int32 `json:"dstTsId"`
}

// ffOperators are the operators that are known. One with a type is translated.
var ffOperators = map[string]struct {
	op       tasopb.OpType // or OpAny
	min, max int           // number of inputs
}{
	"OP_CONCAT": {tasopb.OpConcat, 1, tasopb.MaxInputs},
	"OP_SPLIT":  {tasopb.OpSplit, 1, 1},
	"OP_EW_ADD": {tasopb.OpEwAdd, 2, 2},
	"OP_EW_MUL": {tasopb.OpEwMul, 2, 2},
	"OP_RELU":   {tasopb.OpRelu, 1, 1},

	"OP_SIGMOID": {tasopb.OpSigmoid, 1, 1},
	"OP_TANH":    {tasopb.OpTanh, 1, 1},
	// Input and weight, and a bias.
	"OP_LINEAR": {tasopb.OpLinear, 2, 3},

	// The generator's name and the program's of one operator.
	"OP_PARTITION":   {tasopb.OpPartition, 1, 1},
	"OP_REPARTITION": {tasopb.OpPartition, 1, 1},
	"OP_COMBINE":     {tasopb.OpCombine, 1, 1},
	"OP_REPLICATE":   {tasopb.OpReplicate, 1, 1},
	"OP_REDUCE":      {tasopb.OpReduce, 1, 1},
	"OP_REDUCTION":   {tasopb.OpReduce, 1, 1},

	"OP_PIPELINE": {tasopb.OpAny, 1, 1},
	"OP_EW_SUB":   {tasopb.OpAny, 2, 2},
	"OP_EW_DIV":   {tasopb.OpAny, 2, 2},
	"OP_EW_MAX":   {tasopb.OpAny, 2, 2},
	"OP_EW_MIN":   {tasopb.OpAny, 2, 2},
}

// ffParams are the parameters of the operators that are translated.
var ffParams = map[string]tasopb.ParamKey{
	"PM_NUM_INPUTS": tasopb.ParamNumInputs, "PM_NUM_OUTPUTS": tasopb.ParamNumOutputs,
	"PM_AXIS": tasopb.ParamAxis, "PM_NUMDIM": tasopb.ParamNumDim, "PM_ACTI": tasopb.ParamActi,
	"PM_PARALLEL_DIM": tasopb.ParamParallelDim, "PM_PARALLEL_DEGREE": tasopb.ParamParallelDegree,
}

// readFlexFlow reads FlexFlow's JSON form.
func readFlexFlow(f *File, data []byte) {
	if !eachRule(f, data, "rule", nil, flexFlowRule) {
		must.Failf(`JSON without "rule", FlexFlow's list of rules`)
	}
}

// flexFlowRule reads one rule. Its structure is checked whatever its operators
// are: those without a counterpart count as operators of which nothing is known
// but the number of inputs.
func flexFlowRule(raw json.RawMessage, p pos) Rule {
	r := Rule{Line: p.line, Col: p.col, Source: oneLine(string(raw[:min(len(raw), MaxSource)]))}
	var j ffRule
	if err := json.Unmarshal(raw, &j); err != nil {
		r.Fault = &Fault{Kind: IllFormed, Err: typeError(err)}
		return r
	}
	r.Name = oneLine(j.Name)
	c := newFFReader(&j)
	t := tasopb.Rule{SrcOps: c.side(tasopb.Src, j.SrcOp), DstOps: c.side(tasopb.Dst, j.DstOp)}
	for i, m := range j.Mapped {
		t.Mapped = append(t.Mapped, tasopb.MapOutput{
			SrcOpID: c.number(m.SrcOpID, "mapped output %d: srcOpId", i), SrcTsID: c.number(m.SrcTsID, "mapped output %d: srcTsId", i),
			DstOpID: c.number(m.DstOpID, "mapped output %d: dstOpId", i), DstTsID: c.number(m.DstTsID, "mapped output %d: dstTsId", i)})
	}
	r.Source = oneLine(t.Format(func(side tasopb.Side, i int) string {
		if side == tasopb.Src {
			return j.SrcOp[i].operator()
		}
		return j.DstOp[i].operator()
	}))
	r.Operators = operatorsOf(&t, c.unknown)
	ill := c.ill
	if j.Dims != nil {
		if err := turnRound(&t, *j.Dims); err != nil {
			ill = append(ill, err)
		}
	}
	for _, p := range t.Problems(tasopb.Allow{Parallel: true}) {
		ill = append(ill, errors.New(p.String()))
	}
	slices.Sort(c.unknown)
	unknown := slices.Compact(c.unknown)
	switch {
	case len(ill) > 0:
		r.Fault = &Fault{Kind: IllFormed, Operators: unknown, Err: several(ill)}
	case len(unknown) > 0:
		r.Fault = &Fault{Kind: Unsupported, Operators: unknown, Err: fmt.Errorf("operators %s", strings.Join(unknown, ", "))}
	default:
		r.TASO = &t
	}
	return r
}

// ffReader collects what is wrong with a rule.
type ffReader struct {
	ill     []error
	unknown []string
	// FlexFlow tells variables apart by both of their numbers, TASO by the
	// first; those with a second number other than 0 get numbers that are free.
	vars  map[[2]int32]int32
	taken map[int32]bool
}

func newFFReader(j *ffRule) *ffReader {
	c := &ffReader{vars: map[[2]int32]int32{}, taken: map[int32]bool{}}
	for _, ops := range [][]ffOp{j.SrcOp, j.DstOp} {
		for i := range ops {
			for _, x := range ops[i].Input {
				if x.OpID != nil {
					c.taken[*x.OpID] = true
				}
			}
		}
	}
	return c
}

func (c *ffReader) fault(format string, args ...any) {
	c.ill = append(c.ill, fmt.Errorf(format, args...))
}

func (c *ffReader) number(v *int32, format string, args ...any) int32 {
	if v == nil {
		c.fault("missing %s", fmt.Sprintf(format, args...))
		return 0
	}
	return *v
}

// side reads the operators of a side.
func (c *ffReader) side(side tasopb.Side, ops []ffOp) []tasopb.Operator {
	out := make([]tasopb.Operator, len(ops))
	for i := range ops {
		o := &out[i]
		known, ok := ffOperators[ops[i].Type]
		o.Type = tasopb.OpAny
		if ok {
			o.Type = known.op
		}
		if o.Type == tasopb.OpAny {
			c.unknown = append(c.unknown, orNone(ops[i].Type))
		}
		for k, in := range ops[i].Input {
			x := tasopb.Tensor{OpID: c.number(in.OpID, "opId of input %d of %s operator %d", k, side, i),
				TsID: c.number(in.TsID, "tsId of input %d of %s operator %d", k, side, i)}
			if x.OpID < 0 && x.TsID != 0 {
				x = c.variable(x)
			}
			o.Inputs = append(o.Inputs, x)
		}
		for _, p := range ops[i].Para {
			v := c.number(p.Value, "value of %s of %s operator %d", p.Key, side, i)
			if o.Type == tasopb.OpAny {
				continue
			}
			key, ok := ffParams[p.Key]
			if !ok {
				c.unknown = append(c.unknown, ops[i].Type+" with "+orNone(p.Key))
				continue
			}
			o.Params = append(o.Params, tasopb.Parameter{Key: key, Value: v})
		}
		if n := len(ops[i].Input); (o.Type == tasopb.OpAny || o.Type == tasopb.OpLinear) && ok && (n < known.min || n > known.max) {
			c.fault("%s operator %d: %s has %d inputs, want %s", side, i, ops[i].Type, n, interval(known.min, known.max))
		}
		if o.Type == tasopb.OpAny && !ok {
			// It may have any number of results.
			o.Params = append(o.Params, tasopb.Parameter{Key: tasopb.ParamNumOutputs, Value: tasopb.MaxOutputs})
		}
	}
	return out
}

func (c *ffReader) variable(x tasopb.Tensor) tasopb.Tensor {
	k := [2]int32{x.OpID, x.TsID}
	if _, ok := c.vars[k]; !ok {
		id := int32(-1)
		for c.taken[id] {
			id--
		}
		c.vars[k], c.taken[id] = id, true
	}
	return tasopb.Tensor{OpID: c.vars[k]}
}

func orNone(name string) string {
	if name == "" {
		return "no type"
	}
	return oneLine(name)
}

func interval(lo, hi int) string {
	if lo == hi {
		return strconv.Itoa(lo)
	}
	return fmt.Sprintf("%d to %d", lo, hi)
}

// maxDims bounds the number of dimensions that a rule may name.
const maxDims = 64

// turnRound counts the dimensions of a rule from the other end: dimension d of n
// becomes n-1-d.
//
// The rules that FlexFlow publishes were made with the replica dimension first and
// the innermost one last, as they are counted here: only so are those with linear
// true ("Dimension numbers" in docs/auditing.md). The program itself compares
// PM_AXIS and PM_PARALLEL_DIM with dimensions counted from the innermost
// (Concat::get_int_parameter in its src/ops/concat.cc, Replicate in
// src/parallel_ops/replicate.cc), so that rules written for it count so, and say it.
func turnRound(t *tasopb.Rule, n int32) error {
	if n < 1 || n > maxDims {
		return fmt.Errorf("_innermost_of %d: want 1 to %d", n, maxDims)
	}
	for s, ops := range [][]tasopb.Operator{t.SrcOps, t.DstOps} {
		for i := range ops {
			for k := range ops[i].Params {
				p := &ops[i].Params[k]
				if p.Key != tasopb.ParamAxis && p.Key != tasopb.ParamParallelDim {
					continue
				}
				if p.Value < 0 || p.Value >= n {
					return fmt.Errorf("%s operator %d: %s is %d of %d dimensions", []tasopb.Side{tasopb.Src, tasopb.Dst}[s], i, p.Key, p.Value, n)
				}
				p.Value = n - 1 - p.Value
			}
		}
	}
	return nil
}

// operator is an operator in FlexFlow's names.
func (o *ffOp) operator() string {
	var params []string
	for _, p := range o.Para {
		if p.Value != nil {
			params = append(params, fmt.Sprintf("%s=%d", strings.ToLower(strings.TrimPrefix(p.Key, "PM_")), *p.Value))
		}
	}
	name := strings.ToLower(strings.TrimPrefix(orNone(o.Type), "OP_"))
	if params == nil {
		return name
	}
	return name + "[" + strings.Join(params, ", ") + "]"
}
