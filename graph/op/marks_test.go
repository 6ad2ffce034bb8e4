package op_test

import (
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
)

// What operators say of their values, and of applying a function twice, is true of samples.
func TestImageAndIdempotent(t *testing.T) {
	at := []float64{-1e300, -800, -1, -0.5, -1e-9, 0, 1e-9, 0.25, 0.5, 1, math.Pi / 2, 2, 3, 800, 1e300}
	for x := -8.0; x <= 8; x += 1.0 / 7 {
		at = append(at, x)
	}
	images, twice := 0, 0
	for _, o := range graph.Ops() {
		if o.Image != nil {
			images++
			f := o.Value(nil)
			for _, lo := range at {
				for _, hi := range at {
					i := o.Image(graph.Interval{Lo: lo, Hi: hi})
					for _, x := range at {
						if y := f(x); lo <= x && x <= hi && (y < i.Lo || y > i.Hi) {
							t.Fatalf("%s is %v at %v, which is not in %v", o.Name, y, x, i)
						}
					}
				}
			}
		}
		if !o.Idempotent {
			continue
		}
		twice++
		params := [][]float64{make([]float64, len(o.Params))}
		if len(o.Params) == 2 {
			params = [][]float64{{-1, 2}, {0, 6}, {0.25, 0.25}, {math.Inf(-1), 0}}
		}
		for _, p := range params {
			f := o.Value(p)
			for _, x := range at {
				if y := f(x); !math.IsNaN(y) && f(y) != y {
					t.Errorf("%s%v is %v at %v, and %v there", o.Name, p, y, x, f(y))
				}
			}
		}
	}
	if images < 6 || twice < 3 {
		t.Errorf("%d images, %d idempotent functions", images, twice)
	}
}
