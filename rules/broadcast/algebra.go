package broadcast

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// Cell by cell.
//
// A term is cell-wise if it is made of tensor variables by ewadd, ewmul,
// functions of one element, and smul by a scalar term. Read with broadcasting
// such a term t over X1 .. Xn has a shape if, along every axis, the sizes of the
// Xi that are not 1 are one size; in whatever order the Xi are combined. And
// cell c of t is t's expression over one cell of each Xi, the one that c is
// projected to. So:
//
// Theorem. Let both sides of an equation be cell-wise and use the same tensor
// variables, scalar factors aside. Then the two sides are defined for the same
// shapes, have the same shape, and are equal under broadcasting if they are
// equal without it.
//
// Proof. Definedness and shape depend on the set of variables only. For the
// values, take a cell c of the result and let Yi be the tensors of the law's
// own shapes all of whose cells are that cell of Xi which c is projected to.
// Without broadcasting the two sides are equal at the Yi, and their cells are
// the cells c of the two sides at the Xi. ∎
//
// If moreover the sides are equal as polynomials over the commutative ring of
// cells, the equation needs no proof, and by congruence a law holds whose sides
// differ in such subterms only ([EqualCellwise]).

// Cellwise reports whether the theorem above applies to every output of a law:
// that it is true under broadcasting if it is true. A law with conditions on
// sizes, or sizes in attributes, is none of these.
func Cellwise(l *law.Law) bool {
	if len(l.Where) > 0 || len(l.LHS) != len(l.RHS) {
		return false
	}
	given := l.VarShapes()
	for i := range l.LHS {
		x, ok1 := cellVars(l.LHS[i], given)
		y, ok2 := cellVars(l.RHS[i], given)
		if !ok1 || !ok2 || !slices.Equal(x, y) {
			return false
		}
	}
	return len(l.LHS) > 0
}

// cellVars lists the tensor variables that give a cell-wise term its shape,
// sorted; ok is false if the term is not cell-wise.
func cellVars(t *law.Term, given map[string]graph.Shape) (vars []string, ok bool) {
	switch {
	case t.IsVar():
		_, ok := given[t.Var]
		return []string{t.Var}, ok
	case isPointwise(t):
		return cellVars(t.Args[0], given)
	case t.Op == op.EWAdd || t.Op == op.EWMul:
		for _, a := range t.Args {
			v, ok := cellVars(a, given)
			if !ok {
				return nil, false
			}
			vars = append(vars, v...)
		}
	case t.Op == op.SMul:
		// The scalar must be cell-wise over scalars, which have no axes.
		s, ok := cellVars(t.Args[1], given)
		if !ok || slices.ContainsFunc(s, func(v string) bool { return len(given[v]) > 0 }) {
			return nil, false
		}
		return cellVars(t.Args[0], given)
	default:
		return nil, false
	}
	sort.Strings(vars)
	return slices.Compact(vars), true
}

func isPointwise(t *law.Term) bool {
	return t.Fn != "" || t.Op != nil && t.Op.Pointwise && len(t.Args) == 1
}

func isElementwise(t *law.Term) bool { return t.Op == op.EWAdd || t.Op == op.EWMul }

// EqualCellwise reports whether two terms differ at most in how sums and
// products of elements are written: then they are defined for the same shapes
// and equal, with broadcasting and without, in every commutative ring.
func EqualCellwise(x, y *law.Term) bool {
	c := cells{memo: map[*law.Term]polynomial{}}
	return c.of(x).String() == c.of(y).String()
}

// monomial is a product of cells, sorted, with how often it is added.
type monomial struct {
	coef    int64
	factors []string
}

// polynomial is what a term is in the ring of cells, by the text of the
// factors. No coefficient is zero or negative, so every variable that is in the
// term is in the polynomial: equal polynomials have the same variables.
type polynomial map[string]monomial

// String is the polynomial in one order. Equal strings are equal polynomials.
func (p polynomial) String() string {
	parts := make([]string, 0, len(p))
	for k, m := range p {
		parts = append(parts, fmt.Sprintf("%d %s", m.coef, k))
	}
	sort.Strings(parts)
	return "{" + strings.Join(parts, " + ") + "}"
}

// maxMonomials bounds a polynomial; a larger term is one factor.
const maxMonomials = 200

type cells struct{ memo map[*law.Term]polynomial }

func (c *cells) of(t *law.Term) polynomial {
	p, ok := c.memo[t]
	if !ok {
		p = c.expand(t)
		c.memo[t] = p
	}
	return p
}

func (c *cells) expand(t *law.Term) polynomial {
	if isElementwise(t) || t.Op == op.SMul {
		x, y := c.of(t.Args[0]), c.of(t.Args[1])
		var p polynomial
		if t.Op == op.EWAdd {
			p = x.plus(y)
		} else {
			p = x.times(y)
		}
		if p != nil {
			return p
		}
	}
	if t.IsVar() {
		return single(t.Var)
	}
	// A function of these arguments, whatever it is.
	var b strings.Builder
	if t.Fn != "" {
		b.WriteString(t.Fn)
	} else {
		fmt.Fprintf(&b, "%s%s.%d", t.Op.Name, t.Op.FormatAttrs(t.Attrs), t.Out)
	}
	for _, a := range t.Args {
		b.WriteString(c.of(a).String())
	}
	return single(b.String() + "!")
}

func single(factor string) polynomial {
	return polynomial{factor: {1, []string{factor}}}
}

// plus is nil if the sum is too large.
func (p polynomial) plus(q polynomial) polynomial {
	if len(p)+len(q) > maxMonomials {
		return nil
	}
	out := make(polynomial, len(p)+len(q))
	for k, m := range p {
		out[k] = m
	}
	for k, m := range q {
		m.coef += out[k].coef
		if m.coef > 1<<40 {
			return nil
		}
		out[k] = m
	}
	return out
}

// times is nil if the product is too large.
func (p polynomial) times(q polynomial) polynomial {
	if len(p)*len(q) > maxMonomials {
		return nil
	}
	out := make(polynomial, len(p)*len(q))
	for _, m := range p {
		for _, n := range q {
			fs := slices.Concat(m.factors, n.factors)
			if m.coef > 1<<20 || n.coef > 1<<20 || len(fs) > maxMonomials {
				return nil
			}
			sort.Strings(fs)
			k := strings.Join(fs, " ")
			out[k] = monomial{out[k].coef + m.coef*n.coef, fs}
		}
	}
	return out
}
