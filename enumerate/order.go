package enumerate

import (
	"cmp"
	"strings"
)

// The order of terms depends on what they are alone. Numbers of tensors and of
// operator instances follow the order of arrival in a store, and what arrives
// there depends on which worker got which part of the work: nothing is ordered
// by them.

// maxWeight bounds the count of operators with repetition, which grows without
// end where much is shared.
const maxWeight = 1 << 30

// compare is the term order: number of operators with repetition, then inputs
// by number, then the root, then the operands. It is total, and a term gets
// smaller when a subterm does.
func (s *store) compare(t, u tid) int {
	if t == u {
		return 0
	}
	x, y := &s.tensors[t], &s.tensors[u]
	if x.ops != y.ops {
		return cmp.Compare(x.ops, y.ops)
	}
	if x.app == 0 || y.app == 0 { // both are inputs, or none
		return cmp.Compare(x.input, y.input)
	}
	a, b := &s.apps[x.app], &s.apps[y.app]
	if a.inst != b.inst {
		if c := strings.Compare(s.insts[a.inst].key, s.insts[b.inst].key); c != 0 {
			return c
		}
	}
	if c := s.compare(a.args[0], b.args[0]); c != 0 {
		return c
	}
	if c := s.compare(a.args[1], b.args[1]); c != 0 {
		return c
	}
	return cmp.Compare(x.out, y.out)
}

// less orders the operands of commutative operators.
func (s *store) less(a, b tid) bool { return s.compare(a, b) < 0 }

// opsOf is the number of operators, with repetition, of an application to a
// and b.
func (s *store) opsOf(a, b tid) int32 {
	return min(1+s.tensors[a].ops+s.tensors[b].ops, maxWeight)
}
