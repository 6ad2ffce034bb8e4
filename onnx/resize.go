package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
)

func init() {
	register(map[string]lowering{"Resize": lowerResize, "Upsample": lowerUpsample})
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

// lowerUpsample: the scales are an attribute before operator set 9.
func lowerUpsample(c *call) error {
	in, err := c.need(1, 2)
	if err != nil {
		return err
	}
	if !in[0].dtype.IsFloat() {
		return unsupported("it is applied to %s", in[0].dtype)
	}
	s := sampling{coord: "asymmetric", rounding: "floor"}
	if s.method, err = c.text("mode", "nearest"); err != nil {
		return err
	}
	if s.method == "bilinear" {
		s.method = "linear"
	}
	if in[1] != nil {
		err = c.scales(&s, 1)
	} else {
		s.scales, err = c.floats("scales")
	}
	if err != nil {
		return err
	}
	if err := s.bySizes(in[0].sizes); err != nil {
		return err
	}
	return c.set(c.im.resize(in[0], &s))
}

func (c *call) scales(s *sampling, i int) error {
	k, err := c.known(i, "scales")
	if err != nil || k == nil {
		return err
	}
	for j := range k.len() {
		s.scales = append(s.scales, k.number(j))
	}
	return nil
}

func lowerResize(c *call) error {
	in, err := c.need(1, 4)
	if err != nil {
		return err
	}
	x := in[0]
	if !x.dtype.IsFloat() {
		return unsupported("it is applied to %s", x.dtype)
	}
	s, err := c.sampling()
	if err != nil {
		return err
	}
	if s.antialias {
		return unsupported("it has antialiasing")
	}
	if err := s.bySizes(x.sizes); err != nil {
		return err
	}
	return c.set(c.im.resize(x, s))
}

// sampling reads the attributes and the inputs but the first of a Resize.
func (c *call) sampling() (*sampling, error) {
	s := &sampling{coord: "asymmetric", rounding: "floor"}
	var err error
	text := func(name, missing string) (v string) {
		if err == nil {
			v, err = c.text(name, missing)
		}
		return v
	}
	number := func(name string, missing float64) (v float64) {
		if err == nil {
			v, err = c.float(name, missing)
		}
		return v
	}
	flag := func(name string) bool {
		v := int64(0)
		if err == nil {
			v, err = c.int(name, 0)
		}
		return v != 0
	}
	s.method = text("mode", "nearest")
	if c.im.opset < 11 {
		s.rounding = "simple"
		if err != nil {
			return nil, err
		}
		return s, c.scales(s, 1)
	}
	s.coord = text("coordinate_transformation_mode", "half_pixel")
	s.rounding = text("nearest_mode", "round_prefer_floor")
	s.policy = text("keep_aspect_ratio_policy", "stretch")
	s.cubic, s.fill = number("cubic_coeff_a", -0.75), number("extrapolation_value", 0)
	s.exclude, s.antialias = flag("exclude_outside"), flag("antialias")
	if err != nil {
		return nil, err
	}
	if s.axes, err = c.ints("axes"); err != nil {
		return nil, err
	}
	if err := c.scales(s, 2); err != nil {
		return nil, err
	}
	if s.sizes, err = c.knownInts(3, "sizes"); err != nil {
		return nil, err
	}
	if s.coord == "tf_crop_and_resize" {
		roi, err := c.known(1, "region")
		if err != nil {
			return nil, err
		}
		if roi == nil {
			return nil, errors.New("it has no region")
		}
		for i := range roi.len() {
			s.roi = append(s.roi, roi.number(i))
		}
	}
	return s, nil
}

// bySizes turns sizes, scales and region, which are of some axes, or of which
// only one is given, into those of all axes of a tensor.
func (s *sampling) bySizes(from []int) error {
	axes, err := axesOf(s.axes, len(from))
	if err != nil {
		return err
	}
	if len(axes) == 0 {
		for i := range from {
			axes = append(axes, i)
		}
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
		return errors.New("neither scales nor sizes")
	}
	if len(sizes) > 0 && len(sizes) != len(axes) || len(given) > 0 && len(given) != len(axes) {
		return fmt.Errorf("%d scales, %d sizes for %d axes", len(given), len(sizes), len(axes))
	}
	if s.roi != nil && len(s.roi) != 2*len(axes) {
		return fmt.Errorf("its region has %d numbers, want %d", len(s.roi), 2*len(axes))
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
				return fmt.Errorf("scale %g of an axis of size %d", given[i], from[a])
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
			return unsupported("keep_aspect_ratio_policy is %q", clip(s.policy))
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
			return fmt.Errorf("size %d", all[a])
		}
	}
	s.from, s.sizes, s.scales, s.roi = slices.Clone(from), all, scales, roi
	return nil
}

var roundings = map[string]string{
	"floor": "nearest_floor", "ceil": "nearest_ceil",
	"round_prefer_floor": "nearest_round", "round_prefer_ceil": "nearest_roundup",
}

