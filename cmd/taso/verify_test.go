package main

import (
	"encoding/json"
	"math"
	"testing"
	"time"
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
	for _, c := range []struct {
		least, most time.Duration
		want        string
	}{
		{0, 29 * time.Second, ""},
		{4 * time.Second, 80 * time.Second, "this may take up to 80 s; --no-exact and --backend cpu shorten it"},
		{80 * time.Second, 3 * time.Hour, "this takes 80 s to 3 h; --no-exact and --backend cpu shorten it"},
		{31 * time.Second, 10 * time.Minute, "this takes 31 s to 10 min; --no-exact and --backend cpu shorten it"},
	} {
		if got := patience(c.least, c.most); got != c.want {
			t.Errorf("%v to %v: %q", c.least, c.most, got)
		}
	}
}
