package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

func resizeOperators() []*operator {
	return []*operator{
		{name: "Resize", versions: "10 11 13 18 19", lower: lowerResize, types: resizedType, writes: map[string]writer{"resize": writeResize},
			attrs: "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value keep_aspect_ratio_policy mode nearest_mode"},
		// The scales of version 1 are two attributes. Version 10 was never to be used.
		{name: "Upsample", versions: "!1 7 9 !10", attrs: "!height_scale mode scales !width_scale", lower: lowerUpsample},
		{name: "GridSample", versions: "16 20 22", attrs: "align_corners mode padding_mode", lower: lowerGridSample},
		{name: "AffineGrid", versions: "20", attrs: "align_corners", lower: lowerAffineGrid},
		{name: "CenterCropPad", versions: "18", attrs: "axes", lower: lowerCenterCrop},
	}
}

// sampling is how the axes of a tensor are sampled anew.
type sampling struct {
	method   string // nearest, linear, cubic
	coord    string // coordinate_transformation_mode
	rounding string // nearest_mode; "simple" before there were any
	sizes    []int
	scales   []float64 // out over in, as given
	roi      []float64 // starts and ends of tf_crop_and_resize, by axis
	cubic    float64   // cubic_coeff_a
	exclude  bool      // exclude_outside
	fill     float64   // extrapolation_value

	axes      []int  // that sizes, scales and roi are of; none: all
	from      []int  // sizes of the tensor
	policy    string // keep_aspect_ratio_policy
	antialias bool
}

// resizable is the tensor that a node samples anew.
func (c *call) resizable(inputs int) *value {
	x := c.need(1, inputs)[0]
	if !x.dtype.IsFloat() {
		must.Do(unsupported("input %s is not supported", x.dtype))
	}
	return x
}

// lowerUpsample: the scales are an attribute before operator set 9.
func lowerUpsample(c *call) {
	x := c.resizable(2)
	s := sampling{coord: "asymmetric", rounding: "floor", method: c.text("mode", "nearest")}
	if s.method == "bilinear" {
		s.method = "linear"
	}
	if c.optional(1) != nil {
		s.scales = c.knownNumbers(1, "scales")
	} else {
		s.scales = c.floats("scales")
	}
	s.bySizes(x.sizes())
	c.set(c.im.resize(x, &s))
}

// knownNumbers are the elements of an input that must be constant, nil if it is left
// out or has none.
func (c *call) knownNumbers(i int, what string) (xs []float64) {
	if k := c.known(i, what); k != nil {
		for j := range k.len() {
			xs = append(xs, k.number(j))
		}
	}
	return xs
}

func lowerResize(c *call) {
	x := c.resizable(4)
	if c.resizesOpen(x) {
		c.set(c.resizedOpen(x))
		return
	}
	s := c.sampling()
	if s.antialias && s.method == "nearest" {
		must.Do(unsupported("antialiasing in mode nearest is not supported"))
	}
	s.bySizes(x.sizes())
	c.set(c.im.resize(x, s))
}

// sampling reads the attributes and the inputs but the first of a Resize.
func (c *call) sampling() *sampling {
	s := &sampling{coord: "asymmetric", rounding: "simple", method: c.text("mode", "nearest")}
	if c.im.opset < 11 {
		s.scales = c.knownNumbers(1, "scales")
		return s
	}
	s.coord = c.text("coordinate_transformation_mode", "half_pixel")
	s.rounding = c.text("nearest_mode", "round_prefer_floor")
	s.policy = c.text("keep_aspect_ratio_policy", "stretch")
	s.cubic, s.fill = c.float("cubic_coeff_a", -0.75), c.float("extrapolation_value", 0)
	s.exclude, s.antialias = c.flag("exclude_outside"), c.flag("antialias")
	s.axes = c.ints("axes")
	s.scales, s.sizes = c.knownNumbers(2, "scales"), c.knownInts(3, "sizes")
	if s.coord == "tf_crop_and_resize" {
		if c.known(1, "region") == nil {
			must.Failf("the region of interest (roi) is missing")
		}
		s.roi = c.knownNumbers(1, "region")
	}
	return s
}

