package cost

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Class groups operators whose kernels reach similar fractions of a machine's
// peak rates.
type Class string

// The classes.
const (
	MatMul   Class = "matmul"   // products of matrices
	Conv     Class = "conv"     // convolutions with all channels: square kernels above 3x3
	Conv1x1  Class = "conv1x1"  // convolutions that are a product of matrices
	Conv3x3  Class = "conv3x3"  // 3x3 with stride 1: Winograd's algorithm
	ConvThin Class = "convthin" // of fewer than 8 channels
	// ConvStrided are those with a stride above 1, of any kernel.
	ConvStrided Class = "convstrided"
	// Convolutions with kernels larger than their results, as gradients of weights are, by
	// the size of the result.
	ConvWeight     Class = "convweight"
	ConvWeight1x1  Class = "convweight1x1"
	ConvWeight3x3  Class = "convweight3x3"
	ConvWeightThin Class = "convweightthin" // fewer than 8 input or output channels
	// ConvOther are those with dilated kernels, or with kernels that are not square.
	ConvOther Class = "convother"
	GroupConv Class = "groupconv" // convolutions in groups of several channels
	Depthwise Class = "depthwise" // convolutions of one channel each
	Pool      Class = "pool"      // windows without weights, smaller than the image
	Pointwise Class = "pointwise" // arithmetic element by element
	Function  Class = "function"  // exp, tanh and others of many instructions
	Softmax   Class = "softmax"   // several passes, with a function in one
	Normalize Class = "normalize" // several passes of arithmetic: layer norm
	Reduce    Class = "reduce"    // sums, means and maxima along axes or of images
	Copy      Class = "copy"      // data moved in rows: concat, slice, pad
	Transpose Class = "transpose" // data moved across rows
	Gather    Class = "gather"    // data moved by index or position
	Constant  Class = "constant"  // computed from nothing
	View      Class = "view"      // the same memory under another shape
	Opaque    Class = "opaque"    // an operator of a model that we only carry along
	Other     Class = "other"     // operators that this package does not know
)

// Classes lists all classes.
func Classes() []Class {
	return []Class{MatMul, Conv, Conv1x1, Conv3x3, ConvStrided, ConvThin, ConvWeight, ConvWeight1x1, ConvWeight3x3,
		ConvWeightThin, ConvOther, GroupConv, Depthwise, Pool, Pointwise, Function, Softmax, Normalize,
		Reduce, Copy, Transpose, Gather, Constant, View, Opaque, Other}
}

// like is the similar class whose rates a machine has that does not tell the two apart,
// "" if there is none.
func (c Class) like() Class {
	switch c {
	case ConvOther:
		return ConvStrided
	case Conv3x3, ConvStrided, ConvThin, ConvWeight:
		return Conv
	case ConvWeight1x1, ConvWeight3x3, ConvWeightThin:
		return ConvWeight
	}
	return ""
}

// few is the number of channels below which a convolution is thin: matrix units compute
// on so many at once.
const few = 8

// image is the number of cells from which a kernel that is larger than its result is taken
// to be an image: the smallest images of usual networks are of 7 by 7 cells.
const image = 7 * 7

// Work is what an application does, regardless of the machine.
type Work struct {
	Class Class
	// FLOPs counts multiplications and additions separately, as
	// [graph.Op.FLOPs] does.
	FLOPs int64
	// Read and Write are the bytes that must be read and written at least once:
	// of a slice's input only the part that is cut out.
	Read, Write int64
	// Weights is the part of Read that usually is weights: kernels of
	// convolutions, the second matrix of a product, parameters of
	// normalizations. It comes from the memory, since the rest of the network
	// has gone through the caches since the last run, while other inputs have
	// just been written.
	Weights int64
	// Reach decides which cache the tensors that are no weights are in; 0: all of their
	// bytes do. An elementwise operator of several large tensors has twice the bytes of
	// the largest, so that it finds them where one that is fused into the kernel of an
	// operand does.
	Reach int64
	// Outputs counts the results of a product or of a convolution, which can be computed at
	// once, and Depth the channels that each is the sum of; 0: the work is none of these, or
	// sums a channel alone. Padded are its FLOPs with channels in multiples of 8, 0 of
	// convolutions in groups.
	Outputs, Depth, Padded int64
}

