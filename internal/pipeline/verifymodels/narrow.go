package verifymodels

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// narrow lists the integer types of less than four bytes, or without a sign, in which the
// models compute and, with casts, the narrow floating-point types to which they cast. What
// leaves the range of such a type wraps around or becomes infinite, of which the exact
// arithmetic knows nothing, so models that are not the same operators of the same operands
// may differ where it says nothing of it. What is known to stay within its type, as behind
// a clip, is not listed. To the exact arithmetic rounding is a function of
// which nothing is known, so casts need not be listed where it decides. Other integers are
// taken to stay within their types, and sums and products of narrow floating-point numbers
// to be those of numbers: see notes.
func (c *comparison) narrow(casts bool) ([]string, error) {
	var found []string
	seen := map[graph.DType]bool{}
	a, b, err := c.ranges()
	if err != nil {
		return nil, err
	}
	bounds := map[*model.Model]*ranges{c.a: a, c.b: b}
	computing([]*model.Model{c.a, c.b}, func(m *model.Model, op *graph.Op, out graph.Tensor) {
		t := m.Graph.DType(out)
		if seen[t] || !(t.IsInt() && !stays(t) && bounds[m].leaves[out] && !c.oneType(m.Graph, out) && !wraps(m.Graph, out.Node) || casts && t.IsNarrow() && op.Name == "cast") {
			return
		}
		seen[t] = true
		found = append(found, fmt.Sprintf("values beyond the range of %s, in which %s computes", t, m.Graph.Name(out.Node)))
	})
	return found, nil
}

// oneType reports whether a result is a function of which exact arithmetic knows nothing, and
// all nodes that apply this function do so in one type: then it is the function of that type.
func (c *comparison) oneType(g *graph.Graph, out graph.Tensor) bool {
	isPair := func(g *graph.Graph, id graph.NodeID) (string, bool) {
		e, ok := entryOf(g, id, 0)
		if !ok || e.Direct == nil || e.Kind != graph.ExprFn {
			return "", false
		}
		return e.Direct.Fn.Name, true
	}
	name, ok := isPair(g, out.Node)
	if !ok {
		return false
	}
	for _, h := range []*graph.Graph{c.a.Graph, c.b.Graph} {
		for id := range h.Nodes() {
			if h.Op(id) == nil || isOpaque(h, id) || h.DType(id.Out(0)) == g.DType(out) {
				continue
			}
			if other, ok := isPair(h, id); ok && other == name {
				return false
			}
		}
	}
	return true
}

// wraps reports whether integers that leave their type do no harm: what is computed from a node
// are sums and products in this one type, up to the outputs. These are the same modulo 2 to the
// number of bits.
func wraps(g *graph.Graph, id graph.NodeID) bool {
	t, from := g.DType(id.Out(0)), map[graph.NodeID]bool{id: true}
	for next := id; int(next) <= g.Len(); next++ {
		op := g.Op(next)
		if op == nil {
			continue
		}
		reads := next == id
		for _, x := range g.Operands(next) {
			reads = reads || from[x.Node]
		}
		if !reads {
			continue
		}
		from[next] = true
		for _, x := range g.Operands(next) {
			if g.DType(x) != t {
				return false
			}
		}
		if isOpaque(g, next) || g.DType(next.Out(0)) != t {
			return false
		}
		for k := range g.NumOut(next) {
			if e, ok := entryOf(g, next, k); !op.Rearranges && (!ok || !isPolynomial(e)) {
				return false
			}
		}
	}
	return true
}

// isPolynomial reports whether an expression is sums and products of what it reads.
func isPolynomial(e *graph.Expr) bool {
	switch e.Kind {
	case graph.ExprRead, graph.ExprNumber:
		return true
	case graph.ExprAdd, graph.ExprMul, graph.ExprSum:
		return e.Direct == nil && e.Pick == nil && !slices.ContainsFunc(e.Args, func(x *graph.Expr) bool { return !isPolynomial(x) })
	}
	return false
}

// stays reports whether what is computed in an integer type is taken to stay within it.
func stays(t graph.DType) bool { return t.IsSigned() && t.Bytes() >= 4 }

// wide lists the other element types that are not computed in as they are: such
// integers and narrow floating-point numbers.
func wide(ms ...*model.Model) []string {
	var found []string
	computing(ms, func(m *model.Model, op *graph.Op, out graph.Tensor) {
		t := m.Graph.DType(out)
		if op.Name != "cast" && (t.IsInt() && stays(t) || t.IsNarrow()) {
			found = append(found, t.String())
		}
	})
	slices.Sort(found)
	return slices.Compact(found)
}

// computing calls f with the nodes that compute something an output depends on, once
// for each of their results.
func computing(ms []*model.Model, f func(m *model.Model, op *graph.Op, out graph.Tensor)) {
	for _, m := range ms {
		uses := interp.Readers(m.Graph)
		for id := range m.Graph.Nodes() {
			op := m.Graph.Op(id)
			if op == nil || uses[id] == 0 || m.Graph.WorkOf(id).FLOPs == 0 {
				continue
			}
			for out := range op.Out {
				f(m, op, id.Out(out))
			}
		}
	}
}
