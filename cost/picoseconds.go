package cost

import "github.com/taso-go/taso/graph"

// Picosecond is the unit of prices that are whole numbers, in seconds.
const Picosecond = 1e-12

// Picoseconds are the prices of a cost model in picoseconds, as searches want them: whole numbers, so
// that sums do not depend on their order.
type Picoseconds struct{ Model Model }

// Alone is the price of an operator with a kernel of its own, of a view when it must be copied, and
// as a view if it is one.
func (p Picoseconds) Alone(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) (alone, view int64, err error) {
	x, err := PricesOf(p.Model, Application{Op: op, Attrs: a, In: in, Out: out})
	return int64(x.Alone / Picosecond), int64(x.View / Picosecond), err
}

// Fused is what an elementwise operator adds in the kernel of an operand of type t.
func (p Picoseconds) Fused(op *graph.Op, a graph.Attrs, others []graph.TensorType, t graph.TensorType) (int64, error) {
	s, _, err := p.Model.Fused(Fused{Op: op, Attrs: a, Others: others}, t)
	return int64(s / Picosecond), err
}
