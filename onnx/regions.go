package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Images read in regions, and around places that are moved.

// lowerRoiAlign: each region is cut into bins, and each bin is read at a grid of places,
// of which the mean or the largest is taken. A place outside is nothing; one at the border
// is moved to the middle of the cell there.
func lowerRoiAlign(c *call) {
	in, im := c.need(3, 3), c.im
	x, rois, of := in[0], in[1], in[2]
	c.arithmetic("", x)
	if x.rank() != 4 || rois.rank() != 2 || rois.sizes()[1] != 4 || of.rank() != 1 || of.sizes()[0] != rois.sizes()[0] || !of.dtype.IsInt() || rois.dtype != x.dtype {
		must.Failf("regions %s with batch indices %s do not fit images %s", rois, of, x)
	}
	high, wide, grid := c.int("output_height", 1), c.int("output_width", 1), c.int("sampling_ratio", 0)
	if high < 1 || wide < 1 || high > graph.MaxSize || wide > graph.MaxSize || grid < 0 || grid > graph.MaxSize {
		must.Failf("output %d by %d with sampling_ratio %d", high, wide, grid)
	}
	if grid == 0 {
		must.Do(unsupported("sampling_ratio 0 (adaptive) is not supported"))
	}
	mode := c.text("mode", "avg")
	if mode != "avg" && mode != "max" {
		must.Failf("mode is %q", clip(mode))
	}
	half := im.opset >= 16
	switch how := c.text("coordinate_transformation_mode", "half_pixel"); how {
	case "half_pixel":
	case "output_half_pixel":
		half = false
	default:
		must.Failf("coordinate_transformation_mode is %q", clip(how))
	}
	scale, n := c.float("spatial_scale", 1), rois.sizes()[0]
	edge := func(i int) *value {
		v := im.scale(im.reshape(im.slice(rois, 1, i, i+1), n), scale)
		if half {
			v = im.plus(v, -0.5)
		}
		return v
	}
	bins := [2]int{int(high), int(wide)}
	for _, b := range bins {
		if graph.Product(b, int(grid)) > maxConstant {
			must.Do(unsupported("%d bins with %d samples each are too many", b, grid))
		}
	}
	total := []int{n, bins[0] * int(grid), bins[1] * int(grid)}
	var axes [][]sight
	for i := range 2 { // the last axis stands first in a region
		first, last := edge(1-i), edge(3-i)
		size := im.do("ewsub", last, first)
		if !half {
			size = im.do("ewmax", size, im.scalar(size, 1))
		}
		bin := im.scale(size, 1/float64(bins[i]))
		at := newConstant(x.dtype, total[1+i])
		for j := range at.floats {
			at.floats[j] = float64(j/int(grid)) + (float64(j%int(grid))+0.5)/float64(grid)
		}
		sizes := []int{n, total[1+i]}
		place := im.do("ewmul", im.broadcast(im.reshape(bin, n, 1), sizes...), im.broadcast(valueOf(at), sizes...))
		place = im.do("ewadd", place, im.broadcast(im.reshape(first, n, 1), sizes...))
		s := sampled{im: im, cells: x.sizes()[2+i], outside: "border"}
		out := im.do("ewadd", im.do("step", im.plus(im.do("neg", place), -1)), im.do("step", im.plus(place, -float64(s.cells))))
		inside := im.not(out, element(out, 1))
		spread := func(v *value) *value {
			one := []int{n, 1, 1}
			one[1+i] = total[1+i]
			return im.broadcast(im.reshape(v, one...), total...)
		}
		var seen []sight
		for _, t := range s.sights(place, "linear") {
			seen = append(seen, sight{spread(t.at), spread(im.do("ewmul", t.weight, inside))})
		}
		axes = append(axes, seen)
	}
	image := im.do("ewmul", im.fromFront(of, x.size(0)), im.whole(x.sizes()[2]*x.sizes()[3], n))
	image = im.broadcast(im.reshape(image, n, 1, 1), total...)
	from, channels, all := im.cellsOf(x), x.sizes()[1], graph.NumElements(total)
	var y *value
	for _, k := range im.corners(x.sizes()[2:], axes) {
		v := im.apply("gather", attrs{"axis": graph.IntValue(0)}, from, im.reshape(im.do("ewadd", k.at, image), all))
		v = im.do("ewmul", v, im.broadcast(im.reshape(k.weight, all, 1), all, channels))
		switch {
		case y == nil:
			y = v
		case mode == "max":
			y = im.do("ewmax", y, v)
		default:
			y = im.do("ewadd", y, v)
		}
	}
	y = im.reshape(y, n, bins[0], int(grid), bins[1], int(grid), channels)
	y = im.reduce(map[string]string{"avg": "reducemean", "max": "reducemax"}[mode], y, []int{2, 4}, false)
	c.set(im.transpose(y, 0, 3, 1, 2))
}

