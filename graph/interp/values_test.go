package interp_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"pgregory.net/rapid"
)

func ExampleEvalValues() {
	g, err := graph.ParseText("m", "x : uint64[2]\ny : uint64[2]\nz = ewint[fn=mod](x, y)\nreturn z")
	if err != nil {
		panic(err)
	}
	x := interp.Values{DType: graph.Uint64, Sizes: []int{2}, Ints: []int64{6, -1}} // -1 stands for 2^64-1
	y := interp.Values{DType: graph.Uint64, Sizes: []int{2}, Ints: []int64{-1, 10}}
	out, err := interp.EvalValues(context.Background(), g, []interp.Values{x, y})
	fmt.Println(out[0].Ints, err)
	// Output: [6 5] <nil>
}

// TestValuesOfIntegers: operators on integers of every type are exact, and what they give
// wraps around.
func TestValuesOfIntegers(t *testing.T) {
	quo := func(x, y *big.Int) *big.Int { return new(big.Int).Quo(x, y) }
	rem := func(x, y *big.Int) *big.Int { return new(big.Int).Rem(x, y) }
	mod := func(x, y *big.Int) *big.Int { // the sign of the divisor
		m := rem(x, y)
		if m.Sign() != 0 && m.Sign() != y.Sign() {
			m.Add(m, y)
		}
		return m
	}
	is := func(b bool) *big.Int {
		if b {
			return big.NewInt(1)
		}
		return new(big.Int)
	}
	larger := func(x, y *big.Int) *big.Int {
		if x.Cmp(y) > 0 {
			return x
		}
		return y
	}
	ops := map[string]func(x, y *big.Int) *big.Int{
		"ewadd(x, y)": func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) },
		"ewsub(x, y)": func(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) },
		"ewmul(x, y)": func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) },
		"ewmax(x, y)": larger,
		"ewmin(x, y)": func(x, y *big.Int) *big.Int {
			return new(big.Int).Neg(larger(new(big.Int).Neg(x), new(big.Int).Neg(y)))
		},
		"neg(x)":            func(x, _ *big.Int) *big.Int { return new(big.Int).Neg(x) },
		"abs(x)":            func(x, _ *big.Int) *big.Int { return new(big.Int).Abs(x) },
		"sign(x)":           func(x, _ *big.Int) *big.Int { return big.NewInt(int64(x.Sign())) },
		"relu(x)":           func(x, _ *big.Int) *big.Int { return larger(x, new(big.Int)) },
		"ewless(x, y)":      func(x, y *big.Int) *big.Int { return is(x.Cmp(y) < 0) },
		"ewlessequal(x, y)": func(x, y *big.Int) *big.Int { return is(x.Cmp(y) <= 0) },
		"ewequal(x, y)":     func(x, y *big.Int) *big.Int { return is(x.Cmp(y) == 0) },
		"ewwhere(x, y, x)": func(x, y *big.Int) *big.Int {
			if x.Sign() != 0 {
				return y
			}
			return x
		},
		"ewint[fn=quo](x, y)": quo, "ewint[fn=rem](x, y)": rem, "ewint[fn=mod](x, y)": mod,
		"ewint[fn=bitand](x, y)":        func(x, y *big.Int) *big.Int { return new(big.Int).And(x, y) },
		"ewint[fn=bitor](x, y)":         func(x, y *big.Int) *big.Int { return new(big.Int).Or(x, y) },
		"ewint[fn=bitxor](x, y)":        func(x, y *big.Int) *big.Int { return new(big.Int).Xor(x, y) },
		"cast[to=int8, mode=wrap](x)":   func(x, _ *big.Int) *big.Int { return x },
		"cast[to=bool](x)":              func(x, _ *big.Int) *big.Int { return is(x.Sign() != 0) },
		"cast[to=uint64, mode=wrap](x)": func(x, _ *big.Int) *big.Int { return x },
	}
	var types []graph.DType
	for _, d := range graph.DTypes() {
		if d.IsInt() {
			types = append(types, d)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(types).Draw(t, "type")
		lo, hi := typ.IntRange()
		element := rapid.OneOf(rapid.SampledFrom([]int64{lo, int64(hi), int64(hi) - 1, 0, 1, 2, 3, max(lo, -1)}), rapid.Int64())
		n, m := graph.WrapInt(typ, element.Draw(t, "x")), graph.WrapInt(typ, element.Draw(t, "y"))
		exact := func(n int64) *big.Int {
			if typ == graph.Uint64 {
				return new(big.Int).SetUint64(uint64(n))
			}
			return big.NewInt(n)
		}
		x, y := exact(n), exact(m)
		for op, f := range ops {
			g, err := graph.ParseText("test", fmt.Sprintf("x : %s[1]\ny : %s[1]\nz = %s\nreturn z\n", typ, typ, op))
			if err != nil {
				t.Fatal(err)
			}
			out, err := interp.EvalValues(context.Background(), g, []interp.Values{
				{DType: typ, Sizes: []int{1}, Ints: []int64{n}}, {DType: typ, Sizes: []int{1}, Ints: []int64{m}}})
			if divides := op == "ewint[fn=quo](x, y)" || op == "ewint[fn=rem](x, y)" || op == "ewint[fn=mod](x, y)"; divides && m == 0 {
				if err == nil {
					t.Fatalf("%s of %s %d and 0: %v", op, typ, n, out)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s of %s %s and %s: %v", op, typ, x, y, err)
			}
			low := new(big.Int).And(f(x, y), new(big.Int).SetUint64(math.MaxUint64)) // two's complement
			if want := graph.WrapInt(out[0].DType, int64(low.Uint64())); out[0].Ints[0] != want {
				t.Fatalf("%s of %s %s and %s: %d, want %d", op, typ, x, y, out[0].Ints[0], want)
			}
		}
	})
}

