package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// resizesOpen reports whether a tensor is sampled anew at dynamic sizes: it has some, or gets them.
func (c *call) resizesOpen(x *value) bool {
	sizes := c.optional(3)
	return x.open != nil || sizes != nil && sizes.ints != nil
}

// resizing is what a Resize makes of some axes of a tensor: the scales, or the sizes that they get.
func (c *call) resizing(x *value) (axes []int, scales []float64, sizes []graph.Dim) {
	axes = upTo(0, x.rank())
	if c.im.opset < 11 {
		scales = c.knownNumbers(1, "scales")
	} else {
		scales, sizes = c.knownNumbers(2, "scales"), c.knownDims(3, "sizes")
		axes = axesOrAll(c.ints("axes"), x.rank())
		if c.text("keep_aspect_ratio_policy", "stretch") != "stretch" {
			must.Do(unsupported("%s has dynamic sizes, and keep_aspect_ratio_policy is set", x))
		}
	}
	if n := max(len(scales), len(sizes)); n != len(axes) {
		must.Failf("%d scales or sizes do not fit %d axes", n, len(axes))
	}
	return axes, scales, sizes
}

// resizedDims are the sizes of a tensor that a Resize makes, however it samples.
func (c *call) resizedDims(x *value) []graph.Dim {
	axes, scales, sizes := c.resizing(x)
	if coord := c.text("coordinate_transformation_mode", ""); len(sizes) == 0 && coord == "tf_crop_and_resize" {
		must.Do(unsupported("%s by scales of dynamic sizes is not supported", coord)) // runtimes take different parts
	}
	dims := slices.Clone(x.dims())
	for i, a := range axes {
		if len(sizes) > 0 {
			dims[a] = sizes[i]
		} else {
			dims[a] = c.scaledSize(dims[a], scales[i])
		}
		if !c.im.open.require(dims[a], graph.Int(1)) {
			must.Failf("size %s", dims[a])
		}
	}
	return dims
}

// resizedOpen samples a tensor anew at dynamic sizes: cells are repeated a whole number of times
// along each axis.
func (c *call) resizedOpen(x *value) *value {
	im, coord, rounding := c.im, "asymmetric", "floor"
	axes, scales, sizes := c.resizing(x)
	if im.opset >= 11 {
		coord, rounding = c.text("coordinate_transformation_mode", "half_pixel"), c.text("nearest_mode", "round_prefer_floor")
	}
	switch mode := c.text("mode", "nearest"); {
	case mode == "linear" && !c.flag("antialias"):
		for i, a := range axes {
			switch {
			case len(sizes) > 0:
				x = c.linearOpen(x, a, sizes[i], 0, coord)
			case scales[i] != 1:
				x = c.linearOpen(x, a, c.scaledSize(x.size(a), scales[i]), scales[i], coord)
			}
		}
		return x
	case mode != "nearest":
		must.Do(unsupported("mode %s of %s with dynamic sizes is not supported", mode, x))
	}
	// Cell i of the result is cell i/times, rounded down: so it is where times is whole and half a
	// cell is added before, and then the nearest is taken.
	nearest := rounding == "round_prefer_floor" || rounding == "round_prefer_ceil"
	whole := coord == "asymmetric" && rounding == "floor" || (coord == "half_pixel" || coord == "pytorch_half_pixel") && nearest
	if !whole {
		must.Do(unsupported("%s, %s of dynamic sizes is not supported", coord, rounding))
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
				must.Do(unsupported("size %s from %s is not supported: not a whole number of times", sizes[i].Words(), x.size(a).Words()))
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

// scaledSize is a size times a scale, rounded down: the scale is a whole number, or one over a
// power of 2. Runtimes multiply in float32, in which others are rounded: 41 times 1/41 is less
// than 1.
func (c *call) scaledSize(n graph.Dim, by float64) graph.Dim {
	if k, ok := n.Const(); ok {
		return graph.Int(int64(float64(k)*by + 1e-6))
	}
	down := math.Round(1 / by)
	switch {
	case by >= 1 && by == math.Trunc(by) && by <= graph.MaxSize:
		return n.Scale(int64(by))
	case by > 0 && by < 1 && down <= graph.MaxSize && down == math.Exp2(math.Round(math.Log2(down))) && 1/down == by:
		return c.im.open.quotient(n, int64(down))
	}
	must.Do(unsupported("scale %g of a dynamic size is not supported", by))
	return n
}

// linearOpen samples an axis anew at places between its cells: a product with a matrix, whose
// entry i, j is 1 less the distance of cell i from the place of cell j of the result, if that
// is not below 0. A scale of 0 is that of the sizes.
func (c *call) linearOpen(x *value, axis int, out graph.Dim, scale float64, coord string) *value {
	im, n, t := c.im, x.size(axis), x.dtype
	if out == n && (scale == 0 || scale == 1) {
		return x
	}
	one := graph.Int(1)
	if !im.open.require(out, one) {
		must.Failf("size %s", out)
	}
	row, column := []graph.Dim{out}, []graph.Dim{n, one}
	number := func(d graph.Dim) *value {
		return im.broadcastTo(im.cast(wholes(graph.Int64, []int{}, d), t), row)
	}
	place := im.placesFrom(out, t)
	half := im.scalar(place, 0.5)
	by := func(v *value) *value { // over the scale
		if scale != 0 {
			return im.do("ewdiv", v, im.scalar(v, scale))
		}
		return im.do("ewdiv", im.do("ewmul", v, number(n)), number(out))
	}
	alone := out == one
	if coord == "pytorch_half_pixel" || coord == "align_corners" {
		if alone = !im.open.atLeast(out, graph.Int(2)); alone {
			place = im.do("ewsub", place, place)
		}
	}
	switch {
	case alone && (coord == "pytorch_half_pixel" || coord == "align_corners"):
	case coord == "half_pixel" || coord == "pytorch_half_pixel":
		place = im.do("ewsub", by(im.do("ewadd", place, half)), half)
	case coord == "asymmetric":
		place = by(place)
	case coord == "align_corners":
		place = im.do("ewdiv", im.do("ewmul", place, number(n.Sub(one))), number(out.Sub(one)))
	default:
		must.Do(unsupported("%s of dynamic sizes is not supported", coord))
	}
	// Places outside are those of the border.
	place = im.do("relu", place)
	last := number(n.Sub(one))
	place = im.do("ewsub", last, im.do("relu", im.do("ewsub", last, place)))
	all := []graph.Dim{n, out}
	cells := im.broadcastTo(im.reshapeTo(im.placesFrom(n, t), column), all)
	d := im.do("abs", im.do("ewsub", im.broadcastTo(place, all), cells))
	weights := im.do("relu", im.do("ewsub", im.scalar(d, 1), d))
	perm, end := upTo(0, x.rank()), x.rank()-1
	perm[axis], perm[end] = end, axis
	return im.transpose(im.matmul(im.transpose(x, perm...), weights), perm...)
}
