package selftest

import (
	"math"
	"testing"
)

func TestDeviation(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		got, want []float64
		off       float64
	}{
		{[]float64{1, 2}, []float64{1, 2}, 0},
		{[]float64{1, 2.5}, []float64{1, 2}, 0.25},
		{[]float64{1, nan}, []float64{1, 2}, inf},
		{[]float64{1, 2}, []float64{1, nan}, inf},
		{[]float64{nan, 3}, []float64{nan, 4}, 0.25},
		{[]float64{inf, 4}, []float64{inf, 4}, 0},
		{[]float64{inf, 4}, []float64{-inf, 4}, inf},
		{[]float64{1}, []float64{1, 2}, inf},
		{[]float64{0, 0}, []float64{0, 0}, 0},
		{[]float64{0, 0.5}, []float64{0, 0}, 0.5},
	} {
		if off := deviation(c.got, c.want); off != c.off {
			t.Errorf("%v for %v: %v, want %v", c.got, c.want, off, c.off)
		}
	}
}