// lowerDeformConv: what a convolution reads of an image, each cell moved by an offset and
// weighed by a mask, and a product with the kernel.
func lowerDeformConv(c *call) {
	in, im := c.need(3, 5), c.im
	x, w, offset := in[0], in[1], in[2]
	c.arithmetic("", x)
	groups, parts := int(c.int("group", 1)), int(c.int("offset_group", 1))
	if x.rank() != 4 || w.rank() != 4 {
		must.Do(unsupported("input %s with kernel %s is not supported, only 2-D", x, w))
	}
	n, channels, image := x.sizes()[0], x.sizes()[1], x.sizes()[2:]
	if groups < 1 || parts < 1 || groups > channels || parts > channels || channels%groups != 0 || channels%parts != 0 ||
		w.sizes()[1]*groups != channels || w.sizes()[0]%groups != 0 || w.dtype != x.dtype || offset.dtype != x.dtype {
		must.Failf("group %d and offset_group %d do not fit input %s, kernel %s and offsets %s", groups, parts, x, w, offset)
	}
	win := c.window(len(image), w.sizes()[2:])
	out := win.windows(image, win.explicit(image))
	kernel := w.sizes()[2] * w.sizes()[3]
	if !slices.Equal(offset.sizes(), []int{n, parts * kernel * 2, out[0], out[1]}) {
		must.Failf("offsets %s do not fit %v windows of size %v", offset, out, w.sizes()[2:])
	}
	places := kernel * out[0] * out[1]
	if places > maxConstant {
		must.Do(unsupported("%v windows of size %v are too many", out, w.sizes()[2:]))
	}
	// Each part of the channels that has offsets of its own is an image by itself.
	cut := im.reshape(offset, n*parts, kernel, 2, out[0]*out[1])
	var axes [][]sight
	for i := range 2 {
		at := newConstant(x.dtype, kernel, out[0]*out[1])
		graph.Each([]int{w.sizes()[2], w.sizes()[3], out[0], out[1]}, func(flat int, idx []int) {
			at.floats[flat] = float64(idx[2+i]*win.stride[i] - win.before[i] + idx[i]*win.dilation[i])
		})
		move := im.reshape(im.slice(cut, 2, i, i+1), n*parts, kernel, out[0]*out[1])
		place := im.do("ewadd", move, im.broadcastTo(valueOf(at), move.dims()))
		s := sampled{im: im, cells: image[i], outside: "zeros"}
		axes = append(axes, s.sights(im.reshape(place, n*parts*places), "linear"))
	}
	y := im.reshape(x, n*parts, channels/parts, image[0], image[1])
	y = im.weighed(im.pad(y, []int{0, 0, 1, 1}, []int{0, 0, 1, 1}, 0), axes)
	if mask := in[4]; mask != nil {
		if !slices.Equal(mask.sizes(), []int{n, parts * kernel, out[0], out[1]}) || mask.dtype != x.dtype {
			must.Failf("mask %s does not fit %v windows of size %v", mask, out, w.sizes()[2:])
		}
		y = im.do("ewmul", y, im.broadcastTo(im.reshape(mask, n*parts, 1, places), y.dims()))
	}
	y = im.reshape(y, n, groups, w.sizes()[1]*kernel, out[0]*out[1])
	y = im.product(im.reshape(w, 1, groups, w.sizes()[0]/groups, w.sizes()[1]*kernel), y)
	c.set(im.addBias(im.reshape(y, n, w.sizes()[0], out[0], out[1]), in[3]))
}
