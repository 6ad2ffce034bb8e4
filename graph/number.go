package graph

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// SortNumber is the sort of parameters that are real numbers, and of variables
// that stand for one.
const SortNumber = "number"

// NumberValue is the real number x as an attribute. All NaNs are one value.
func NumberValue(x float64) Value { return Value{kind: KindNumber, str: FormatNumber(x)} }

// Number returns the number of a KindNumber value.
func (v Value) Number() (float64, bool) {
	if v.kind != KindNumber {
		return 0, false
	}
	x, err := ParseNumber(v.str)
	return x, err == nil
}

// FormatNumber is the shortest text that reads back as x; it always has a
// point, an exponent or a name, so that it does not look like a size: 1.0,
// 0.1, 1e-05, inf, -inf, nan.
func FormatNumber(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// ParseNumber is the inverse of [FormatNumber]; it takes integers too. A number
// that is too large for 64 bits is an error, never infinity.
func ParseNumber(s string) (float64, error) {
	switch s {
	case "nan":
		return math.NaN(), nil
	case "inf":
		return math.Inf(1), nil
	case "-inf":
		return math.Inf(-1), nil
	}
	if NumberPrefix(s) != len(s) || s == "" {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	x, err := strconv.ParseFloat(s, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("number %s is too large", s)
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return x, nil
}

// NumberPrefix is the length of the longest start of s that is written like a
// number: an optional sign, digits, at most one point with digits behind it, an
// optional exponent; or inf, -inf, nan. 0 if there is none.
func NumberPrefix(s string) int {
	for _, name := range []string{"nan", "inf", "-inf"} {
		if rest, ok := strings.CutPrefix(s, name); ok && (rest == "" || !isIdentByte(rest[0])) {
			return len(name)
		}
	}
	digits := func(i int) int {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i
	}
	start := 0
	if strings.HasPrefix(s, "-") {
		start = 1
	}
	end := digits(start)
	if end == start {
		return 0
	}
	if end < len(s) && s[end] == '.' {
		if e := digits(end + 1); e > end+1 {
			end = e
		}
	}
	if end < len(s) && (s[end] == 'e' || s[end] == 'E') {
		i := end + 1
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		if e := digits(i); e > i {
			end = e
		}
	}
	return end
}

// SortDType is the sort of parameters that name an element type.
const SortDType = "dtype"

// FuncText names a function of one element with parameters in a [Step]:
// "leakyrelu(0.01)", "clip(0.0, 6.0)"; without parameters it is the name alone.
// A parameter that is a variable is written with its sort, so that it looks like
// no number, whatever its name.
func FuncText(name string, params ...Value) string {
	if len(params) == 0 {
		return name
	}
	parts := make([]string, len(params))
	for i, p := range params {
		if parts[i] = p.String(); p.Kind() == KindVar {
			parts[i] += ":" + p.sort
		}
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// ParseFunc is the inverse of [FuncText]; an error says that a parameter is not
// a number.
func ParseFunc(text string) (name string, params []float64, err error) {
	name, rest, ok := strings.Cut(text, "(")
	if !ok {
		return text, nil, nil
	}
	for _, p := range strings.Split(strings.TrimSuffix(rest, ")"), ", ") {
		x, err := ParseNumber(p)
		if err != nil {
			return "", nil, fmt.Errorf("function %s: %w", text, err)
		}
		params = append(params, x)
	}
	return name, params, nil
}

// IsZero names the function that is 1 at 0 and 0 elsewhere.
const IsZero = "iszero"

// Real reports that the numbers among the attributes of an operator are real
// ones, or bounds that bound nothing (Param.Infinite), as laws want them; the
// error names one that is not.
func (o *Op) Real(a Attrs) error {
	for i, v := range a {
		x, ok := v.Number()
		if !ok || i >= len(o.Params) || o.Params[i].Infinite != 0 && math.IsInf(x, o.Params[i].Infinite) {
			continue
		}
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return fmt.Errorf("operator %s: %s is %s: laws are about real numbers", o.Name, o.Params[i].Name, v)
		}
	}
	return nil
}
