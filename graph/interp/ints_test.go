package interp_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	_ "github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

// integers are the types of integers.
func integers() (out []graph.DType) {
	for _, t := range graph.DTypes() {
		if t.IsInt() {
			out = append(out, t)
		}
	}
	return out
}

// within is the number that a type holds and that is x modulo 2 to its number of bits, and
// whether it is a float64.
func within(t graph.DType, x *big.Int) (float64, bool) {
	all := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits()))
	n := new(big.Int).Mod(x, all)
	if t.IsSigned() && n.Bit(t.Bits()-1) == 1 {
		n.Sub(n, all)
	}
	f, acc := new(big.Float).SetInt(n).Float64()
	return f, acc == big.Exact
}

// TestIntegers: arithmetic on tensors of integers is that of integers, modulo 2 to the
// number of bits, or an error.
func TestIntegers(t *testing.T) {
	products := func(x, y []*big.Int) *big.Int { // of a row and a column
		sum := new(big.Int)
		for i := range x {
			sum.Add(sum, new(big.Int).Mul(x[i], y[i]))
		}
		return sum
	}
	larger := func(x, y *big.Int, sign int) *big.Int {
		if x.Cmp(y)*sign < 0 {
			return y
		}
		return x
	}
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(integers()).Draw(t, "type")
		lo, hi := typ.IntRange()
		lo, hi = max(lo, -1<<53), min(hi, 1<<53)
		n := rapid.IntRange(1, 4).Draw(t, "n")
		var args []tensor
		var xs [2][]*big.Int
		for k := range 2 {
			a := tensor{Sizes: []int{1, n}}
			if k == 1 {
				a.Sizes = []int{n, 1}
			}
			for range n {
				v := rapid.OneOf(rapid.Int64Range(lo, int64(hi)), rapid.SampledFrom([]int64{lo, int64(hi), 0, 1, max(lo, -1)})).Draw(t, "x")
				a.Data = append(a.Data, float64(v))
				xs[k] = append(xs[k], big.NewInt(v))
			}
			args = append(args, a)
		}
		x, y := xs[0][0], xs[1][0]
		for op, want := range map[string]*big.Int{
			"p = ewadd(a, b)":          new(big.Int).Add(x, y),
			"p = ewsub(a, b)":          new(big.Int).Sub(x, y),
			"p = ewmul(a, b)":          new(big.Int).Mul(x, y),
			"p = ewmax(a, b)":          larger(x, y, 1),
			"p = ewmin(a, b)":          larger(x, y, -1),
			"p = neg(a)":               new(big.Int).Neg(x),
			"p = abs(a)":               new(big.Int).Abs(x),
			"p = smul(a, c)":           new(big.Int).Mul(x, y),
			"p = matmul(x, y)":         products(xs[0], xs[1]),
			"p = reducesum[axes=1](x)": nil,
			"q = ewmul(a, b)\np = ewmax(q, a)": func() *big.Int { // what wraps around is compared as it is then
				q, _ := within(typ, new(big.Int).Mul(x, y))
				i, _ := big.NewFloat(q).Int(nil)
				return larger(i, x, 1)
			}(),
		} {
			if want == nil {
				op, want = "p = reducesum[axes=(1), keep=1](x)", new(big.Int)
				for _, v := range xs[0] {
					want.Add(want, v)
				}
			}
			text := fmt.Sprintf("x : %s[1, %d]\ny : %s[%d, 1]\na = slice[axis=1, lo=0, hi=1](x)\nb = slice[axis=0, lo=0, hi=1](y)\nc = reshape[shape=[]](b)\n%s\nreturn p\n", typ, n, typ, n, op)
			g, err := graph.ParseText("test", text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := interp.EvalGraph(context.Background(), interp.Float{}, g, args)
			w, exact := within(typ, want)
			switch {
			case err != nil && (exact && !strings.Contains(op, "q =")) || err != nil && !strings.Contains(err.Error(), "float64 arithmetic"):
				t.Fatalf("%s of %s %v: %v, want %v", op, typ, args, err, w)
			case err == nil && (!exact || got[0].Data[0] != w):
				t.Fatalf("%s of %s %v: %v, want %v, exact %v", op, typ, args, got[0].Data, w, exact)
			}
		}
	})
}

