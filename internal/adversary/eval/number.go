package eval

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// field is arithmetic on numbers of one kind. A number may be bad: the inverse
// of zero, what does not fit, what a function has no value for; what is computed
// from it is bad too.
type field[V any] interface {
	Int(n int64) V
	// Random makes a number of a hash: an integer where whole is asked for.
	Random(h uint64, whole bool) V
	Add(a, b V) V
	Mul(a, b V) V
	Inv(a V) V
	// Larger is the larger one.
	Larger(a, b V) V
	// Func applies a function of one element that has a name, Table one that is
	// a table made of a hash, which at zero is zero if so.
	Func(name string, params []string, x V) V
	Table(h uint64, zero bool, x V) V
	// Power is x to the power of y, Remainder what x divided by y leaves, the quotient
	// being an integer.
	Power(x, y V) V
	Remainder(fn string, x, y V) V
	// Sign is that of a number, where it is known.
	Sign(x V) (int, bool)
	// Integer is a number as a small integer, if it is one.
	Integer(x V) (int64, bool)
	IsBad(x V) bool
	Same(a, b V) bool
	Text(x V) string
}

// mix is a hash of two numbers.
func mix(h, x uint64) uint64 {
	h ^= x + 0x9e3779b97f4a7c15 + h<<6 + h>>2
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}

func mixText(h uint64, s string) uint64 {
	h = mix(h, uint64(len(s)))
	for i := range len(s) {
		h = mix(h, uint64(s[i]))
	}
	return h
}

// modular is arithmetic modulo 2^61 - 1. It has no order: Larger is bad.
type modular struct{}

const (
	prime  = 1<<61 - 1
	badMod = ^uint64(0)
)

func reduce(x uint64) uint64 {
	x = x>>61 + x&prime
	if x >= prime {
		x -= prime
	}
	return x
}

func (modular) Int(n int64) uint64 {
	if n >= 0 {
		return reduce(uint64(n))
	}
	return reduce(prime - reduce(uint64(-n)))
}

func (m modular) Random(h uint64, whole bool) uint64 {
	if whole {
		return m.Int(int64(h%7) - 2)
	}
	return reduce(h)
}

func (modular) Add(a, b uint64) uint64 {
	if a == badMod || b == badMod {
		return badMod
	}
	return reduce(a + b)
}

func (modular) Mul(a, b uint64) uint64 {
	if a == badMod || b == badMod {
		return badMod
	}
	hi, lo := bits.Mul64(a, b)
	// The product is below 2^122: its upper part times 2^61, which is 1 here.
	return reduce(lo&prime + (hi<<3 | lo>>61))
}

func (m modular) Inv(a uint64) uint64 {
	if a == badMod || a == 0 {
		return badMod
	}
	out, base := uint64(1), a
	for e := uint64(prime - 2); e > 0; e >>= 1 {
		if e&1 == 1 {
			out = m.Mul(out, base)
		}
		base = m.Mul(base, base)
	}
	return out
}

func (modular) Larger(_, _ uint64) uint64 { return badMod }

// zeroAtZero are the functions without parameters that are 0 at 0.
var zeroAtZero = map[string]bool{"abs": true, "relu": true, "tanh": true, "gelu": true, "erf": true,
	"sqrt": true, "hardswish": true, "neg": true, "step": true, "sin": true, "tan": true, "asin": true, "atan": true,
	"sinh": true, "asinh": true, "atanh": true}

// known is whether a function with these parameters is 0 at 0.
func keepsZero(name string, params []string) bool {
	switch name {
	case "leakyrelu", "elu":
		x, err := strconv.ParseFloat(params[0], 64)
		return err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
	}
	return zeroAtZero[name]
}

// tableOf is the hash of a function that is a table here.
func tableOf(name string, params []string) uint64 {
	h := mixText(11, name)
	for _, p := range params {
		h = mixText(h, p)
	}
	return h
}

func (m modular) Func(name string, params []string, x uint64) uint64 {
	switch {
	case x == badMod:
		return badMod
	case name == "neg":
		return m.Mul(prime-1, x)
	case name == "reciprocal":
		return m.Inv(x)
	case name == "isnan" || name == "isinf":
		return 0
	}
	if jumping(name) != nil {
		return badMod
	}
	return m.Table(tableOf(name, params), keepsZero(name, params), x)
}

func (modular) Table(h uint64, zero bool, x uint64) uint64 {
	switch {
	case x == badMod:
		return badMod
	case x == 0 && zero:
		return 0
	}
	return reduce(mix(h, x))
}

