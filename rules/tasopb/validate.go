package tasopb

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Side is a half of a rule.
type Side string

// The sides of a rule; NoSide where a problem concerns neither.
const (
	NoSide Side = ""
	Src    Side = "src"
	Dst    Side = "dst"
)

// A Problem is one thing that makes a rule senseless.
type Problem struct {
	Rule int    // index of the rule, -1 when a single rule was validated
	Side Side   // of the operator, or NoSide
	Op   int    // index of the operator on its side, -1 if the problem is the rule's
	Text string // what is wrong
	// Unknown: an operator type or a parameter that this package has no name
	// for, rather than a misuse of one that it has.
	Unknown bool
}

// String returns a message such as "rule 3: src operator 1: …".
func (p Problem) String() string {
	var s string
	if p.Rule >= 0 {
		s = fmt.Sprintf("rule %d: ", p.Rule)
	}
	if p.Op >= 0 {
		s += fmt.Sprintf("%s operator %d: ", p.Side, p.Op)
	}
	return s + p.Text
}

// Problems are sorted by rule, rule before operators, source before destination,
// operator and text.
type Problems []Problem

// Error returns one problem a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

func (ps Problems) sort() {
	rank := func(s Side) int { return slices.Index([]Side{NoSide, Src, Dst}, s) }
	slices.SortFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(rank(a.Side), rank(b.Side)),
			cmp.Compare(a.Op, b.Op), cmp.Compare(a.Text, b.Text))
	})
}

// Validate lists everything that makes rules senseless; the error is a Problems.
// A valid rule has operators of known types with known parameters, each given
// once and in its range, and with the right number of inputs; inputs are
// variables or outputs of earlier operators, so that a side has no cycle; each
// operator contributes to a mapped output; the variables of the destination
// occur in the source; and there is at least one mapped output, all are tensors
// of operators, none mapped twice. In particular neither side is a bare
// variable: TASO's reader looks mapped outputs up among the operators.
//
// That a valid rule is true is not said, nor that shapes fit.
func (c *RuleCollection) Validate() error {
	var ps Problems
	for i := range c.Rules {
		ps = c.Rules[i].problems(i, Allow{}, ps)
	}
	return ps.orNil()
}

// Validate lists everything that makes the rule senseless, as the collection's
// Validate does; its problems have Rule -1.
func (r *Rule) Validate() error { return r.Problems(Allow{}).orNil() }

// Allow says what is no problem. The zero value allows nothing: it is for rules
// of TASO's files. Rules that were written in other notations may say more.
type Allow struct {
	// BareSides: a mapped output may be a variable, as in transpose(transpose(x)) = x.
	BareSides bool
	// FreeVariables: a variable of the destination need not occur in the
	// source. So it is with equations, which may be meant right to left.
	FreeVariables bool
	// Repeated: one source tensor may be mapped to several tensors.
	Repeated bool
	// Parallel: operators of FlexFlow, such as OpPartition, may occur.
	Parallel bool
}

// Problems lists everything that makes the rule senseless except what is
// allowed; the problems have Rule -1 and are sorted.
func (r *Rule) Problems(allow Allow) Problems {
	ps := r.problems(-1, allow, nil)
	ps.sort()
	return ps
}

// orNil sorts the problems and makes none of them a nil error.
func (ps Problems) orNil() error {
	if len(ps) == 0 {
		return nil
	}
	ps.sort()
	return ps
}

// checker collects the problems of one rule.
type checker struct {
	rule  int
	allow Allow
	out   Problems
}

func (k *checker) add(side Side, op int, format string, args ...any) {
	k.out = append(k.out, Problem{Rule: k.rule, Side: side, Op: op, Text: fmt.Sprintf(format, args...)})
}

// unknown adds a problem about something that has no name here.
func (k *checker) unknown(side Side, op int, format string, args ...any) {
	k.add(side, op, format, args...)
	k.out[len(k.out)-1].Unknown = true
}

