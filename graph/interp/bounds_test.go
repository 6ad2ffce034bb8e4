package interp_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// The bounds hold what float64 arithmetic comes near, and are narrow.
func TestBoundsFunctions(t *testing.T) {
	var r interp.Bounds
	rng := rand.New(rand.NewPCG(1, 2))
	fn := func(name string, params ...float64) string {
		vs := make([]graph.Value, len(params))
		for i, x := range params {
			vs[i] = graph.NumberValue(x)
		}
		return graph.FuncText(name, vs...)
	}
	for _, name := range []string{"relu", "abs", fn("leakyrelu", 0.1), fn("elu", 0.3), fn("clip", -1, 2.5), fn("clip", 0, math.Inf(1)),
		fn("hardsigmoid", 0.2, 0.5), "hardswish", "reciprocal", "exp", "log", "sqrt", fn("rsqrt", 1e-5), "sigmoid", "tanh", "erf", "gelu"} {
		known := 0
		for range 500 {
			num, den := int64(rng.IntN(41)-20), int64(1+rng.IntN(7))
			x := float64(num) / float64(den)
			want := interp.Float{}.Fn(name, x)
			got := r.Fn(name, r.Rat(num, den))
			// The same of a number that is not exact.
			wide := r.Rat(num, den)
			wide.Q = interp.Bad
			for _, b := range []interp.Bound{got, r.Fn(name, wide)} {
				if !b.IsKnown() {
					continue
				}
				known++
				slack := 1e-13 * max(1, math.Abs(want))
				switch {
				case name == "erf" && math.Abs(x) > 3, name == "gelu" && math.Abs(x) > 4:
					slack = 1e-3 // no series there
				case name == "erf" || name == "gelu":
					slack = 1e-9 // large terms of a small sum
				}
				if math.IsNaN(want) || want < b.Lo-slack || want > b.Hi+slack || b.Hi-b.Lo > 100*slack {
					t.Fatalf("%s of %d/%d is from %v to %v, want %v", name, num, den, b.Lo, b.Hi, want)
				}
			}
		}
		if known < 300 { // of 500 numbers, half of them negative, twice
			t.Errorf("%s: %d values are known", name, known)
		}
	}
}

// The bounds of exp, sigmoid and tanh hold the true values, from a series in
// rationals.
func TestBoundsHoldExp(t *testing.T) {
	var r interp.Bounds
	for num := int64(-30); num <= 30; num++ {
		x := big.NewRat(num, 8)
		// exp(x) to within 40^-40.
		sum, term := big.NewRat(1, 1), big.NewRat(1, 1)
		for n := int64(1); n < 80; n++ {
			term.Mul(term, x).Mul(term, big.NewRat(1, n))
			sum.Add(sum, term)
		}
		inside := func(name string, want *big.Rat) {
			b := r.Fn(name, r.Rat(num, 8))
			if lo, hi := new(big.Rat).SetFloat64(b.Lo), new(big.Rat).SetFloat64(b.Hi); lo.Cmp(want) > 0 || hi.Cmp(want) < 0 {
				t.Errorf("%s of %s is not between %v and %v", name, x, b.Lo, b.Hi)
			}
			if b.Hi-b.Lo > 1e-12*max(1, b.Hi) {
				t.Errorf("%s of %s: from %v to %v", name, x, b.Lo, b.Hi)
			}
		}
		inside("exp", sum)
		one := big.NewRat(1, 1)
		inside("sigmoid", new(big.Rat).Quo(sum, new(big.Rat).Add(sum, one)))
		square := new(big.Rat).Mul(sum, sum)
		inside("tanh", new(big.Rat).Quo(new(big.Rat).Sub(square, one), new(big.Rat).Add(square, one)))
	}
}

// What is not a number, or is known too little of, is not known.
func TestBoundsUnknown(t *testing.T) {
	var r interp.Bounds
	wide := r.Fn("exp", r.Rat(0, 1))
	wide.Lo, wide.Hi, wide.Q = -1, 1, interp.Bad
	for name, x := range map[string]interp.Bound{
		"log": r.Rat(-1, 1), "sqrt": r.Rat(-1, 2), "rsqrt(0)": r.Rat(0, 1), "reciprocal": wide, "exp": r.Rat(10000, 1),
		"truncate_int64": wide, "iszero": wide, "any": r.Rat(1, 1), "leakyrelu": r.Rat(1, 1),
		graph.FuncText("clip", graph.NumberValue(math.Inf(1)), graph.NumberValue(math.Inf(1))): r.Rat(1, 1),
	} {
		if b := r.Fn(name, x); b.IsKnown() {
			t.Errorf("%s is from %v to %v", name, b.Lo, b.Hi)
		}
	}
	if b := r.Max([]interp.Bound{r.Rat(1, 1), r.Fn("log", r.Rat(-1, 1))}); b.IsKnown() {
		t.Errorf("a maximum of what is not known is from %v to %v", b.Lo, b.Hi)
	}
}

// Every function of one element that has a value in float64 arithmetic has
// bounds or rational values.
func TestBoundsCover(t *testing.T) {
	var r interp.Bounds
	for _, op := range graph.Ops() {
		if op.Value == nil || !op.IsFunction() {
			continue
		}
		p := make([]graph.Value, len(op.Params))
		for i := range p {
			p[i] = graph.NumberValue(float64(i))
		}
		x := r.Rat(1, 3)
		if math.IsNaN(op.Value([]float64{0, 1})(1.0 / 3)) { // acosh
			x = r.Rat(4, 3)
		}
		if b := r.Fn(graph.FuncText(op.Name, p...), x); !b.IsKnown() {
			t.Errorf("%s of 1/3 is not known", op.Name)
		}
	}
}

// Bounds of the functions of geometry hold their values and are narrow; those of a range
// hold what the function is at each place of it.
func TestBoundsOfAngles(t *testing.T) {
	var r interp.Bounds
	for name, f := range map[string]func(float64) float64{
		"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
		"sinh": math.Sinh, "cosh": math.Cosh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
	} {
		known := 0
		for num := int64(-2000); num <= 2000; num++ {
			x := float64(num) / 64
			b, y := r.Fn(name, r.Rat(num, 64)), f(x)
			if !b.IsKnown() {
				continue
			}
			known++
			slack := 1e-14 * max(1, math.Abs(y))
			if name == "tan" {
				slack *= max(1, math.Abs(y))
			}
			if !(b.Lo-slack <= y && y <= b.Hi+slack) {
				t.Errorf("%s of %v is %v, not between %v and %v", name, x, y, b.Lo, b.Hi)
			}
			if width := b.Hi - b.Lo; math.Abs(x) < 4 && !(width <= 1e-6*max(1, y*y)) {
				t.Errorf("%s of %v: from %v to %v", name, x, b.Lo, b.Hi)
			}
			wide := r.Fn(name, interp.Bound{Q: interp.Bad, Lo: x, Hi: x + 0.25})
			for i := range 9 {
				if y := f(x + 0.25*float64(i)/8); wide.IsKnown() && !(wide.Lo-1e-9 <= y && y <= wide.Hi+1e-9) {
					t.Errorf("%s between %v and %v is %v, not between %v and %v", name, x, x+0.25, y, wide.Lo, wide.Hi)
				}
			}
		}
		if known < 100 {
			t.Errorf("%s has bounds of %d numbers", name, known)
		}
	}
	if b := r.Fn("acos", r.Rat(3, 2)); b.IsKnown() {
		t.Errorf("acos of 3/2 is from %v to %v", b.Lo, b.Hi)
	}
}
