package peer

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/taso-go/taso/rules/tasopb"
)

// WriteFlexFlow writes a rule with a name as one in FlexFlow's JSON form, an object
// on one line; [FlexFlowFile] makes a file of such. Axes are counted there from the
// innermost of the number that concat says, as the program does, or, where nothing
// says it, as they are here; the rule says which. The error is for what the form
// cannot say, such as an operator that FlexFlow does not have as a rule's, and for
// senseless rules.
func WriteFlexFlow(name string, r *tasopb.Rule) ([]byte, error) {
	if ps := r.Problems(tasopb.Allow{Parallel: true}); len(ps) > 0 {
		return nil, ps
	}
	t := tasopb.Rule{SrcOps: cloneOps(r.SrcOps), DstOps: cloneOps(r.DstOps), Mapped: r.Mapped}
	out := ffRule{T: "Rule", Name: name}
	n, err := numDims(&t)
	if err != nil {
		return nil, err
	}
	if n > 0 {
		if err := turnRound(&t, n); err != nil {
			return nil, err
		}
		out.Dims = &n
	}
	if out.SrcOp, err = ffOps(tasopb.Src, t.SrcOps); err != nil {
		return nil, err
	}
	if out.DstOp, err = ffOps(tasopb.Dst, t.DstOps); err != nil {
		return nil, err
	}
	for _, m := range t.Mapped {
		out.Mapped = append(out.Mapped, ffMap{T: "MapOutput", SrcOpID: &m.SrcOpID, SrcTsID: &m.SrcTsID, DstOpID: &m.DstOpID, DstTsID: &m.DstTsID})
	}
	return json.Marshal(&out)
}

// FlexFlowFile is a file of rules that [WriteFlexFlow] wrote, in this order.
func FlexFlowFile(rules [][]byte) []byte {
	out := []byte(`{"_t":"RuleCollection","rule":[`)
	for i, r := range rules {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, '\n'), r...)
	}
	return append(out, "\n]}\n"...)
}

// numDims is the number of axes that a rule says its tensors have, 0 if it says none.
func numDims(t *tasopb.Rule) (numDim int32, err error) {
	for _, ops := range [][]tasopb.Operator{t.SrcOps, t.DstOps} {
		for i := range ops {
			n, ok := ops[i].Param(tasopb.ParamNumDim)
			if ok && numDim != 0 && n != numDim {
				return 0, errors.New("tensors of different numbers of axes in one rule")
			}
			if ok {
				numDim = n
			}
		}
	}
	return numDim, nil
}

// cloneOps copies operators as far as their parameters.
func cloneOps(ops []tasopb.Operator) []tasopb.Operator {
	out := make([]tasopb.Operator, len(ops))
	for i, o := range ops {
		o.Params = append([]tasopb.Parameter(nil), o.Params...)
		out[i] = o
	}
	return out
}

// ffTypes and ffKeys are what FlexFlow calls operators and parameters.
var ffTypes, ffKeys = func() (map[tasopb.OpType]string, map[tasopb.ParamKey]string) {
	types, keys := map[tasopb.OpType]string{}, map[tasopb.ParamKey]string{}
	for name, o := range ffOperators {
		// Of two names the published rules have the shorter one.
		if have := types[o.op]; o.op != tasopb.OpAny && (have == "" || len(name) < len(have)) {
			types[o.op] = name
		}
	}
	for name, k := range ffParams {
		keys[k] = name
	}
	return types, keys
}()

func ffOps(side tasopb.Side, ops []tasopb.Operator) ([]ffOp, error) {
	out := []ffOp{}
	for i := range ops {
		o := &ops[i]
		f := ffOp{T: "Operator", Type: ffTypes[o.Type], Input: []ffTensor{}, Para: []ffPara{}}
		if f.Type == "" {
			return nil, fmt.Errorf("%s operator %d: FlexFlow's rules have no %s", side, i, o.Type)
		}
		for k := range o.Inputs {
			if x := &o.Inputs[k]; x.OpID < 0 && x.TsID != 0 {
				return nil, errors.New("a variable with two numbers")
			}
			f.Input = append(f.Input, ffTensor{T: "Tensor", OpID: &o.Inputs[k].OpID, TsID: &o.Inputs[k].TsID})
		}
		for k := range o.Params {
			p := &o.Params[k]
			key := ffKeys[p.Key]
			if key == "" {
				return nil, fmt.Errorf("%s operator %d: %s = %d cannot be said", side, i, p.Key, p.Value)
			}
			f.Para = append(f.Para, ffPara{T: "Parameter", Key: key, Value: &p.Value})
		}
		out = append(out, f)
	}
	return out, nil
}