func (r *Rule) problems(index int, allow Allow, out Problems) Problems {
	k := &checker{rule: index, allow: allow, out: out}
	usedSrc := k.side(Src, r.SrcOps)
	usedDst := k.side(Dst, r.DstOps)
	if len(r.Mapped) == 0 {
		k.add(NoSide, -1, "no mapped output")
	}
	type tensor struct{ op, ts int32 }
	first := map[tensor]int{}
	for i := range r.Mapped {
		m := &r.Mapped[i]
		k.mapped(i, Src, r.SrcOps, m.SrcOpID, m.SrcTsID, usedSrc)
		k.mapped(i, Dst, r.DstOps, m.DstOpID, m.DstTsID, usedDst)
		src := tensor{m.SrcOpID, m.SrcTsID}
		if j, twice := first[src]; twice && !allow.Repeated {
			k.add(NoSide, -1, "mapped outputs %d and %d have the same source tensor", j, i)
		} else {
			first[src] = i
		}
	}
	k.unused(Src, usedSrc)
	k.unused(Dst, usedDst)

	if !allow.FreeVariables {
		k.free(r)
	}
	return k.out
}

// free checks that the variables of the destination occur in the source.
func (k *checker) free(r *Rule) {
	bound := map[int32]bool{}
	for i := range r.Mapped {
		bound[r.Mapped[i].SrcOpID] = true
	}
	for i := range r.SrcOps {
		for _, t := range r.SrcOps[i].Inputs {
			bound[t.OpID] = true
		}
	}
	for i := range r.DstOps {
		for _, t := range r.DstOps[i].Inputs {
			if t.OpID < 0 && !bound[t.OpID] {
				k.add(Dst, i, "variable %d does not occur in the source", t.OpID)
			}
		}
	}
	for i := range r.Mapped {
		if v := r.Mapped[i].DstOpID; v < 0 && k.allow.BareSides && !bound[v] {
			k.add(NoSide, -1, "mapped output %d is variable %d, which does not occur in the source", i, v)
		}
	}
}

// side checks the operators of a side and returns which of them are inputs of
// others.
func (k *checker) side(side Side, ops []Operator) (used []bool) {
	used = make([]bool, len(ops))
	for i := range ops {
		o := &ops[i]
		if o.Type.Known() && (k.allow.Parallel || !o.Type.Parallel()) {
			k.operator(side, i, o)
		} else {
			k.unknown(side, i, "unknown operator type %d", int32(o.Type))
		}
		k.params(side, i, o)
		for j, t := range o.Inputs {
			switch {
			case t.OpID < 0 && t.TsID != 0:
				k.add(side, i, "input %d is output %d of variable %d, which has one output", j, t.TsID, t.OpID)
			case t.OpID < 0:
			case int(t.OpID) >= len(ops):
				k.add(side, i, "input %d is of operator %d, there are %d", j, t.OpID, len(ops))
			case int(t.OpID) >= i:
				k.add(side, i, "input %d is of operator %d, which does not come earlier", j, t.OpID)
			default:
				used[t.OpID] = true
				if n := ops[t.OpID].outputs(); t.TsID < 0 || t.TsID >= n {
					k.add(side, i, "input %d is output %d of operator %d, which has %d", j, t.TsID, t.OpID, n)
				}
			}
		}
	}
	return used
}

