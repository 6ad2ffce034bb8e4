package saturate

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Prices are what an application costs with a kernel of its own (a view, when it must
// be copied), in the kernel of an operand, and as a view.
type Prices struct{ Alone, Fused, View int64 }

// Price gives the prices of an application. An error says that they are not known;
// then it is not chosen, unless it is in the network already.
type Price func(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) (Prices, error)

// PriceOf asks a model of costs.
func PriceOf(m cost.Model) Price {
	return func(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) (Prices, error) {
		p, err := cost.PricesOf(m, cost.Application{Op: op, Attrs: a, In: in, Out: out})
		if err != nil {
			return Prices{}, err
		}
		q := Prices{Alone: picoseconds(p.Alone), Fused: picoseconds(p.Fused), View: picoseconds(p.View)}
		if q.Alone < 0 || q.Fused < 0 || q.View < 0 {
			return q, fmt.Errorf("operator %s: a price is no time", op.Name)
		}
		return q, nil
	}
}

// picoseconds is s rounded; -1 where it is no time.
func picoseconds(s cost.Seconds) int64 {
	x := float64(s) * 1e12
	if !(x >= 0 && x < math.MaxInt64/1e6) {
		return -1
	}
	return int64(math.Round(x))
}

// lowerAttrs are the attributes as package lower reads them.
func lowerAttrs(op *graph.Op, a graph.Attrs) lower.Attrs { return lower.Attrs{Op: op, Values: a} }

// value is a tensor that lies dense.
func dense(t graph.TensorType) lower.Value {
	return lower.Value{DType: t.DType, Type: t.DType, Sizes: t.Sizes, Strides: graph.Strides(t.Sizes)}
}

// priced is what a price function said.
type priced struct {
	p   Prices
	err error
}

// price asks for the prices of an application once.
func (s *solver) price(sym uint32, op *graph.Op, a graph.Attrs, in, out []graph.TensorType) (Prices, error) {
	b := binary.AppendUvarint(s.key[:0], uint64(sym))
	for _, t := range in {
		b = append(b, byte(t.DType), byte(len(t.Sizes)))
		for _, n := range t.Sizes {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	s.key = b
	p, ok := s.prices[string(b)]
	if !ok {
		p.p, p.err = s.opts.Price(op, a, in, out)
		s.prices[string(b)] = p
	}
	return p.p, p.err
}

// ScoreOf judges networks by the plan of what would run of them on a target: by what
// really goes into which kernel, which a sum of prices only guesses.
func ScoreOf(m cost.Model, t *lower.Target) func(*graph.Graph) (int64, error) {
	return func(g *graph.Graph) (int64, error) {
		p, err := lower.Graph(g, t, lower.Options{})
		if err != nil {
			return 0, err
		}
		b, err := cost.GraphCost(p, m)
		if err != nil {
			return 0, err
		}
		if c := picoseconds(b.Total); c >= 0 {
			return c, nil
		}
		return 0, fmt.Errorf("the cost %v is no time", float64(b.Total))
	}
}
