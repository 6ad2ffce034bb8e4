package rules

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// Match finds out how special is a use of general: what stands for general's
// variables so that its two sides become special's, in either orientation and
// with the outputs in any order. Inputs of commutative operators may be
// exchanged; sizes and attributes are bound consistently, shapes agree, and
// general's conditions must hold, stand among special's own, or follow from
// these and from what special's sides need. Both laws must have types. Match is
// sound and not complete, see [rewrite.Solver].
func Match(general, special *law.Law) (in *law.Instance, ok bool) {
	return match(general, special, false)
}

// match is Match; exact: inputs of commutative operators are not exchanged.
func match(general, special *law.Law, exact bool) (in *law.Instance, ok bool) {
	if !operatorsFit(general, special, exact) {
		return nil, false
	}
	g, err := rewrite.CompileEquation(general, rewrite.Derived)
	if err != nil {
		return nil, false
	}
	return newTarget(special, exact).match(g)
}

// operatorsFit reports whether special may be a use of general, as far as their operators
// tell. Most pairs of laws fail here, before general is compiled.
func operatorsFit(general, special *law.Law, exact bool) bool {
	n := len(general.LHS)
	if n != len(special.LHS) {
		return false
	}
	f := fitting{exact, mostFitting}
	for _, sides := range [2][2][]*law.Term{{special.LHS, special.RHS}, {special.RHS, special.LHS}} {
		found := 0
		for i := range n {
			for k := range n {
				if f.term(general.LHS[i], sides[0][k]) && f.term(general.RHS[i], sides[1][k]) {
					found++
					break
				}
			}
		}
		if found == n {
			return true
		}
	}
	return false
}

// mostFitting bounds the comparisons of terms for two laws. Operands of commutative operators
// are tried in both orders, which large terms would make long.
const mostFitting = 10_000

// fitting compares operators until left is 0; then everything may fit.
type fitting struct {
	exact bool
	left  int
}

// term reports whether t has the operators of a pattern, at the same positions.
func (f *fitting) term(pattern, t *law.Term) bool {
	if f.left == 0 {
		return true
	}
	f.left--
	switch {
	case pattern.IsVar():
		return true
	case len(t.Args) != len(pattern.Args):
		return false
	case pattern.Op == nil:
		return (t.Fn != "" || t.Op != nil && t.Op.IsFunction()) && f.term(pattern.Args[0], t.Args[0])
	case t.Op != pattern.Op || t.Out != pattern.Out:
		return false
	}
	fit := true
	for i, a := range pattern.Args {
		fit = fit && f.term(a, t.Args[i])
	}
	if !fit && !f.exact && pattern.Op.Commutative && len(t.Args) == 2 {
		fit = f.term(pattern.Args[0], t.Args[1]) && f.term(pattern.Args[1], t.Args[0])
	}
	return fit
}

// Instance reports whether special is a use of general, see Match.
func Instance(general, special *law.Law) bool {
	_, ok := Match(general, special)
	return ok
}

// target is a law that others are matched against, with what is needed of it
// each time.
type target struct {
	law    *law.Law
	typing *law.Typing // found when first needed
	failed bool        // it has no types
	terms  *rewrite.Terms
	sides  [2][]rewrite.TermID
	m      *rewrite.Matcher[rewrite.TermID]
}

func newTarget(l *law.Law, exact bool) *target {
	x := &target{law: l}
	x.terms = rewrite.NewTerms(exact, rewrite.FnSortsOf(l), func(t *law.Term) graph.Shape {
		if ty, ok := x.types(); ok {
			return ty.Shape[t]
		}
		return nil
	})
	for i, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			x.sides[i] = append(x.sides[i], x.terms.Add(t))
		}
	}
	x.m = rewrite.NewMatcher[rewrite.TermID](x.terms)
	x.m.Exact = exact
	return x
}

func (x *target) types() (*law.Typing, bool) {
	if x.typing == nil && !x.failed {
		ty, err := x.law.Types()
		x.typing, x.failed = ty, err != nil
	}
	return x.typing, !x.failed
}

// match finds a use of the equation general.
func (x *target) match(general *rewrite.Direction) (in *law.Instance, ok bool) {
	g := general.Law.Law
	if len(g.LHS) != len(x.law.LHS) {
		return nil, false
	}
	roots := make([]rewrite.TermID, 2*len(g.LHS))
	for flip := 0; flip < 2 && in == nil; flip++ {
		if flip == 1 && g.OneWay && x.law.OneWay {
			break
		}
		left, right := x.sides[flip], x.sides[1-flip]
		permutations(len(left), func(perm []int) bool {
			for i, j := range perm {
				roots[2*i], roots[2*i+1] = left[j], right[j]
			}
			return x.m.Match(general, roots, func(m *rewrite.Match[rewrite.TermID]) bool {
				if x.grants(m.Conds) {
					in = x.instance(m)
				}
				return in == nil
			})
		})
	}
	return in, in != nil
}

// grants says whether what a match asks for is stated by the law or follows from
// what is, and from what its sides need.
func (x *target) grants(conds []rewrite.Cond) bool {
	ty, ok := x.types()
	if !ok {
		return false
	}
	var facts []graph.Dim
	for _, c := range conds {
		if slices.ContainsFunc(x.law.Where, func(p law.Pred) bool { return p.String() == c.Text }) {
			continue
		}
		if facts == nil {
			facts = leastOf(slices.Concat(ty.LeftNeeds, ty.RightNeeds), x.law.Where)
		}
		for _, d := range c.Least {
			if !rewrite.Implied(d, facts) {
				return false
			}
		}
		if len(c.Least) == 0 {
			return false
		}
	}
	return true
}

func (x *target) instance(m *rewrite.Match[rewrite.TermID]) *law.Instance {
	b := m.Substitution()
	in := &law.Instance{Law: m.Direction.Law.Law.Name, Tensors: map[string]*law.Term{},
		Dims: b.Dims, Runs: b.Runs, Attrs: b.Attrs, Fns: map[string]string{}}
	for i, v := range m.Direction.Vars {
		in.Tensors[v] = x.terms.Term(m.Vars[i])
	}
	for i, f := range m.Fns {
		in.Fns[m.Direction.Law.Fns[i].Name] = f.String()
	}
	return in
}

// maxOutputs bounds the orders of outputs that are tried.
const maxOutputs = 5

// permutations calls f for the orders of n things until it returns false; for
// more than maxOutputs only for the given order.
func permutations(n int, f func([]int) bool) {
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	if n > maxOutputs {
		f(perm)
		return
	}
	law.Permute(perm, func() bool { return f(perm) })
}
