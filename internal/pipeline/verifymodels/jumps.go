package verifymodels

import (
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// Rounding, signs and comparisons jump at numbers that random inputs never hit: the
// smallest integer that is not less than x is one more than the largest that is not more,
// but for integers.

// halves is how many runs there are where models have functions that jump, the last of
// which feeds multiples of a half.
const halves = 3

// atHalves reports whether a run feeds multiples of a half. What deviates then may be due
// to rounding just where a function jumps, and so does not show that the models differ.
func (c *comparison) atHalves(run int) bool { return c.jumps && run == halves-1 }

// half is element i of an input in such a run: a random multiple of a half, -4 to 4, or a
// number of a small weight. Every other one is the same in all inputs, which may be compared
// with each other.
func (in input) half(seed uint64, run, i int, constants []float64) float64 {
	if i%2 == 0 {
		in.name = ""
	}
	n := draw(seed, run, in, i)
	if k := n / 17 % 2; k == 1 && len(constants) > 0 {
		return constants[n/34%uint64(len(constants))]
	}
	return float64(int64(n%17)-8) / 2
}

// Limits of the weights whose numbers are tried.
const (
	smallWeight  = 4
	maxConstants = 64
)

// constants are the finite numbers that models hold in small weights of floating-point
// numbers, each once, in the order of their weights.
func constants(ms ...*model.Model) (list []float64, err error) {
	for _, m := range ms {
		for _, id := range m.Graph.Inputs() {
			w := m.Weights[id]
			if w == nil || !w.DType.IsFloat() || w.Elements() > smallWeight {
				continue
			}
			x, err := loadWeight(floats{}, w)
			if err != nil {
				return nil, fmt.Errorf("weight %s: %w", m.Graph.Name(id), err)
			}
			for _, v := range x.Data {
				if finite(v) && !slices.Contains(list, v) && len(list) < maxConstants {
					list = append(list, v)
				}
			}
		}
	}
	return list, nil
}

// fedAt tells what was fed where an output has an element, of inputs that have its sizes.
func (c *comparison) fedAt(o Output, fed []interp.Tensor[float64]) string {
	text := ""
	for i, in := range c.ins {
		if fed != nil && in.typ.DType.IsFloat() && slices.Equal(in.typ.Sizes, o.Sizes) {
			text += fmt.Sprintf(", where input %s is %.9g", in.name, fed[i].Data[flat(o.Sizes, o.At)])
		}
	}
	return text
}

// flat is the inverse of index.
func flat(sizes, at []int) (n int) {
	for i, k := range at {
		n = n*sizes[i] + k
	}
	return n
}

// Models are compared as functions of numbers. What they make of inputs that are none does
// not count, and is said where it is not the same.

// fedFloats reports whether a model is fed floating-point numbers.
func (c *comparison) fedFloats() bool {
	return slices.ContainsFunc(c.ins, func(in input) bool { return in.typ.DType.IsFloat() })
}

// sometimes is element i of an input in a run with what is no number: every third element
// is such.
func (in input) sometimes(seed uint64, run, i int) float64 {
	if i%3 == 0 {
		return math.NaN()
	}
	return unit(draw(seed, run, in, i))
}

// beyond lists the outputs of which elements are a number in one model only in such a run.
func (c *comparison) beyond(outs []Output, fed, a, b []interp.Tensor[float64]) (notes []string) {
	for i, o := range outs {
		for j, x := range a[i].Data {
			if y := b[i].Data[j]; math.IsNaN(x) != math.IsNaN(y) {
				o.At = index(o.Sizes, j)
				notes = append(notes, fmt.Sprintf("for inputs with NaN or infinite elements, which do not count, output %s differs: element %v is %.7g and %.7g%s", o.NameA, o.At, x, y, c.fedAt(o, fed)))
				break
			}
		}
	}
	return notes
}

// jumps reports whether an output of a model depends on a function of floating-point
// elements that jumps at a multiple of a half.
func jumps(m *model.Model) bool {
	uses := interp.Readers(m.Graph)
	for id := range m.Graph.Nodes() {
		op, in := m.Graph.Op(id), m.Graph.Operands(id)
		if op == nil || uses[id] == 0 || len(in) == 0 || !m.Graph.DType(in[0]).IsFloat() || !(op.Pointwise || op.Elementwise || op.ByType) {
			continue
		}
		if jump(op, m.Graph.Attrs(id)) {
			return true
		}
	}
	return false
}

// jump reports whether an operator on elements jumps where its first operand is a
// multiple of a half, and the others are the same number or one, two more.
func jump(op *graph.Op, a graph.Attrs) bool {
	const near, least = 1e-9, 1e-2
	for _, apart := range []float64{0, 1} {
		for _, x := range []float64{-1, -0.5, 0, 0.5, 1} {
			at := func(first float64) float64 {
				in := make([]interp.Tensor[float64], op.In)
				for i := range in {
					in[i] = interp.Tensor[float64]{Sizes: []int{}, Data: []float64{x + apart*float64(i)}}
				}
				in[0].Data[0] = first
				out, err := interp.Apply(interp.Float{}, op, a, in)
				if err != nil {
					return math.NaN()
				}
				return out[0].Data[0]
			}
			y := at(x)
			for _, z := range []float64{at(x - near), at(x + near)} {
				if d := math.Abs(y - z); d > least && !math.IsInf(d, 0) {
					return true
				}
			}
		}
	}
	return false
}
