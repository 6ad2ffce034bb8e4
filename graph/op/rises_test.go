package op_test

import (
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
)

// Functions that are marked as rising are nowhere less than where their argument is smaller,
// whatever their parameters are.
func TestRises(t *testing.T) {
	var at []float64
	for x := -12.0; x <= 12; x += 1.0 / 16 {
		at = append(at, x, math.Nextafter(x, 99))
	}
	at = append(append([]float64{math.Inf(-1), -1e300, -800}, at...), 800, 1e300, math.Inf(1))
	params := []float64{-2, -0.5, 0, 0.5, 3}
	tried := 0
	for _, o := range graph.Ops() {
		if !o.Rises {
			continue
		}
		tried++
		for k := range int(math.Pow(float64(len(params)), float64(len(o.Params)))) {
			p := make([]float64, len(o.Params))
			for i := range p {
				p[i] = params[k%len(params)]
				k /= len(params)
			}
			f := o.Value(p)
			for i, x := range at[1:] {
				if less := f(at[i]) > f(x); less || math.IsNaN(f(x)) {
					t.Fatalf("%s%v: %v at %v, %v at %v", o.Name, p, f(at[i]), at[i], f(x), x)
				}
			}
		}
	}
	if tried < 10 {
		t.Errorf("%d functions are marked", tried)
	}
}
