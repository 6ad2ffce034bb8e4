package bounded

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law/instance"
)

// rounded is floating-point arithmetic with the true functions: exponentials,
// square roots and reciprocals have no exact values. Functions of which nothing
// is known are waves, those that keep zero waves through zero.
type rounded struct {
	interp.Float
	key uint64
}

var (
	_ interp.Ring[float64]      = rounded{}
	_ interp.Functions[float64] = rounded{}
)

// Fn applies a function.
func (r rounded) Fn(name string, x float64) float64 { return r.FnOf(name)(x) }

// FnOf is the function of a name.
func (r rounded) FnOf(name string) func(float64) float64 {
	if !unknown(name) {
		return r.Float.FnOf(name)
	}
	h := r.key
	for _, c := range []byte(name) {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	speed := 1 + float64(h>>40%1000)/500
	if keepsZero(name) {
		return func(x float64) float64 { return math.Sin(speed * x) }
	}
	return func(x float64) float64 { return math.Cos(speed*x + 1) }
}

// apart is the part of the size of two numbers by which they differ at least if
// that is not the work of rounding.
const apart = 1e-6

// testRounded looks for an entry at which the sides differ by far more than
// rounding explains: where functions have no exact values that is what can
// refute a law. It proves nothing.
func (c *checker) testRounded(in *instance.Instance, explain bool) (found bool, why string) {
	for try := range tries {
		rng := rand.New(rand.NewPCG(uint64(try), 0x666c6f61))
		inputs := make([][]float64, len(in.Given))
		for i, s := range in.Given {
			inputs[i] = make([]float64, graph.NumElements(s))
			whole := rng.IntN(2) == 0 // they may be positions in another tensor
			for k := range inputs[i] {
				switch {
				case whole:
					inputs[i][k] = float64(rng.IntN(5) - 2)
				case try%2 == 1 && rng.IntN(2) == 0:
					inputs[i][k] = -0.25 - 2*rng.Float64()
				default:
					inputs[i][k] = 0.25 + 2*rng.Float64()
				}
			}
		}
		val := instance.Run(in, interp.Ring[float64](rounded{key: uint64(try)}), inputs)
		if !instance.Placed(in, val, interp.Float{}.Integer) {
			continue
		}
		for k := range c.p.Out[0] {
			a, b := val[c.p.Out[0][k]], val[c.p.Out[1][k]]
			for i := range a {
				if d := math.Abs(a[i] - b[i]); !(d > apart*(1+math.Abs(a[i])+math.Abs(b[i]))) || math.IsInf(d, 0) {
					continue // NaN too: there the law says nothing
				}
				if explain {
					why = fmt.Sprintf("for random values output %d at %s: left %.6g, right %.6g",
						k, place(in, k, i), a[i], b[i])
				}
				return true, why
			}
		}
	}
	return false, ""
}
