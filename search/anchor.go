package search

import (
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/lower"
)

// mostRearranged is the most rearrangements that bring one weight to its place.
const mostRearranged = 3

// Anchor rearranges sums, and what else may be rearranged, until each weight is added to
// what a kernel has computed, and not to the sum of this and something else, where that
// costs no more: (x * W + y) + b becomes (x * W + b) + y. To what the prices are of both
// are one kernel; most programs that read a model look for a bias right behind a
// convolution or product. It returns the moves, which are made.
func (t *Trail) Anchor() (kept []Move) {
	for again := true; again; {
		again = false
		var loose []bank.Node
		t.Net.Nodes(func(n bank.Node) bool {
			if t.loose(n) {
				loose = append(loose, n)
			}
			return true
		})
		for _, n := range loose {
			if t.Net.Live(n) && t.loose(n) && t.anchor(n) {
				kept, again = append(kept, t.Path()...), true
				t.Settle()
			}
		}
	}
	return kept
}

// anchor makes at most mostRearranged moves from a node on after which a weight more is
// at its place and the cost is no higher.
func (t *Trail) anchor(n bank.Node) bool {
	cost, count := t.Price.Cost(), t.anchored()
	one, _ := t.Moves.At(n)
	first := append([]Move{}, one...)
	for i := range t.Net.Arity(n) {
		k, _ := t.Net.NodeOf(t.Net.Operand(n, i))
		below, _ := t.Moves.At(k)
		first = append(first, below...)
	}
	var from func(moves []Move) bool
	from = func(moves []Move) bool {
		for i := range moves {
			if !rearranges(moves[i].Direction) {
				continue
			}
			t.Tried++
			if !t.Do(&moves[i]) {
				continue
			}
			if t.Price.Cost() <= cost && t.anchored() > count || t.Len() < mostRearranged && from(t.Enabled()) {
				return true
			}
			t.Back(t.Len() - 1)
		}
		return false
	}
	return from(first)
}

// rearranges reports whether a direction has the same elementwise operators on both sides,
// such as associativity and commutativity.
func rearranges(d *rewrite.Direction) bool {
	if len(d.Nodes) != len(d.Steps) {
		return false
	}
	for i := range d.Nodes {
		if op := d.Nodes[i].Op; op != d.Nodes[0].Op || op != d.Steps[i].Op || op == nil || !op.Elementwise || op.In != 2 {
			return false
		}
	}
	return true
}

// weighs returns the operand of an elementwise operator that is no weight, if the other
// one is.
func (t *Trail) weighs(n bank.Node) (other bank.Node, ok bool) {
	if op := t.Net.Op(n); op == nil || !op.Elementwise || op.In != 2 || t.Net.Fixed(n) {
		return 0, false
	}
	x, _ := t.Net.NodeOf(t.Net.Operand(n, 0))
	y, _ := t.Net.NodeOf(t.Net.Operand(n, 1))
	if t.Net.Fixed(x) {
		x, y = y, x
	}
	return x, t.Net.Fixed(y)
}

// loose reports whether a node has a weight that may belong further down.
func (t *Trail) loose(n bank.Node) bool {
	x, ok := t.weighs(n)
	if !ok || t.Net.Op(x) != t.Net.Op(n) || t.Net.UseCount(t.Net.Out(x, 0)) != 1 {
		return false
	}
	_, has := t.weighs(x)
	return !has
}

// anchored counts the weights that are at their place.
func (t *Trail) anchored() (count int) {
	t.Net.Nodes(func(n bank.Node) bool {
		if x, ok := t.weighs(n); ok {
			if op := t.Net.Op(x); op != nil && t.Net.Arity(x) > 1 && !lower.IsStep(op) && !lower.IsView(op) {
				count++
			}
		}
		return true
	})
	return count
}
