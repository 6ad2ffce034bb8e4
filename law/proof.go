package law

import (
	"sort"

	"github.com/taso-go/taso/graph"
)

// Instance is one use of a law: its name and what stands for its variables.
// It denotes the ground equations between the law's instantiated sides, one
// per output.
type Instance struct {
	Law     string
	Tensors map[string]*Term       // tensor variables, over the goal's variables
	Dims    map[string]graph.Dim   // size variables
	Runs    map[string]graph.Shape // axis runs
	Attrs   map[string]graph.Value // attribute variables
	Fns     map[string]string      // function variables: an operator with its attributes ([graph.FunctionName]) or a function variable of the goal
}

// Proof is one of two things: the list of law instances from which a goal's equations
// follow by congruence alone (reflexivity, symmetry, transitivity, and equal arguments
// give equal results), or, if Meaning is not nil, a proof from what the operators
// compute, which package verify/meaning reads. It uses no laws.
type Proof struct {
	Instances []Instance
	Meaning   []int64
}

// Declaration is the instance's sizes, runs and attributes.
func (in *Instance) Substitution() *graph.Substitution {
	return &graph.Substitution{Dims: in.Dims, Runs: in.Runs, Attrs: in.Attrs}
}

// Sides instantiates both sides of l, which must be the law named.
func (in *Instance) Sides(l *Law) (lhs, rhs []*Term) {
	b := in.Substitution()
	for _, t := range l.LHS {
		lhs = append(lhs, t.Subst(in.Tensors, in.Fns, b))
	}
	for _, t := range l.RHS {
		rhs = append(rhs, t.Subst(in.Tensors, in.Fns, b))
	}
	return lhs, rhs
}

// Laws lists the names of the laws a proof uses, sorted, each once.
func (p *Proof) Laws() []string {
	seen := map[string]bool{}
	var out []string
	for i := range p.Instances {
		if n := p.Instances[i].Law; !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	sort.Strings(out)
	return out
}
