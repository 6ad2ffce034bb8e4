package bank

import "errors"

// ErrCycle is what Replace returns where it would close a cycle.
var ErrCycle = errors.New("replace: what would stand for a tensor is computed from it")

// reaches reports whether a tensor of from is computed from one of to, other than
// being it. Ranks end the search where nothing of to can be below; those of dead
// nodes say nothing.
func (b *Bank) reaches(from, to []Tensor) bool {
	least := ^uint32(0)
	for _, t := range to {
		least = min(least, b.nodes[b.tensors[t].node].rank)
	}
	seen := map[Node]bool{}
	var visit func(n Node) bool
	visit = func(n Node) bool {
		if x := &b.nodes[n]; x.flags&live != 0 && x.rank < least || seen[n] {
			return false
		}
		seen[n] = true
		for i := range b.Arity(n) {
			o := b.Operand(n, i)
			for _, t := range to {
				if o == t {
					return true
				}
			}
			if visit(b.tensors[o].node) {
				return true
			}
		}
		return false
	}
	for _, t := range from {
		if visit(b.tensors[t].node) {
			return true
		}
	}
	return false
}
