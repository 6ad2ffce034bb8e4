package enumerate

import (
	"fmt"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/law"
)

// pairOf writes two tensors of the store as a pair of terms.
func (w *classWorker) pairOf(x, y tid) *general.Pair {
	p := &general.Pair{Sizes: map[string][]int{}, Weight: map[string]bool{}}
	memo := map[tid]*law.Term{}
	p.Left = []*law.Term{w.st.termOf(x, memo, p)}
	p.Right = []*law.Term{w.st.termOf(y, memo, p)}
	return p
}

// termOf writes a store's tensor as a law term.
func (s *store) termOf(t tid, memo map[tid]*law.Term, p *general.Pair) *law.Term {
	if x, ok := memo[t]; ok {
		return x
	}
	tt := &s.tensors[t]
	var x *law.Term
	if tt.app == 0 {
		ty := s.u.Types[s.typeOf[tt.input-1]]
		// By first use, so that pairs over inputs of different types read alike.
		name := fmt.Sprintf("X%d", len(p.Sizes)+1)
		x = law.V(name)
		p.Sizes[name] = ty.Sizes
		p.Weight[name] = ty.Weight
	} else {
		a := s.apps[tt.app]
		in := s.insts[a.inst]
		x = &law.Term{Op: in.op, Attrs: in.attrs, Out: int(tt.out)}
		for _, arg := range []tid{a.args[0], a.args[1]}[:in.op.In] {
			x.Args = append(x.Args, s.termOf(arg, memo, p))
		}
		// The store's order of operands depends on what was made before.
		if in.op.Commutative && x.Args[1].String() < x.Args[0].String() {
			x.Args[0], x.Args[1] = x.Args[1], x.Args[0]
		}
	}
	memo[t] = x
	return x
}
