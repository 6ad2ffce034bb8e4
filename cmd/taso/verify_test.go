package main

import (
	"encoding/json"
	"math"
	"testing"
)

func TestDeviation(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		x, y               []float64
		absolute, relative float64
		nans, compared     int
	}{
		{nil, nil, 0, 0, 0, 0},
		{[]float64{0, 0}, []float64{0, 0}, 0, 0, 0, 2},
		{[]float64{1, -4}, []float64{1.5, -4}, 0.5, 0.125, 0, 2},
		{[]float64{1, 2}, []float64{1, -8}, 10, 1.25, 0, 2},
		{[]float64{nan, inf, 2}, []float64{nan, inf, 1}, 1, 0.5, 0, 1},
		{[]float64{nan, nan}, []float64{nan, nan}, 0, 0, 0, 0},
		{[]float64{nan, inf, inf, 1}, []float64{1, -inf, 1, nan}, 0, 0, 4, 0},
	} {
		var o deviation
		o.compare(c.x, c.y)
		if o.Absolute != c.absolute || o.Relative != c.relative || o.NaNs != c.nans || o.Compared != c.compared {
			t.Errorf("%v and %v: %+v", c.x, c.y, o)
		}
		if _, err := json.Marshal(o); err != nil {
			t.Errorf("%v and %v: %v", c.x, c.y, err)
		}
	}
}

func TestPatience(t *testing.T) {
	k := &verifyFlags{}
	k.opt.MaxFLOPs = 5e10
	if got := k.patience(1e9); got != "" {
		t.Errorf("a GFLOP: %q", got)
	}
	if got, want := k.patience(4e10), "this takes about 80 s; --no-exact and --backend cpu make it shorter"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if k.opt.NoExact = true; k.patience(4e10) != "" {
		t.Error("without the exact comparison it is still long")
	}
}
