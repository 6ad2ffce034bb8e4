package onnx

import (
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// TestSweepMoves: operators that move elements.
func TestSweepMoves(t *testing.T) {
	t.Parallel()
	var vs []*variant
	add := func(v *variant) *variant { vs = append(vs, v); return v }
	x := feed("x", 2, 3, 4)

	for _, opset := range []int64{7, 11, 13} {
		for _, a := range []int64{0, 1, 2, -1, -3} {
			if a < 0 && opset < 11 {
				continue
			}
			y := []int{2, 3, 4}
			y[(a+3)%3] = 5
			add(variantOf(opset, "Concat", list(x, feed("y", y...)), z, intAttribute("axis", a)))
			add(variantOf(opset, "Concat", list(x, fixedFeed("y", y...), x), z, intAttribute("axis", a))).in = list(x, fixedFeed("y", y...))
			add(variantOf(opset, "Concat", list(x), z, intAttribute("axis", a)))
		}
	}
	add(variantOf(13, "Concat", list(feed("x", 2).as(graph.Int64), whole("y", 1, 2, 3)), z, intAttribute("axis", 0)))

	out := func(n int) []string { return []string{"z0", "z1", "z2", "z3"}[:n] }
	for _, opset := range []int64{2, 7, 11, 12} {
		add(variantOf(opset, "Split", list(x), out(2)))
		add(variantOf(opset, "Split", list(x), out(3), intAttribute("axis", 1)))
		add(variantOf(opset, "Split", list(x), out(2), intAttribute("axis", 2), intsAttribute("split", 1, 3)))
		add(variantOf(opset, "Split", list(x), out(1), intAttribute("axis", 2)))
	}
	for _, opset := range []int64{13, 17} {
		add(variantOf(opset, "Split", list(x), out(2)))
		add(variantOf(opset, "Split", list(x, whole("s", 1, 2)), out(2), intAttribute("axis", -2)))
	}
	for _, opset := range []int64{18, 21} {
		add(variantOf(opset, "Split", list(x), out(2), intAttribute("num_outputs", 2)))
		add(variantOf(opset, "Split", list(feed("x", 7)), out(3), intAttribute("num_outputs", 3)))
		add(variantOf(opset, "Split", list(feed("x", 7)), out(4), intAttribute("num_outputs", 4)))
		add(variantOf(opset, "Split", list(x, whole("s", 1, 2)), out(2), intAttribute("axis", 1)))
	}
	open := whole("s", 1, 2)
	open.fixed = false
	add(variantOf(13, "Split", list(x, open), out(2), intAttribute("axis", 1))).declare("z0", graph.Float32, 2, 1, 4).declare("z1", graph.Float32, 2, 2, 4).keeps("its split is not constant")

	slice := func(opset int64, starts, ends, axes, steps []int64) {
		if opset < 10 {
			as := attributesOf(intsAttribute("starts", starts...), intsAttribute("ends", ends...))
			if axes != nil {
				as = append(as, intsAttribute("axes", axes...))
			}
			add(variantOf(opset, "Slice", list(x), z, as...))
			return
		}
		in := list(x, whole("starts", starts...), whole("ends", ends...), none, none)
		if axes != nil {
			in[3] = whole("axes", axes...)
		}
		if steps != nil {
			in[4] = whole("steps", steps...)
		}
		for in[len(in)-1].k == nil {
			in = in[:len(in)-1]
		}
		add(variantOf(opset, "Slice", in, z))
		if opset == 13 {
			for i := range in[1:] {
				if in[i+1].k != nil {
					in[i+1] = in[i+1].as(graph.Int32)
				}
			}
			if starts[0] > -1<<31 && ends[0] < 1<<31 && ends[0] > -1<<31 {
				add(variantOf(opset, "Slice", in, z))
			}
		}
	}
	for _, opset := range []int64{1, 9, 10, 11, 13} {
		slice(opset, []int64{0, 1}, []int64{1, 3}, nil, nil)
		slice(opset, []int64{1}, []int64{math.MaxInt64}, []int64{2}, nil)
		slice(opset, []int64{-2}, []int64{-1}, []int64{1}, nil)
		slice(opset, []int64{-100, 1}, []int64{100, -1}, []int64{0, 2}, nil)
		if opset >= 10 {
			slice(opset, []int64{0}, []int64{4}, []int64{2}, []int64{2})
			slice(opset, []int64{3}, []int64{0}, []int64{2}, []int64{-1})
			slice(opset, []int64{-1}, []int64{math.MinInt64}, []int64{2}, []int64{-1})
			slice(opset, []int64{math.MaxInt64}, []int64{math.MinInt64}, []int64{2}, []int64{-3})
			slice(opset, []int64{-1}, []int64{-4}, []int64{1}, []int64{-2})
			slice(opset, []int64{2, 0}, []int64{0, 3}, []int64{1, 2}, []int64{-1, 2})
		}
		if opset >= 11 {
			slice(opset, []int64{1}, []int64{3}, []int64{-1}, nil)
		}
	}

	for _, opset := range []int64{7, 13, 21} {
		add(variantOf(opset, "Transpose", list(x), z))
		add(variantOf(opset, "Transpose", list(x), z, intsAttribute("perm", 1, 0, 2)))
		add(variantOf(opset, "Transpose", list(x), z, intsAttribute("perm", 2, 0, 1)))
		add(variantOf(opset, "Transpose", list(x), z, intsAttribute("perm", 0, 1, 2)))
		add(variantOf(opset, "Transpose", list(feed("x")), z))

		for _, to := range [][]int64{{6, 4}, {0, -1}, {-1}, {4, 0, -1}, {2, 3, 4}, {1, 2, 1, 12}, {-1, 1, 24}} {
			add(variantOf(opset, "Reshape", list(x, whole("to", to...)), z))
		}
		add(variantOf(opset, "Reshape", list(feed("x", 1, 1), whole("to")), z))
		add(variantOf(opset, "Reshape", list(feed("x"), whole("to", 1, -1)), z))
		if opset >= 14 {
			add(variantOf(opset, "Reshape", list(x, whole("to", 6, 4)), z, intAttribute("allowzero", 1)))
			add(variantOf(opset, "Reshape", list(x, whole("to", 0, -1)), z, intAttribute("allowzero", 0)))
			add(variantOf(opset, "Reshape", list(x, whole("to", 0, 24)), z, intAttribute("allowzero", 1))).fails("cannot be reshaped")
		}
		for _, a := range []int64{0, 1, 2, 3, -1, -3, 99} {
			if a < 0 && opset < 11 {
				continue
			}
			if a == 99 {
				add(variantOf(opset, "Flatten", list(x), z))
				continue
			}
			add(variantOf(opset, "Flatten", list(x), z, intAttribute("axis", a)))
		}
	}

	s := feed("x", 1, 3, 1, 2)
	for _, opset := range []int64{7, 11, 12} {
		add(variantOf(opset, "Squeeze", list(s), z))
		add(variantOf(opset, "Squeeze", list(s), z, intsAttribute("axes", 2)))
		add(variantOf(opset, "Squeeze", list(s), z, intsAttribute("axes", 2, 0)))
		add(variantOf(opset, "Unsqueeze", list(x), z, intsAttribute("axes", 0)))
		add(variantOf(opset, "Unsqueeze", list(x), z, intsAttribute("axes", 1, 4)))
		if opset >= 11 {
			add(variantOf(opset, "Squeeze", list(s), z, intsAttribute("axes", -2)))
			add(variantOf(opset, "Unsqueeze", list(x), z, intsAttribute("axes", -1, 0)))
			add(variantOf(opset, "Unsqueeze", list(x), z, intsAttribute("axes", 4, 1)))
		}
	}
	for _, opset := range []int64{13, 21} {
		add(variantOf(opset, "Squeeze", list(s), z))
		add(variantOf(opset, "Squeeze", list(s, whole("a", -2)), z))
		add(variantOf(opset, "Squeeze", list(s, whole("a", 2, 0)), z))
		add(variantOf(opset, "Squeeze", list(s, whole("a")), z)).departs = "no axes are all axes to it, as in numpy they are none"
		add(variantOf(opset, "Squeeze", list(feed("x", 1)), z))
		add(variantOf(opset, "Unsqueeze", list(x, whole("a", -1, 0)), z))
		add(variantOf(opset, "Unsqueeze", list(x, whole("a", 4, 1)), z))
		add(variantOf(opset, "Unsqueeze", list(x, whole("a")), z))
		add(variantOf(opset, "Unsqueeze", list(feed("x"), whole("a", 0, 1)), z))
		add(variantOf(opset, "Unsqueeze", list(feed("x"), whole("a", 0).sized()), z))
	}

	for _, opset := range []int64{7, 11, 13} {
		for _, a := range []int64{0, 1, 2, -1} {
			if a < 0 && opset < 11 {
				continue
			}
			add(variantOf(opset, "Gather", list(x, whole("i", 0, 1, 1)), z, intAttribute("axis", a)))
			add(variantOf(opset, "Gather", list(x, whole("i", 1).sized()), z, intAttribute("axis", a)))
			add(variantOf(opset, "Gather", list(x, whole("i", 1, 0, 1, 1).sized(2, 2)), z, intAttribute("axis", a)))
			open := whole("i", 1, 0, 1)
			open.fixed = false
			add(variantOf(opset, "Gather", list(x, open), z, intAttribute("axis", a)))
			if opset >= 11 {
				add(variantOf(opset, "Gather", list(x, whole("i", -1, 0, -2).as(graph.Int32)), z, intAttribute("axis", a)))
				open := whole("i", -1, 0, -2).as(graph.Int32)
				open.fixed = false
				add(variantOf(opset, "Gather", list(x, open), z, intAttribute("axis", a)))
				open = whole("i", -1, 0, -2)
				open.fixed = false
				add(variantOf(opset, "Gather", list(x, open), z, intAttribute("axis", a)))
			}
		}
		add(variantOf(opset, "Gather", list(x, whole("i", 1)), z))
	}
	add(variantOf(13, "Gather", list(x, whole("i", 2)), z)).fails("index 2")
	add(variantOf(13, "Gather", list(x, given("i", 1).held()), z)).fails("float32")

	for _, to := range [][]int64{{2, 3, 4}, {1}, {5, 2, 3, 4}, {4}, {3, 1}} {
		add(variantOf(13, "Expand", list(x, whole("to", to...)), z))
		add(variantOf(8, "Expand", list(feed("x", 3, 1), whole("to", append(to[:len(to)-1:len(to)-1], 3, 6)...)), z))
	}
	add(variantOf(13, "Tile", list(x, whole("r", 1, 2, 3)), z))
	add(variantOf(6, "Tile", list(feed("x", 1, 2), whole("r", 3, 1)), z))

	pads := func(mode string, lists ...[]int64) {
		for _, p := range lists {
			for _, opset := range []int64{2, 11, 13, 18, 19, 21} {
				var as []*onnxpb.AttributeProto
				if mode != "" {
					as = append(as, textAttribute("mode", mode))
				}
				if mode == "wrap" && opset < 19 {
					continue
				}
				if opset < 11 {
					add(variantOf(opset, "Pad", list(x), z, append(as, intsAttribute("pads", p...))...))
					if mode == "" {
						add(variantOf(opset, "Pad", list(x), z, intsAttribute("pads", p...), floatAttribute("value", -0.3)))
					}
					continue
				}
				add(variantOf(opset, "Pad", list(x, whole("p", p...)), z, as...))
				if mode == "" || mode == "constant" {
					add(variantOf(opset, "Pad", list(x, whole("p", p...), given("v", 1.5).sized().held()), z, as...))
				}
				if opset >= 18 {
					add(variantOf(opset, "Pad", list(x, whole("p", p[1], p[2], p[4], p[5]), none, whole("a", 1, -1)), z, as...))
				}
			}
		}
	}
	pads("", []int64{0, 1, 2, 1, 0, 1}, []int64{0, 0, 0, 0, 0, 0}, []int64{0, -1, 0, 0, 0, -2}, []int64{1, -1, 3, 0, 2, -2})
	pads("constant", []int64{0, 1, 2, 1, 0, 1})
	pads("edge", []int64{0, 1, 2, 1, 0, 1}, []int64{0, -1, 1, 0, 5, -2})
	pads("reflect", []int64{0, 1, 2, 1, 0, 1}, []int64{0, -1, 1, 0, 1, -1})
	pads("wrap", []int64{0, 1, 2, 1, 0, 1})
	open = whole("v", 1).sized().as(graph.Float32)
	open.fixed = false
	add(variantOf(13, "Pad", list(x, whole("p", 0, 0, 1, 0, 0, 1), open), z)).declare("z", graph.Float32, 2, 3, 6).keeps("its value is not constant")
	add(variantOf(13, "Pad", list(feed("x", 3).as(graph.Int64), whole("p", 1, 1), whole("v", 7).sized()), z))
	add(variantOf(13, "Pad", list(feed("x", 3).as(graph.Int64), whole("p", 1, 1), whole("v", 1<<62+1).sized()), z)).declare("z", graph.Int64, 5).keeps("an integer above 2^53")

	for _, mode := range []string{"DCR", "CRD"} {
		add(variantOf(11, "DepthToSpace", list(feed("x", 1, 8, 2, 3)), z, intAttribute("blocksize", 2), textAttribute("mode", mode)))
	}
	add(variantOf(7, "SpaceToDepth", list(feed("x", 1, 2, 4, 6)), z, intAttribute("blocksize", 2)))
	for _, opset := range []int64{7, 13, 15, 19} {
		add(variantOf(opset, "Shape", list(x), z))
		add(variantOf(opset, "Size", list(x), z))
	}
	add(variantOf(15, "Shape", list(x), z, intAttribute("start", -2)))
	add(variantOf(15, "Shape", list(x), z, intAttribute("start", 1), intAttribute("end", -1)))
	add(variantOf(15, "Shape", list(x), z, intAttribute("start", -10), intAttribute("end", 10)))
	// A part without elements, as where all of a head is turned.
	vs = append(vs, &variant{name: "an empty part", opset: 13, in: list(feed("x", 2, 3), whole("n", 3, 0)), outs: z, nodes: []*onnxpb.NodeProto{
		node("Split", []string{"x", "n"}, []string{"a", "b"}, intAttribute("axis", 1)), node("Neg", []string{"a"}, []string{"q"}),
		node("Concat", []string{"q", "b"}, []string{"z"}, intAttribute("axis", 1))}})
	sweep(t, vs)
}

// TestSweepResize: images sampled anew.
func TestSweepResize(t *testing.T) {
	t.Parallel()
	var vs []*variant
	add := func(v *variant) *variant { vs = append(vs, v); return v }
	x := feed("x", 1, 2, 4, 6)
	scales := [][]float64{{1, 1, 2, 2}, {1, 1, 1.5, 3}, {1, 1, 0.5, 0.5}, {1, 1, 0.75, 1.3}, {1, 1, 1, 2.6}}
	for _, mode := range []string{"nearest", "linear"} {
		m := textAttribute("mode", mode)
		for _, s := range scales {
			fs := make([]float32, len(s))
			for i := range s {
				fs[i] = float32(s[i])
			}
			if s[2] >= 1 {
				add(variantOf(7, "Upsample", list(x), z, m, &onnxpb.AttributeProto{Name: ptr("scales"), Type: onnxpb.AttributeProto_FLOATS.Enum(), Floats: fs}))
				add(variantOf(9, "Upsample", list(x, given("s", s...).held()), z, m))
			}
			add(variantOf(10, "Resize", list(x, given("s", s...).held()), z, m))
		}
	}
	for _, opset := range []int64{11, 13, 19} {
		for _, mode := range []string{"nearest", "linear", "cubic"} {
			for _, coord := range []string{"", "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric", "tf_half_pixel_for_nn"} {
				if coord == "half_pixel_symmetric" && opset < 19 || coord == "tf_half_pixel_for_nn" && opset > 11 {
					continue
				}
				for i, s := range scales {
					as := attributesOf(textAttribute("mode", mode))
					if coord != "" {
						as = append(as, textAttribute("coordinate_transformation_mode", coord))
					}
					rounds := []string{""}
					if mode == "nearest" {
						rounds = []string{"", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}
					}
					for _, r := range rounds {
						as := as
						if r != "" {
							as = append(as[:len(as):len(as)], textAttribute("nearest_mode", r))
						}
						in := list(x, none, given("s", s...).held())
						to := list(x, none, none, whole("to", 1, 2, int64(4*s[2]), int64(6*s[3])))
						if i%2 == 1 || opset < 13 { // region and scales were required first
							in[1], to[1] = given("roi").held(), given("roi").held()
							to[2] = given("none").held()
						}
						v := add(variantOf(opset, "Resize", in, z, as...))
						if coord == "align_corners" && i >= 3 && !(i == 4 && r == "ceil") {
							v.departs = "it rounds the length that ONNX's reference and recorded outputs do not"
						}
						add(variantOf(opset, "Resize", to, z, as...))
					}
				}
			}
		}
	}
	s := given("s", 1, 1, 1.5, 0.7).held()
	add(variantOf(13, "Resize", list(x, none, s), z, textAttribute("mode", "cubic"), floatAttribute("cubic_coeff_a", -0.5)))
	add(variantOf(13, "Resize", list(x, none, s), z, textAttribute("mode", "cubic"), intAttribute("exclude_outside", 1)))
	add(variantOf(18, "Resize", list(x, none, s), z, intAttribute("antialias", 1))).keeps("antialiasing").alone("Fail")
	for _, mode := range []string{"linear", "cubic"} {
		for _, to := range [][]int64{{2, 3, 3, 3}, {2, 3, 5, 2}, {2, 3, 2, 9}, {2, 3, 7, 6}} {
			as := []any{"mode", mode, "antialias", 1}
			image := feed("image", 2, 3, 6, 7)
			add(variantOf(18, "Resize", list(image, none, none, whole("to", to...)), z, attributesNamed(as)...))
			add(variantOf(18, "Resize", list(image, none, none, whole("to", to...)), z, attributesNamed(append(as, "exclude_outside", 1))...))
		}
	}
	add(variantOf(18, "Resize", list(x, none, given("s", 2, 1.5).held()), z, textAttribute("mode", "linear"), intsAttribute("axes", 2, 3)))
	add(variantOf(18, "Resize", list(x, none, given("s", 2, 1.5).held()), z, textAttribute("mode", "linear"), intsAttribute("axes", 3, 2)))
	add(variantOf(18, "Resize", list(x, none, none, whole("to", 7, 8)), z, textAttribute("mode", "linear"), intsAttribute("axes", -2, -1)))
	for _, policy := range []string{"stretch", "not_larger", "not_smaller"} {
		for _, mode := range []string{"nearest", "linear"} {
			add(variantOf(18, "Resize", list(x, none, none, whole("to", 7, 8)), z, textAttribute("mode", mode), intsAttribute("axes", 2, 3), textAttribute("keep_aspect_ratio_policy", policy)))
		}
	}
	roi := given("roi", 0, 0, 0.1, 0.2, 1, 1, 0.9, 0.8).held()
	for _, mode := range []string{"nearest", "linear", "cubic"} {
		add(variantOf(13, "Resize", list(x, roi, given("s", 1, 1, 2, 1.5).held()), z, textAttribute("mode", mode), textAttribute("coordinate_transformation_mode", "tf_crop_and_resize")))
		add(variantOf(13, "Resize", list(x, given("roi", 0, 0, -0.3, 0.2, 1, 1, 0.9, 1.3).held(), none, whole("to", 1, 2, 3, 5)), z, textAttribute("mode", mode),
			textAttribute("coordinate_transformation_mode", "tf_crop_and_resize")))
		add(variantOf(13, "Resize", list(x, given("roi", 0, 0, -0.3, 0.2, 1, 1, 0.9, 1.3).held(), none, whole("to", 1, 2, 3, 5)), z, textAttribute("mode", mode),
			textAttribute("coordinate_transformation_mode", "tf_crop_and_resize"), floatAttribute("extrapolation_value", 10)))
	}
	for _, mode := range []string{"nearest", "linear", "cubic"} {
		v := add(variantOf(13, "Resize", list(feed("x", 1, 1, 5), none, given("s", 1, 1, 1.7).held()), z, textAttribute("mode", mode)))
		w := add(variantOf(13, "Resize", list(feed("x", 1, 1, 3, 4, 5), none, given("s", 1, 1, 2, 1.5, 0.8).held()), z, textAttribute("mode", mode)))
		if mode == "cubic" {
			v.alone("2-D inputs")
			w.alone("2-D inputs")
		}
		add(variantOf(13, "Resize", list(feed("x", 3, 4), none, given("s", 2, 2).held()), z, textAttribute("mode", mode)))
		add(variantOf(13, "Resize", list(feed("x", 1, 2, 5, 5), none, none, whole("to", 1, 2, 1, 1)), z, textAttribute("mode", mode)))
	}
	sweep(t, vs)
}

func ptr(s string) *string { return &s }