// bySizes turns sizes, scales and region, which are of some axes, or of which
// only one is given, into those of all axes of a tensor.
func (s *sampling) bySizes(from []int) {
	axes := axesOf(s.axes, len(from))
	if len(axes) == 0 {
		axes = upTo(0, len(from))
	}
	all, scales := slices.Clone(from), make([]float64, len(from))
	roi := make([]float64, 2*len(from))
	for i := range from {
		scales[i], roi[len(from)+i] = 1, 1
	}
	sizes, given := s.sizes, s.scales
	if len(sizes) > 0 {
		given = nil
	}
	if len(sizes) == 0 && len(given) == 0 {
		must.Failf("neither scales nor sizes are given")
	}
	if len(sizes) > 0 && len(sizes) != len(axes) || len(given) > 0 && len(given) != len(axes) {
		must.Failf("%d scales and %d sizes do not fit %d axes", len(given), len(sizes), len(axes))
	}
	if s.roi != nil && len(s.roi) != 2*len(axes) {
		must.Failf("roi has %d elements, want %d", len(s.roi), 2*len(axes))
	}
	for i, a := range axes {
		if len(sizes) > 0 {
			all[a], scales[a] = sizes[i], float64(sizes[i])/float64(from[a])
		} else {
			// A scale is a float32, in which 2/3 * 3 is 2; floor must not make 1 of it.
			exact := float64(from[a]) * given[i]
			if r := math.Round(exact); math.Abs(exact-r) < 1e-6*math.Max(1, r) {
				exact = r
			}
			if !(exact >= 1 && exact <= graph.MaxSize) {
				must.Failf("scale %g is not possible for an axis of size %d", given[i], from[a])
			}
			all[a], scales[a] = int(exact), given[i]
		}
		if s.roi != nil {
			roi[a], roi[len(from)+a] = s.roi[i], s.roi[len(axes)+i]
		}
	}
	if len(sizes) > 0 && s.policy != "" && s.policy != "stretch" {
		// One scale for all axes, the smallest or the largest that was asked for.
		pick := math.Min
		if s.policy == "not_smaller" {
			pick = math.Max
		} else if s.policy != "not_larger" {
			must.Do(unsupported("keep_aspect_ratio_policy is %q", clip(s.policy)))
		}
		scale := scales[axes[0]]
		for _, a := range axes[1:] {
			scale = pick(scale, scales[a])
		}
		for _, a := range axes {
			scales[a] = scale
			all[a] = int(math.Floor(math.Min(scale*float64(from[a]), 2*graph.MaxSize) + 0.5))
		}
	}
	for _, a := range axes {
		if all[a] < 1 || all[a] > graph.MaxSize {
			must.Failf("size %d", all[a])
		}
	}
	s.from, s.sizes, s.scales, s.roi = slices.Clone(from), all, scales, roi
}

var roundings = map[string]string{
	"floor": "nearest_floor", "ceil": "nearest_ceil",
	"round_prefer_floor": "nearest_round", "round_prefer_ceil": "nearest_roundup",
}

// resize samples with the operator where it says the same, and otherwise axis
// by axis: by picking cells, or by a product with a matrix of weights.
func (im *importer) resize(x *value, s *sampling) *value {
	mode := "linear"
	if s.method == "nearest" {
		if s.rounding == "simple" && !slices.ContainsFunc(s.scales, func(x float64) bool { return x < 1 }) {
			s.rounding = "floor"
		}
		mode = roundings[s.rounding]
	} else if s.method != "linear" {
		mode = ""
	}
	exact := mode != "" && !s.antialias && slices.Contains([]string{"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"}, s.coord)
	for i, n := range x.sizes() {
		// The operator scales by the sizes' ratio.
		if math.Abs(s.scales[i]*float64(n)-float64(s.sizes[i])) > 1e-5 {
			exact = false
		}
	}
	if exact {
		return im.apply("resize", attrs{"sizes": graph.TupleValue(s.sizes...), "mode": graph.NameValue(mode + "_" + s.coord)}, x)
	}
	for a := range x.sizes() {
		if x.sizes()[a] != s.sizes[a] || s.scales[a] != 1 || s.coord == "tf_crop_and_resize" {
			x = im.resample(x, a, s)
		}
	}
	return im.extrapolate(x, s)
}

