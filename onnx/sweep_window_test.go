package onnx

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// attributesOf makes a list of attributes, leaving out nil ones.
func attributesOf(as ...*onnxpb.AttributeProto) []*onnxpb.AttributeProto {
	var out []*onnxpb.AttributeProto
	for _, a := range as {
		if a != nil {
			out = append(out, a)
		}
	}
	return out
}

func repeated(n, x int) []int {
	xs := make([]int, n)
	for i := range xs {
		xs[i] = x
	}
	return xs
}

// TestSweepConv: convolutions over one, two and three axes.
func TestSweepConv(t *testing.T) {
	t.Parallel()
	var vs []*variant
	image := []int{9, 8, 7}
	for axes := 1; axes <= 3; axes++ {
		for _, groups := range []int{1, 2, 4} {
			for _, stride := range []int{1, 2} {
				for _, dilation := range []int{1, 2} {
					for _, pad := range []string{"", "zeros", "even", "odd", "VALID", "SAME_UPPER", "SAME_LOWER", "NOTSET"} {
						if dilation > 1 && stride > 1 && axes > 1 && groups > 1 {
							continue // enough is said by the others
						}
						sizes := append([]int{2, 4}, image[:axes]...)
						kernel := []int{3, 2, 3}[:axes]
						w := append([]int{4, 4 / groups}, kernel...)
						var pads, auto *onnxpb.AttributeProto
						switch pad {
						case "":
						case "zeros":
							pads = intsAttribute("pads", repeated(2*axes, 0)...)
						case "even":
							pads = intsAttribute("pads", repeated(2*axes, 1)...)
						case "odd":
							pads = intsAttribute("pads", append(repeated(axes, 0), repeated(axes, 1)...)...)
						default:
							auto = textAttribute("auto_pad", pad)
						}
						v := &variant{name: fmt.Sprintf("Conv%dd/groups=%d/stride=%d/dilation=%d/%s", axes, groups, stride, dilation, pad),
							opset: int64([]int{1, 11, 7, 21}[len(vs)%4]), outs: []string{"z"}}
						v.in = []operand{feed("x", sizes...), fixedFeed("w", w...)}
						names := []string{"x", "w"}
						if len(vs)%3 > 0 {
							v.in, names = append(v.in, fixedFeed("b", 4)), append(names, "b")
						}
						if len(vs)%5 == 0 {
							v.in[1].fixed = false
						}
						var shape *onnxpb.AttributeProto
						if len(vs)%2 == 0 {
							shape = intsAttribute("kernel_shape", kernel...)
						}
						v.nodes = []*onnxpb.NodeProto{node("Conv", names, []string{"z"}, attributesOf(shape, pads, auto,
							intAttribute("group", int64(groups)), intsAttribute("strides", repeated(axes, stride)...), intsAttribute("dilations", repeated(axes, dilation)...))...)}
						if dilation > 1 && (pad == "SAME_UPPER" || pad == "SAME_LOWER") {
							v.alone("Dilation not supported for AutoPadType")
						}
						vs = append(vs, v)
					}
				}
			}
		}
	}
	one := func(name string, in []operand, as ...*onnxpb.AttributeProto) *variant {
		var names []string
		for _, o := range in {
			names = append(names, o.name)
		}
		return &variant{name: name, opset: 13, in: in, outs: []string{"z"}, nodes: []*onnxpb.NodeProto{node("Conv", names, []string{"z"}, as...)}}
	}
	vs = append(vs,
		one("pads larger than the kernel", []operand{feed("x", 1, 1, 5, 5), fixedFeed("w", 1, 1, 2, 2)}, intsAttribute("pads", 3, 2, 2, 4)),
		one("no attributes", []operand{feed("x", 1, 1, 5, 5), fixedFeed("w", 2, 1, 3, 2)}),
		one("kernel of the image's size", []operand{feed("x", 1, 2, 3, 3), fixedFeed("w", 2, 2, 3, 3)}),
		one("different strides", []operand{feed("x", 1, 2, 9, 7), fixedFeed("w", 2, 2, 3, 3)}, intsAttribute("strides", 3, 1), intsAttribute("dilations", 1, 2)),
		one("more outputs than inputs in a group", []operand{feed("x", 1, 4, 5, 5), fixedFeed("w", 8, 1, 3, 3)}, intAttribute("group", 4)),
	)
	sweep(t, vs)
}