// TestIntegersEnds: what wraps around, what has no value, and what float64 arithmetic does
// not hold.
func TestIntegersEnds(t *testing.T) {
	const huge = 1 << 62
	for _, c := range []struct {
		text string
		in   []float64
		want any
	}{
		{"x : int32[1]\ny = ewmul(x, x)\nreturn y\n", []float64{math.MaxInt32}, 1.0},
		{"x : int8[1]\ny = abs(x)\nreturn y\n", []float64{-128}, -128.0},
		{"x : uint8[1]\ny = neg(x)\nreturn y\n", []float64{1}, 255.0},
		{"x : int64[1]\ny = ewadd(x, x)\nreturn y\n", []float64{huge}, -float64(1 << 63)},
		{"x : int64[1]\ny = ewmul(x, x)\nz = ewmax(y, x)\nreturn z\n", []float64{huge}, float64(huge)},
		{"x : uint64[1]\ny = ewadd(x, x)\nreturn y\n", []float64{1 << 63}, 0.0},
		{"x : uint64[1]\ny = neg(x)\nreturn y\n", []float64{1}, "float64 arithmetic does not hold"},
		{"x : int64[1]\ny = ewmul(x, x)\nreturn y\n", []float64{1<<27 + 1}, "float64 arithmetic does not hold"},
		{"x : int64[1]\ny = cast[to=int8, mode=wrap](x)\nreturn y\n", []float64{200}, -56.0},
		{"x : int64[1]\ny = cast[to=int8](x)\nreturn y\n", []float64{200}, math.NaN()},
		{"x : int8[1]\ny = cast[to=uint64, mode=wrap](x)\nz = cast[to=int8, mode=wrap](y)\nreturn z\n", []float64{-128}, "float64 arithmetic does not hold"},
		{"x : int64[1]\nn = cast[to=int8](x)\nd = ewsub(x, x)\no = cast[to=int8, mode=wrap](d)\ny = ewwhere(o, n, o)\nreturn y\n", []float64{200}, 0.0},
		{"x : int64[1]\nn = cast[to=int8](x)\no = cast[to=int8, mode=wrap](x)\ny = ewwhere(o, o, n)\nreturn y\n", []float64{200}, -56.0},
		{"x : int64[1]\nn = cast[to=int8](x)\no = cast[to=int8, mode=wrap](x)\ny = ewwhere(o, n, o)\nreturn y\n", []float64{200}, math.NaN()},
		{"x : int64[1]\nn = cast[to=int8](x)\no = cast[to=int8, mode=wrap](x)\ny = ewwhere(n, o, o)\nreturn y\n", []float64{200}, math.NaN()},
		{"x : int64[2, 1]\ny = reducemean[axes=(0), keep=0](x)\nreturn y\n", []float64{1, 2}, math.NaN()},
		{"x : int64[1]\ny = ewadd(x, x)\nreturn y\n", []float64{0.5}, "it is of type int64"},
		{"x : int64[1]\ny = ewadd(x, x)\nz = cast[to=float32](y)\nreturn z\n", []float64{math.NaN()}, math.NaN()},
		{"x : int16[1]\ny = ewadd(x, x)\nz = cast[to=bool](y)\nreturn z\n", []float64{-32768}, 0.0},
		{"x : float32[1]\ny = ewadd(x, x)\nreturn y\n", []float64{1e300}, 2e300},
	} {
		g := parse(t, c.text)
		got, err := interp.EvalGraph(context.Background(), interp.Float{}, g, []tensor{{Sizes: g.Sizes(g.Inputs()[0].Out(0)), Data: c.in}})
		switch want := c.want.(type) {
		case string:
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %v: %v, %v; want the error %s", c.text, c.in, got, err, want)
			}
		case float64:
			if err != nil || got[0].Data[0] != want && !(math.IsNaN(want) && math.IsNaN(got[0].Data[0])) {
				t.Errorf("%s of %v: %v, %v; want %v", c.text, c.in, got, err, want)
			}
		}
	}
}

// TestIntegersElsewhere: element types play no part in another ring.
func TestIntegersElsewhere(t *testing.T) {
	g := parse(t, "x : int8[1]\ny = ewadd(x, x)\nreturn y\n")
	got, err := interp.EvalGraph(context.Background(), interp.Rational{}, g, []interp.Tensor[interp.Q]{{Sizes: []int{1}, Data: []interp.Q{{Num: 200, Den: 3}}}})
	if err != nil || !slices.Equal(got[0].Data, []interp.Q{{Num: 400, Den: 3}}) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestIntegersTaken: rows of integers are picked by integers.
func TestIntegersTaken(t *testing.T) {
	g := parse(t, "x : uint8[3]\ni : int64[2]\ny = gather[axis=0](x, i)\nreturn y\n")
	got, err := interp.EvalGraph(context.Background(), interp.Float{}, g, []tensor{{Sizes: []int{3}, Data: []float64{7, 8, 255}}, {Sizes: []int{2}, Data: []float64{-1, 5}}})
	if err != nil || got[0].Data[0] != 255 || !math.IsNaN(got[0].Data[1]) {
		t.Errorf("%v, %v", got, err)
	}
}
