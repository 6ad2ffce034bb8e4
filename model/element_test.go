package model

import (
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
	"pgregory.net/rapid"
)

// Every binary16 comes back, and rounding goes to the nearest one.
func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		x := halfToFloat(uint16(h))
		if math.IsNaN(x) {
			if !math.IsNaN(halfToFloat(floatToHalf(x))) {
				t.Fatalf("%04x: NaN is lost", h)
			}
			continue
		}
		if got := floatToHalf(x); got != uint16(h) {
			t.Fatalf("%04x is %g and comes back as %04x", h, x, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-65500, 65500).Draw(t, "x")
		h := floatToHalf(x)
		d := math.Abs(halfToFloat(h) - x)
		for _, n := range []uint16{h - 1, h + 1} {
			if math.Abs(halfToFloat(n)-x) < d {
				t.Fatalf("%g is rounded to %g, but %g is nearer", x, halfToFloat(h), halfToFloat(n))
			}
		}
	})
}

// What is appended is read again, as the type holds it.
func TestElement(t *testing.T) {
	for _, dtype := range []graph.DType{graph.Float32, graph.Float64, graph.Float16, graph.Int64, graph.Int32, graph.Uint8, graph.Int8, graph.Bool} {
		for _, want := range []int64{0, 1, -1, 100, 1000, 70_000, -3_000_000_000} {
			raw := AppendElement(nil, dtype, want, float64(want)/3)
			n, x := Element(dtype, raw)
			wantN, wantX := Wrap(dtype, want), 0.0
			if dtype.IsFloat() {
				wantN, wantX = 0, Round(dtype, float64(want)/3)
			}
			if dtype == graph.Bool && want&255 == 0 {
				wantN = 0 // its lowest byte says so
			}
			if len(raw) != dtype.Bytes() || n != wantN || x != wantX {
				t.Errorf("%s %d: %d and %g in %d bytes, want %d and %g", dtype, want, n, x, len(raw), wantN, wantX)
			}
		}
	}
}