// resize samples with the operator where it says the same, and otherwise axis
// by axis: by picking cells, or by a product with a matrix of weights.
func (im *importer) resize(x *value, s *sampling) (*value, error) {
	mode := "linear"
	if s.method == "nearest" {
		if s.rounding == "simple" && !slices.ContainsFunc(s.scales, func(x float64) bool { return x < 1 }) {
			s.rounding = "floor"
		}
		mode = roundings[s.rounding]
	} else if s.method != "linear" {
		mode = ""
	}
	exact := mode != "" && slices.Contains([]string{"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"}, s.coord)
	for i, n := range x.sizes {
		// The operator scales by the sizes' ratio.
		if math.Abs(s.scales[i]*float64(n)-float64(s.sizes[i])) > 1e-5 {
			exact = false
		}
	}
	if exact {
		return im.apply("resize", attrs{"sizes": tupleAttr(s.sizes...), "mode": graph.NameValue(mode + "_" + s.coord)}, x)
	}
	for a := range x.sizes {
		if x.sizes[a] == s.sizes[a] && s.scales[a] == 1 && s.coord != "tf_crop_and_resize" {
			continue
		}
		var err error
		if x, err = im.resample(x, a, s); err != nil {
			return nil, err
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
func (im *importer) extrapolate(x *value, s *sampling) (*value, error) {
	if s.coord != "tf_crop_and_resize" || s.fill == 0 {
		return x, nil
	}
	if x.elements() > maxConstant {
		return nil, unsupported("it has an extrapolation value for %s", x)
	}
	fill := newConstant(x.dtype, s.sizes...)
	var failed error
	graph.Each(s.sizes, func(flat int, idx []int) {
		for a, i := range idx {
			p, err := s.at(a, i, s.from[a])
			if err != nil {
				failed = err
			} else if s.outside(p, s.from[a]) {
				fill.floats[flat] = s.fill
			}
		}
	})
	if failed != nil {
		return nil, failed
	}
	return im.apply("ewadd", nil, x, valueOf(fill))
}

// resample samples along one axis.
func (im *importer) resample(x *value, axis int, s *sampling) (*value, error) {
	n, out := x.sizes[axis], s.sizes[axis]
	if graph.Product(n, out) > maxConstant {
		return nil, unsupported("the matrix of its weights is %d by %d", n, out)
	}
	weights := newConstant(x.dtype, n, out)
	cells := make([]int, out)
	outside := false
	for i := range out {
		p, err := s.at(axis, i, n)
		if err != nil {
			return nil, err
		}
		if s.outside(p, n) {
			outside = true
			continue
		}
		taps, err := s.taps(axis, p, n)
		if err != nil {
			return nil, err
		}
		for _, t := range taps {
			weights.floats[t.cell*out+i] += t.weight
			cells[i] = t.cell
		}
	}
	if s.method == "nearest" && !outside {
		return im.pick(x, axis, cells)
	}
	perm := make([]int, x.rank())
	for i := range perm {
		perm[i] = i
	}
	last := x.rank() - 1
	perm[axis], perm[last] = last, axis
	b := calc{im: im}
	v := b.keep(im.transpose(x, perm...))
	if b.err != nil {
		return nil, b.err
	}
	sizes := slices.Clone(v.sizes)
	v = b.keep(im.reshape(v, x.elements()/n, n))
	v = b.do("matmul", v, valueOf(weights))
	sizes[last] = out
	if b.err == nil {
		v = b.keep(im.reshape(v, sizes...))
	}
	if b.err == nil {
		v = b.keep(im.transpose(v, perm...))
	}
	return v, b.err
}

// at is where in the image cell i of the result lies. For the nearest cell it
// is computed in float32, as a scale is one: 6.5 / 2.6 is then 2.5, and not a
// little more, which would round to another cell.
func (s *sampling) at(axis, i, n int) (float64, error) {
	if s.method == "nearest" {
		p, err := place[float32](s, axis, i, n)
		return float64(p), err
	}
	return place[float64](s, axis, i, n)
}

// place is at, computed in some precision.
func place[T float32 | float64](s *sampling, axis, i, n int) (T, error) {
	out, scale, x, size := s.sizes[axis], T(s.scales[axis]), T(i), T(n)
	switch s.coord {
	case "pytorch_half_pixel":
		if out == 1 {
			return 0, nil
		}
		return (x+0.5)/scale - 0.5, nil
	case "half_pixel":
		return (x+0.5)/scale - 0.5, nil
	case "asymmetric":
		return x / scale, nil
	case "align_corners":
		if out == 1 {
			return 0, nil
		}
		// The length is n*scale, not rounded, as in ONNX's reference.
		return x * (size - 1) / (size*scale - 1), nil
	case "tf_half_pixel_for_nn": // of operator set 11 only
		return (x + 0.5) / scale, nil
	case "half_pixel_symmetric":
		adjust := T(out) / (scale * size)
		return size/2*(1-adjust) + (x+0.5)/scale - 0.5, nil
	case "tf_crop_and_resize":
		lo, hi := T(s.roi[axis]), T(s.roi[len(s.sizes)+axis])
		if out == 1 {
			return 0.5 * (lo + hi) * (size - 1), nil
		}
		return lo*(size-1) + x*(hi-lo)*(size-1)/T(out-1), nil
	}
	return 0, unsupported("coordinate_transformation_mode is %q", clip(s.coord))
}

// tap is a cell of the image and its weight.
type tap struct {
	cell   int
	weight float64
}

// taps are the cells that a place between cells is made of. Cells outside are
// those of the border.
func (s *sampling) taps(axis int, p float64, n int) ([]tap, error) {
	inside := func(i int) int { return min(max(i, 0), n-1) }
	low := math.Floor(p)
	f := p - low
	switch s.method {
	case "nearest":
		i := low
		switch s.rounding {
		case "floor":
		case "simple": // operator set 10 does not say; so does ONNX Runtime
			if s.scales[axis] < 1 {
				i = math.Ceil(p)
			}
		case "ceil":
			i = math.Ceil(p)
		case "round_prefer_floor":
			if f > 0.5 {
				i++
			}
		case "round_prefer_ceil":
			if f >= 0.5 {
				i++
			}
		default:
			return nil, unsupported("nearest_mode is %q", clip(s.rounding))
		}
		return []tap{{inside(int(i)), 1}}, nil
	case "linear":
		return []tap{{inside(int(low)), 1 - f}, {inside(int(low) + 1), f}}, nil
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
		return taps, nil
	}
	return nil, unsupported("mode is %q", clip(s.method))
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
