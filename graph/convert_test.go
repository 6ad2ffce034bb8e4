package graph_test

import (
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
)

// elementsOf are numbers of a type: all of a type of at most 16 bits, and the ends and
// neighbours of powers of 2 of a wider one.
func elementsOf(d graph.DType) (xs []float64) {
	lo, hi := d.IntRange()
	switch {
	case d == graph.Bool:
		return []float64{0, 1}
	case d.IsInt() && d.Bits() <= 16:
		for n := lo; n <= int64(hi); n++ {
			xs = append(xs, float64(n))
		}
	case d.IsInt():
		// Numbers of more than 53 bits are no float64, so 2^54+2^2 stands for them.
		for p := range d.Bits() {
			switch x := math.Ldexp(1, p); {
			case !d.IsSigned():
				xs = append(xs, x, x+math.Ldexp(1, max(p-52, 0)))
			case p < d.Bits()-1:
				xs = append(xs, x+math.Ldexp(1, max(p-52, 0)), -x)
			default:
				xs = append(xs, -x)
			}
		}
	case d.Bits() <= 16:
		for code := range 1 << d.Bits() {
			xs = append(xs, graph.Decode(d, uint16(code)))
		}
	case d == graph.Float32:
		xs = []float64{0.5, math.MaxFloat32, math.SmallestNonzeroFloat32, 1<<24 - 1, math.Inf(1), math.NaN()}
	default:
		xs = []float64{0.5, math.MaxFloat64, math.SmallestNonzeroFloat64, 1<<53 - 1, math.Inf(1), math.NaN()}
	}
	return xs
}

// TestHolds: a type holds another one if and only if a cast of each of its numbers is that
// number. Infinities of a type without them count as numbers that it does not hold.
func TestHolds(t *testing.T) {
	for _, from := range graph.DTypes() {
		for _, to := range graph.DTypes() {
			mode := "default"
			if len(graph.Modes(to)) > 1 && to.IsFloat() && to.IsNarrow() && to != graph.Float8E8M0 {
				mode = "overflow" // without saturation
			}
			cast, want := graph.CastValue(to, mode), true
			for _, x := range elementsOf(from) {
				y := cast(x)
				want = want && (x == y && math.Signbit(x) == math.Signbit(y) || math.IsNaN(x) && math.IsNaN(y) && to.IsFloat())
			}
			// Of Float64 the cast in float64 arithmetic does not round.
			if to == graph.Float64 && from.IsInt() && from.Bits() == 64 || to == graph.Float8E8M0 && from != to {
				want = false
			}
			if got := to.Holds(from); got != want {
				t.Errorf("%s holds %s: %v, want %v", to, from, got, want)
			}
			if exact := graph.CastMode(from, to) == graph.Exact; exact && !want {
				t.Errorf("a cast from %s to %s is taken for exact", from, to)
			}
		}
	}
}
