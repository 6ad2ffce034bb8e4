package theory

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Relevant lists the laws that can matter to equations between terms of the
// operators: those that speak of no others. What an operator is defined by
// counts as one of them: where a law's left side is one elementwise operator
// applied to any tensors, as in ewsub(X, Y) == ewadd(X, neg(Y)), those of its
// right side.
//
// A law about other operators may fire on such terms too, but then leads away
// from them: each additional one makes the e-graph larger, so that fewer
// equations are proved within its limits.
func Relevant(laws []*law.Law, ops []*graph.Op) []*law.Law {
	known := map[*graph.Op]bool{}
	learn := func(ops []*graph.Op) (grown bool) {
		for _, op := range ops {
			for _, o := range append([]*graph.Op{op}, op.ExpandsTo...) {
				grown = grown || !known[o]
				known[o] = true
			}
		}
		return grown
	}
	learn(ops)
	all := func(ops []*graph.Op) bool {
		for _, op := range ops {
			if !known[op] {
				return false
			}
		}
		return true
	}
	for grown := true; grown; {
		grown = false
		for _, l := range laws {
			if isDefinition(l) && known[l.LHS[0].Op] && learn(operators(l.RHS)) {
				grown = true
			}
		}
	}
	var out []*law.Law
	for _, l := range laws {
		if all(operators(l.LHS)) && all(operators(l.RHS)) {
			out = append(out, l)
		}
	}
	return out
}

// isDefinition says whether the left side is one operator without attributes
// applied to different variables of any shape.
func isDefinition(l *law.Law) bool {
	if len(l.LHS) != 1 || l.LHS[0].Op == nil || len(l.LHS[0].Attrs) > 0 || len(l.LHS[0].Args) == 0 {
		return false
	}
	seen := map[string]bool{}
	for _, a := range l.LHS[0].Args {
		v, ok := l.Find(a.Var)
		if !ok || seen[a.Var] || len(v.Shape) != 1 || v.Shape[0].AxisRun == "" {
			return false
		}
		seen[a.Var] = true
	}
	return true
}

// operators lists those of terms, with those that attributes name, such as the
// activation of a convolution.
func operators(ts []*law.Term) (ops []*graph.Op) {
	for _, t := range ts {
		t.Walk(func(u *law.Term) {
			if u.Op == nil {
				return
			}
			ops = append(ops, u.Op)
			for _, v := range u.Attrs {
				if name, ok := v.Name(); ok {
					if op, ok := graph.Lookup(name); ok {
						ops = append(ops, op)
					}
				}
			}
		})
	}
	return ops
}
