package graph

import (
	"slices"
	"strconv"

	"github.com/taso-go/taso/internal/must"
)

// Calc writes terms into a graph under construction: operators of the registry, by
// name, applied to tensors. Equal applications are made once, and what would copy a
// tensor unchanged is the tensor. What fails leaves the methods by a panic that
// [Calc.Do] makes an error of: they are called inside of it only.
type Calc struct {
	*Builder
	known map[string]Tensor
}

// NewCalc writes into the graph that b builds. Applications that are there already are
// not made again.
func NewCalc(b *Builder) *Calc {
	c := &Calc{Builder: b, known: map[string]Tensor{}}
	g := b.Graph()
	for id := range g.Nodes() {
		if op := g.Op(id); op != nil && op.Name != OpaqueName && op.Out == 1 {
			key := string(applicationKey(op.Name, g.Attrs(id), g.DType(id.Out(0)), g.Operands(id)))
			if _, ok := c.known[key]; !ok {
				c.known[key] = id.Out(0)
			}
		}
	}
	return c
}

// applicationKey is a text that only equal applications have; t is the element type of
// the result.
func applicationKey(op string, a Attrs, t DType, in []Tensor) []byte {
	key := []byte(op)
	if len(in) == 0 {
		key = strconv.AppendInt(append(key, '/'), int64(t), 10)
	}
	for _, v := range a {
		key = v.appendKey(append(key, ';'))
	}
	for _, x := range in {
		key = strconv.AppendUint(append(key, '%'), uint64(x.Node), 10)
		key = strconv.AppendUint(append(key, '.'), uint64(x.Out), 10)
	}
	return key
}

// Do runs f, which writes terms, and returns its first error.
func (c *Calc) Do(f func()) (err error) {
	defer must.Catch(&err)
	f()
	return nil
}

// Named are attribute values by name.
type Named map[string]Value

// Op applies an operator with operands and one output.
func (c *Calc) Op(name string, a Named, in ...Tensor) Tensor { return c.op(name, a, Float32, in) }

func (c *Calc) op(name string, a Named, t DType, in []Tensor) Tensor {
	op, ok := Lookup(name)
	if !ok {
		must.Failf("there is no operator %s", name)
	}
	attrs := must.Get(op.Attr(a))
	key := applicationKey(name, attrs, t, in)
	if y, ok := c.known[string(key)]; ok {
		return y
	}
	id := must.Get(c.add("", op, attrs, in, t))
	c.known[string(key)] = id.Out(0)
	return id.Out(0)
}

// Number is the number value/over as a scalar of the element type of like.
func (c *Calc) Number(like Tensor, value float64, over int) Tensor {
	return c.Full(like, value, over)
}

// Full is a tensor of these sizes and the element type of like, all of whose elements
// are value/over.
func (c *Calc) Full(like Tensor, value float64, over int, sizes ...int) Tensor {
	return c.Const(like, "fill", Named{"shape": ShapeValue(Sizes(sizes...)), "value": NumberValue(value), "den": IntValue(over)})
}

// Const applies an operator without operands; its elements are of the type of like.
func (c *Calc) Const(like Tensor, name string, a Named) Tensor {
	return c.op(name, a, c.DType(like), nil)
}

// Alike is a number at each place of like.
func (c *Calc) Alike(like Tensor, value float64) Tensor {
	return c.Broadcast(c.Number(like, value, 1), c.Sizes(like)...)
}

// Times is x * value/over.
func (c *Calc) Times(x Tensor, value float64, over int) Tensor {
	switch {
	case value == float64(over):
		return x
	case value == -float64(over):
		return c.Op("neg", nil, x)
	}
	return c.Op("smul", nil, x, c.Number(x, value, over))
}

// Plus is x + value for each element.
func (c *Calc) Plus(x Tensor, value float64) Tensor { return c.Add(x, c.Alike(x, value)) }

// Add, Sub, Mul and Div work element by element.
func (c *Calc) Add(x, y Tensor) Tensor { return c.Op("ewadd", nil, x, y) }

// Total is x + y, where the zero Tensor stands for zeros.
func (c *Calc) Total(x, y Tensor) Tensor {
	switch {
	case x == (Tensor{}):
		return y
	case y == (Tensor{}):
		return x
	}
	return c.Add(x, y)
}

// Sub is x - y.
func (c *Calc) Sub(x, y Tensor) Tensor { return c.Op("ewsub", nil, x, y) }

// Mul is x * y.
func (c *Calc) Mul(x, y Tensor) Tensor { return c.Op("ewmul", nil, x, y) }

// Div is x / y.
func (c *Calc) Div(x, y Tensor) Tensor { return c.Op("ewdiv", nil, x, y) }