// operator checks what depends on the operator's type.
func (k *checker) operator(side Side, i int, o *Operator) {
	info := o.Type.info()
	n := len(o.Inputs)
	switch {
	case info.min == info.max && n != info.min:
		k.add(side, i, "%v has %d inputs, want %d", o.Type, n, info.min)
	case n < info.min:
		k.add(side, i, "%v has %d inputs, want at least %d", o.Type, n, info.min)
	case n > info.max:
		k.add(side, i, "%v has %d inputs, want at most %d", o.Type, n, info.max)
	}
	for _, key := range info.mandatory {
		if _, ok := o.Param(key); !ok {
			k.add(side, i, "%v lacks parameter %v", o.Type, key)
		}
	}
	if v, ok := o.Param(ParamNumInputs); ok && int(v) != n {
		k.add(side, i, "NUM_INPUTS is %d, there are %d inputs", v, n)
	}
	if v, ok := o.Param(ParamOpType); ok && OpType(v) != o.Type {
		k.add(side, i, "OP_TYPE is %d, the operator is %v (%d)", v, o.Type, int32(o.Type))
	}
	axis, hasAxis := o.Param(ParamAxis)
	dims, hasDims := o.Param(ParamNumDim)
	if hasAxis && hasDims && axis >= dims {
		k.add(side, i, "AXIS is %d of %d dimensions", axis, dims)
	}
}

// params checks what depends on the parameters alone.
func (k *checker) params(side Side, i int, o *Operator) {
	seen := map[ParamKey]bool{}
	for _, p := range o.Params {
		if !p.Key.Known() || p.Key.parallel() && !k.allow.Parallel {
			k.unknown(side, i, "unknown parameter key %d", int32(p.Key))
			continue
		}
		if seen[p.Key] {
			k.add(side, i, "parameter %v is given twice", p.Key)
		}
		seen[p.Key] = true
		low, high := int32(0), int32(1<<30)
		switch p.Key {
		case ParamNumOutputs:
			low, high = 1, MaxOutputs
		case ParamGroup, ParamKernelH, ParamKernelW, ParamStrideH, ParamStrideW, ParamNumDim, ParamMergeGConvCount, ParamParallelDegree:
			low = 1
		case ParamPad:
			high = int32(numPaddings) - 1
		case ParamActi:
			high = int32(numActivations) - 1
		case ParamOutShuffle, ParamKeepDims:
			high = 1
		case ParamEpsilon, ParamAxes: // their encoding is not documented
			continue
		}
		if p.Value < low || p.Value > high {
			k.add(side, i, "parameter %v is %d, want %d to %d", p.Key, p.Value, low, high)
		}
	}
}

// mapped checks one end of a mapped output.
func (k *checker) mapped(i int, side Side, ops []Operator, op, ts int32, used []bool) {
	if op < 0 && k.allow.BareSides {
		if ts != 0 {
			k.add(NoSide, -1, "mapped output %d is output %d of variable %d, which has one output", i, ts, op)
		}
		return
	}
	if op < 0 || int(op) >= len(ops) {
		k.add(NoSide, -1, "mapped output %d is of %s operator %d, there are %d", i, side, op, len(ops))
		return
	}
	used[op] = true
	if n := ops[op].outputs(); ts < 0 || ts >= n {
		k.add(NoSide, -1, "mapped output %d is output %d of %s operator %d, which has %d", i, ts, side, op, n)
	}
}

func (k *checker) unused(side Side, used []bool) {
	for i, u := range used {
		if !u {
			k.add(side, i, "neither an input nor a mapped output")
		}
	}
}

// outputs returns the number of tensors that the operator makes.
func (o *Operator) outputs() int32 {
	n, ok := o.Param(ParamNumOutputs)
	if o.Type == OpSplit || o.Type == OpAny && ok {
		return n
	}
	return 1
}

// Unused lists the operators of a side that nothing uses: they are no input of
// another one, and no mapped output.
func (r *Rule) Unused(side Side) []int {
	ops := r.Side(side)
	used := make([]bool, len(ops))
	use := func(op int32) {
		if op >= 0 && int(op) < len(used) {
			used[op] = true
		}
	}
	for i := range ops {
		for _, x := range ops[i].Inputs {
			use(x.OpID)
		}
	}
	for _, m := range r.Mapped {
		if side == Dst {
			use(m.DstOpID)
		} else {
			use(m.SrcOpID)
		}
	}
	var out []int
	for i, u := range used {
		if !u {
			out = append(out, i)
		}
	}
	return out
}
