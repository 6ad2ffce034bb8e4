package rules

import (
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Exchanges are the laws op(A, B) == op(B, A), for tensors of any rank, of the commutative
// operators of laws, by name. Rule sets do not have them, as a rule and the rule with such operands
// exchanged are one rule ([law.Canonical]); whoever rewrites by the rules of a set needs them.
// They are as unproved as any other law that is stated.
func Exchanges(laws []*law.Law) []*law.Law {
	var ops []*graph.Op
	for _, l := range laws {
		l.EachTerm(func(t *law.Term) {
			if o := t.Op; o != nil && o.Commutative && o.Elementwise && o.In == 2 && len(o.Params) == 0 && !slices.Contains(ops, o) {
				ops = append(ops, o)
			}
		})
	}
	slices.SortFunc(ops, func(a, b *graph.Op) int { return strings.Compare(a.Name, b.Name) })
	var out []*law.Law
	for _, o := range ops {
		s := graph.Shape{graph.AxisRun("P")}
		a, b := law.V("A"), law.V("B")
		out = append(out, &law.Law{
			Kind: law.Rule, Name: "exchange_" + o.Name, Doc: "The operands of " + o.Name + " may be exchanged.",
			Given: []law.Declaration{{Name: "A", Shape: s}, {Name: "B", Shape: s}},
			LHS:   []*law.Term{law.Apply(o, o.MustAttr(nil), a, b)}, RHS: []*law.Term{law.Apply(o, o.MustAttr(nil), b, a)},
		})
	}
	return out
}
