package onnx

import (
	"testing"

	"github.com/taso-go/taso/graph"
)

// TestSweepGridSample: images read within and far outside of them.
func TestSweepGridSample(t *testing.T) {
	t.Parallel()
	var vs variants
	add := func(opset int64, x, grid operand, as ...any) *variant {
		return vs.one(opset, "GridSample", list(x, grid), as...)
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
	add(20, feed("x", 1, 9, 3, 4), feed("grid", 1, 3, 2, 2))
	add(20, feed("x", 1, 1, 1, 4), feed("grid", 1, 3, 2, 2), "padding_mode", "reflection")
	add(16, feed("x", 1, 2, 5, 4), feed("grid", 1, 3, 6, 2), "mode", "nearest").contributes()
	add(20, feed("x", 1, 2, 3, 3, 3), feed("grid", 1, 2, 2, 2, 3), "mode", "cubic").declare("z", graph.Float32, 1, 2, 2, 2, 2).keeps("3 spatial axes in mode cubic").alone("Fail")
	sweep(t, vs)
}

// TestSweepRegions: regions, kernels whose cells are moved, maxima and their places, and
// determinants.
func TestSweepRegions(t *testing.T) {
	t.Parallel()
	var vs variants
	add := vs.of
	x := feed("x", 2, 3, 6, 7)
	rois := given("rois", 0, 0, 4, 5, 1.5, 2, 6, 3, -3, -2, 2.5, 9, 5, 5, 4, 4, 2, 2, 40, 40).sized(5, 4)
	of := integers("of", graph.Int64, 0, 1, 1, 0, 1)
	for _, opset := range []int64{10, 16} {
		for _, mode := range []string{"avg", "max"} {
			as := []any{"mode", mode, "output_height", 3, "output_width", 2, "sampling_ratio", 2}
			add(opset, "RoiAlign", list(x, rois, of), z, as...)
			add(opset, "RoiAlign", list(x, rois, of), z, append(as, "spatial_scale", 0.5)...)
			if opset >= 16 {
				add(opset, "RoiAlign", list(x, rois, of), z, append(as, "coordinate_transformation_mode", "output_half_pixel")...)
			}
		}
	}
	add(16, "RoiAlign", list(x, rois, of), z).declare("z", graph.Float32, 5, 3, 1, 1).keeps("sampling_ratio 0")

	for _, g := range []struct{ groups, parts int }{{1, 1}, {2, 1}, {1, 2}, {2, 4}} {
		x, w := feed("x", 2, 4, 6, 5), fixedFeed("w", 6, 4/g.groups, 3, 2)
		offset, mask := feed("offset", 2, g.parts*3*2*2, 4, 4), feed("mask", 2, g.parts*3*2, 4, 4)
		add(19, "DeformConv", list(x, w, offset), z, "group", g.groups, "offset_group", g.parts)
		add(19, "DeformConv", list(x, w, offset, fixedFeed("b", 6), mask), z, "group", g.groups, "offset_group", g.parts)
		add(22, "DeformConv", list(x, w, feed("offset", 2, g.parts*3*2*2, 3, 5), none, feed("mask", 2, g.parts*3*2, 3, 5)), z,
			"group", g.groups, "offset_group", g.parts, "strides", []int{2, 1}, "pads", []int{1, 0, 1, 1}, "kernel_shape", []int{3, 2})
		add(19, "DeformConv", list(x, w, feed("offset", 2, g.parts*3*2*2, 4, 5)), z, "group", g.groups, "offset_group", g.parts, "dilations", []int{2, 2}, "pads", []int{1, 1, 1, 1})
	}

	// Few different numbers, so that several are the largest.
	few := feed("x", 2, 3, 6, 7)
	few.k = few.k.copied()
	for i := range few.k.floats {
		few.k.floats[i] = float64(int(few.k.floats[i]) / 2)
	}
	outs := []string{"z", "at"}
	for _, opset := range []int64{8, 12} {
		for order := range 2 {
			add(opset, "MaxPool", list(few), outs, "kernel_shape", []int{2, 3}, "storage_order", order)
			add(opset, "MaxPool", list(few), outs, "kernel_shape", []int{2, 2}, "strides", []int{2, 2}, "storage_order", order)
			add(opset, "MaxPool", list(few), outs, "kernel_shape", []int{3, 3}, "strides", []int{2, 1}, "pads", []int{1, 0, 2, 1}, "storage_order", order)
			add(opset, "MaxPool", list(few), outs, "kernel_shape", []int{3, 3}, "strides", []int{2, 3}, "auto_pad", "SAME_UPPER", "storage_order", order)
			if opset >= 12 {
				add(opset, "MaxPool", list(few), outs, "kernel_shape", []int{3, 2}, "strides", []int{2, 3}, "ceil_mode", 1, "storage_order", order)
				add(opset, "MaxPool", list(few), outs, "kernel_shape", []int{2, 2}, "dilations", []int{2, 3}, "storage_order", order)
			}
		}
		add(opset, "MaxPool", list(few.sized(2, 3, 42)), outs, "kernel_shape", []int{3}, "strides", []int{2})
		add(opset, "MaxPool", list(few.sized(1, 3, 4, 3, 7)), outs, "kernel_shape", []int{2, 2, 3})
	}
	at := integers("at", graph.Int64, 1, 6, 12, 15, 17, 22, 25, 31).sized(1, 2, 2, 2)
	for _, opset := range []int64{9, 11} {
		add(opset, "MaxUnpool", list(feed("x", 1, 2, 2, 2), at), z, "kernel_shape", []int{2, 2}, "strides", []int{2, 2})
		add(opset, "MaxUnpool", list(feed("x", 1, 2, 2, 2), at, whole("to", 1, 2, 4, 4)), z, "kernel_shape", []int{2, 2}, "strides", []int{2, 2})
		add(opset, "MaxUnpool", list(feed("x", 1, 2, 2, 2), at, whole("to", 1, 2, 5, 5)), z, "kernel_shape", []int{2, 2}, "strides", []int{2, 2}).departs = "places are those of the larger tensor"
		add(opset, "MaxUnpool", list(feed("x", 1, 2, 2, 2), integers("at", graph.Int64, 0, 1, 2, 3, 9, 10, 11, 12).sized(1, 2, 2, 2)), z, "kernel_shape", []int{2, 2}).declare("z", graph.Float32, 1, 2, 3, 3).keeps("overlapping windows are not supported")
	}
	for n := 1; n <= 6; n++ {
		add(11, "Det", list(feed("x", 2, n, n)), z)
	}
	add(11, "Det", list(feed("x", 3, 3)), z)
	add(11, "Det", list(feed("x", 2, 7, 7)), z).declare("z", graph.Float32, 2).keeps("at most 6")
	sweep(t, vs)
}
