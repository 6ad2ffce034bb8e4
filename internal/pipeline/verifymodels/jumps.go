package verifymodels

import (
	"math"

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

// half is element i of an input in such a run: a random multiple of a half, -4 to 4. Every
// other one is the same in all inputs, which may be compared with each other.
func (in input) half(seed uint64, run, i int) float64 {
	if i%2 == 0 {
		in.name = ""
	}
	return float64(int64(draw(seed, run, in, i)%17)-8) / 2
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
