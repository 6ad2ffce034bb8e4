package tensor

import (
	"fmt"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/law"
)

// Minimizer decides, by congruence closure over the terms of law instances and
// nothing else, whether instances prove equations, and drops instances that
// are not needed. It does not look at how the instances were found.
type Minimizer struct {
	terms *Graph        // all terms, no equations
	cc    *egraph.Graph // a closure of some of the equations
	eqs   [][]egraph.Pair
	goal  []egraph.Pair
}

// NewMinimizer returns a minimizer over a table.
func NewMinimizer(t *Table) *Minimizer {
	return &Minimizer{terms: NewGraph(t), cc: egraph.NewGraph(egraph.Options{})}
}

// Minimize returns instances, a part of the given ones and in their order, that
// prove the goal's equations, and of which none can be left out. laws finds a
// law by name. The error says why the given instances are not a proof.
func (m *Minimizer) Minimize(goal *law.Law, insts []law.Instance, laws func(string) *law.Law) ([]law.Instance, error) {
	scope := ScopeOf(goal)
	m.terms.Reset()
	m.eqs, m.goal = m.eqs[:0], m.goal[:0]
	pairs := func(dst []egraph.Pair, lhs, rhs []*law.Term) ([]egraph.Pair, error) {
		for i := range lhs {
			a, err := m.terms.Add(lhs[i], scope)
			if err != nil {
				return nil, err
			}
			b, err := m.terms.Add(rhs[i], scope)
			if err != nil {
				return nil, err
			}
			dst = append(dst, egraph.Pair{A: a, B: b})
		}
		return dst, nil
	}
	var err error
	if m.goal, err = pairs(m.goal, goal.LHS, goal.RHS); err != nil {
		return nil, fmt.Errorf("goal %s: %w", goal.Name, err)
	}
	for i := range insts {
		l := laws(insts[i].Law)
		if l == nil {
			return nil, fmt.Errorf("instance %d: no law %s", i, insts[i].Law)
		}
		lhs, rhs := insts[i].Sides(l)
		eq, err := pairs(nil, lhs, rhs)
		if err != nil {
			return nil, fmt.Errorf("instance %d of law %s: %w", i, l.Name, err)
		}
		m.eqs = append(m.eqs, eq)
	}
	use := make([]bool, len(insts))
	for i := range use {
		use[i] = true
	}
	if !m.proves(use) {
		return nil, fmt.Errorf("goal %s: the %d instances do not prove it by congruence", goal.Name, len(insts))
	}
	for i := len(use) - 1; i >= 0; i-- {
		use[i] = false
		if !m.proves(use) {
			use[i] = true
		}
	}
	var out []law.Instance
	for i, u := range use {
		if u {
			out = append(out, insts[i])
		}
	}
	return out, nil
}

// proves says whether the chosen equations entail the goal.
func (m *Minimizer) proves(use []bool) bool {
	m.cc.Reset()
	e := m.terms.E()
	for n := egraph.NodeID(1); int(n) <= e.Len(); n++ {
		if k, err := m.cc.Add(e.Sym(n), e.Children(n)...); err != nil || k != n {
			return false
		}
	}
	for i, eq := range m.eqs {
		if !use[i] {
			continue
		}
		for _, p := range eq {
			if _, err := m.cc.Union(p.A, p.B, 1); err != nil {
				return false
			}
		}
	}
	if m.cc.Rebuild() != nil {
		return false
	}
	for _, p := range m.goal {
		if !m.cc.Same(p.A, p.B) {
			return false
		}
	}
	return true
}
