package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Types of results of nodes that are not lowered. They hold for all values of the variables
// that sizes have.

// openType is a type whose sizes may have variables.
type openType struct {
	dtype graph.DType
	dims  []graph.Dim
}

func sameType(c *call) []openType { return []openType{c.typeOf(0)} }

// truthType is that of comparisons.
func truthType(c *call) []openType { return c.jointType(graph.Bool) }

// jointOfFirst is what the inputs broadcast to, with the elements of the first.
func jointOfFirst(c *call) []openType { return c.jointType(c.typeOf(0).dtype) }

func chosenType(c *call) []openType { return c.jointType(c.typeOf(1).dtype) }

func gatheredType(c *call) []openType {
	return []openType{{dtype: c.typeOf(0).dtype, dims: c.typeOf(1).dims}}
}

func castType(c *call) []openType {
	return []openType{{dtype: must.Get(dtypeOf(elem(c.int("to", 0)))), dims: c.typeOf(0).dims}}
}

func castLikeType(c *call) []openType {
	return []openType{{dtype: c.typeOf(1).dtype, dims: c.typeOf(0).dims}}
}

func dropoutTypes(c *call) []openType {
	mask := c.typeOf(0)
	if c.im.opset >= 10 {
		mask.dtype = graph.Bool
	}
	return []openType{c.typeOf(0), mask}
}

// randomType is the type of the input, with the elements that an attribute names.
func randomType(c *call) []openType {
	t := c.typeOf(0)
	if c.has("dtype") {
		t.dtype = must.Get(dtypeOf(elem(c.int("dtype", 0))))
	}
	return []openType{t}
}

// typeOf is the type of an input; none if it is left out.
func (c *call) typeOf(i int) openType {
	if v := c.optional(i); v != nil {
		return openType{v.dtype, v.dims()}
	}
	return openType{}
}

// jointType is what the inputs broadcast to.
func (c *call) jointType(t graph.DType) []openType {
	var in [][]graph.Dim
	for _, v := range c.in {
		if v != nil {
			in = append(in, v.dims())
		}
	}
	if len(in) == 0 {
		return nil
	}
	return []openType{{dtype: t, dims: append([]graph.Dim{}, c.im.open.jointOf(in...)...)}}
}

// recurrentTypes: Y [steps, directions, batch, hidden], the last Y_h and, in an
// LSTM, the last Y_c.
func recurrentTypes(c *call) []openType {
	x, w := c.typeOf(0), c.typeOf(2)
	if len(x.dims) != 3 || len(w.dims) != 3 || c.flag("layout") {
		return nil
	}
	dirs, hidden := w.dims[0], w.dims[2]
	last := openType{dtype: x.dtype, dims: []graph.Dim{dirs, x.dims[1], hidden}}
	return []openType{{dtype: x.dtype, dims: []graph.Dim{x.dims[0], dirs, x.dims[1], hidden}}, last, last}
}

// quantizedRecurrentTypes are those of an LSTM whose weights are quantized: R is
// [directions, hidden, 4 * hidden].
func quantizedRecurrentTypes(c *call) []openType {
	x, r := c.typeOf(0), c.typeOf(2)
	if len(x.dims) != 3 || len(r.dims) != 3 || r.dims[2] != r.dims[1].Scale(4) {
		return nil
	}
	dirs, hidden := r.dims[0], r.dims[1]
	last := openType{dtype: x.dtype, dims: []graph.Dim{dirs, x.dims[1], hidden}}
	return []openType{{dtype: x.dtype, dims: []graph.Dim{x.dims[0], dirs, x.dims[1], hidden}}, last, last}
}

func argTypes(c *call) []openType {
	x := c.typeOf(0)
	return []openType{{dtype: graph.Int64, dims: reducedDims(x.dims, []int{c.axisAttr(0, len(x.dims))}, c.int("keepdims", 1) != 0)}}
}

func reducedType(c *call) []openType {
	x, axes, keep := c.reduction()
	return []openType{{dtype: x.dtype, dims: reducedDims(x.dims(), axes, keep)}}
}