// outside reports whether a place is not in an image of n cells, where that
// matters.
func (s *sampling) outside(p float64, n int) bool {
	return s.coord == "tf_crop_and_resize" && (p < 0 || p > float64(n-1))
}

// extrapolate puts the extrapolation value where the result, so far 0 there,
// lies outside of the image.
func (im *importer) extrapolate(x *value, s *sampling) *value {
	if s.coord != "tf_crop_and_resize" || s.fill == 0 {
		return x
	}
	if x.elements() > maxConstant {
		must.Do(unsupported("extrapolation_value for %s is not supported: too large", x))
	}
	fill := newConstant(x.dtype, s.sizes...)
	graph.Each(s.sizes, func(flat int, idx []int) {
		for a, i := range idx {
			if s.outside(s.at(a, i, s.from[a]), s.from[a]) {
				fill.floats[flat] = s.fill
			}
		}
	})
	return im.do("ewadd", x, valueOf(fill))
}

// resample samples along one axis.
func (im *importer) resample(x *value, axis int, s *sampling) *value {
	n, out := x.sizes()[axis], s.sizes[axis]
	if graph.Product(n, out) > maxConstant {
		must.Do(unsupported("resizing %d to %d is too large", n, out))
	}
	weights := newConstant(x.dtype, n, out)
	cells := make([]int, out)
	outside := false
	for i := range out {
		p := s.at(axis, i, n)
		if s.outside(p, n) {
			outside = true
			continue
		}
		for _, t := range s.taps(axis, p, n) {
			weights.floats[t.cell*out+i] += t.weight
			cells[i] = t.cell
		}
	}
	if s.method == "nearest" && !outside {
		return im.pick(x, axis, cells)
	}
	perm, last := upTo(0, x.rank()), x.rank()-1
	perm[axis], perm[last] = last, axis
	v := im.transpose(x, perm...)
	sizes := slices.Clone(v.sizes())
	sizes[last] = out
	v = im.do("matmul", im.reshape(v, x.elements()/n, n), valueOf(weights))
	return im.transpose(im.reshape(v, sizes...), perm...)
}

// at is where in the image cell i of the result lies. For the nearest cell it
// is computed in float32, as a scale is one: 6.5 / 2.6 is then 2.5, and not a
// little more, which would round to another cell.
func (s *sampling) at(axis, i, n int) float64 {
	if s.method == "nearest" {
		return float64(place[float32](s, axis, i, n))
	}
	return place[float64](s, axis, i, n)
}

// place is at, computed in some precision.
func place[T float32 | float64](s *sampling, axis, i, n int) T {
	out, scale, x, size := s.sizes[axis], T(s.scales[axis]), T(i), T(n)
	switch s.coord {
	case "pytorch_half_pixel":
		if out == 1 {
			return 0
		}
		return (x+0.5)/scale - 0.5
	case "half_pixel":
		return (x+0.5)/scale - 0.5
	case "asymmetric":
		return x / scale
	case "align_corners":
		if out == 1 {
			return 0
		}
		// The length is n*scale, not rounded, as in ONNX's reference.
		return x * (size - 1) / (size*scale - 1)
	case "tf_half_pixel_for_nn": // of operator set 11 only
		return (x + 0.5) / scale
	case "half_pixel_symmetric":
		adjust := T(out) / (scale * size)
		return size/2*(1-adjust) + (x+0.5)/scale - 0.5
	case "tf_crop_and_resize":
		lo, hi := T(s.roi[axis]), T(s.roi[len(s.sizes)+axis])
		if out == 1 {
			return 0.5 * (lo + hi) * (size - 1)
		}
		return lo*(size-1) + x*(hi-lo)*(size-1)/T(out-1)
	}
	must.Do(unsupported("coordinate_transformation_mode is %q", clip(s.coord)))
	return 0
}

