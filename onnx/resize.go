package onnx

import (
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
	rounding string // nearest_mode
	sizes    []int
	scales   []float64 // out over in, as given
	roi      []float64 // starts and ends of tf_crop_and_resize, by axis
	cubic    float64   // cubic_coeff_a
	exclude  bool      // exclude_outside
	fill     float64   // extrapolation_value
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
	if err := s.bySizes(in[0].sizes, nil, nil); err != nil {
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
	s := sampling{coord: "asymmetric", rounding: "floor"}
	if s.method, err = c.text("mode", "nearest"); err != nil {
		return err
	}
	var sizes, axes []int
	if c.im.opset < 11 {
		if err := c.scales(&s, 1); err != nil {
			return err
		}
	} else {
		if s.coord, err = c.text("coordinate_transformation_mode", "half_pixel"); err != nil {
			return err
		}
		if s.rounding, err = c.text("nearest_mode", "round_prefer_floor"); err != nil {
			return err
		}
		if s.cubic, err = c.float("cubic_coeff_a", -0.75); err != nil {
			return err
		}
		out, err := c.int("exclude_outside", 0)
		if err != nil {
			return err
		}
		s.exclude = out != 0
		if s.fill, err = c.float("extrapolation_value", 0); err != nil {
			return err
		}
		anti, err := c.int("antialias", 0)
		if err != nil {
			return err
		}
		policy, err := c.text("keep_aspect_ratio_policy", "stretch")
		if err != nil {
			return err
		}
		if anti != 0 || policy != "stretch" {
			return unsupported("it has antialiasing or keeps the aspect ratio")
		}
		if axes, err = c.ints("axes"); err != nil {
			return err
		}
		if axes, err = axesOf(axes, x.rank()); err != nil {
			return err
		}
		if err := c.scales(&s, 2); err != nil {
			return err
		}
		if sizes, err = c.knownInts(3, "sizes"); err != nil {
			return err
		}
		if s.coord == "tf_crop_and_resize" {
			roi, err := c.known(1, "region")
			if err != nil {
				return err
			}
			n := x.rank()
			if len(axes) > 0 {
				n = len(axes)
			}
			if roi == nil || roi.len() != 2*n {
				return fmt.Errorf("its region has not %d numbers", 2*n)
			}
			for i := range roi.len() {
				s.roi = append(s.roi, roi.number(i))
			}
		}
	}
	if err := s.bySizes(x.sizes, sizes, axes); err != nil {
		return err
	}
	return c.set(c.im.resize(x, &s))
}

// bySizes fills in sizes and scales of all axes.
func (s *sampling) bySizes(from, sizes, axes []int) error {
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
	given := s.scales
	if len(sizes) > 0 {
		given = nil
	}
	if len(sizes) == 0 && len(given) == 0 {
		return fmt.Errorf("neither scales nor sizes")
	}
	if len(sizes) > 0 && len(sizes) != len(axes) || len(given) > 0 && len(given) != len(axes) {
		return fmt.Errorf("%d scales, %d sizes for %d axes", len(given), len(sizes), len(axes))
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
		if all[a] < 1 || all[a] > graph.MaxSize {
			return fmt.Errorf("size %d", all[a])
		}
		if s.roi != nil {
			roi[a], roi[len(from)+a] = s.roi[i], s.roi[len(axes)+i]
		}
	}
	s.sizes, s.scales, s.roi = all, scales, roi
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
	return x, nil
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
		if s.coord == "tf_crop_and_resize" && (p < 0 || p > float64(n-1)) {
			if s.fill != 0 {
				return nil, unsupported("it samples outside of the image, with the value %g", s.fill)
			}
			outside = true
			continue
		}
		taps, err := s.taps(p, n)
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

// at is where in the image cell i of the result lies.
func (s *sampling) at(axis, i, n int) (float64, error) {
	out, scale, x := s.sizes[axis], s.scales[axis], float64(i)
	switch s.coord {
	case "half_pixel":
		return (x+0.5)/scale - 0.5, nil
	case "pytorch_half_pixel":
		if out == 1 {
			return 0, nil
		}
		return (x+0.5)/scale - 0.5, nil
	case "asymmetric":
		return x / scale, nil
	case "align_corners":
		if out == 1 {
			return 0, nil
		}
		// The length is n*scale, not rounded, as in ONNX's reference.
		return x * float64(n-1) / (float64(n)*scale - 1), nil
	case "half_pixel_symmetric":
		adjust := float64(out) / (scale * float64(n))
		return float64(n)/2*(1-adjust) + (x+0.5)/scale - 0.5, nil
	case "tf_crop_and_resize":
		lo, hi := s.roi[axis], s.roi[len(s.sizes)+axis]
		if out == 1 {
			return 0.5 * (lo + hi) * float64(n-1), nil
		}
		return lo*float64(n-1) + x*(hi-lo)*float64(n-1)/float64(out-1), nil
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
func (s *sampling) taps(p float64, n int) ([]tap, error) {
	inside := func(i int) int { return min(max(i, 0), n-1) }
	low := math.Floor(p)
	f := p - low
	switch s.method {
	case "nearest":
		i := low
		switch s.rounding {
		case "floor":
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