// TestValuesOfNumbers: each result is rounded to its type, and sums after each addition.
func TestValuesOfNumbers(t *testing.T) {
	const big = 1 << 24
	for _, c := range []struct {
		text string
		in   []float64
		want []float64
	}{
		{"x : float32[3]\ny = reducesum[axes=(0)](x)\nreturn y", []float64{big, 1, -big}, []float64{0}},
		{"x : float64[3]\ny = reducesum[axes=(0)](x)\nreturn y", []float64{big, 1, -big}, []float64{1}},
		{"x : float16[3]\ny = reducesum[axes=(0)](x)\nreturn y", []float64{2048, 1, 1}, []float64{2050}},
		{"x : float16[2]\ny = ewmul(x, x)\nreturn y", []float64{1.0009765625, 300}, []float64{1.001953125, math.Inf(1)}},
		{"x : bfloat16[2]\ny = ewadd(x, x)\nz = ewadd(y, x)\nreturn z", []float64{1.0078125, 3}, []float64{3.03125, 9}},
		{"x : float32[1]\na = ewadd(x, x)\nb = exp(a)\nreturn b", []float64{0.1}, []float64{float64(float32(math.Exp(float64(float32(0.2)))))}},
		{"x : float64[3]\ny = reducemean[axes=(0)](x)\nreturn y", []float64{1, 2, 4}, []float64{7.0 / 3}},
		{"x : float64[2]\nr = reverse[axes=(0)](x)\ny = ewdiv(x, r)\nreturn y", []float64{5, 49}, []float64{5.0 / 49, 49.0 / 5}},
		{"x : float64[2]\ny = cast[to=float32](x)\nz = cast[to=float64, mode=exact](y)\nreturn z", []float64{0.1, 1e39}, []float64{float64(float32(0.1)), math.Inf(1)}},
	} {
		g := parse(t, c.text)
		in := interp.NewValues(g.DType(g.Inputs()[0].Out(0)), len(c.in))
		round := graph.CastValue(in.DType, "default")
		for i, x := range c.in {
			in.Floats[i] = round(x)
		}
		out, err := interp.EvalValues(context.Background(), g, []interp.Values{in})
		if err != nil || !slices.Equal(out[0].Floats, c.want) {
			t.Errorf("%s of %v: %v, %v; want %v", c.text, in.Floats, out, err, c.want)
		}
	}
}

// TestValuesCast: integers beyond 2^53 are rounded once, and what a type does not hold has no
// value.
func TestValuesCast(t *testing.T) {
	n := int64(1<<40 + 1<<16 + 1) // just above the middle of two float32
	for _, c := range []struct {
		text string
		in   interp.Values
		want interp.Values
	}{
		{"x : int64[1]\ny = cast[to=float32](x)\nreturn y", interp.Values{DType: graph.Int64, Ints: []int64{n}}, interp.Values{Floats: []float64{1<<40 + 1<<17}}},
		{"x : uint64[1]\ny = cast[to=float64](x)\nreturn y", interp.Values{DType: graph.Uint64, Ints: []int64{-1}}, interp.Values{Floats: []float64{1 << 64}}},
		{"x : float64[1]\ny = cast[to=uint64](x)\nreturn y", interp.Values{DType: graph.Float64, Floats: []float64{1 << 63}}, interp.Values{Ints: []int64{math.MinInt64}}},
		{"x : float32[1]\ny = cast[to=int8](x)\nreturn y", interp.Values{DType: graph.Float32, Floats: []float64{-3.75}}, interp.Values{Ints: []int64{-3}}},
		{"x : float32[1]\ny = cast[to=int8](x)\nreturn y", interp.Values{DType: graph.Float32, Floats: []float64{300}}, interp.Values{}},
		{"x : float32[1]\ny = cast[to=uint64](x)\nreturn y", interp.Values{DType: graph.Float32, Floats: []float64{-1}}, interp.Values{}},
		{"x : float32[1]\ny = cast[to=int64](x)\nreturn y", interp.Values{DType: graph.Float32, Floats: []float64{math.NaN()}}, interp.Values{}},
	} {
		c.in.Sizes = []int{1}
		out, err := interp.EvalValues(context.Background(), parse(t, c.text), []interp.Values{c.in})
		none := c.want.Ints == nil && c.want.Floats == nil
		if (err != nil) != none || !none && (!slices.Equal(out[0].Ints, c.want.Ints) || !slices.Equal(out[0].Floats, c.want.Floats)) {
			t.Errorf("%s of %v: %v, %v; want %v", c.text, c.in, out, err, c.want)
		}
	}
}