// Bytes is Read + Write, at most the largest int64.
func (w Work) Bytes() int64 {
	if w.Read > math.MaxInt64-w.Write {
		return math.MaxInt64
	}
	return w.Read + w.Write
}

// WorkOf is the work of an application without its tail; of an opaque one only
// the traffic is known.
//
// Tensors are taken to lie in memory in row-major order, complete. What only looks
// at another part of the memory then, without a gap, is a view (a reshape, the first
// rows, a transpose that moves axes of size 1); every other operator writes its
// outputs, unless the application says that it is a view.
func WorkOf(ap Application) Work {
	op, a, in, out := ap.Op, ap.Attrs, ap.In, ap.Out
	w := Work{Class: Opaque}
	if ap.View {
		return Work{Class: View}
	}
	if one, n := ap.member(); n > 0 {
		return one.ofEach(n)
	}
	step, largest := op != nil && lower.IsStep(op), int64(0)
	for i, t := range in {
		if step && scalar(t, out[0]) {
			continue
		}
		w.Read = add(w.Read, t.Bytes())
		if op == nil || op.Weights == nil || !op.Weights(i, t.Sizes) {
			largest = max(largest, t.Bytes())
		}
	}
	for _, t := range out {
		w.Write = add(w.Write, t.Bytes())
		largest = max(largest, t.Bytes())
	}
	if op == nil || op.Name == graph.OpaqueName {
		return w
	}
	w.Class = classOf(op, a, in, out)
	w.FLOPs = op.WorkOf(a, sizesOf(in), sizesOf(out)).FLOPs
	w.Weights = weightBytes(op, in)
	w.sums(in, out)
	switch w.Class {
	case View, Constant:
		w.FLOPs, w.Read = 0, 0
		if w.Class == View {
			w.Write = 0
		}
	case Copy, Transpose:
		// Each output element is one input element or a constant.
		w.FLOPs, w.Read = 0, min(w.Read, w.Write)
	case Gather:
		if op.Name == "gather" {
			// One input element for each output element, and the indices.
			w.FLOPs, w.Read = 0, add(min(in[0].Bytes(), w.Write), w.Read-in[0].Bytes())
		}
	}
	if twice := add(largest, largest); step && twice < w.Bytes()-w.Weights {
		w.Reach = twice
	}
	return w
}

// sums sets Outputs, Depth and Padded.
func (w *Work) sums(in, out []graph.TensorType) {
	w.Padded = w.FLOPs
	var c, o int
	switch y := out[0].Sizes; w.Class {
	case MatMul:
		w.Depth = int64(in[0].Sizes[len(in[0].Sizes)-1])
	case Conv, Conv1x1, Conv3x3, ConvStrided, ConvThin, ConvOther:
		o, c = in[1].Sizes[0], in[1].Sizes[1]
		w.Depth = int64(c)
	case ConvWeight, ConvWeight1x1, ConvWeight3x3, ConvWeightThin:
		c, o = y[0], y[1]
		w.Depth = graph.Product(in[1].Sizes[1:]...)
	case GroupConv, Depthwise:
		w.Padded = 0
		if w.Class == GroupConv {
			w.Depth = int64(in[1].Sizes[1])
		}
	default:
		w.Padded = 0
		return
	}
	w.Outputs = graph.Product(out[0].Sizes...)
	if x, rows := in[0].Sizes, 0; w.Class == ConvStrided {
		// Rows between windows are not read.
		if rows = in[1].Sizes[2] * out[0].Sizes[2]; rows < x[2] {
			w.Read -= in[0].Bytes() / int64(x[2]) * int64(x[2]-rows)
		}
	}
	if c > 0 && o > 0 {
		up := func(n int) int { return (n + few - 1) / few * few }
		w.Padded = times(times(w.FLOPs/int64(c)/int64(o), up(c)), up(o))
	}
}

