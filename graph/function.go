package graph

import "strings"

// Functions of one element: what a function variable of a law can stand for.
// Such a function is an operator together with the values of its parameters,
// since leakyrelu with slope 0.1 is another function than with 0.2.

// IsFunction reports whether op, with values for its parameters, is a function
// of one element: pointwise, and its parameters are numbers.
func (op *Op) IsFunction() bool {
	if !op.Pointwise || op.In != 1 || op.Out != 1 || op.Expand != nil {
		return false
	}
	for _, p := range op.Params {
		if p.Sort != SortNumber {
			return false
		}
	}
	return true
}

// KeepsZero reports whether the function that op is at these parameters is
// known to be 0 at 0. Of a parameter that is a variable nothing is known.
func (op *Op) KeepsZero(a Attrs) bool {
	if !op.IsFunction() || op.Zero == nil || len(op.Params) == 0 {
		return op.ZeroAtZero
	}
	if len(a) != len(op.Params) {
		return false
	}
	xs := make([]float64, len(a))
	for i, v := range a {
		x, ok := v.Number()
		if !ok {
			return false
		}
		xs[i] = x
	}
	return op.Zero(xs)
}

// IsActivation reports whether name is that of a function of one element
// without parameters: a value of sort act.
func IsActivation(name string) bool {
	op, ok := Lookup(name)
	return ok && len(op.Params) == 0 && op.IsFunction()
}

// FunctionName writes a function of one element as terms do: "relu",
// "clip[lo=0.0, hi=6.0]", "leakyrelu[alpha=e]" with a variable e of sort
// number.
func FunctionName(op *Op, a Attrs) string { return op.Name + op.FormatAttrs(a) }

// ParseFunctionName is the inverse of [FunctionName]; false if the text is not
// the name of a function of one element with all its parameters.
func ParseFunctionName(text string) (*Op, Attrs, bool) {
	name, rest, has := strings.Cut(text, "[")
	op, ok := Lookup(name)
	if !ok || !op.IsFunction() {
		return nil, nil, false
	}
	if !has {
		a, err := op.Attr(nil)
		return op, a, err == nil
	}
	list, ok := strings.CutSuffix(rest, "]")
	if !ok {
		return nil, nil, false
	}
	named := map[string]Value{}
	for _, part := range strings.Split(list, ",") {
		key, val, ok := strings.Cut(part, "=")
		if key = strings.TrimSpace(key); !ok || op.ParamIndex(key) < 0 {
			return nil, nil, false
		}
		if _, twice := named[key]; twice {
			return nil, nil, false
		}
		val = strings.TrimSpace(val)
		if x, err := ParseNumber(val); err == nil {
			named[key] = NumberValue(x)
		} else if isIdent(val) {
			named[key] = VarValue(val, SortNumber)
		} else {
			return nil, nil, false
		}
	}
	a, err := op.Attr(named)
	return op, a, err == nil
}

// FuncKeepsZero reports whether the function of one element that a [Step] or
// an entry names, see [FuncText], is known to be 0 at 0.
func FuncKeepsZero(text string) bool {
	name, xs, err := ParseFunc(text)
	op, ok := Lookup(name)
	if err != nil || !ok || len(xs) != len(op.Params) {
		return false
	}
	a := make(Attrs, len(xs))
	for i, x := range xs {
		a[i] = NumberValue(x)
	}
	return op.KeepsZero(a)
}

// FuncIdempotent reports whether the function of one element that a [Step] or an entry
// names, see [FuncText], is known to change nothing that it is applied to twice.
func FuncIdempotent(text string) bool {
	name, _, _ := strings.Cut(text, "(")
	op, ok := Lookup(name)
	return ok && op.Idempotent
}
