package eval

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Functions that jump: those that round, tell signs, and cast. Each is computed from an
// exact number, whatever numbers the field has.

// jumps are those that are operators.
var jumps = map[string]func(x *big.Rat) *big.Rat{
	"floor": func(x *big.Rat) *big.Rat { return new(big.Rat).SetInt(floorRat(x)) },
	"ceil":  func(x *big.Rat) *big.Rat { return negRat(new(big.Rat).SetInt(floorRat(negRat(x)))) },
	"round": nearestEven,
	"sign":  func(x *big.Rat) *big.Rat { return big.NewRat(int64(x.Sign()), 1) },
	"step":  func(x *big.Rat) *big.Rat { return big.NewRat(int64(max(x.Sign(), 0)), 1) },
}

// castPrefix stands before the element type and the mode of a function that a cast is.
const castPrefix = "cast "

// jumping is a function that jumps, nil if that of the name does not. What it returns is
// nil where it has no value.
func jumping(name string) func(x *big.Rat) *big.Rat {
	if rest, ok := strings.CutPrefix(name, castPrefix); ok {
		to, mode, _ := strings.Cut(rest, " ")
		return func(x *big.Rat) *big.Rat { return castTo(to, mode, x) }
	}
	return jumps[name]
}

func negRat(x *big.Rat) *big.Rat { return new(big.Rat).Neg(x) }

// floorRat is the largest integer that is not above x.
func floorRat(x *big.Rat) *big.Int {
	// Of integers, DivMod leaves a remainder that is not negative.
	q, _ := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	return q
}

// nearestEven is the nearest integer, the even one of two.
func nearestEven(x *big.Rat) *big.Rat {
	n := floorRat(x)
	rest := new(big.Rat).Sub(x, new(big.Rat).SetInt(n))
	if c := rest.Cmp(big.NewRat(1, 2)); c > 0 || c == 0 && n.Bit(0) == 1 {
		n.Add(n, big.NewInt(1))
	}
	return new(big.Rat).SetInt(n)
}

func truncRat(x *big.Rat) *big.Int { return new(big.Int).Quo(x.Num(), x.Denom()) }

// narrow is a type of floating-point numbers by its largest number, and how many digits
// numbers have, the first one counted, down to which power of 2 that is so.
type narrow struct {
	digits, least int
	largest       float64
	// holds: what is larger becomes the largest, if not told otherwise.
	holds bool
}

var narrows = map[string]narrow{
	"float16":        {11, -14, 65504, false},
	"bfloat16":       {8, -126, math.Ldexp(255, 120), false},
	"float8e4m3fn":   {4, -6, 448, true},
	"float8e4m3fnuz": {4, -7, 240, true},
	"float8e5m2":     {3, -14, 57344, true},
	"float8e5m2fnuz": {3, -15, 57344, true},
	"float4e2m1":     {2, 0, 6, true},
}

// castTo is x as a number of a type; nil where nothing is said of it. In mode exact it is x.
func castTo(to, mode string, x *big.Rat) *big.Rat {
	switch {
	case to == "bool":
		return big.NewRat(int64(x.Sign()*x.Sign()), 1)
	case mode == "exact":
		return x
	case to == "float32":
		y, _ := x.Float32()
		return new(big.Rat).SetFloat64(float64(y)) // nil if it is infinite
	case to == "float64":
		y, _ := x.Float64()
		return new(big.Rat).SetFloat64(y)
	}
	if bits, err := strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(to, "u"), "int")); err == nil {
		return castInt(bits, to[0] != 'u', mode, x)
	}
	if to == "float8e8m0" {
		return castPower(mode, x)
	}
	n, ok := narrows[to]
	if !ok || mode != "default" && mode != "overflow" {
		return nil
	}
	e := exponent(new(big.Rat).Abs(x), n.least)
	unit := powerOf2(e - n.digits + 1) // the distance of two numbers at x
	y := nearestEven(new(big.Rat).Quo(x, unit))
	y.Mul(y, unit)
	most := new(big.Rat)
	most.SetFloat64(n.largest)
	if new(big.Rat).Abs(y).Cmp(most) <= 0 {
		return y
	}
	switch {
	case !n.holds || mode == "overflow" && to != "float4e2m1":
		return nil
	case x.Sign() < 0:
		return most.Neg(most)
	}
	return most
}

// powerOf2 is 2 to the power of e.
func powerOf2(e int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e))))
	if e < 0 {
		p.Inv(p)
	}
	return p
}

// exponent is that of the largest power of 2 that is not above x, from least to 200.
func exponent(x *big.Rat, least int) int {
	e := least
	for e < 200 && x.Cmp(powerOf2(e+1)) >= 0 {
		e++
	}
	return e
}

// castPower is x as one of the powers of 2 from -127 to 127.
func castPower(mode string, x *big.Rat) *big.Rat {
	const least, largest = -127, 127
	to, overflow := strings.CutSuffix(mode, "_overflow")
	low, high := x.Cmp(powerOf2(least)) < 0, x.Cmp(powerOf2(largest)) > 0
	switch {
	case x.Sign() < 0, overflow && (low || high):
		return nil
	case low:
		return powerOf2(least)
	case high:
		return powerOf2(largest)
	}
	e := exponent(x, least)
	below := powerOf2(e)
	half := new(big.Rat).Mul(below, big.NewRat(3, 2)) // between below and the next one
	if (mode == "default" || to == "up") && x.Cmp(below) > 0 || to == "nearest" && x.Cmp(half) >= 0 {
		e++
	}
	return powerOf2(e)
}

// castInt is x as an integer of some bits.
func castInt(bits int, signed bool, mode string, x *big.Rat) *big.Rat {
	n := truncRat(x)
	wraps := mode == "wrap"
	if wraps && !x.IsInt() {
		return nil
	}
	if bits < 8 && !wraps {
		n, wraps = nearestEven(x).Num(), true
	}
	all := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	low := new(big.Int)
	if signed {
		low.Rsh(all, 1).Neg(low)
	}
	off := new(big.Int).Sub(n, low) // from 0 on, below all, of what is held
	held := new(big.Int).Mod(off, all)
	if !wraps && held.Cmp(off) != 0 {
		return nil
	}
	return new(big.Rat).SetInt(held.Add(held, low))
}

// steady is a function that jumps, of a number that may be off by rounding: NaN near a
// jump, unless the number has few digits, which hardly comes about by rounding.
func steady(x float64, f func(x *big.Rat) *big.Rat) float64 {
	at := func(x float64) float64 {
		q := new(big.Rat).SetFloat64(x)
		if q == nil {
			return math.NaN()
		}
		if q = f(q); q == nil {
			return math.NaN()
		}
		y, _ := q.Float64()
		return y
	}
	if s := x * (1 << 20); math.Abs(x) < 1<<30 && s == math.Trunc(s) {
		return at(x)
	}
	d := 1e-9 * (1 + math.Abs(x))
	a, b := at(x-d), at(x+d)
	if math.Abs(a-b) > 4*d || math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN()
	}
	return at(x)
}
