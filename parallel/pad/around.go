package pad

import (
	"maps"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Shown is an equation of networks with what shows it.
type Shown struct {
	Equation *law.Law
	Proof    *law.Proof
	Laws     map[string]*law.Law
	// Evidence are proofs of Laws, by name.
	Evidence map[string]*law.Proof
}

// Around is what follows for a network that was padded, by steps one after the other, from
// what is shown of the padded one: that it computes what another network does. The
// equation is between the first step's network, its outputs padded, and the other network,
// its inputs padded: those that [Squared] makes.
func Around(steps []*Step, in *Shown) *Shown {
	out := &Shown{Proof: &law.Proof{}, Laws: maps.Clone(in.Laws), Evidence: maps.Clone(in.Evidence)}
	first := steps[0].Of
	inputs := make([]*law.Term, len(first.Inputs()))
	e := &law.Law{Kind: law.Rule, Name: "network"}
	for i, id := range first.Inputs() {
		inputs[i] = law.V(variable(i))
		e.Given = append(e.Given, law.Declaration{Name: variable(i), Shape: graph.Sizes(first.Sizes(id.Out(0))...)})
	}
	was := terms(first)
	for k, t := range first.Outputs() {
		x := was[t.Node][t.Out]
		for _, s := range steps {
			if i, ok := s.Next[k]; ok {
				x = zeros(x, s.Cells[i])
			}
		}
		e.LHS = append(e.LHS, x)
	}
	add := func(insts []law.Instance) *replacing {
		r := &replacing{by: map[string]*law.Term{}, known: map[*law.Term]*law.Term{}}
		for i, x := range inputs {
			r.by[variable(i)] = x
		}
		for _, inst := range insts {
			inst.Tensors = maps.Clone(inst.Tensors)
			for name, x := range inst.Tensors {
				inst.Tensors[name] = r.of(x)
			}
			out.Proof.Instances = append(out.Proof.Instances, inst)
		}
		return r
	}
	for _, s := range steps {
		add(s.insts)
		for name, l := range s.laws {
			out.Laws[name], out.Evidence[name] = l, s.proofs[name]
		}
		for i := range inputs {
			inputs[i] = zeros(inputs[i], s.Cells[i])
		}
	}
	r := add(in.Proof.Instances)
	for _, x := range in.Equation.RHS {
		e.RHS = append(e.RHS, r.of(x))
	}
	out.Equation = law.Stated(e)
	return out
}

// replacing puts terms in the place of variables.
type replacing struct {
	by    map[string]*law.Term
	known map[*law.Term]*law.Term
}

func (r *replacing) of(x *law.Term) *law.Term {
	if y, ok := r.known[x]; ok {
		return y
	}
	y := x
	if x.IsVar() {
		if by := r.by[x.Var]; by != nil {
			y = by
		}
	} else if len(x.Args) > 0 {
		z := *x
		z.Args = make([]*law.Term, len(x.Args))
		for i, a := range x.Args {
			z.Args[i] = r.of(a)
		}
		y = &z
	}
	r.known[x] = y
	return y
}