// Reshape gives x other sizes.
func (c *Calc) Reshape(x Tensor, sizes ...int) Tensor {
	if slices.Equal(c.Sizes(x), sizes) {
		return x
	}
	return c.Op("reshape", Named{"shape": ShapeValue(Sizes(sizes...))}, x)
}

// Broadcast repeats x to these sizes, axes being aligned at the end.
func (c *Calc) Broadcast(x Tensor, sizes ...int) Tensor {
	if slices.Equal(c.Sizes(x), sizes) {
		return x
	}
	return c.Op("broadcast", Named{"shape": ShapeValue(Sizes(sizes...))}, x)
}

// Transpose puts axis perm[i] at place i.
func (c *Calc) Transpose(x Tensor, perm ...int) Tensor {
	if slices.IsSorted(perm) {
		return x
	}
	return c.Op("transpose", Named{"perm": TupleValue(perm...)}, x)
}

// MatMul is the product of matrices.
func (c *Calc) MatMul(x, y Tensor) Tensor { return c.Op("matmul", nil, x, y) }

// Matrix transposes the last two axes.
func (c *Calc) Matrix(x Tensor) Tensor {
	perm := make([]int, len(c.Sizes(x)))
	for i := range perm {
		perm[i] = i
	}
	r := len(perm)
	perm[r-1], perm[r-2] = r-2, r-1
	return c.Transpose(x, perm...)
}

// Sum adds along axes, ascending; with keep they stay with size 1.
func (c *Calc) Sum(x Tensor, keep bool, axes ...int) Tensor {
	return c.reduce("reducesum", x, keep, axes)
}

// Mean averages along axes: the sum over the number, so that sums of parts can be added up
// on their way.
func (c *Calc) Mean(x Tensor, keep bool, axes ...int) Tensor {
	sizes := c.Sizes(x)
	var counts []int
	for _, a := range axes {
		counts = append(counts, sizes[a])
	}
	return c.Over(c.Sum(x, keep, axes...), counts...)
}

// Over is x over the product of counts, in several steps where no attribute holds it.
func (c *Calc) Over(x Tensor, counts ...int) Tensor {
	n := 1
	for _, k := range counts {
		if n > MaxSize/k {
			x, n = c.Times(x, 1, n), 1
		}
		n *= k
	}
	return c.Times(x, 1, n)
}

func (c *Calc) reduce(op string, x Tensor, keep bool, axes []int) Tensor {
	if len(axes) == 0 {
		return x
	}
	flag := 0
	if keep {
		flag = 1
	}
	return c.Op(op, Named{"axes": TupleValue(axes...), "keep": IntValue(flag)}, x)
}

// SumTo adds along the axes along which a tensor of these sizes was broadcast to that of
// x: it takes derivatives back through a broadcast.
func (c *Calc) SumTo(x Tensor, sizes ...int) Tensor {
	from := c.Sizes(x)
	front := len(from) - len(sizes)
	var axes []int
	for i, n := range from {
		if i < front || sizes[i-front] == 1 && n > 1 {
			axes = append(axes, i)
		}
	}
	return c.Reshape(c.Sum(x, false, axes...), sizes...)
}

// Slice keeps lo <= i < hi along an axis.
func (c *Calc) Slice(x Tensor, axis, lo, hi int) Tensor {
	if lo == 0 && hi == c.Sizes(x)[axis] {
		return x
	}
	return c.Op("slice", Named{"axis": IntValue(axis), "lo": IntValue(lo), "hi": IntValue(hi)}, x)
}

// Pad surrounds x with zeros.
func (c *Calc) Pad(x Tensor, before, after []int) Tensor {
	if !slices.ContainsFunc(before, nonzero) && !slices.ContainsFunc(after, nonzero) {
		return x
	}
	return c.Op("pad", Named{"before": TupleValue(before...), "after": TupleValue(after...)}, x)
}

func nonzero(n int) bool { return n != 0 }

// PadAxis surrounds x with zeros along one axis.
func (c *Calc) PadAxis(x Tensor, axis, before, after int) Tensor {
	b, a := make([]int, len(c.Sizes(x))), make([]int, len(c.Sizes(x)))
	b[axis], a[axis] = before, after
	return c.Pad(x, b, a)
}

// Concat joins x and y along an axis.
func (c *Calc) Concat(axis int, x, y Tensor) Tensor {
	return c.Op("concat", Named{"axis": IntValue(axis)}, x, y)
}

// Reverse turns axes, ascending, around.
func (c *Calc) Reverse(x Tensor, axes ...int) Tensor {
	one := func(a int) bool { return c.Sizes(x)[a] == 1 }
	if axes = slices.DeleteFunc(slices.Clone(axes), one); len(axes) == 0 {
		return x
	}
	return c.Op("reverse", Named{"axes": TupleValue(axes...)}, x)
}
