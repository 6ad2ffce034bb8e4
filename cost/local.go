package cost

import (
	"slices"

	"github.com/taso-go/taso/lower"
)

// Prices are what one application adds to the cost of a graph, by what becomes of
// it where it stands: for a graph that is being rewritten, in which a change is
// priced by the nodes that change and those beside them. They depend on the
// application alone, so they may be kept for it.
type Prices struct {
	// Alone is with a kernel of its own; of a view, when it must be copied.
	Alone Seconds
	// Fused is in the kernel of an operand, for elementwise operators.
	Fused Seconds
	// View is as a view, for operators that may be views.
	View Seconds
}

// PricesOf asks a model. What becomes of an application is said by
// [lower.Target.Joins] and [lower.Target.Takes]; the sum is then [GraphCost]'s, but
// for groups that have times of their own. Operands that are repeated tensors are
// better given by their types before that: their memory is what is read.
func PricesOf(m Model, a Application) (p Prices, err error) {
	if a.Op != nil && lower.IsStep(a.Op) {
		f := Fused{Op: a.Op, Attrs: a.Attrs, Others: a.In[1:]}
		if lower.Repeats(a.Op) && !slices.Equal(a.In[0].Sizes, a.Out[0].Sizes) {
			f.At, f.Others = 1, a.In[:1] // the running value is not the one that is broadcast
		}
		if p.Fused, _, err = m.Fused(f, a.Out[0]); err != nil {
			return p, err
		}
	}
	if p.Alone, _, err = m.Cost(a); err != nil || a.Op == nil || !lower.IsView(a.Op) {
		return p, err
	}
	a.View = true
	p.View, _, err = m.Cost(a)
	return p, err
}