// TestSweepPool: maxima and averages under windows.
func TestSweepPool(t *testing.T) {
	t.Parallel()
	var vs []*variant
	image := []int{9, 8, 7}
	for _, op := range []string{"MaxPool", "AveragePool"} {
		for axes := 1; axes <= 3; axes++ {
			for _, ceil := range []int{0, 1} {
				for _, stride := range []int{1, 2, 3} {
					for _, pad := range []string{"", "even", "odd", "VALID", "SAME_UPPER", "SAME_LOWER"} {
						for _, more := range []int{0, 1} { // dilations or count_include_pad
							sizes := append([]int{2, 3}, image[:axes]...)
							kernel := []int{3, 2, 3}[:axes]
							as := attributesOf(intsAttribute("kernel_shape", kernel...), intsAttribute("strides", repeated(axes, stride)...))
							opset := int64(12)
							if ceil == 1 {
								as = append(as, intAttribute("ceil_mode", 1))
							} else if more == 0 {
								opset = int64([]int{7, 8, 11, 19}[len(vs)%4])
							}
							switch pad {
							case "":
							case "even":
								as = append(as, intsAttribute("pads", repeated(2*axes, 1)...))
							case "odd":
								as = append(as, intsAttribute("pads", append(repeated(axes, 0), repeated(axes, 1)...)...))
							default:
								as = append(as, textAttribute("auto_pad", pad))
							}
							if more == 1 && op == "MaxPool" {
								as = append(as, intsAttribute("dilations", repeated(axes, 2)...))
							}
							if more == 1 && op == "AveragePool" {
								as = append(as, intAttribute("count_include_pad", 1))
							}
							v := &variant{name: fmt.Sprintf("%s%dd/ceil=%d/stride=%d/%s/%d", op, axes, ceil, stride, pad, more),
								opset: opset, in: []operand{feed("x", sizes...)}, outs: []string{"z"},
								nodes: []*onnxpb.NodeProto{node(op, []string{"x"}, []string{"z"}, as...)}}
							if more == 1 && op == "MaxPool" && (pad == "SAME_UPPER" || pad == "SAME_LOWER") {
								v.departs = "it pads as if there were no dilation"
							}
							vs = append(vs, v)
						}
					}
				}
			}
		}
	}
	one := func(op, name string, opset int64, x operand, outs []string, as ...*onnxpb.AttributeProto) *variant {
		return &variant{name: op + ": " + name, opset: opset, in: []operand{x}, outs: outs, nodes: []*onnxpb.NodeProto{node(op, []string{x.name}, outs, as...)}}
	}
	z := []string{"z"}
	for axes := 1; axes <= 3; axes++ {
		as := []*onnxpb.AttributeProto{intsAttribute("kernel_shape", repeated(axes, 2)...), intsAttribute("dilations", repeated(axes, 2)...)}
		sizes := append([]int{1, 2}, image[:axes]...)
		vs = append(vs,
			one("AveragePool", fmt.Sprintf("dilations over %d axes", axes), 19, feed("x", sizes...), z, as...),
			one("AveragePool", fmt.Sprintf("dilations over %d axes, pads", axes), 19, feed("x", sizes...), z, append(as, intsAttribute("pads", repeated(2*axes, 1)...))...),
			one("AveragePool", fmt.Sprintf("dilations over %d axes, pads that count", axes), 19, feed("x", sizes...), z,
				append(as, intsAttribute("pads", repeated(2*axes, 1)...), intAttribute("count_include_pad", 1), intsAttribute("strides", repeated(axes, 2)...))...),
			one("GlobalAveragePool", fmt.Sprintf("%d axes", axes), 7, feed("x", sizes...), z),
			one("GlobalMaxPool", fmt.Sprintf("%d axes", axes), 7, feed("x", sizes...), z),
		)
	}
	vs = append(vs,
		one("MaxPool", "indices", 12, feed("x", 1, 2, 6, 6), []string{"z", "i"}, intsAttribute("kernel_shape", 2, 2)),
		one("MaxPool", "indices by columns", 12, feed("x", 1, 2, 6, 6), []string{"z", "i"}, intsAttribute("kernel_shape", 2, 2), intAttribute("storage_order", 1)),
		one("MaxPool", "by columns without indices", 12, feed("x", 1, 2, 6, 6), z, intsAttribute("kernel_shape", 2, 2), intAttribute("storage_order", 1)),
		one("MaxPool", "int8 below 0, dilations, pads", 12, given("x", -5, -7, -3, -9).sized(1, 1, 2, 2).as(graph.Int8), z, intsAttribute("kernel_shape", 2, 2), intsAttribute("dilations", 2, 2), intsAttribute("pads", 1, 1, 1, 1)),
		one("MaxPool", "int8", 12, feed("x", 1, 2, 6, 6).as(6), z, intsAttribute("kernel_shape", 2, 2)),
	)
	sweep(t, vs)
}
