package peer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/taso-go/taso/rules/tasopb"
)

// notation is one of the two ways in which terms over the operators of TASO are
// written.
type notation uint8

const (
	notationVerifier notation = iota // variables are names
	notationTensat                   // variables begin with ?
)

// slot is one argument of an operator: a tensor, a permutation, or the number
// that is a parameter.
type slot struct {
	kind slotKind
	key  tasopb.ParamKey // of a number
	name string          // in messages
}

type slotKind uint8

const (
	slotTensor slotKind = iota
	slotNumber
	slotPerm
)

var slotNames = map[string]slot{
	"T":     {slotTensor, 0, "a tensor"},
	"PERM":  {slotPerm, tasopb.ParamPerm, "a permutation"},
	"KH":    {slotNumber, tasopb.ParamKernelH, "the kernel's height"},
	"KW":    {slotNumber, tasopb.ParamKernelW, "the kernel's width"},
	"SH":    {slotNumber, tasopb.ParamStrideH, "the vertical stride"},
	"SW":    {slotNumber, tasopb.ParamStrideW, "the horizontal stride"},
	"PAD":   {slotNumber, tasopb.ParamPad, "the padding"},
	"ACT":   {slotNumber, tasopb.ParamActi, "the activation"},
	"AXIS":  {slotNumber, tasopb.ParamAxis, "the axis"},
	"NDIM":  {slotNumber, tasopb.ParamNumDim, "the number of axes"},
	"SHUF":  {slotNumber, tasopb.ParamOutShuffle, "the shuffle flag"},
	"COUNT": {slotNumber, tasopb.ParamMergeGConvCount, "the count"},
}

// form is an operator with its arguments in order.
type form struct {
	name  string
	op    tasopb.OpType
	slots []slot
}

// operators are the forms by name, those that writers use first. TASO's
// verifier and Tensat differ in some; both are read in both notations, because
// the two projects exchange files.
var operators = forms(`
	conv2d    CONV2D         SH SW PAD ACT T T
	matmul    MATMUL         ACT T T
	matmul    MATMUL         T T
	ewadd     EW_ADD         T T
	ewmul     EW_MUL         T T
	smul      MUL            T T
	relu      RELU           T
	sigmoid   SIGMOID        T
	tanh      TANH           T
	dropout   DROPOUT        T
	batchnorm BATCHNORM      T T T T T
	transpose TRANSPOSE      T PERM SHUF
	transpose TRANSPOSE      T
	concat    CONCAT         AXIS NDIM T T
	concat    CONCAT         AXIS T T
	concat3   CONCAT         AXIS NDIM T T T
	concat4   CONCAT         AXIS NDIM T T T T
	concat5   CONCAT         AXIS NDIM T T T T T
	poolavg   POOL2D_AVG     KH KW SH SW PAD T
	poolavg   POOL2D_AVG     T KH KW SH SW PAD ACT
	poolmax   POOL2D_MAX     KH KW SH SW PAD T
	poolmax   POOL2D_MAX     T KH KW SH SW PAD ACT
	enlarge   ENLARGE        KH KW T
	enlarge   ENLARGE        T T
	merge     MERGE_GCONV    T COUNT
	Iconv     CONSTANT_ICONV KH KW
	Cpool     CONSTANT_POOL  KH KW
	Imatmul   CONSTANT_IMM
	Iewmul    CONSTANT_ONE
`)

func forms(table string) map[string][]form {
	types := map[string]tasopb.OpType{}
	for t := tasopb.OpType(0); t.Known(); t++ {
		types[t.String()] = t
	}
	out := map[string][]form{}
	for _, line := range strings.Split(table, "\n") {
		w := strings.Fields(line)
		if len(w) < 2 {
			continue
		}
		f := form{name: w[0], op: types[w[1]]}
		for _, s := range w[2:] {
			f.slots = append(f.slots, slotNames[s])
		}
		out[f.name] = append(out[f.name], f)
	}
	return out
}

// isNumber reports whether a term is a number rather than a name.
func (e *expr) isNumber() bool {
	if e.call {
		return false
	}
	digits := strings.TrimPrefix(e.name, "-")
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return digits != ""
}

// isVariable reports whether a term is a variable.
func (n notation) isVariable(e *expr) bool {
	if e.call || e.isNumber() {
		return false
	}
	if n == notationTensat {
		return e.name[0] == '?'
	}
	_, isOp := operators[e.name]
	return !isOp && !strings.HasPrefix(e.name, "split")
}

// choose finds the form that the arguments have. An attribute variable may
// stand for a number.
func (n notation) choose(e *expr, fs []form) (*form, error) {
	var fallback *form
	var counts []string
	var misfit error
	for i := range fs {
		f := &fs[i]
		if len(f.slots) != len(e.args) {
			counts = append(counts, strconv.Itoa(len(f.slots)))
			continue
		}
		exact, fits := true, true
		for k, s := range f.slots {
			a := &e.args[k]
			wantsTensor := s.kind == slotTensor
			switch {
			case wantsTensor && a.isNumber():
				fits = false
				misfit = at(a.pos, "argument %d of %s is the number %s, want %s", k+1, e.name, a.name, s.name)
			case s.kind == slotNumber && !a.isNumber():
				exact = false
				if n != notationTensat || !n.isVariable(a) {
					fits = false
					misfit = at(a.pos, "argument %d of %s is a tensor, want %s", k+1, e.name, s.name)
				}
			}
		}
		if fits && exact {
			return f, nil
		}
		if fits && fallback == nil {
			fallback = f
		}
	}
	switch {
	case fallback != nil:
		return fallback, nil
	case misfit != nil:
		return nil, misfit
	}
	return nil, at(e.pos, "%s has %s, want %s", e.name, arguments(len(e.args)), strings.Join(counts, " or "))
}

func arguments(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

// parsePerm reads the axes of a permutation, 1_0 for the matrix transposition,
// as TASO's number: the digits in base n, the first axis highest.
func parsePerm(name string) (code, n int32, err error) {
	axes := strings.Split(name, "_")
	if len(axes) > 8 {
		return 0, 0, fmt.Errorf("a permutation of %d axes, at most 8", len(axes))
	}
	seen := make([]bool, len(axes))
	for _, a := range axes {
		k, err := strconv.Atoi(a)
		if err != nil || k < 0 || k >= len(axes) || seen[k] {
			return 0, 0, fmt.Errorf("%s is no permutation: want such as 1_0", name)
		}
		seen[k] = true
		code = code*int32(len(axes)) + int32(k)
	}
	return code, int32(len(axes)), nil
}
