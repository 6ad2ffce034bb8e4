package peer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/rules/tasopb"
)

// build makes one rule, an output a pair, of terms. Equal terms of a side are
// one operator.
func build(n notation, equation bool, pairs ...pair) Rule {
	r := Rule{Line: pairs[0].pos.line, Col: pairs[0].pos.col, Equation: equation}
	b := &builder{notation: n, vars: map[string]int32{}, taken: map[int32]bool{}, unknown: map[string]bool{}}
	var sources []string
	for i := range pairs {
		sources = append(sources, pairs[i].source)
		b.name(&pairs[i].lhs)
		b.name(&pairs[i].rhs)
	}
	r.Source = oneLine(strings.Join(sources, "; "))
	src, dst := newSide(), newSide()
	var t tasopb.Rule
	for i := range pairs {
		x, y := b.tensor(src, &pairs[i].lhs), b.tensor(dst, &pairs[i].rhs)
		t.Mapped = append(t.Mapped, tasopb.MapOutput{SrcOpID: x.OpID, SrcTsID: x.TsID, DstOpID: y.OpID, DstTsID: y.TsID})
	}
	if !equation {
		b.bound(pairs)
	}
	t.SrcOps, t.DstOps = src.ops, dst.ops
	r.Operators = operatorsOf(&t, slices.Sorted(maps.Keys(b.unknown)))
	if len(b.faults) == 0 && b.open == nil && len(b.unknown) == 0 {
		// What the terms cannot say wrongly is allowed; what remains are
		// numbers out of their range.
		for _, p := range t.Problems(tasopb.Allow{BareSides: true, FreeVariables: true, Repeated: true}) {
			err := errors.New(p.Text)
			switch {
			case p.Op < 0:
				b.faults = append(b.faults, err)
			case p.Side == tasopb.Src:
				b.faults = append(b.faults, &placed{src.pos[p.Op], err})
			default:
				b.faults = append(b.faults, &placed{dst.pos[p.Op], err})
			}
		}
	}
	switch {
	case len(b.faults) > 0:
		r.Fault = &Fault{Kind: IllFormed, Err: first(b.faults)}
	case len(b.unknown) > 0:
		r.Fault = &Fault{Kind: Unsupported, Err: b.unknownErr}
	case b.open != nil:
		r.Fault = &Fault{Kind: Unsupported, Err: b.open}
	default:
		r.TASO = &t
		return r
	}
	r.Fault.Operators = slices.Sorted(maps.Keys(b.unknown))
	return r
}

// first is the first of the faults, with the number of the others.
func first(faults []error) error {
	if n := len(faults) - 1; n > 0 {
		return fmt.Errorf("%w (and %d more)", faults[0], n)
	}
	return faults[0]
}

// builder collects what is wrong while the sides are built.
type builder struct {
	notation   notation
	vars       map[string]int32
	taken      map[int32]bool // numbers of variables
	free       int32          // all numbers up to it are taken
	faults     []error
	open       error           // an attribute variable
	unknown    map[string]bool // operators
	unknownErr error           // the first of them
	key        []byte          // scratch of apply
}

// side is one side of a rule while it is built.
type side struct {
	ops  []tasopb.Operator
	pos  []pos
	memo map[string]int32 // operator by its type, parameters and inputs
}

func newSide() *side { return &side{memo: map[string]int32{}} }

func (b *builder) fault(err error) { b.faults = append(b.faults, err) }

// name numbers the variables: input_7 is variable 7, others get the numbers
// from 1 that are free, by first use.
func (b *builder) name(e *expr) {
	if b.notation.isVariable(e) {
		if _, ok := b.vars[e.name]; !ok {
			b.vars[e.name] = -b.number(e.name)
		}
		return
	}
	for i := range e.args {
		b.name(&e.args[i])
	}
}

// maxNumber bounds the numbers of variables that are kept as they are.
const maxNumber = 1_000_000

func (b *builder) number(name string) int32 {
	digits, ok := strings.CutPrefix(strings.TrimPrefix(name, "?"), "input_")
	k, err := strconv.Atoi(digits)
	n := int32(k)
	if !ok || err != nil || k <= 0 || k > maxNumber || strconv.Itoa(k) != digits || b.taken[n] {
		for b.free++; b.taken[b.free]; {
			b.free++
		}
		n = b.free
	}
	b.taken[n] = true
	return n
}

// bound checks that the variables of the right sides occur on a left one.
func (b *builder) bound(pairs []pair) {
	left := map[string]bool{}
	var walk func(e *expr, f func(*expr))
	walk = func(e *expr, f func(*expr)) {
		if b.notation.isVariable(e) {
			f(e)
		}
		for i := range e.args {
			walk(&e.args[i], f)
		}
	}
	for i := range pairs {
		walk(&pairs[i].lhs, func(e *expr) { left[e.name] = true })
	}
	for i := range pairs {
		walk(&pairs[i].rhs, func(e *expr) {
			if !left[e.name] {
				left[e.name] = true // said once
				b.fault(at(e.pos, "variable %s does not occur on the left side", e.name))
			}
		})
	}
}

