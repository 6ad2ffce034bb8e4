package search

import (
	"slices"

	"github.com/taso-go/taso/graph/bank"
)

// mostUsers is the most users of a tensor that a sweep looks at.
const mostUsers = 16

// sweep makes a move, and the same one for all others who use what was matched
// inside it, so that this is not needed any more: each of them alone costs nothing
// less. With x = y * V and products of x by several weights, each y * (V * W), it is
// the last that saves x. The chain is noted if the cost is the best.
func (d *descent) sweep(m *Move) {
	inner := d.inner(m)
	if len(inner) == 0 || d.over() {
		return
	}
	base := d.Len()
	d.Tried++
	if !d.Do(m) {
		return
	}
	for _, t := range inner {
		d.others(m, t)
	}
	if c := d.Price.Cost(); d.Len() > base+1 && c < d.best {
		d.best, d.chain = c, d.Path()
	}
	d.Back(base)
}

// others makes moves of the same direction at the users of t, as long as each leaves
// one user less.
func (d *descent) others(m *Move, t bank.Tensor) {
	for tries := 0; tries < mostUsers; tries++ {
		n, _ := d.Net.NodeOf(t)
		if !d.Net.Live(n) {
			return
		}
		uses := d.Net.UseCount(t)
		var at []bank.Node
		d.Net.Users(t, func(u bank.Node, _ int) bool {
			at = append(at, u)
			return len(at) <= mostUsers
		})
		slices.Sort(at)
		if !d.oneLess(m, t, uses, at) {
			return
		}
	}
}

// oneLess makes a move at one of the nodes after which t has a user less.
func (d *descent) oneLess(m *Move, t bank.Tensor, uses int, at []bank.Node) bool {
	for _, u := range at {
		one, _ := d.Moves.At(u)
		for i := range one {
			if one[i].Direction != m.Direction {
				continue
			}
			if d.over() {
				return false
			}
			before := d.Len()
			d.Tried++
			mv := one[i]
			if !d.Do(&mv) {
				continue
			}
			if d.Net.UseCount(t) < uses {
				return true
			}
			d.Back(before)
		}
	}
	return false
}

// inner are the tensors that a move has matched below its roots and that somebody
// else uses as well.
func (d *descent) inner(m *Move) (out []bank.Tensor) {
	var visit func(ref int32, t bank.Tensor, root bool)
	visit = func(ref int32, t bank.Tensor, root bool) {
		if ref < 0 {
			return
		}
		n, _ := d.Net.NodeOf(t)
		if !root {
			if k := d.Net.UseCount(t); k > 1 && k <= mostUsers && !d.Net.Fixed(n) && !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
		kids := m.Direction.Nodes[ref].Kids
		if len(kids) != d.Net.Arity(n) {
			return
		}
		for i, k := range kids {
			visit(k, d.Net.Operand(n, i), false)
		}
	}
	for i, ref := range m.Direction.Roots {
		visit(ref, m.Roots[i], true)
	}
	return out
}
