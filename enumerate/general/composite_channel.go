package general

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// Composites of channels: of an image [b, c, h, w] axis 1, of a kernel
// [o, c, kh, kw] axis 0, the channels that it makes.

func inferChannels(axis int) func(*graph.Unifier, graph.Attrs, []graph.Shape) ([]graph.Shape, error) {
	return func(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x := in[0]
		if len(x) != 4 || x.HasAxisRun() {
			return nil, fmt.Errorf("shape %s: want four axes", x)
		}
		if len(in) == 2 {
			if err := f.EqShape(x[axis:axis+1], in[1]); err != nil {
				return nil, fmt.Errorf("shapes %s and %s: want one number for each place of axis %d: %w", x, in[1], axis, err)
			}
		}
		return []graph.Shape{f.NormShape(x)}, nil
	}
}

// perChannel is a vector repeated over an image.
func perChannel(x *expansion, v *law.Term) *law.Term {
	one := graph.Axis(graph.Int(1))
	return apply(op.Broadcast, shapeAttr(x.out), apply(op.Reshape, shapeAttr(graph.Shape{x.out[1], one, one}), v))
}

// perKernel is a vector repeated over a kernel, one number an output channel.
func perKernel(x *expansion, v *law.Term) *law.Term {
	one := graph.Axis(graph.Int(1))
	return apply(op.Broadcast, shapeAttr(x.out), apply(op.Reshape, shapeAttr(graph.Shape{x.out[0], one, one, one}), v))
}

// Bias2D adds one number a channel.
var Bias2D = newComposite(composite{
	Op:     &graph.Op{Name: "bias2d", In: 2, Infer: inferChannels(1), AxisOf: ofFirst, Doc: "The sum of an image and a bias of each channel: [b, c, h, w] and [c]."},
	expand: func(x *expansion) *law.Term { return apply(op.EWAdd, nil, x.args[0], perChannel(x, x.args[1])) },
})

// Scale2D multiplies each channel by a number.
var Scale2D = newComposite(composite{
	Op:     &graph.Op{Name: "scale2d", In: 2, Infer: inferChannels(1), AxisOf: ofFirst, Doc: "The product of an image and a scale of each channel: [b, c, h, w] and [c]."},
	expand: func(x *expansion) *law.Term { return apply(op.EWMul, nil, x.args[0], perChannel(x, x.args[1])) },
})

// ScaleKernel multiplies the weights of each output channel by a number.
var ScaleKernel = newComposite(composite{
	Op:     &graph.Op{Name: "scalekernel", In: 2, Infer: inferChannels(0), AxisOf: ofFirst, Doc: "The product of a kernel and a scale of each channel that it makes: [o, c, kh, kw] and [o]."},
	expand: func(x *expansion) *law.Term { return apply(op.EWMul, nil, x.args[0], perKernel(x, x.args[1])) },
})

// The weights of batch normalization take no part in what is enumerated: K is
// the scale, L the bias, M the mean and V the variance of every normalization of
// that many channels.

// normScale is what batch normalization multiplies a channel by.
func normScale(x *expansion, c graph.Shape) *law.Term {
	return apply(op.EWMul, nil, x.weight("K", c), apply(op.Rsqrt, named{"eps": x.number}, x.weight("V", c)))
}

// BatchNorm normalizes each channel.
var BatchNorm = newComposite(composite{
	Op: &graph.Op{Name: "batchnorm", In: 1, Infer: inferChannels(1), AxisOf: ofFirst, Doc: "Batch normalization, with weights of its own."},
	expand: func(x *expansion) *law.Term {
		c := x.out[1:2]
		return apply(op.BatchNorm, named{"eps": x.number}, x.args[0],
			x.weight("K", c), x.weight("L", c), x.weight("M", c), x.weight("V", c))
	},
})

// BatchNormKernel multiplies a kernel by what batch normalization multiplies the
// channels by that it makes.
var BatchNormKernel = newComposite(composite{
	Op: &graph.Op{Name: "batchnormkernel", In: 1, Infer: inferChannels(0), AxisOf: ofFirst, Doc: "A kernel with the scales of batch normalization in it."},
	expand: func(x *expansion) *law.Term {
		return apply(op.EWMul, nil, x.args[0], perKernel(x, normScale(x, x.out[:1])))
	},
})

