package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// resizedOpen samples a tensor of dynamic sizes anew: cells are repeated a whole number of
// times along each axis.
func (c *call) resizedOpen(x *value) *value {
	im, coord, rounding := c.im, "asymmetric", "floor"
	var scales []float64
	var sizes []graph.Dim
	axes := upTo(0, x.rank())
	if im.opset < 11 {
		scales = c.knownNumbers(1, "scales")
	} else {
		coord, rounding = c.text("coordinate_transformation_mode", "half_pixel"), c.text("nearest_mode", "round_prefer_floor")
		scales, sizes = c.knownNumbers(2, "scales"), c.knownDims(3, "sizes")
		axes = axesOrAll(c.ints("axes"), x.rank())
		if c.text("keep_aspect_ratio_policy", "stretch") != "stretch" {
			must.Do(unsupported("%s has dynamic sizes, and keep_aspect_ratio_policy is set", x))
		}
	}
	if mode := c.text("mode", "nearest"); mode != "nearest" {
		must.Do(unsupported("mode %s of %s with dynamic sizes is not supported", mode, x))
	}
	// Cell i of the result is cell i/times, rounded down: so it is where times is whole and half a
	// cell is added before, and then the nearest is taken.
	nearest := rounding == "round_prefer_floor" || rounding == "round_prefer_ceil"
	whole := coord == "asymmetric" && rounding == "floor" || (coord == "half_pixel" || coord == "pytorch_half_pixel") && nearest
	if !whole {
		must.Do(unsupported("%s, %s of dynamic sizes is not supported", coord, rounding))
	}
	if n := max(len(scales), len(sizes)); n != len(axes) {
		must.Failf("%d scales or sizes do not fit %d axes", n, len(axes))
	}
	apart, wide, out := []graph.Dim{}, []graph.Dim{}, slices.Clone(x.dims())
	times := make([]graph.Dim, x.rank())
	for a := range times {
		times[a] = graph.Int(1)
	}
	for i, a := range axes {
		if len(sizes) > 0 {
			k, ok := sizes[i].Quo(x.size(a))
			if !ok {
				must.Do(unsupported("size %s from %s is not supported: not a whole number of times", sizes[i], x.size(a)))
			}
			times[a] = k
		} else if k := scales[i]; k == math.Trunc(k) && k >= 1 && k <= graph.MaxSize {
			times[a] = graph.Int(int64(k))
		} else {
			must.Do(unsupported("scale %g of a dynamic size is not supported: not a whole number of times", k))
		}
	}
	for a, k := range times {
		apart, wide = append(apart, x.size(a)), append(wide, x.size(a))
		if k != graph.Int(1) {
			apart, wide, out[a] = append(apart, graph.Int(1)), append(wide, k), x.size(a).Mul(k)
		}
	}
	return im.reshapeTo(im.broadcastTo(im.reshapeTo(x, apart), wide), out)
}
