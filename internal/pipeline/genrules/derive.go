package genrules

import (
	"context"
	"sort"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
)

// deriveRounds bound the search for a derivation from smaller rules.
var deriveRounds = []tensor.Limits{
	{Nodes: 200, Iters: 4, Level: tensor.Shrinking},
	{Nodes: 600, Iters: 3, Level: tensor.Growing},
	{Nodes: 1500, Iters: 4, Level: tensor.Growing},
}

// derivable marks the rules that follow from kept, smaller ones. Rules are
// compared by the operators of both sides together; those of one size are
// judged against all kept rules of smaller sizes.
func derivable(ctx context.Context, set *rules.Set, opt *Options) error {
	bySize := map[int][]*rules.Rule{}
	largest := 0
	for _, r := range set.Rules {
		n := law.Size(r.Law.LHS...) + law.Size(r.Law.RHS...)
		bySize[n] = append(bySize[n], r)
		largest = max(largest, n)
	}
	stage := opt.Progress.Stage("derivable", int64(set.Len()))
	defer stage.Done()
	var kept []*law.Law
	for n := 0; n <= largest; n++ {
		group := bySize[n]
		if len(group) == 0 {
			continue
		}
		if len(kept) > 0 {
			goals := make([]*law.Law, len(group))
			for i, r := range group {
				goals[i] = r.Law
			}
			eg := &verify.EGraph{Laws: kept, Rounds: deriveRounds, Workers: opt.Workers}
			vs, err := eg.Prove(ctx, goals)
			if err != nil {
				return err
			}
			for i, v := range vs {
				if v.Status == verify.Proved {
					group[i].Derivable = true
					group[i].DerivableFrom = v.Proof.Laws()
				}
			}
		}
		stage.Add(int64(len(group)))
		for _, r := range group {
			if !r.Derivable {
				kept = append(kept, r.Law)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// deriveFrom is the smallest level whose pairs are first tried to be derived
// from the rules of the levels before. Below, the rules are too few.
const deriveFrom = 4

// basis prepares the derivation of pairs from the rules proved so far. A proof
// from the axioms is a derivation if every law it uses follows from the rules;
// so the laws are the axioms and lemmas that do, and the rules that do not
// follow from those.
func (j *judge) basis(ctx context.Context) error {
	var proved []*law.Law
	for _, r := range j.sorted() {
		proved = append(proved, r.Law)
	}
	eg := &verify.EGraph{Laws: proved, Rounds: deriveRounds, Workers: j.opt.Workers}
	vs, err := eg.Prove(ctx, j.Laws)
	if err != nil {
		return err
	}
	var laws []*law.Law
	for i, v := range vs {
		if v.Status == verify.Proved {
			laws = append(laws, j.Laws[i])
		}
	}
	eg = &verify.EGraph{Laws: laws, Rounds: deriveRounds, Workers: j.opt.Workers}
	if vs, err = eg.Prove(ctx, proved); err != nil {
		return err
	}
	for i, v := range vs {
		if v.Status != verify.Proved {
			laws = append(laws, proved[i])
		}
	}
	j.basisLaws = laws
	return ctx.Err()
}

// deriver is what the enumerator asks.
func (j *judge) deriver() func(*law.Law) bool {
	s, err := verify.NewSession(deriveRounds[:2], j.basisLaws...)
	if err != nil {
		// The laws were accepted by the prover before.
		return func(*law.Law) bool { return false }
	}
	return func(l *law.Law) bool {
		j.opt.hold()
		v, err := s.Prove(context.Background(), l)
		return err == nil && v.Status == verify.Proved
	}
}

// sorted lists the proved rules by identity.
func (j *judge) sorted() []*rules.Rule {
	all := make([]*rules.Rule, 0, len(j.proved))
	for _, r := range j.proved {
		all = append(all, r)
	}
	sort.Slice(all, func(a, b int) bool { return all[a].ID() < all[b].ID() })
	return all
}
