package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Operators on the elements at one place of tensors of one shape. They do not
// broadcast.

// binary declares an operator on two tensors of one shape; of is the entry, given
// those of the two at its place, and grad the derivatives by both, given that by the
// result z; nil: it has none.
func binary(name, doc string, of func(s *graph.Space, x, y *graph.Expr) *graph.Expr, grad func(b *graph.Backward, d, x, y, z graph.Tensor) []graph.Tensor) *graph.Op {
	o := &graph.Op{
		Name: name, In: 2, Out: 1, Doc: doc, Class: "pointwise", Elementwise: true, Batched: true, Turns: 2,
		Infer: func(f *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			if err := f.EqShape(in[0], in[1]); err != nil {
				return nil, err
			}
			return one(f.NormShape(in[0]))
		},
		Entry: func(s *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
			return of(s, graph.EntryRead(0, at...), graph.EntryRead(1, at...)), nil
		},
	}
	if grad != nil {
		o.Grad = func(b *graph.Backward) []graph.Tensor { return grad(b, b.D[0], b.In[0], b.In[1], b.Out[0]) }
	}
	return o
}

func commutative(o *graph.Op) *graph.Op {
	o.Commutative = true
	return o
}

// partialOf marks an operator that computes a function without a value at some numbers.
func partialOf(o *graph.Op) *graph.Op {
	o.Partial = true
	return o
}

var (
	// EWAdd is addition.
	EWAdd = graph.Register(commutative(binary("ewadd", "Sum of two tensors of the same shape, element by element.",
		func(_ *graph.Space, x, y *graph.Expr) *graph.Expr { return graph.EntryAdd(x, y) },
		func(_ *graph.Backward, d, _, _, _ graph.Tensor) []graph.Tensor { return []graph.Tensor{d, d} })))

	// EWSub is subtraction.
	EWSub = graph.Register(binary("ewsub", "Difference of two tensors of the same shape, element by element.",
		func(_ *graph.Space, x, y *graph.Expr) *graph.Expr { return graph.EntryAdd(x, minus(y)) },
		func(b *graph.Backward, d, _, _, _ graph.Tensor) []graph.Tensor {
			return []graph.Tensor{d, b.Op("neg", nil, d)}
		}))

	// EWMul is multiplication.
	EWMul = graph.Register(commutative(binary("ewmul", "Product of two tensors of the same shape, element by element.",
		func(_ *graph.Space, x, y *graph.Expr) *graph.Expr { return graph.EntryMul(x, y) },
		func(b *graph.Backward, d, x, y, _ graph.Tensor) []graph.Tensor {
			return []graph.Tensor{b.Mul(d, y), b.Mul(d, x)}
		})))

	// EWDiv is division: of real numbers, the first times the reciprocal of the second.
	// Arithmetic that rounds divides once.
	EWDiv = graph.Register(partialOf(binary("ewdiv", "Quotient of two tensors of the same shape, element by element.",
		func(_ *graph.Space, x, y *graph.Expr) *graph.Expr {
			return graph.EntryDirect(graph.EntryMul(x, graph.EntryFn(text("reciprocal"), y)), quotient, x, y)
		},
		func(b *graph.Backward, d, _, y, z graph.Tensor) []graph.Tensor {
			dx := b.Div(d, y)
			return []graph.Tensor{dx, b.Op("neg", nil, b.Mul(dx, z))}
		})))

	// EWMax is the larger one of two elements.
	EWMax = graph.Register(commutative(binary("ewmax", "The larger one of the elements of two tensors of the same shape.", entryLarger,
		func(b *graph.Backward, d, x, y, _ graph.Tensor) []graph.Tensor { return larger(b, d, x, y) })))

	// EWMin is the smaller one of two elements: -max(-x, -y).
	EWMin = graph.Register(commutative(binary("ewmin", "The smaller one of the elements of two tensors of the same shape.",
		func(s *graph.Space, x, y *graph.Expr) *graph.Expr { return minus(entryLarger(s, minus(x), minus(y))) },
		func(b *graph.Backward, d, x, y, _ graph.Tensor) []graph.Tensor {
			return larger(b, d, y, x) // x has the share that y has in the larger one
		})))

	// Neg is -x. It is linear and exact in every ring, so it is no function of
	// which laws know nothing else.
	Neg = graph.Register(&graph.Op{
		Name: "neg", In: 1, Out: 1,
		Class: "pointwise", Elementwise: true, Batched: true, Turns: 1,
		Doc:   "Negation, -x, element by element.",
		Infer: func(_ *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) { return one(in[0]) },
		Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
			return minus(graph.EntryRead(0, at...)), nil
		},
		Grad: func(b *graph.Backward) []graph.Tensor { return []graph.Tensor{b.Op("neg", nil, b.D[0])} },
	})

	// SMul multiplies every element of a tensor by a scalar (a tensor without
	// axes).
	SMul = graph.Register(&graph.Op{
		Name: "smul", In: 2, Out: 1,
		Class: "pointwise", Elementwise: true, Turns: 1,
		Doc: "Tensor times scalar; the second input has no axes.",
		Infer: func(_ *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			if len(in[1]) != 0 {
				return nil, fmt.Errorf("second input has shape %s, want a scalar []", in[1])
			}
			return one(in[0])
		},
		Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
			return graph.EntryMul(graph.EntryRead(0, at...), graph.EntryRead(1)), nil
		},
		Grad: func(b *graph.Backward) []graph.Tensor {
			return []graph.Tensor{b.Op("smul", nil, b.D[0], b.In[1]), b.SumTo(b.Mul(b.D[0], b.In[0]))}
		},
	})
)

// larger gives d to the first of two numbers where it is the larger one, to the second
// where that is, and half to each where they are equal.
func larger(b *graph.Backward, d, x, y graph.Tensor) []graph.Tensor {
	more := b.Sub(b.Op("step", nil, b.Sub(x, y)), b.Op("step", nil, b.Sub(y, x)))
	first := b.Times(b.Add(d, b.Mul(d, more)), 1, 2)
	return []graph.Tensor{first, b.Sub(d, first)}
}

// entryLarger is the larger of two expressions: the maximum over k of 0 and 1
// of the one with that number.
func entryLarger(s *graph.Space, x, y *graph.Expr) *graph.Expr {
	k := s.Var("k")
	first := graph.EntryWhen(x, graph.GuardEq(k.Index(), graph.IndexInt(0)))
	second := graph.EntryWhen(y, graph.GuardEq(k.Index(), graph.IndexInt(1)))
	return graph.EntryMax(graph.EntryAdd(first, second), []graph.Bound{{Var: k, N: graph.IndexInt(2)}})
}

var quotient = &graph.Several{Name: "quotient", C: "($0 / $1)", Float: func(a []float64) float64 { return a[0] / a[1] },
	HasValue: func(a []graph.Interval) bool { return a[1].Without0() }}
