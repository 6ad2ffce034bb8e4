package interp_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/taso-go/taso/graph/interp"
	"pgregory.net/rapid"
)

func toBig(q interp.Q) *big.Rat { return big.NewRat(q.Num, q.Den) }

// drawQ draws small values and values near the ends of 63 bits.
func drawQ(t *rapid.T, label string) interp.Q {
	wide := rapid.Bool().Draw(t, label+" wide")
	num, den := rapid.Int64Range(-20, 20), rapid.Int64Range(1, 20)
	if wide {
		num, den = rapid.Int64(), rapid.Int64Range(1, math.MaxInt64)
	}
	return interp.Rational{}.Rat(num.Draw(t, label+" num"), den.Draw(t, label+" den"))
}

// small reports whether arithmetic on q cannot overflow.
func small(qs ...interp.Q) bool {
	for _, q := range qs {
		if q.IsBad() || q.Num > 1<<30 || q.Num < -1<<30 || q.Den > 1<<30 {
			return false
		}
	}
	return true
}

func TestRationalAgainstBig(t *testing.T) {
	var r interp.Rational
	seen := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawQ(t, "a"), drawQ(t, "b")
		for _, c := range []struct {
			op   string
			got  interp.Q
			want func(x, y *big.Rat) *big.Rat
		}{
			{"+", r.Add(a, b), func(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) }},
			{"*", r.Mul(a, b), func(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }},
			{"max", r.Max([]interp.Q{a, b}), func(x, y *big.Rat) *big.Rat {
				if x.Cmp(y) >= 0 {
					return x
				}
				return y
			}},
			{"relu of", r.Fn("relu", a), func(x, _ *big.Rat) *big.Rat {
				if x.Sign() < 0 {
					return new(big.Rat)
				}
				return x
			}},
		} {
			if c.got.IsBad() {
				if small(a, b) {
					t.Fatalf("%v %s %v overflows", a, c.op, b)
				}
				seen[true]++
				continue
			}
			seen[false]++
			if a.IsBad() || b.IsBad() && c.op != "relu of" {
				t.Fatalf("%v %s %v = %v: an overflow is lost", a, c.op, b, c.got)
			}
			y := new(big.Rat)
			if !b.IsBad() {
				y = toBig(b)
			}
			want := c.want(toBig(a), y)
			// The same number in the same lowest terms.
			if want.Num().Cmp(big.NewInt(c.got.Num)) != 0 || want.Denom().Cmp(big.NewInt(c.got.Den)) != 0 {
				t.Fatalf("%v %s %v = %v, want %s", a, c.op, b, c.got, want)
			}
		}
	})
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("overflows and results: %v", seen)
	}
}

func TestRationalEdges(t *testing.T) {
	var r interp.Rational
	half := interp.Q{Num: 1, Den: 2}
	for _, c := range []struct {
		what      string
		got, want interp.Q
	}{
		{"2/4", r.Rat(2, 4), half},
		{"0/7", r.Rat(0, 7), interp.Q{Num: 0, Den: 1}},
		{"-6/4", r.Rat(-6, 4), interp.Q{Num: -3, Den: 2}},
		{"1/0", r.Rat(1, 0), interp.Bad},
		{"1/-1", r.Rat(1, -1), interp.Bad},
		{"the smallest integer", r.Rat(math.MinInt64, 1), interp.Bad},
		{"the smallest integer, halved", r.Rat(math.MinInt64, 2), interp.Bad},
		{"-2^62 - 2^62", r.Add(interp.Q{Num: -1 << 62, Den: 1}, interp.Q{Num: -1 << 62, Den: 1}), interp.Bad},
		{"-2^62 * 2", r.Mul(interp.Q{Num: -1 << 62, Den: 1}, interp.Q{Num: 2, Den: 1}), interp.Bad},
		{"2^62 + 2^62", r.Add(interp.Q{Num: 1 << 62, Den: 1}, interp.Q{Num: 1 << 62, Den: 1}), interp.Bad},
		{"bad + 1", r.Add(interp.Bad, half), interp.Bad},
		{"1 * bad", r.Mul(half, interp.Bad), interp.Bad},
		{"max of bad", r.Max([]interp.Q{interp.Bad}), interp.Bad},
		{"relu of bad", r.Fn("relu", interp.Bad), interp.Bad},
		{"unknown function", r.Fn("exp", half), interp.Bad},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
}

func TestFloat(t *testing.T) {
	var f interp.Float
	if f.Rat(1, 4) != 0.25 || f.Add(1, 2) != 3 || f.Mul(2, 3) != 6 || f.Max([]float64{1, 4, -2}) != 4 {
		t.Error("arithmetic")
	}
	if f.Fn("relu", -1) != 0 || f.Fn("relu", 2) != 2 || !math.IsNaN(f.Fn("no such function", 1)) ||
		!math.IsNaN(f.Fn("clip(1.0)", 1)) || f.Fn("clip(0.0, 6.0)", 7) != 6 {
		t.Error("functions")
	}
}

// Where a function is exact it is what float64 arithmetic says, for parameters
// that binary numbers hold exactly, infinite ones among them.
func TestRationalFunctionsAgainstFloat(t *testing.T) {
	var r interp.Rational
	var f interp.Float
	met := map[string]int{}
	names := []string{"relu", "abs", "hardswish", "reciprocal", "truncate_int64", "truncate_int8", "truncate_uint8", "nonzero", "iszero", "leakyrelu(0.25)",
		"leakyrelu(-2.0)", "clip(-1.5, 2.0)", "clip(2.0, -1.0)", "clip(0.0, inf)", "clip(-inf, 1.0)", "clip(-inf, inf)",
		"clip(inf, 3.0)", "hardsigmoid(0.125, 0.5)", "hardsigmoid(2.0, -1.0)", "number(0.75)", "floor", "ceil", "round", "sign", "isinf", "isnan"}
	rapid.Check(t, func(t *rapid.T) {
		x := r.Rat(rapid.Int64Range(-60, 60).Draw(t, "num"), rapid.SampledFrom([]int64{1, 2, 4, 8, 3}).Draw(t, "den"))
		for _, name := range names {
			got, want := r.Fn(name, x), f.Fn(name, float64(x.Num)/float64(x.Den))
			if got.IsBad() {
				if !math.IsInf(want, 0) && !math.IsNaN(want) {
					t.Fatalf("%s of %v is bad, want %v", name, x, want)
				}
				continue
			}
			met[name]++
			if have := float64(got.Num) / float64(got.Den); math.Abs(have-want) > 1e-12*math.Max(1, math.Abs(want)) {
				t.Fatalf("%s of %v is %v, want %v", name, x, got, want)
			}
		}
	})
	for _, name := range names {
		if met[name] == 0 {
			t.Errorf("%s: never a number", name)
		}
	}
	for _, name := range []string{"exp", "sqrt", "leakyrelu", "leakyrelu(nan)", "clip(1.0)", "leakyrelu(inf)", "number(inf)", "clip(inf, inf)"} {
		if q := r.Fn(name, interp.Q{Num: -1, Den: 1}); !q.IsBad() {
			t.Errorf("%s of -1 is %v, want bad", name, q)
		}
	}
	if got := r.Fn("leakyrelu(0.1)", interp.Q{Num: -1, Den: 1}); got != (interp.Q{Num: -1, Den: 10}) {
		t.Errorf("leakyrelu(0.1) of -1 is %v, want the tenth as it is written", got)
	}
}