// reducedSizes are sizes without the given axes, or with 1 for them.
func reducedSizes(from, axes []int, keep bool) []int {
	sizes, _ := fixed(reducedDims(dimsOf(from...), axes, keep))
	return sizes
}

func reducedDims(from []graph.Dim, axes []int, keep bool) []graph.Dim {
	dims := []graph.Dim{}
	for i, n := range from {
		switch {
		case !slices.Contains(axes, i):
			dims = append(dims, n)
		case keep:
			dims = append(dims, graph.Int(1))
		}
	}
	return dims
}

func topTypes(c *call) []openType {
	x := c.typeOf(0)
	k := c.knownDims(1, "k")
	if len(k) != 1 {
		return nil
	}
	sizes := slices.Clone(x.dims)
	sizes[c.axisAttr(-1, len(x.dims))] = k[0]
	return []openType{{dtype: x.dtype, dims: sizes}, {dtype: graph.Int64, dims: sizes}}
}

// einsumType reads the letters behind the arrow; an equation without one, or
// with an ellipsis, is left to the file.
func einsumType(c *call) []openType {
	size := map[rune]graph.Dim{}
	out := openType{dtype: c.typeOf(0).dtype, dims: []graph.Dim{}}
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
				if at >= len(t.dims) {
					return nil
				}
				size[r] = t.dims[at]
				at++
			} else if n, ok := size[r]; ok {
				out.dims = append(out.dims, n)
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
	return []openType{out}
}

func productType(c *call) []openType {
	x, y := c.typeOf(0), c.typeOf(1)
	m, n := len(x.dims), len(y.dims)
	if m < 2 || n < 2 {
		return nil
	}
	lead := c.im.open.jointOf(x.dims[:m-2], y.dims[:n-2])
	return []openType{{dtype: x.dtype, dims: append(slices.Clone(lead), x.dims[m-2], y.dims[n-1])}}
}

func gemmType(c *call) []openType {
	x, y := c.typeOf(0), c.typeOf(1)
	if len(x.dims) != 2 || len(y.dims) != 2 {
		return nil
	}
	sizes := []graph.Dim{x.dims[0], y.dims[1]}
	if c.flag("transA") {
		sizes[0] = x.dims[1]
	}
	if c.flag("transB") {
		sizes[1] = y.dims[0]
	}
	return []openType{{dtype: x.dtype, dims: sizes}}
}

// pooledType is that of a maximum or an average under windows, and of the
// positions of maxima.
func pooledType(c *call) []openType {
	x := c.typeOf(0)
	if len(x.dims) < 3 {
		return nil
	}
	w := c.window(len(x.dims)-2, nil)
	if c.in[0].open != nil && w.sameApart() {
		return nil
	}
	var out []graph.Dim
	if image, ok := fixed(x.dims[2:]); ok {
		out = dimsOf(w.windows(image, w.explicit(image))...)
	} else {
		out = c.im.windowsOpen(c.in[0], w)
	}
	sizes := append(slices.Clone(x.dims[:2]), out...)
	return []openType{{dtype: x.dtype, dims: sizes}, {dtype: graph.Int64, dims: sizes}}
}

func resizedType(c *call) []openType {
	x := c.optional(0)
	if x == nil {
		return nil
	}
	if c.resizesOpen(x) {
		return []openType{{dtype: x.dtype, dims: c.resizedDims(x)}}
	}
	s := c.sampling()
	s.bySizes(x.sizes())
	return []openType{{dtype: x.dtype, dims: dimsOf(s.sizes...)}}
}

func paddedType(c *call) []openType {
	x := c.optional(0)
	if x == nil {
		return nil
	}
	before, after := c.padding(x)
	sizes := slices.Clone(x.dims())
	for i := range sizes {
		sizes[i] = sizes[i].Add(graph.Int(int64(before[i]) + int64(after[i])))
	}
	return []openType{{dtype: x.dtype, dims: sizes}}
}