func (modular) Integer(x uint64) (int64, bool) {
	switch {
	case x < 1<<40:
		return int64(x), true
	case x < prime && prime-x < 1<<40:
		return -int64(prime - x), true
	}
	return 0, false
}

func (modular) IsBad(x uint64) bool   { return x == badMod }
func (modular) Same(a, b uint64) bool { return a == b }
func (modular) Text(x uint64) string  { return strconv.FormatUint(x, 10) }

// frac is num/den in lowest terms, den > 0; den = 0 is bad.
type frac struct{ num, den int64 }

// rational is exact arithmetic with the true order. What leaves 63 bits is bad.
type rational struct{}

func fracOf(num, den int64) frac {
	if den == 0 || num == math.MinInt64 || den == math.MinInt64 {
		return frac{}
	}
	if den < 0 {
		num, den = -num, -den
	}
	a, b := max(num, -num), den
	for b != 0 {
		a, b = b, a%b
	}
	return frac{num / a, den / a}
}

func (rational) Int(n int64) frac { return fracOf(n, 1) }

func (rational) Random(h uint64, whole bool) frac {
	if whole {
		return fracOf(int64(h%7)-3, 1)
	}
	// Many values, so that the largest of many cells is not always the same.
	n := int64(h%401) - 200
	if h>>32%4 == 0 {
		return fracOf(n, 2)
	}
	return fracOf(n, 1)
}

func (rational) Add(a, b frac) frac {
	if a.den == 0 || b.den == 0 {
		return frac{}
	}
	x, e1 := mul(a.num, b.den)
	y, e2 := mul(b.num, a.den)
	d, e3 := mul(a.den, b.den)
	s, e4 := add(x, y)
	if e1 != nil || e2 != nil || e3 != nil || e4 != nil {
		return frac{}
	}
	return fracOf(s, d)
}

func (rational) Mul(a, b frac) frac {
	if a.den == 0 || b.den == 0 {
		return frac{}
	}
	n, e1 := mul(a.num, b.num)
	d, e2 := mul(a.den, b.den)
	if e1 != nil || e2 != nil {
		return frac{}
	}
	return fracOf(n, d)
}

func (rational) Inv(a frac) frac {
	if a.den == 0 || a.num == 0 {
		return frac{}
	}
	return fracOf(a.den, a.num)
}

func (r rational) Larger(a, b frac) frac {
	d := r.Add(a, r.Mul(frac{-1, 1}, b))
	switch {
	case d.den == 0:
		return frac{}
	case d.num < 0:
		return b
	}
	return a
}

// decimal is a number as it is written; infinite is -1 or 1 for infinities.
func decimal(s string) (f frac, infinite int) {
	switch s {
	case "inf":
		return frac{}, 1
	case "-inf":
		return frac{}, -1
	}
	q, ok := new(big.Rat).SetString(s)
	if !ok || !q.Num().IsInt64() || !q.Denom().IsInt64() {
		return frac{}, 0
	}
	return fracOf(q.Num().Int64(), q.Denom().Int64()), 0
}

func (r rational) Func(name string, params []string, x frac) frac {
	if x.den == 0 {
		return frac{}
	}
	zero, one := frac{0, 1}, frac{1, 1}
	smaller := func(a, b frac) frac {
		m := frac{-1, 1}
		return r.Mul(m, r.Larger(r.Mul(m, a), r.Mul(m, b)))
	}
	between := func(x frac) frac { return smaller(one, r.Larger(zero, x)) }
	switch name {
	case "relu":
		return r.Larger(x, zero)
	case "neg":
		return r.Mul(frac{-1, 1}, x)
	case "abs":
		return r.Larger(x, r.Mul(frac{-1, 1}, x))
	case "isnan", "isinf": // no number here is
		return zero
	case "reciprocal":
		return r.Inv(x)
	case "hardswish":
		return r.Mul(x, between(r.Add(r.Mul(x, frac{1, 6}), frac{1, 2})))
	case "leakyrelu":
		if x.num < 0 {
			a, _ := decimal(params[0])
			return r.Mul(a, x)
		}
		return x
	case "elu":
		if x.num >= 0 {
			return x
		}
	case "hardsigmoid":
		a, _ := decimal(params[0])
		b, _ := decimal(params[1])
		return between(r.Add(r.Mul(a, x), b))
	case "clip":
		lo, lowInf := decimal(params[0])
		hi, highInf := decimal(params[1])
		switch {
		case highInf < 0:
			return frac{}
		case lowInf > 0:
			return hi
		case lowInf == 0:
			x = r.Larger(x, lo)
		}
		if highInf == 0 {
			x = smaller(x, hi)
		}
		return x
	case "exp", "cos", "cosh":
		if x.num == 0 {
			return one
		}
	case "acos", "acosh":
		if x == one {
			return zero
		}
	case "sigmoid":
		if x.num == 0 {
			return frac{1, 2}
		}
	}
	if f := jumping(name); f != nil {
		return fracOfRat(f(x.rat()))
	}
	return r.Table(tableOf(name, params), keepsZero(name, params), x)
}

