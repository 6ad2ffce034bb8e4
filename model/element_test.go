package model

import (
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
)

// What is appended is read again, as the type holds it.
func TestElement(t *testing.T) {
	for _, dtype := range graph.DTypes() {
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
			if len(raw) != dtype.Bytes() || n != wantN || x != wantX && !(math.IsNaN(x) && math.IsNaN(wantX)) {
				t.Errorf("%s %d: %d and %g in %d bytes, want %d and %g", dtype, want, n, x, len(raw), wantN, wantX)
			}
		}
	}
}

// TestCodes: every element of at most 16 bits is what was read, but for NaN of other bits,
// and of a byte that holds less the lower bits count.
func TestCodes(t *testing.T) {
	for _, dtype := range graph.DTypes() {
		if dtype.Bits() > 16 {
			continue
		}
		for code := range 1 << dtype.Bits() {
			raw := []byte{byte(code), byte(code >> 8)}[:dtype.Bytes()]
			n, x := Element(dtype, raw)
			back := AppendElement(nil, dtype, n, x)
			m, y := Element(dtype, back)
			if m != n || y != x && !(math.IsNaN(y) && math.IsNaN(x)) || Round(dtype, x) != x && !math.IsNaN(x) {
				t.Fatalf("%s: %x is %d and %v, and comes back as %x, %d and %v", dtype, raw, n, x, back, m, y)
			}
			if mask := byte(1<<min(dtype.Bits(), 8) - 1); dtype != graph.Bool && !math.IsNaN(x) && back[0]&mask != raw[0] {
				t.Fatalf("%s: %x comes back as %x", dtype, raw, back)
			}
			if dtype.IsSigned() && n != int64(code) && n != int64(code)-1<<dtype.Bits() || dtype.IsUnsigned() && n != int64(code) {
				t.Fatalf("%s: %x is %d", dtype, raw, n)
			}
		}
	}
}
