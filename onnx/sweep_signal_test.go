package onnx

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// TestSweepSignals: transforms, and places of images.
func TestSweepSignals(t *testing.T) {
	t.Parallel()
	var vs variants
	add := vs.one
	number := func(name string, x int64) operand { return whole(name, x).sized() }
	for _, opset := range []int64{17, 20} {
		// The axis is an attribute or an input.
		dft := func(x operand, axis int, length operand, as ...any) *variant {
			if opset < 20 {
				return add(opset, "DFT", list(x, length), append(as, "axis", axis)...)
			}
			return add(opset, "DFT", list(x, length, number("axis", int64(axis))), as...)
		}
		for _, inverse := range []int{0, 1} {
			for parts := 1; parts <= 2; parts++ {
				dft(feed("x", 2, 6, 5, parts), 1, none, "inverse", inverse)
				dft(feed("x", 2, 6, 5, parts), -2, none, "inverse", inverse)
				dft(feed("x", 2, 6, 5, parts), 1, number("n", 4), "inverse", inverse)
				dft(feed("x", 2, 6, 5, parts), 0, number("n", 5), "inverse", inverse)
				dft(feed("x", 1, 1, parts), 1, none, "inverse", inverse)
			}
		}
		for _, n := range []int{6, 7, 1} {
			dft(feed("x", 2, n, 1), 1, none, "onesided", 1)
			dft(feed("x", 2, n, 1), 1, number("n", 5), "onesided", 1)
			dft(feed("x", 2, n, 1), 1, number("n", 8), "onesided", 1)
		}
		// An inverse gives real numbers of those of one side. Older ONNX Runtimes do not.
		dft(feed("x", 2, 5, 2), 1, none, "onesided", 1, "inverse", 1)
		dft(feed("x", 2, 5, 2), 1, number("n", 9), "onesided", 1, "inverse", 1)
		dft(feed("x", 2, 5, 2), 1, number("n", 6), "onesided", 1, "inverse", 1)
		dft(feed("x", 2, 5, 2), 1, none, "onesided", 1).declare("z", graph.Float32, 2, 3, 2).keeps("complex input").alone("requires real input")
	}
	x := feed("x", 2, 20, 1)
	for _, onesided := range []int{0, 1} {
		add(17, "STFT", list(x, number("step", 3), fixedFeed("w", 8)), "onesided", onesided)
		add(17, "STFT", list(x, number("step", 3), feed("w", 7)), "onesided", onesided)
		add(17, "STFT", list(x, number("step", 5), none, number("long", 6)), "onesided", onesided)
		add(17, "STFT", list(x, number("step", 6), fixedFeed("w", 6), number("long", 6)), "onesided", onesided)
	}
	add(17, "STFT", list(feed("x", 2, 20, 2), number("step", 3), fixedFeed("w", 8)), "onesided", 0)
	add(17, "STFT", list(feed("x", 2, 20, 2), number("step", 3), fixedFeed("w", 8))).declare("z", graph.Float32, 2, 5, 5, 2).keeps("complex input")

	for _, op := range []string{"LpPool"} {
		for _, p := range []int{1, 2, 3, 4} {
			for _, opset := range []int64{11, 18} {
				add(opset, op, list(feed("x", 2, 3, 9)), "kernel_shape", []int{3}, "p", p)
				add(opset, op, list(feed("x", 2, 3, 9, 8)), "kernel_shape", []int{3, 2}, "p", p, "strides", []int{2, 1}, "pads", []int{1, 0, 2, 1})
				add(opset, op, list(feed("x", 2, 3, 9, 8)), "kernel_shape", []int{3, 2}, "p", p, "strides", []int{2, 3}, "auto_pad", "SAME_UPPER")
				add(opset, op, list(feed("x", 2, 3, 9, 8)), "kernel_shape", []int{3, 2}, "p", p, "auto_pad", "SAME_LOWER")
			}
			add(18, op, list(feed("x", 2, 3, 9, 8)), "kernel_shape", []int{3, 2}, "p", p, "dilations", []int{2, 3})
			add(18, op, list(feed("x", 2, 3, 9, 8)), "kernel_shape", []int{3, 2}, "p", p, "strides", []int{2, 4}, "ceil_mode", 1)
			add(18, op, list(feed("x", 2, 3, 4, 6, 5)), "kernel_shape", []int{3, 2, 2}, "p", p, "pads", []int{1, 0, 1, 0, 1, 0})
			add(18, "GlobalLpPool", list(feed("x", 2, 3, 9, 8)), "p", p)
		}
	}
	for _, to := range [][]int64{{4, 7}, {9, 3}, {8, 4}, {5, 6}, {1, 1}} {
		add(18, "CenterCropPad", list(feed("x", 5, 6), whole("to", to...)))
		add(18, "CenterCropPad", list(feed("x", 5, 3, 6), whole("to", to...)), "axes", []int{0, -1})
	}
	add(18, "CenterCropPad", list(feed("x", 5, 6).as(graph.Int64), whole("to", 7, 4)))
	col := func(channels int, image, block []int64, as ...any) {
		// As many blocks as a window has places.
		c := &call{im: &importer{}, attr: map[string]*onnxpb.AttributeProto{}}
		for _, a := range attributesNamed(as) {
			c.attr[a.GetName()] = a
		}
		w := c.window(len(image), cut(block))
		blocks := w.windows(cut(image), w.explicit(cut(image)))
		add(18, "Col2Im", list(feed("x", 2, channels*int(graph.Product(cut(block)...)), int(graph.Product(blocks...))), whole("image", image...), whole("block", block...)), as...)
	}
	col(3, []int64{5, 6}, []int64{2, 3})
	col(3, []int64{5, 6}, []int64{2, 3}, "strides", []int{2, 3})
	col(1, []int64{5, 6}, []int64{2, 2}, "strides", []int{2, 1}, "pads", []int{1, 0, 2, 1})
	col(2, []int64{7, 8}, []int64{2, 3}, "dilations", []int{3, 2})
	col(2, []int64{4, 3, 5}, []int64{2, 3, 1}, "pads", []int{1, 0, 1, 0, 1, 0})
	col(2, []int64{5, 5}, []int64{2, 2}, "strides", []int{3, 3})
	for _, corners := range []int{0, 1} {
		add(20, "AffineGrid", list(feed("x", 2, 2, 3), whole("size", 2, 5, 3, 4)), "align_corners", corners)
		add(20, "AffineGrid", list(feed("x", 1, 3, 4), whole("size", 1, 5, 3, 4, 2)), "align_corners", corners)
	}
	add(20, "AffineGrid", list(feed("x", 2, 2, 3), whole("size", 2, 5, 1, 4)))
	add(20, "AffineGrid", list(feed("x", 2, 2, 3), whole("size", 2, 5, 1, 4)), "align_corners", 1).declare("z", graph.Float32, 2, 1, 4, 2).keeps("an axis of size 1")
	sweep(t, vs)
}
