package eval

import (
	"math"
	"math/big"
)

// Functions of several elements that are no polynomials.

// compared says for which signs of the second element less the first one a comparison
// holds.
var compared = map[string]func(sign int) bool{
	"ewless":      func(sign int) bool { return sign > 0 },
	"ewlessequal": func(sign int) bool { return sign >= 0 },
	"ewequal":     func(sign int) bool { return sign == 0 },
}

// several is a cell of an operator on several elements; ok is false of others.
func (m *machine[V]) several(n *node, idx []int64) (v V, ok bool) {
	bad := func() V { return m.f.Inv(m.f.Int(0)) }
	if is, ok := compared[n.op]; ok {
		sign, known := m.f.Sign(m.sub(m.at(n.args[1], idx), m.at(n.args[0], idx)))
		if !known {
			return bad(), true
		}
		return m.truth(is(sign)), true
	}
	switch n.op {
	case "ewwhere":
		sign, known := m.f.Sign(m.at(n.args[0], idx))
		switch {
		case !known:
			return bad(), true
		case sign != 0:
			return m.at(n.args[1], idx), true
		}
		return m.at(n.args[2], idx), true
	case "ewpow":
		return m.f.Power(m.at(n.args[0], idx), m.at(n.args[1], idx)), true
	case "ewint":
		x, y := m.at(n.args[0], idx), m.at(n.args[1], idx)
		fn := n.a["fn"].Name
		a, oka := m.f.Integer(x)
		b, okb := m.f.Integer(y)
		if oka && okb {
			if z, ok := whole(fn, a, b); ok {
				return m.f.Int(z), true
			}
			return bad(), true
		}
		return m.f.Remainder(fn, x, y), true
	}
	return v, false
}

// wholes are the functions of two integers; false where they have no value.
var wholes = map[string]func(x, y int64) (int64, bool){
	"quo": func(x, y int64) (int64, bool) {
		if y == 0 {
			return 0, false
		}
		return x / y, true
	},
	"rem":    func(x, y int64) (int64, bool) { return wholeRest("rem", x, y) },
	"mod":    func(x, y int64) (int64, bool) { return wholeRest("mod", x, y) },
	"bitand": func(x, y int64) (int64, bool) { return x & y, true },
	"bitor":  func(x, y int64) (int64, bool) { return x | y, true },
	"bitxor": func(x, y int64) (int64, bool) { return x ^ y, true },
	"shl": func(x, y int64) (int64, bool) {
		if y < 0 || y > 62 {
			return 0, false
		}
		z, err := mul(x, 1<<y)
		return z, err == nil
	},
	"shr": func(x, y int64) (int64, bool) {
		if y < 0 {
			return 0, false
		}
		if y > 62 {
			return floor(x, math.MaxInt64), true
		}
		return floor(x, 1<<y), true
	},
}

func whole(fn string, x, y int64) (int64, bool) {
	f, ok := wholes[fn]
	if !ok {
		return 0, false
	}
	return f(x, y)
}

func wholeRest(fn string, x, y int64) (int64, bool) {
	r := rest(fn, big.NewRat(x, 1), big.NewRat(y, 1))
	if r == nil {
		return 0, false
	}
	return r.Num().Int64(), true
}

// rest is what a quotient that is rounded leaves: towards 0 for rem, down for mod; nil
// where there is none.
func rest(fn string, x, y *big.Rat) *big.Rat {
	if y.Sign() == 0 || fn != "rem" && fn != "mod" {
		return nil
	}
	q := new(big.Rat).Quo(x, y)
	n := floorRat(q)
	if fn == "rem" {
		n = truncRat(q)
	}
	q.Mul(y, q.SetInt(n))
	return q.Sub(x, q)
}

// fracOfRat is a number that fits; bad if it does not.
func fracOfRat(x *big.Rat) frac {
	if x == nil || !x.Num().IsInt64() || !x.Denom().IsInt64() {
		return frac{}
	}
	return fracOf(x.Num().Int64(), x.Denom().Int64())
}

func (x frac) rat() *big.Rat { return big.NewRat(x.num, x.den) }

func (modular) Sign(x uint64) (int, bool) { return 0, x == 0 }

func (rational) Sign(x frac) (int, bool) {
	switch {
	case x.num > 0:
		return 1, x.den > 0
	case x.num < 0:
		return -1, x.den > 0
	}
	return 0, x.den > 0
}

func (floating) Sign(x float64) (int, bool) {
	y := steady(x, jumps["sign"])
	return int(y), !math.IsNaN(y)
}

// powers bounds the exponents that are multiplied out.
const powers = 64

// power multiplies out x to the power of n; bad of 0 to a negative one.
func power[V any](f field[V], x V, n int64) V {
	if n < 0 {
		x, n = f.Inv(x), -n
	}
	out := f.Int(1)
	for range n {
		out = f.Mul(out, x)
	}
	return out
}

func (m modular) Power(x, y uint64) uint64 {
	n, ok := m.Integer(y)
	switch {
	case x == badMod || y == badMod:
		return badMod
	case ok && n >= -powers && n <= powers:
		return power[uint64](m, x, n)
	case x == 1:
		return x
	case x == 0:
		return badMod
	}
	return m.Table(tableOf("ewpow", nil), false, mix(x, y))
}

func (r rational) Power(x, y frac) frac {
	switch {
	case x.den == 0 || y.den == 0:
		return frac{}
	case y.den == 1 && y.num >= -powers && y.num <= powers:
		return power[frac](r, x, y.num)
	case x == frac{1, 1}:
		return x
	case x.num == 0 && y.num > 0:
		return x
	case x.num <= 0:
		return frac{}
	}
	return r.Table(mix(mix(tableOf("ewpow", nil), uint64(y.num)), uint64(y.den)), false, x)
}

func (floating) Power(x, y float64) float64 {
	const near = 1e-9
	if x != 0 && math.Abs(x) < near || y != 0 && math.Abs(y) < near {
		return math.NaN() // one of them may be 0
	}
	if x < 0 && y != math.Trunc(y) {
		return math.NaN()
	}
	return math.Pow(x, y)
}

func (modular) Remainder(string, uint64, uint64) uint64 { return badMod }

func (rational) Remainder(fn string, x, y frac) frac {
	if x.den == 0 || y.den == 0 {
		return frac{}
	}
	return fracOfRat(rest(fn, x.rat(), y.rat()))
}

func (floating) Remainder(fn string, x, y float64) float64 {
	q := new(big.Rat).SetFloat64(y)
	if q == nil || math.Abs(y) < 1e-6 {
		return math.NaN()
	}
	return steady(x, func(x *big.Rat) *big.Rat { return rest(fn, x, q) })
}
