package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// typeRules are the output types of operators that are not lowered, so far as
// their inputs tell; no sizes where they do not. A rule must not fail.
var typeRules = map[string]func(c *call) []graph.TensorType{}

func init() {
	for _, op := range []string{
		"Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Floor", "Round", "Sign", "Sin",
		"Sinh", "Tan", "ThresholdedRelu", "Shrink", "Hardmax", "LRN", "MeanVarianceNormalization", "LpNormalization",
		"GroupNormalization", "CumSum", "Trilu", "ScatterND", "ScatterElements", "Scatter", "BitShift", "ReverseSequence",
		"Bernoulli", "RandomNormalLike", "RandomUniformLike", "Relu", "Sigmoid", "Tanh", "Exp", "Sqrt", "Neg", "Abs", "Log",
		"Clip", "Reciprocal", "Erf", "LeakyRelu", "Elu", "Softmax", "LogSoftmax", "Softplus", "HardSigmoid", "Gelu", "Selu", "Celu",
		"HardSwish", "BatchNormalization", "InstanceNormalization", "LayerNormalization",
	} {
		typeRules[op] = func(c *call) []graph.TensorType { return c.sameAs(0) }
	}
	for _, op := range []string{"And", "Or", "Xor", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "IsNaN", "IsInf", "Not"} {
		typeRules[op] = func(c *call) []graph.TensorType { return c.jointType(0, graph.Bool) }
	}
	for _, op := range []string{"Add", "Sub", "Mul", "Div", "Mod", "Pow", "Max", "Min", "Sum", "PRelu", "BitwiseAnd", "BitwiseOr", "BitwiseXor"} {
		typeRules[op] = func(c *call) []graph.TensorType { return c.jointType(0, c.typeOf(0).DType) }
	}
	typeRules["Where"] = func(c *call) []graph.TensorType { return c.jointType(0, c.typeOf(1).DType) }
	typeRules["GatherElements"] = func(c *call) []graph.TensorType {
		return []graph.TensorType{{DType: c.typeOf(0).DType, Sizes: c.typeOf(1).Sizes}}
	}
	typeRules["Cast"] = func(c *call) []graph.TensorType {
		to, _ := c.int("to", 0)
		if t, err := dtypeOf(elem(to)); err == nil {
			return []graph.TensorType{{DType: t, Sizes: c.typeOf(0).Sizes}}
		}
		return nil
	}
	typeRules["Dropout"] = func(c *call) []graph.TensorType {
		mask := c.typeOf(0)
		if c.im.opset >= 10 {
			mask.DType = graph.Bool
		}
		return []graph.TensorType{c.typeOf(0), mask}
	}
	typeRules["MatMul"] = productType
	typeRules["Gemm"] = gemmType
	typeRules["MaxPool"] = pooledType
	typeRules["AveragePool"] = pooledType
	typeRules["Resize"] = resizedType
	typeRules["Pad"] = paddedType
	for _, op := range []string{"LSTM", "GRU", "RNN"} {
		typeRules[op] = recurrentTypes
	}
	for _, op := range []string{"ArgMax", "ArgMin"} {
		typeRules[op] = argTypes
	}
	for _, op := range []string{"ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean"} {
		typeRules[op] = reducedType
	}
	typeRules["TopK"] = topTypes
	typeRules["Einsum"] = einsumType
}

// typeOf is the type of an input; none if it is left out.
func (c *call) typeOf(i int) graph.TensorType {
	if v := c.optional(i); v != nil {
		return v.typ()
	}
	return graph.TensorType{}
}

func (c *call) sameAs(i int) []graph.TensorType { return []graph.TensorType{c.typeOf(i)} }

func (c *call) jointType(from int, t graph.DType) []graph.TensorType {
	var in []*value
	for _, v := range c.in[min(from, len(c.in)):] {
		if v != nil {
			in = append(in, v)
		}
	}
	sizes, err := joint(in...)
	if err != nil || len(in) == 0 {
		return nil
	}
	if sizes == nil {
		sizes = []int{}
	}
	return []graph.TensorType{{DType: t, Sizes: sizes}}
}

// recurrentTypes: Y [steps, directions, batch, hidden], the last Y_h and, in an
// LSTM, the last Y_c.
func recurrentTypes(c *call) []graph.TensorType {
	x, w := c.typeOf(0), c.typeOf(2)
	layout, _ := c.int("layout", 0)
	if len(x.Sizes) != 3 || len(w.Sizes) != 3 || layout != 0 {
		return nil
	}
	dirs, hidden := w.Sizes[0], w.Sizes[2]
	last := graph.TensorType{DType: x.DType, Sizes: []int{dirs, x.Sizes[1], hidden}}
	return []graph.TensorType{{DType: x.DType, Sizes: []int{x.Sizes[0], dirs, x.Sizes[1], hidden}}, last, last}
}