// scalar reports whether an elementwise operator with a result of type out reads one
// element for all of it, which is no traffic.
func scalar(t, out graph.TensorType) bool {
	return graph.NumElements(t.Sizes) == 1 && graph.NumElements(out.Sizes) > 1
}

// bytes are those of the operands that are read beside a running value of type t.
func (f *Fused) bytes(t graph.TensorType) (n int64) {
	for _, o := range f.Others {
		if !scalar(o, t) {
			n = add(n, o.Bytes())
		}
	}
	return n
}

// weightBytes sums up the operands that usually are weights.
func weightBytes(op *graph.Op, in []graph.TensorType) (n int64) {
	for i, t := range in {
		if op.Weights != nil && op.Weights(i, t.Sizes) {
			n = add(n, t.Bytes())
		}
	}
	return n
}

// classOf is the class that an operator declares, where attributes and sizes do
// not say more.
func classOf(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) Class {
	switch c := Class(op.Class); {
	case c == Conv:
		return convClass(op, a, in, out)
	case c == Pool && lower.As(lower.Attrs{Op: op, Values: a}, in[0].Sizes, out[0].Sizes) != op.Name:
		return Reduce // of the whole image
	case looks(op, a, in, out):
		return View
	case c != "":
		return c
	case op.Pointwise:
		return Function // a function we know nothing of is rather slow than fast
	}
	return Other
}

// convClass looks at the kernel [o, c, kh, kw], at groups, strides and dilations. A
// derivative by the kernel is the convolution of the image with the derivative by the
// result, batch and channels exchanged: its kernel is larger than its result.
func convClass(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) Class {
	x, w, y := in[0].Sizes, in[1].Sizes, out[0].Sizes
	attrs := lower.Attrs{Op: op, Values: a}
	groups, _ := attrs.Int("groups")
	switch {
	case groups > 1 && w[1] == 1 && groups == w[0] && lower.OneWindow(attrs, x, y, w[2], w[3]):
		return Reduce // sums of products, one a channel
	case groups > 1 && w[1] == 1:
		return Depthwise
	case groups > 1:
		return GroupConv
	case w[2]*w[3] >= image && w[2]*w[3] > y[2]*y[3]:
		switch {
		case min(y[0], y[1]) < few:
			return ConvWeightThin
		case y[2] == 1 && y[3] == 1:
			return ConvWeight1x1
		case y[2] == 3 && y[3] == 3:
			return ConvWeight3x3
		}
		return ConvWeight
	case apart(attrs, w):
		return ConvOther
	case w[1] < few:
		return ConvThin
	case w[2] == 1 && w[3] == 1 && x[2] == y[2] && x[3] == y[3]:
		return Conv1x1
	case strided(attrs):
		return ConvStrided
	case w[2] == 3 && w[3] == 3:
		return Conv3x3
	case w[2] == w[3] && w[2] > 3:
		return Conv
	}
	return ConvOther
}

// strided reports whether the kernel moves by more than one cell.
func strided(a lower.Attrs) bool {
	v, _ := a.Get("stride")
	s, _ := v.Tuple()
	return slices.ContainsFunc(s, func(n int64) bool { return n > 1 })
}

// apart reports whether cells of the kernel lie apart.
func apart(a lower.Attrs, w []int) bool {
	h, v, err := lower.Dilation(a)
	return err != nil || h > 1 && w[2] > 1 || v > 1 && w[3] > 1
}

// looks says whether the results of an operator lie in its operand without a gap.
func looks(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) bool {
	if !lower.IsView(op) {
		return false
	}
	x := lower.Value{Sizes: in[0].Sizes, Strides: graph.Strides(in[0].Sizes)}
	vs, err := lower.Views(lower.Attrs{Op: op, Values: a}, &x, out)
	return err == nil && !slices.ContainsFunc(vs, func(v lower.Value) bool { return !v.Dense() })
}

func sizesOf(ts []graph.TensorType) [][]int {
	out := make([][]int, len(ts))
	for i, t := range ts {
		out[i] = t.Sizes
	}
	return out
}

func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
