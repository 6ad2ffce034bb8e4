package genrules

import (
	"context"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
)

// deriveRounds bound the search for a derivation from smaller rules.
var deriveRounds = []tensor.Limits{
	{Nodes: 200, Iters: 4, Level: tensor.Shrinking},
	{Nodes: 600, Iters: 3, Level: tensor.Growing},
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