func argTypes(c *call) []graph.TensorType {
	x := c.typeOf(0)
	a, err := c.axisAttr(0, len(x.Sizes))
	keep, err2 := c.int("keepdims", 1)
	if err != nil || err2 != nil {
		return nil
	}
	sizes := slices.Clone(x.Sizes)
	if sizes[a] = 1; keep == 0 {
		sizes = slices.Delete(sizes, a, a+1)
	}
	return []graph.TensorType{{DType: graph.Int64, Sizes: sizes}}
}

func reducedType(c *call) []graph.TensorType {
	x, axes, keep, err := c.reduction()
	if err != nil {
		return nil
	}
	sizes := []int{}
	for i, n := range x.sizes {
		switch {
		case !slices.Contains(axes, i):
			sizes = append(sizes, n)
		case keep:
			sizes = append(sizes, 1)
		}
	}
	return []graph.TensorType{{DType: x.dtype, Sizes: sizes}}
}

func topTypes(c *call) []graph.TensorType {
	x := c.typeOf(0)
	k, err := c.knownInts(1, "k")
	a, err2 := c.axisAttr(-1, len(x.Sizes))
	if err != nil || err2 != nil || len(k) != 1 {
		return nil
	}
	sizes := slices.Clone(x.Sizes)
	sizes[a] = k[0]
	return []graph.TensorType{{DType: x.DType, Sizes: sizes}, {DType: graph.Int64, Sizes: sizes}}
}

// einsumType reads the letters behind the arrow; an equation without one, or
// with an ellipsis, is left to the file.
func einsumType(c *call) []graph.TensorType {
	text, err := c.text("equation", "")
	if err != nil {
		return nil
	}
	size := map[rune]int{}
	out := graph.TensorType{DType: c.typeOf(0).DType, Sizes: []int{}}
	operand, at, arrow := 0, 0, false
	last := rune(0)
	for _, r := range text {
		switch {
		case r == ' ' || r == '-':
		case r == '>' && last == '-':
			arrow = true
		case r == ',':
			operand, at = operand+1, 0
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			if !arrow {
				t := c.typeOf(operand)
				if at >= len(t.Sizes) {
					return nil
				}
				size[r] = t.Sizes[at]
				at++
			} else if n, ok := size[r]; ok {
				out.Sizes = append(out.Sizes, n)
			} else {
				return nil
			}
		default:
			return nil
		}
		last = r
	}
	if !arrow {
		return nil
	}
	return []graph.TensorType{out}
}

func productType(c *call) []graph.TensorType {
	x, y := c.typeOf(0), c.typeOf(1)
	m, n := len(x.Sizes), len(y.Sizes)
	if m < 2 || n < 2 {
		return nil
	}
	lead, err := joint(&value{sizes: x.Sizes[:m-2]}, &value{sizes: y.Sizes[:n-2]})
	if err != nil {
		return nil
	}
	return []graph.TensorType{{DType: x.DType, Sizes: append(slices.Clone(lead), x.Sizes[m-2], y.Sizes[n-1])}}
}

func gemmType(c *call) []graph.TensorType {
	x, y := c.typeOf(0), c.typeOf(1)
	if len(x.Sizes) != 2 || len(y.Sizes) != 2 {
		return nil
	}
	sizes := []int{x.Sizes[0], y.Sizes[1]}
	if t, _ := c.int("transA", 0); t != 0 {
		sizes[0] = x.Sizes[1]
	}
	if t, _ := c.int("transB", 0); t != 0 {
		sizes[1] = y.Sizes[0]
	}
	return []graph.TensorType{{DType: x.DType, Sizes: sizes}}
}

// pooledType is that of a maximum or an average under windows, and of the
// positions of maxima.
func pooledType(c *call) []graph.TensorType {
	x := c.typeOf(0)
	if len(x.Sizes) < 3 {
		return nil
	}
	image := x.Sizes[2:]
	w, err := c.window(image, nil)
	if err != nil {
		return nil
	}
	added, err := w.explicit(image)
	if err != nil {
		return nil
	}
	sizes := slices.Clone(x.Sizes)
	for i, n := range image {
		sizes[2+i] = (n+w.before[i]+w.after[i]+added[i]-w.extent(i))/w.stride[i] + 1
	}
	return []graph.TensorType{{DType: x.DType, Sizes: sizes}, {DType: graph.Int64, Sizes: sizes}}
}

func resizedType(c *call) []graph.TensorType {
	x := c.optional(0)
	s, err := c.sampling()
	if x == nil || err != nil || s.bySizes(x.sizes) != nil {
		return nil
	}
	return []graph.TensorType{{DType: x.dtype, Sizes: s.sizes}}
}

func paddedType(c *call) []graph.TensorType {
	x := c.optional(0)
	if x == nil {
		return nil
	}
	before, after, err := c.padding(x)
	if err != nil {
		return nil
	}
	sizes := slices.Clone(x.sizes)
	for i := range sizes {
		sizes[i] += before[i] + after[i]
	}
	return []graph.TensorType{{DType: x.dtype, Sizes: sizes}}
}
