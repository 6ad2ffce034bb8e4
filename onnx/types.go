package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Types of results of nodes that are not lowered.

func sameType(c *call) []graph.TensorType { return []graph.TensorType{c.typeOf(0)} }

// truthType is that of comparisons.
func truthType(c *call) []graph.TensorType { return c.jointType(graph.Bool) }

// jointOfFirst is what the inputs broadcast to, with the elements of the first.
func jointOfFirst(c *call) []graph.TensorType { return c.jointType(c.typeOf(0).DType) }

func chosenType(c *call) []graph.TensorType { return c.jointType(c.typeOf(1).DType) }

func gatheredType(c *call) []graph.TensorType {
	return []graph.TensorType{{DType: c.typeOf(0).DType, Sizes: c.typeOf(1).Sizes}}
}

func castType(c *call) []graph.TensorType {
	return []graph.TensorType{{DType: must.Get(dtypeOf(elem(c.int("to", 0)))), Sizes: c.typeOf(0).Sizes}}
}

func castLikeType(c *call) []graph.TensorType {
	return []graph.TensorType{{DType: c.typeOf(1).DType, Sizes: c.typeOf(0).Sizes}}
}

func dropoutTypes(c *call) []graph.TensorType {
	mask := c.typeOf(0)
	if c.im.opset >= 10 {
		mask.DType = graph.Bool
	}
	return []graph.TensorType{c.typeOf(0), mask}
}

// randomType is the type of the input, with the elements that an attribute names.
func randomType(c *call) []graph.TensorType {
	t := c.typeOf(0)
	if c.has("dtype") {
		t.DType = must.Get(dtypeOf(elem(c.int("dtype", 0))))
	}
	return []graph.TensorType{t}
}

// typeOf is the type of an input; none if it is left out.
func (c *call) typeOf(i int) graph.TensorType {
	if v := c.optional(i); v != nil {
		return v.typ()
	}
	return graph.TensorType{}
}

// jointType is what the inputs broadcast to.
func (c *call) jointType(t graph.DType) []graph.TensorType {
	var in [][]int
	for _, v := range c.in {
		if v != nil {
			in = append(in, v.sizes())
		}
	}
	if len(in) == 0 {
		return nil
	}
	return []graph.TensorType{{DType: t, Sizes: append([]int{}, joint(in...)...)}}
}

// recurrentTypes: Y [steps, directions, batch, hidden], the last Y_h and, in an
// LSTM, the last Y_c.
func recurrentTypes(c *call) []graph.TensorType {
	x, w := c.typeOf(0), c.typeOf(2)
	if len(x.Sizes) != 3 || len(w.Sizes) != 3 || c.flag("layout") {
		return nil
	}
	dirs, hidden := w.Sizes[0], w.Sizes[2]
	last := graph.TensorType{DType: x.DType, Sizes: []int{dirs, x.Sizes[1], hidden}}
	return []graph.TensorType{{DType: x.DType, Sizes: []int{x.Sizes[0], dirs, x.Sizes[1], hidden}}, last, last}
}

// quantizedRecurrentTypes are those of an LSTM whose weights are quantized: R is
// [directions, hidden, 4 * hidden].
func quantizedRecurrentTypes(c *call) []graph.TensorType {
	x, r := c.typeOf(0), c.typeOf(2)
	if len(x.Sizes) != 3 || len(r.Sizes) != 3 || r.Sizes[2] != 4*r.Sizes[1] {
		return nil
	}
	dirs, hidden := r.Sizes[0], r.Sizes[1]
	last := graph.TensorType{DType: x.DType, Sizes: []int{dirs, x.Sizes[1], hidden}}
	return []graph.TensorType{{DType: x.DType, Sizes: []int{x.Sizes[0], dirs, x.Sizes[1], hidden}}, last, last}
}

func argTypes(c *call) []graph.TensorType {
	x := c.typeOf(0)
	return []graph.TensorType{{DType: graph.Int64, Sizes: reducedSizes(x.Sizes, []int{c.axisAttr(0, len(x.Sizes))}, c.int("keepdims", 1) != 0)}}
}

func reducedType(c *call) []graph.TensorType {
	x, axes, keep := c.reduction()
	return []graph.TensorType{{DType: x.dtype, Sizes: reducedSizes(x.sizes(), axes, keep)}}
}

// reducedSizes are sizes without the given axes, or with 1 for them.
func reducedSizes(from, axes []int, keep bool) []int {
	sizes := []int{}
	for i, n := range from {
		switch {
		case !slices.Contains(axes, i):
			sizes = append(sizes, n)
		case keep:
			sizes = append(sizes, 1)
		}
	}
	return sizes
}

func topTypes(c *call) []graph.TensorType {
	x := c.typeOf(0)
	k := c.knownInts(1, "k")
	if len(k) != 1 {
		return nil
	}
	sizes := slices.Clone(x.Sizes)
	sizes[c.axisAttr(-1, len(x.Sizes))] = k[0]
	return []graph.TensorType{{DType: x.DType, Sizes: sizes}, {DType: graph.Int64, Sizes: sizes}}
}

// einsumType reads the letters behind the arrow; an equation without one, or
// with an ellipsis, is left to the file.
func einsumType(c *call) []graph.TensorType {
	size := map[rune]int{}
	out := graph.TensorType{DType: c.typeOf(0).DType, Sizes: []int{}}
	operand, at, arrow := 0, 0, false
	last := rune(0)
	for _, r := range c.text("equation", "") {
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
	lead := joint(x.Sizes[:m-2], y.Sizes[:n-2])
	return []graph.TensorType{{DType: x.DType, Sizes: append(slices.Clone(lead), x.Sizes[m-2], y.Sizes[n-1])}}
}

func gemmType(c *call) []graph.TensorType {
	x, y := c.typeOf(0), c.typeOf(1)
	if len(x.Sizes) != 2 || len(y.Sizes) != 2 {
		return nil
	}
	sizes := []int{x.Sizes[0], y.Sizes[1]}
	if c.flag("transA") {
		sizes[0] = x.Sizes[1]
	}
	if c.flag("transB") {
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
	w := c.window(len(image), nil)
	sizes := append(slices.Clone(x.Sizes[:2]), w.windows(image, w.explicit(image))...)
	return []graph.TensorType{{DType: x.DType, Sizes: sizes}, {DType: graph.Int64, Sizes: sizes}}
}

func resizedType(c *call) []graph.TensorType {
	x := c.optional(0)
	if x == nil {
		return nil
	}
	s := c.sampling()
	s.bySizes(x.sizes())
	return []graph.TensorType{{DType: x.dtype, Sizes: s.sizes}}
}

func paddedType(c *call) []graph.TensorType {
	x := c.optional(0)
	if x == nil {
		return nil
	}
	before, after := c.padding(x)
	sizes := slices.Clone(x.sizes())
	for i := range sizes {
		sizes[i] += before[i] + after[i]
	}
	return []graph.TensorType{{DType: x.dtype, Sizes: sizes}}
}
