package smt

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/z3"
)

// shapeGiven is the shape of the result where an attribute gives it.
func shapeGiven(op *graph.Op, a graph.Attrs) (graph.Shape, bool) {
	one, own, over := op.Member(a)
	if one == nil {
		one, own = op, a
	}
	i := one.ParamIndex("shape")
	if i < 0 {
		return nil, false
	}
	s, ok := own[i].Shape()
	return slices.Concat(over, s), ok
}

// quotient is a size that inference has made up, as a function of what an operator is
// applied to: there is one with which the equations of the sizes hold exactly where the
// operator is defined, and nothing else is said of it.
func (e *encoder) quotient(v, key string, domain []z3.Sort, bound []z3.Term) z3.Term {
	if len(bound) == 0 {
		return e.c.Const(fmt.Sprintf("quotient %s of %s", v, key), e.c.Int())
	}
	return e.c.Func(fmt.Sprintf("quotient %s of %s", v, key), domain, e.c.Int()).Apply(bound...)
}
