package onnx

import (
	"testing"

	"github.com/taso-go/taso/graph"
)

// TestSweepGridSample: images read within and far outside of them.
func TestSweepGridSample(t *testing.T) {
	t.Parallel()
	var vs []*variant
	add := func(opset int64, x, grid operand, as ...any) *variant {
		v := variantOf(opset, "GridSample", list(x, grid), z, attributesNamed(as)...)
		vs = append(vs, v)
		return v
	}
	modes := map[int64][]string{16: {"bilinear", "nearest", "bicubic"}, 20: {"linear", "nearest", "cubic"}, 22: {"linear", "nearest", "cubic"}}
	for _, opset := range []int64{16, 20, 22} {
		for _, mode := range modes[opset] {
			for _, outside := range []string{"zeros", "border", "reflection"} {
				for corners := range 2 {
					as := []any{"mode", mode, "padding_mode", outside, "align_corners", corners}
					add(opset, feed("x", 2, 3, 5, 4), feed("grid", 2, 3, 6, 2), as...)
					add(opset, feed("x", 1, 2, 6, 3), feed("gri", 1, 4, 4, 2).by(0.3), as...)
					add(opset, feed("x", 1, 2, 4, 7), fixedFeed("gri", 1, 4, 4, 2).by(0.3), as...)
					if mode != "cubic" && opset >= 20 {
						add(opset, feed("x", 2, 3, 4, 3, 5), feed("grid", 2, 2, 3, 2, 3).by(0.4), as...)
					}
				}
			}
		}
	}
	add(20, feed("x", 1, 1, 1, 4), feed("grid", 1, 3, 2, 2), "padding_mode", "reflection")
	add(16, feed("x", 1, 2, 5, 4), feed("grid", 1, 3, 6, 2), "mode", "nearest").contributes()
	add(20, feed("x", 1, 2, 3, 3, 3), feed("grid", 1, 2, 2, 2, 3), "mode", "cubic").declare("z", graph.Float32, 1, 2, 2, 2, 2).keeps("3 axes, cubic").alone("Fail")
	sweep(t, vs)
}
