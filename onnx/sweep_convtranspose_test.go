package onnx

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/onnx/onnxpb"
)

// TestSweepConvTranspose: over one, two and three axes, with kernels of the file and from
// outside.
func TestSweepConvTranspose(t *testing.T) {
	t.Parallel()
	var vs []*variant
	image, cells := []int{5, 4, 3}, []int{3, 2, 2}
	for axes := 1; axes <= 3; axes++ {
		for _, groups := range []int{1, 2} {
			for _, stride := range []int{1, 2, 3} {
				for i, more := range [][]any{
					nil,
					{"pads", repeated(2*axes, 1)},
					{"dilations", repeated(axes, 2)},
					{"output_padding", append([]int{1}, repeated(axes-1, 0)...)},
					{"auto_pad", "SAME_UPPER"},
					{"auto_pad", "SAME_LOWER"},
					{"output_shape", []int{11, 9, 7}[:axes]},
					{"pads", append(repeated(axes, 0), repeated(axes, 1)...), "dilations", repeated(axes, 3)},
				} {
					if stride == 1 && (i == 3 || i == 6) {
						continue // more is added than there is a stride
					}
					x, b := feed("x", append([]int{2, 4}, image[:axes]...)...), fixedFeed("b", 3*groups)
					w := feed("w", append([]int{4, 3}, cells[:axes]...)...)
					as := append([]*onnxpb.AttributeProto{intAttribute("group", int64(groups)), intsAttribute("strides", repeated(axes, stride)...)}, attributesNamed(more)...)
					for _, w := range []operand{w, w.held()} {
						v := variantOf(11, "ConvTranspose", list(x, w, b), z, slices.Clone(as)...)
						if (i == 4 || i == 5) && stride == 3 && axes > 1 {
							v.departs = "the result is not as many times larger where kernels leave gaps"
						}
						vs = append(vs, v)
					}
				}
			}
		}
	}
	sweep(t, vs)
}