func (rational) Table(h uint64, zero bool, x frac) frac {
	switch {
	case x.den == 0:
		return frac{}
	case x.num == 0 && zero:
		return x
	}
	h = mix(mix(h, uint64(x.num)), uint64(x.den))
	return fracOf(int64(h%9)-4, 1)
}

func (rational) Integer(x frac) (int64, bool) { return x.num, x.den == 1 }
func (rational) IsBad(x frac) bool            { return x.den == 0 }
func (rational) Same(a, b frac) bool          { return a == b }
func (rational) Text(x frac) string {
	if x.den == 1 {
		return strconv.FormatInt(x.num, 10)
	}
	return strconv.FormatInt(x.num, 10) + "/" + strconv.FormatInt(x.den, 10)
}

// smooth are functions of one element in float64.
var smooth = map[string]func(float64) float64{
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"sinh": math.Sinh, "cosh": math.Cosh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
}

// floating is arithmetic in float64 with the true functions. Numbers are the
// same if they are near; infinities and NaN are bad.
type floating struct{}

func (floating) Int(n int64) float64 { return float64(n) }

func (floating) Random(h uint64, whole bool) float64 {
	if whole {
		return float64(int64(h%7) - 3)
	}
	return float64(int64(h%4001)-2000) / 1000
}

func (floating) Add(a, b float64) float64    { return a + b }
func (floating) Mul(a, b float64) float64    { return a * b }
func (floating) Inv(a float64) float64       { return 1 / a }
func (floating) Larger(a, b float64) float64 { return math.Max(a, b) }

func (f floating) Func(name string, params []string, x float64) float64 {
	ps := make([]float64, len(params))
	for i, p := range params {
		ps[i], _ = strconv.ParseFloat(p, 64)
	}
	between := func(x float64) float64 { return math.Min(1, math.Max(0, x)) }
	switch name {
	case "relu":
		return math.Max(x, 0)
	case "neg":
		return -x
	case "abs":
		return math.Abs(x)
	case "isnan", "isinf":
		return x - x
	case "reciprocal":
		return 1 / x
	case "sigmoid":
		return 1 / (1 + math.Exp(-x))
	case "tanh":
		return math.Tanh(x)
	case "erf":
		return math.Erf(x)
	case "gelu":
		return x / 2 * (1 + math.Erf(x/math.Sqrt2))
	case "exp":
		return math.Exp(x)
	case "log":
		return math.Log(x)
	case "sqrt":
		return math.Sqrt(x)
	case "rsqrt":
		return 1 / math.Sqrt(x+ps[0])
	case "hardswish":
		return x * between(x/6+0.5)
	case "hardsigmoid":
		return between(ps[0]*x + ps[1])
	case "leakyrelu":
		if x < 0 {
			return ps[0] * x
		}
		return x
	case "elu":
		if x < 0 {
			return ps[0] * math.Expm1(x)
		}
		return x
	case "clip":
		return math.Min(math.Max(x, ps[0]), ps[1])
	}
	if f := smooth[name]; f != nil {
		return f(x)
	}
	if f := jumping(name); f != nil {
		return steady(x, f)
	}
	return math.NaN()
}

// Table is smooth, so that numbers which are near stay so.
func (floating) Table(h uint64, zero bool, x float64) float64 {
	a, b := 1+float64(h%100)/100, float64(h>>8%100)/50
	y := math.Sin(a*x+b) - math.Sin(b) + x*x/5
	if !zero {
		y += 0.5 + b
	}
	return y
}

func (floating) Integer(x float64) (int64, bool) {
	n := math.Round(x)
	return int64(n), math.Abs(x-n) < 1e-9 && math.Abs(n) < 1<<40
}

func (floating) IsBad(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

func (floating) Same(a, b float64) bool {
	return math.Abs(a-b) <= 1e-6*(1+math.Abs(a)+math.Abs(b))
}

func (floating) Text(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }
