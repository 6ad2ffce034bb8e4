package verifymodels

import (
	"math"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// Different polynomials of degree d in independent random residues are equal with a chance of
// at most d over the prime (Schwartz; Zippel). A random function is a new residue for each
// argument, so nothing goes wrong as long as different arguments are different residues. So
// the chance of a wrong answer is at most d times the number of pairs of arguments, and of
// elements of outputs, over the prime.

// degree is that of a fraction of polynomials.
type degree struct{ above, below float64 }

// chance returns the logarithm to base 2 of a bound on the chance that a run takes different
// models for equal.
func chance(ms ...*model.Model) float64 {
	arguments, elements, most := 0.0, 0.0, 1.0
	for _, m := range ms {
		g, uses := m.Graph, interp.Readers(m.Graph)
		of := make([]degree, g.Len()+1)
		for id := range g.Nodes() {
			op := g.Op(id)
			if uses[id] == 0 {
				continue
			}
			if op == nil {
				of[id] = degree{above: 1}
				continue
			}
			var applied float64
			of[id], applied = degreeOf(g, id, of)
			for _, t := range g.Operands(id) {
				if applied > 0 {
					most = max(most, of[t.Node].above+of[t.Node].below)
				}
			}
			arguments += applied
		}
		for _, t := range g.Outputs() {
			elements += float64(graph.NumElements(g.Sizes(t)))
			most = max(most, of[t.Node].above+of[t.Node].below)
		}
	}
	// Fractions are equal where products of their parts are.
	return math.Log2(2*most) + math.Log2(arguments*arguments/2+elements+1) - 61
}

// degreeOf is the degree of a node's results, and the number of arguments of random functions
// that it makes, as the entries of its results say.
func degreeOf(g *graph.Graph, id graph.NodeID, of []degree) (most degree, arguments float64) {
	if isOpaque(g, id) {
		return degree{above: 1}, 1
	}
	in := g.Operands(id)
	for k := range g.NumOut(id) {
		out := float64(graph.NumElements(g.Sizes(id.Out(k))))
		w := &degrees{of: of, in: in, seen: map[*graph.Expr]degree{}}
		d := degree{above: math.Inf(1)}
		if e, ok := entryOf(g, id, k); ok {
			d = w.find(e, 1)
		} else if op := g.Op(id); op.Rearranges {
			d = degree{}
			for _, t := range in {
				d = degree{max(d.above, of[t.Node].above), max(d.below, of[t.Node].below)}
			}
		}
		most = degree{max(most.above, d.above), max(most.below, d.below)}
		arguments += out * w.arguments
	}
	return most, arguments
}

// degrees finds the degrees of the expressions of an entry.
type degrees struct {
	of        []degree
	in        []graph.Tensor
	seen      map[*graph.Expr]degree
	arguments float64 // of functions, for one element
}

// find is the degree of an expression that is evaluated so many times for an element.
func (w *degrees) find(e *graph.Expr, times float64) degree {
	if d, ok := w.seen[e]; ok {
		return d
	}
	d := w.expr(e, times)
	w.seen[e] = d
	return d
}

func (w *degrees) expr(e *graph.Expr, times float64) (d degree) {
	terms := 1.0
	for _, o := range e.Over {
		if n, ok := o.N.Const(); ok {
			terms *= float64(n)
		} else {
			terms = math.Inf(1)
		}
	}
	function := func() degree {
		for _, x := range e.Args {
			w.find(x, times*terms)
		}
		w.arguments += times * terms
		return degree{above: 1}
	}
	switch e.Kind {
	case graph.ExprNumber, graph.ExprInv:
		return degree{}
	case graph.ExprRead:
		return w.of[w.in[e.In].Node]
	case graph.ExprAdd:
		// Over the product of all denominators.
		for _, x := range e.Args {
			a := w.find(x, times)
			d = degree{max(d.above+a.below, a.above+d.below), d.below + a.below}
		}
		return d
	case graph.ExprMul:
		for _, x := range e.Args {
			a := w.find(x, times)
			d = degree{d.above + a.above, d.below + a.below}
		}
		return d
	case graph.ExprSum:
		if e.Pick != nil {
			at, of := w.find(e.Pick.At, times), w.find(e.Pick.Of, times*terms)
			w.arguments += times * terms
			d = degree{above: 1 + at.below + of.above, below: of.below}
		} else {
			d = w.find(e.Args[0], times*terms)
		}
		return degree{d.above + (terms-1)*d.below, terms * d.below}
	case graph.ExprFn:
		switch name, _ := e.Fn.Name(); name {
		case "reciprocal":
			a := w.find(e.Args[0], times)
			return degree{a.below, a.above}
		case "neg":
			return w.find(e.Args[0], times)
		}
	}
	return function()
}
