package verifymodels

import "github.com/taso-go/taso/graph"

// variance reports whether x is the mean of squares and y the square of the mean of the same
// elements, as the definition of LayerNormalization has it. The difference is not negative, by
// the inequality of Cauchy and Schwarz. But for rounding: see the assumption reals.
func variance(g *graph.Graph, x, y graph.Tensor) bool {
	of, ok := square(g, y)
	if !ok {
		return false
	}
	squares, mean := g.Op(x.Node), g.Op(of.Node)
	if squares == nil || mean == nil || squares.Name != "reducemean" || mean.Name != "reducemean" {
		return false
	}
	a, b := g.Attrs(x.Node), g.Attrs(of.Node)
	if graph.FuncText(squares.Name, a...) != graph.FuncText(mean.Name, b...) {
		return false
	}
	elements, ok := square(g, g.Operands(x.Node)[0])
	return ok && elements == g.Operands(of.Node)[0]
}

// square returns the tensor of which t is the square.
func square(g *graph.Graph, t graph.Tensor) (of graph.Tensor, ok bool) {
	op := g.Op(t.Node)
	if op == nil || op.Name != "ewmul" {
		return of, false
	}
	in := g.Operands(t.Node)
	return in[0], in[0] == in[1]
}