// tap is a cell of the image and its weight.
type tap struct {
	cell   int
	weight float64
}

// taps are the cells that a place between cells is made of. Cells outside are
// those of the border.
func (s *sampling) taps(axis int, p float64, n int) []tap {
	inside := func(i int) int { return min(max(i, 0), n-1) }
	low := math.Floor(p)
	f := p - low
	if s.antialias {
		return s.stretched(axis, p, n)
	}
	switch s.method {
	case "nearest":
		return []tap{{inside(int(s.nearest(axis, p))), 1}}
	case "linear":
		return []tap{{inside(int(low)), 1 - f}, {inside(int(low) + 1), f}}
	case "cubic":
		var taps []tap
		sum := 0.0
		for d := -1; d <= 2; d++ {
			cell, w := int(low)+d, keys(math.Abs(f-float64(d)), s.cubic)
			if s.exclude && (cell < 0 || cell >= n) {
				continue
			}
			taps = append(taps, tap{inside(cell), w})
			sum += w
		}
		if s.exclude {
			for i := range taps {
				taps[i].weight /= sum
			}
		}
		return taps
	}
	must.Do(unsupported("mode is %q", clip(s.method)))
	return nil
}

// stretched are the taps of an image that gets smaller without aliasing: what weighs cells
// reaches as much farther.
func (s *sampling) stretched(axis int, p float64, n int) (taps []tap) {
	scale, reach := math.Min(s.scales[axis], 1), 1.0
	weigh := func(d float64) float64 { return math.Max(0, 1-d) }
	if s.method == "cubic" {
		reach = 2
		weigh = func(d float64) float64 { return keys(d, s.cubic) }
	} else if s.method != "linear" {
		must.Do(unsupported("mode is %q", clip(s.method)))
	}
	sum := 0.0
	for cell := int(math.Floor(p - reach/scale)); cell <= int(math.Ceil(p+reach/scale)); cell++ {
		if s.exclude && (cell < 0 || cell >= n) {
			continue
		}
		w := weigh(math.Abs(float64(cell)-p) * scale)
		taps = append(taps, tap{min(max(cell, 0), n-1), w})
		sum += w
	}
	if sum == 0 {
		must.Do(unsupported("all its samples lie outside the image"))
	}
	for i := range taps {
		taps[i].weight /= sum
	}
	return taps
}

// nearest is the cell that a place is rounded to.
func (s *sampling) nearest(axis int, p float64) float64 {
	switch {
	case s.rounding == "floor":
		return math.Floor(p)
	case s.rounding == "ceil":
		return math.Ceil(p)
	case s.rounding == "simple": // operator set 10 does not say; so does ONNX Runtime
		if s.scales[axis] < 1 {
			return math.Ceil(p)
		}
		return math.Floor(p)
	case s.rounding == "round_prefer_floor" && p-math.Floor(p) > 0.5, s.rounding == "round_prefer_ceil" && p-math.Floor(p) >= 0.5:
		return math.Floor(p) + 1
	case roundings[s.rounding] == "":
		must.Do(unsupported("nearest_mode is %q", clip(s.rounding)))
	}
	return math.Floor(p)
}

// keys is the kernel of cubic convolution (Keys, 1981) at distance d.
func keys(d, a float64) float64 {
	if d <= 1 {
		return ((a+2)*d-(a+3))*d*d + 1
	}
	if d < 2 {
		return ((a*d-5*a)*d+8*a)*d - 4*a
	}
	return 0
}
