package cpu

import (
	"math"
	"testing"
	"unsafe"
)

// ulps is the distance of two floats in units in the last place of want.
func ulps(got, want float32) float64 {
	switch {
	case got == want || got != got && want != want:
		return 0
	case got != got || want != want || math.IsInf(float64(got), 0) || math.IsInf(float64(want), 0):
		return math.Inf(1)
	}
	next := math.Nextafter32(float32(math.Abs(float64(want))), infinity)
	unit := float64(next) - math.Abs(float64(want))
	return math.Abs(float64(got)-float64(want)) / unit
}

// TestFunctions compares the functions of one element with package math, over
// their range and at its ends.
func TestFunctions(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	sweep := func(lo, hi float64) []float32 {
		var xs []float32
		for i := range 20001 {
			xs = append(xs, float32(lo+(hi-lo)*float64(i)/20000))
		}
		return xs
	}
	special := []float32{0, float32(math.Copysign(0, -1)), float32(inf), float32(-inf), float32(nan)}
	tiny := []float32{1e-44, 1e-40, 1.1754944e-38, 1e-20, 1e-8, -1e-8, -1e-20, -1e-40}
	halves := []float32{0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, -0.49999997, 4194303.5, 4194304.5, 8388607.5, -8388607.5, 8388608, 8388609, -16777216, 3e38}
	truth := func(b bool) float64 { return float64(truth(b)) }
	for _, c := range []struct {
		name  string
		op    chainOp
		f     func(float64) float64
		xs    [][]float32
		bound float64 // units in the last place
		abs   float64 // or this much
	}{
		{"relu", chainOp{code: opRelu}, func(x float64) float64 { return math.Max(x, 0) }, [][]float32{sweep(-2, 2), special, tiny}, 0, 0},
		{"exp", chainOp{code: opExp}, math.Exp, [][]float32{sweep(-87, 88.7), {-1000, 1000}, special, tiny}, 2, 0},
		{"exp of far negative numbers", chainOp{code: opExp}, math.Exp, [][]float32{sweep(-103, -87)}, 2, 3e-45},
		{"log", chainOp{code: opLog}, math.Log, [][]float32{sweep(1e-6, 10), sweep(1, 1e30), {-1, 1}, special, {1e-44, 1e-40, 1e-20}}, 2, 0},
		{"tanh", chainOp{code: opTanh}, math.Tanh, [][]float32{sweep(-12, 12), sweep(-1, 1), special, tiny}, 3, 0},
		{"sigmoid", chainOp{code: opSigmoid}, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, [][]float32{sweep(-80, 80), special, tiny}, 4, 1e-38},
		{"erf", chainOp{code: opErf}, math.Erf, [][]float32{sweep(-5, 5), sweep(-0.1, 0.1), special, tiny}, 4, 0},
		{"gelu", chainOp{code: opGelu}, func(x float64) float64 {
			if x < 0 {
				return x / 2 * math.Erfc(-x/math.Sqrt2)
			}
			return x / 2 * (1 + math.Erf(x/math.Sqrt2))
		}, [][]float32{sweep(-5.5, 9), {0, float32(nan), 1e-20}}, 16, 3e-8},
		{"gelu of far numbers", chainOp{code: opGelu}, func(x float64) float64 { return x / 2 * math.Erfc(-x/math.Sqrt2) },
			[][]float32{sweep(-30, -5), {-1000, -1e10, -3e38, 1000, 1e10, 3e38, float32(inf)}}, 1, 2e-8},
		{"sqrt", chainOp{code: opSqrt}, math.Sqrt, [][]float32{sweep(0, 100), special, tiny[:6]}, 0.5, 0},
		{"elu", chainOp{code: opElu, a: 1}, func(x float64) float64 {
			if x < 0 {
				return math.Expm1(x)
			}
			return x
		}, [][]float32{sweep(-20, 5), {0, float32(inf), float32(-inf), float32(nan)}}, 2, 1e-7},
		{"clip", chainOp{code: opClip, a: -1, b: 2}, func(x float64) float64 { return math.Min(math.Max(x, -1), 2) }, [][]float32{sweep(-3, 3), special}, 0, 0},
		{"step", chainOp{code: opStep}, func(x float64) float64 {
			return math.Max(math.Copysign(1, x), 0) * math.Ceil(math.Abs(x)/(math.Abs(x)+1))
		}, [][]float32{sweep(-4, 4), {0, float32(math.Copysign(0, -1))}}, 0, 0},
		{"hardswish", chainOp{code: opHardSwish}, func(x float64) float64 { return x * math.Min(math.Max(x/6+0.5, 0), 1) }, [][]float32{sweep(-4, 4)}, 2, 1e-7},
		{"neg", chainOp{code: opNeg}, func(x float64) float64 { return -x }, [][]float32{special, tiny}, 0, 0},
		{"abs", chainOp{code: opAbs}, math.Abs, [][]float32{special, tiny}, 0, 0},
		{"reciprocal", chainOp{code: opReciprocal}, func(x float64) float64 { return 1 / x }, [][]float32{sweep(0.1, 9), special}, 0.5, 0},
		{"rsqrt", chainOp{code: opRsqrt, a: 0.5}, func(x float64) float64 { return 1 / math.Sqrt(x+0.5) }, [][]float32{sweep(0.1, 9)}, 2, 0},
		{"sin", chainOp{code: opSin}, math.Sin, [][]float32{sweep(-12, 12), sweep(-3000, 3000), sweep(-7e7, 7e7), special, tiny, {3e38, -1e30, 33554430, 67108860, 67108870}}, 1, 0},
		{"cos", chainOp{code: opCos}, math.Cos, [][]float32{sweep(-12, 12), sweep(-3000, 3000), sweep(-7e7, 7e7), special, tiny, {3e38, -1e30, 33554430, 67108860, 67108870}}, 1, 0},
		{"floor", chainOp{code: opFloor}, math.Floor, [][]float32{sweep(-5, 5), halves, special, tiny}, 0, 0},
		{"ceil", chainOp{code: opCeil}, math.Ceil, [][]float32{sweep(-5, 5), halves, special, tiny}, 0, 0},
		{"round", chainOp{code: opRound}, math.RoundToEven, [][]float32{sweep(-5, 5), halves, special, tiny}, 0, 0},
		{"sign", chainOp{code: opSign}, func(x float64) float64 {
			if x != 0 && x == x {
				return math.Copysign(1, x)
			}
			return x
		}, [][]float32{sweep(-5, 5), special, tiny}, 0, 0},
		{"isnan", chainOp{code: opIsNaN}, func(x float64) float64 { return truth(math.IsNaN(x)) }, [][]float32{sweep(-5, 5), special, tiny}, 0, 0},
		{"isinf", chainOp{code: opIsInf}, func(x float64) float64 { return truth(math.IsInf(x, 0)) }, [][]float32{sweep(-5, 5), special, tiny, {math.MaxFloat32}}, 0, 0},
	} {
		for _, k := range allTables() {
			t.Run(c.name+"/"+k.name(), func(t *testing.T) {
				worst, at := 0.0, float32(0)
				for _, xs := range c.xs {
					for i, y := range runChain(t, k, xs, c.op) {
						want := float32(c.f(float64(xs[i])))
						if math.Abs(float64(y)-float64(want)) <= c.abs {
							continue
						}
						if d := ulps(y, want); d > worst {
							worst, at = d, xs[i]
						}
						if (y == 0) != (want == 0) || y == 0 && math.Signbit(float64(y)) != math.Signbit(float64(want)) && c.name != "relu" && c.abs == 0 {
							t.Fatalf("%s(%v) = %v, want %v", c.name, xs[i], y, want)
						}
					}
				}
				if worst > c.bound {
					t.Errorf("%s(%v) is %.1f units in the last place off, more than %v", c.name, at, worst, c.bound)
				}
			})
		}
	}
}

// runChain applies one operation to xs.
func runChain(t *testing.T, k table, xs []float32, op chainOp) []float32 {
	t.Helper()
	n := len(xs)
	mem, err := newBlock(8*n + int(unsafe.Sizeof(op)) + 64)
	if err != nil {
		t.Fatal(err)
	}
	defer mem.free()
	x, y := mem.p, at(mem.p, n)
	o := bytesPtr(mem.p, roundUp(8*n, 64))
	copy(f32(x, n), xs)
	*(*chainOp)(o) = op
	k.chain(y, x, 1, n, 1, o, 1)
	return append([]float32(nil), f32(y, n)...)
}