// BatchNormBias adds what batch normalization adds to the scaled channels.
var BatchNormBias = newComposite(composite{
	Op: &graph.Op{Name: "batchnormbias", In: 1, Infer: inferChannels(1), AxisOf: ofFirst, Doc: "An image with the biases of batch normalization added."},
	expand: func(x *expansion) *law.Term {
		c := x.out[1:2]
		shift := apply(op.EWSub, nil, x.weight("L", c), apply(op.EWMul, nil, x.weight("M", c), normScale(x, c)))
		return apply(op.EWAdd, nil, x.args[0], perChannel(x, shift))
	},
})

// aroundVector is the shape rule of a vector that is repeated along three new axes: in the result
// its axis is number at.
func aroundVector(at int) func(*graph.Unifier, graph.Attrs, []graph.Shape) ([]graph.Shape, error) {
	return func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x := in[0]
		if len(x) != 1 || x.HasAxisRun() {
			return nil, fmt.Errorf("shape %s: want one axis", x)
		}
		var out graph.Shape
		for _, v := range a {
			d, _ := v.Dim()
			out = append(out, graph.Axis(d))
		}
		return []graph.Shape{f.NormShape(slices.Insert(out, at, x[0]))}, nil
	}
}

// freeSizes makes all attributes variables.
func freeSizes(b *builder, a graph.Attrs) {
	for i := range a {
		a[i] = graph.DimValue(b.fresh(lit(a[i])))
	}
}

// axisAt says that one axis of the result is the axis of the operand.
func axisAt(at int) func(graph.Attrs, []int, int) []graph.OperandAxis {
	return func(_ graph.Attrs, _ []int, axis int) []graph.OperandAxis {
		if axis != at {
			return nil
		}
		return ofFirst(nil, nil, 0)
	}
}

// Channels is an image with one number a channel.
var Channels = newComposite(composite{
	Op: &graph.Op{Name: "channels", In: 1, Infer: aroundVector(1), AxisOf: axisAt(1), Doc: "A number of each channel repeated over images: [c] is [b, c, h, w].",
		Params: []graph.Param{{Name: "b", Sort: "int", Doc: "images"}, {Name: "h", Sort: "int", Doc: "rows"}, {Name: "w", Sort: "int", Doc: "columns"}}},
	expand: func(x *expansion) *law.Term { return perChannel(x, x.args[0]) },
	free:   freeSizes,
})

// Kernels is a kernel with one number an output channel.
var Kernels = newComposite(composite{
	Op: &graph.Op{Name: "kernels", In: 1, Infer: aroundVector(0), AxisOf: axisAt(0), Doc: "A number of each output channel repeated over kernels: [o] is [o, c, h, w].",
		Params: []graph.Param{{Name: "c", Sort: "int", Doc: "channels of the image"}, {Name: "h", Sort: "int", Doc: "rows"}, {Name: "w", Sort: "int", Doc: "columns"}}},
	expand: func(x *expansion) *law.Term { return perKernel(x, x.args[0]) },
	free:   freeSizes,
})

// Features is an image whose channels are its last axis, with one number a channel.
var Features = newComposite(composite{
	Op: &graph.Op{Name: "features", In: 1, Infer: aroundVector(3), AxisOf: axisAt(3), Doc: "A number of each channel repeated over images with channels last: [c] is [b, h, w, c].",
		Params: []graph.Param{{Name: "b", Sort: "int", Doc: "images"}, {Name: "h", Sort: "int", Doc: "rows"}, {Name: "w", Sort: "int", Doc: "columns"}}},
	expand: copied,
	free:   freeSizes,
})

// Planes is an image with one number a channel, of a tensor [c, 1, 1].
var Planes = newComposite(composite{
	Op: &graph.Op{Name: "planes", In: 1, AxisOf: axisAt(1), Doc: "A number of each channel repeated over images: [c, 1, 1] is [b, c, h, w].",
		Params: []graph.Param{{Name: "b", Sort: "int", Doc: "images"}, {Name: "h", Sort: "int", Doc: "rows"}, {Name: "w", Sort: "int", Doc: "columns"}},
		Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			x, one := in[0], graph.Axis(graph.Int(1))
			if len(x) != 3 || x.HasAxisRun() {
				return nil, fmt.Errorf("shape %s: want [c, 1, 1]", x)
			}
			if err := f.EqShape(x[1:], graph.Shape{one, one}); err != nil {
				return nil, fmt.Errorf("shape %s: want [c, 1, 1]: %w", x, err)
			}
			return aroundVector(1)(f, a, []graph.Shape{x[:1]})
		}},
	expand: copied,
	free:   freeSizes,
})