// tensor builds a term and returns where it is; after a fault, anything.
func (b *builder) tensor(s *side, e *expr) tasopb.Tensor {
	if b.notation.isVariable(e) {
		return tasopb.Tensor{OpID: b.vars[e.name]}
	}
	if e.isNumber() {
		b.fault(at(e.pos, "the number %s stands for a tensor", e.name))
		return tasopb.Tensor{}
	}
	switch e.name {
	case "split_0", "split_1":
		return tasopb.Tensor{OpID: b.split(s, e), TsID: int32(e.name[len(e.name)-1] - '0')}
	case "split":
		b.fault(at(e.pos, "split has two results: want split_0 or split_1 of it"))
		return tasopb.Tensor{}
	}
	fs, ok := operators[e.name]
	if !ok {
		if !b.unknown[e.name] {
			b.unknown[e.name] = true
			if b.unknownErr == nil {
				b.unknownErr = at(e.pos, "operator %s", e.name)
			}
		}
		// Its arguments may be numbers or tensors; what they hold is looked at.
		for i := range e.args {
			if e.args[i].call {
				b.tensor(s, &e.args[i])
			}
		}
		return tasopb.Tensor{}
	}
	f, err := b.notation.choose(e, fs)
	if err != nil {
		b.fault(err)
		for i := range e.args {
			if e.args[i].call {
				b.tensor(s, &e.args[i])
			}
		}
		return tasopb.Tensor{}
	}
	return tasopb.Tensor{OpID: b.apply(s, e, f.op, f.slots, e.args)}
}

// split reads split_0(axis,x) and split_0(split(axis,x)).
func (b *builder) split(s *side, e *expr) int32 {
	inner := e
	if len(e.args) == 1 && e.args[0].name == "split" {
		inner = &e.args[0]
	}
	f, err := b.notation.choose(inner, splitForm)
	if err != nil {
		b.fault(err)
		return 0
	}
	return b.apply(s, inner, f.op, f.slots, inner.args)
}

var splitForm = []form{{name: "split", op: tasopb.OpSplit, slots: []slot{slotNames["AXIS"], slotNames["T"]}}}

// extraParams counts the parameters that are said without a number.
var extraParams = map[tasopb.OpType]int{tasopb.OpConcat: 1, tasopb.OpSplit: 1, tasopb.OpTranspose: 3}

// apply makes an operator of arguments that fit its slots.
func (b *builder) apply(s *side, e *expr, op tasopb.OpType, slots []slot, args []expr) int32 {
	numbers := 0
	for _, sl := range slots {
		if sl.kind == slotNumber {
			numbers++
		}
	}
	o := tasopb.Operator{Type: op, Params: make([]tasopb.Parameter, 0, numbers+extraParams[op]),
		Inputs: make([]tasopb.Tensor, 0, len(slots)-numbers)}
	put := func(k tasopb.ParamKey, v int32) { o.Params = append(o.Params, tasopb.Parameter{Key: k, Value: v}) }
	for i, sl := range slots {
		a := &args[i]
		switch {
		case sl.kind == slotTensor:
			o.Inputs = append(o.Inputs, b.tensor(s, a))
		case sl.kind == slotPerm:
			code, n, err := parsePerm(a.name)
			if err != nil {
				b.fault(at(a.pos, "%w", err))
			}
			put(tasopb.ParamNumDim, n)
			put(tasopb.ParamPerm, code)
		case !a.isNumber():
			if b.open == nil {
				b.open = at(a.pos, "attribute variable %s", a.name)
			}
		default:
			v, err := strconv.ParseInt(a.name, 10, 32)
			if err != nil {
				b.fault(at(a.pos, "number %s is outside of 32 bits", a.name))
			}
			put(sl.key, int32(v))
		}
	}
	switch op {
	case tasopb.OpConcat:
		put(tasopb.ParamNumInputs, int32(len(o.Inputs)))
	case tasopb.OpSplit:
		put(tasopb.ParamNumOutputs, 2)
	case tasopb.OpTranspose:
		if len(slots) == 1 { // of a matrix
			put(tasopb.ParamNumDim, 2)
			put(tasopb.ParamPerm, 2)
			put(tasopb.ParamOutShuffle, 0)
		}
	}
	key := b.key[:0]
	for _, p := range o.Params {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(p.Key)), int64(p.Value))
	}
	key = binary.AppendVarint(append(key, byte(op)), int64(len(o.Params)))
	for _, x := range o.Inputs {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(x.OpID)), int64(x.TsID))
	}
	b.key = key
	if id, ok := s.memo[string(key)]; ok {
		return id
	}
	id := int32(len(s.ops))
	s.ops, s.pos, s.memo[string(key)] = append(s.ops, o), append(s.pos, e.pos), id
	return id
}

// operatorsOf lists the operators of a rule, those without a counterpart by the
// names that the file has for them.
func operatorsOf(t *tasopb.Rule, unknown []string) []string {
	names := map[string]bool{}
	for _, ops := range [][]tasopb.Operator{t.SrcOps, t.DstOps} {
		for i := range ops {
			if f := ops[i].Type.Function(); f != "" && ops[i].Type != tasopb.OpAny {
				names[strings.ToLower(f)] = true
			}
		}
	}
	for _, u := range unknown {
		names[u] = true
	}
	return slices.Sorted(maps.Keys(names))
}
