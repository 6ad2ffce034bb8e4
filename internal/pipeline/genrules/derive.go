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
// judged against all kept rules of smaller sizes, but those without law.TagOrdered
// against those without it: who leaves out laws of the true relu and maximum then still
// has what the others say.
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
	var kept byTag
	var tables [2]verify.Tables // of kept.general and kept.all, which only grow
	for n := 0; n <= largest; n++ {
		group := bySize[n]
		if len(group) == 0 {
			continue
		}
		for tag, from := range [2][]*law.Law{kept.general, kept.all} {
			var some []*rules.Rule
			var goals []*law.Law
			for _, r := range group {
				if r.Law.HasTag(law.TagOrdered) == (tag == 1) {
					some, goals = append(some, r), append(goals, r.Law)
				}
			}
			if len(from) == 0 || len(goals) == 0 {
				continue
			}
			eg := &verify.EGraph{Laws: from, Rounds: deriveRounds, Workers: opt.Workers, Tables: &tables[tag]}
			vs, err := eg.Prove(ctx, goals)
			if err != nil {
				return err
			}
			for i, v := range vs {
				if v.Status == verify.Proved {
					some[i].Derivable = true
					some[i].DerivableFrom = v.Proof.Laws()
				}
			}
		}
		stage.Add(int64(len(group)))
		for _, r := range group {
			if !r.Derivable {
				kept.add(r.Law)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// byTag are laws, and those of them without law.TagOrdered.
type byTag struct{ all, general []*law.Law }

func (b *byTag) add(l *law.Law) {
	b.all = append(b.all, l)
	if !l.HasTag(law.TagOrdered) {
		b.general = append(b.general, l)
	}
}

// deriveFrom is the smallest level whose pairs are first tried to be derived
// from the rules of the levels before. Below, the rules are too few.
const deriveFrom = 4

// basis prepares the derivation of pairs from the rules proved so far: from those that do not
// follow from smaller ones. Laws of the true relu and maximum are left out, since a pair that
// follows by them may be a law of any function that does not.
func (j *judge) basis(ctx context.Context) error {
	set := &rules.Set{}
	for _, r := range j.sorted() {
		if !r.Law.HasTag(law.TagOrdered) {
			own := *r // it is marked here
			set.Add(&own)
		}
	}
	if err := derivable(ctx, set, j.opt); err != nil {
		return err
	}
	j.basisLaws = nil
	for _, r := range set.Rules {
		if !r.Derivable {
			j.basisLaws = append(j.basisLaws, r.Law)
		}
	}
	return nil
}

// deriver is what the enumerator asks.
func (j *judge) deriver() func(*law.Law) bool {
	derive, err := NewDeriver(j.basisLaws)
	if err != nil {
		// The laws were accepted by the prover before.
		return func(*law.Law) bool { return false }
	}
	return func(l *law.Law) bool {
		j.opt.hold()
		return derive(l)
	}
}

// NewDeriver is a function that says whether a law follows from laws (Cluster.Basis), as a
// run finds it out. It serves one goroutine. The error says that a law is ill-formed.
func NewDeriver(laws []*law.Law) (func(*law.Law) bool, error) {
	s, err := verify.NewSession(deriveRounds[:2], laws...)
	if err != nil {
		return nil, err
	}
	return func(l *law.Law) bool {
		v, err := s.Prove(context.Background(), l)
		return err == nil && v.Status == verify.Proved
	}, nil
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
