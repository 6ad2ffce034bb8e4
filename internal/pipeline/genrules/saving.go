package genrules

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/search"
)

// Saving is what a rule saves in a model by itself.
type Saving struct {
	ID string `json:"id"`
	// Matches is how many uses of the rule the model has as it is.
	Matches int `json:"matches"`
	// Places is how often the rule is used, one use after another, while each lowers the modelled
	// cost; Saves is by how many seconds they lower it together.
	Places int     `json:"places"`
	Saves  float64 `json:"modelled_seconds_saved"`
	// Part is Saves as a part of the cost of the model, from 0 to 1.
	Part      float64 `json:"part_of_cost"`
	Derivable bool    `json:"derivable,omitempty"`
	// Words, Before and After are as in Useful, in the direction that is used.
	Words  string `json:"words,omitempty"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Rank says what each rule of a set saves in the model that [Choose] read, and orders the set:
// rules that save most come first, then those that match and save nothing by themselves, then
// those that match nowhere. A rule is used alone, wherever it lowers the modelled cost.
func Rank(ctx context.Context, set *rules.Set, f *ForModel) error {
	var laws []*law.Law
	for _, r := range set.Rules {
		if r.Status == rules.Proved {
			laws = append(laws, r.Law)
		}
	}
	compiled := rewrite.Cache{}
	all, _, err := search.NewRulesFrom(&compiled, laws)
	if err != nil {
		return err
	}
	// One pass finds all uses, and which of them lower the cost.
	found := map[string]*Saving{}
	saves := map[string]bool{}
	of := func(id string) *Saving {
		if found[id] == nil {
			found[id] = &Saving{ID: id}
		}
		return found[id]
	}
	t, err := f.trail(all)
	if err != nil {
		return err
	}
	now := t.Price.Cost()
	for n := bank.Node(1); int(n) <= t.Net.Len(); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		one, many := t.Moves.At(n)
		for _, m := range slices.Concat(one, many) {
			lower := false
			if t.Try(&m, func(cost int64, _ bank.Hash) { lower = cost < now }) {
				id := m.Direction.Law.Law.Name
				of(id).Matches++
				saves[id] = saves[id] || lower
			}
		}
	}
	for _, r := range set.Rules {
		s := of(r.ID())
		s.Derivable = r.Derivable
		if saves[r.ID()] {
			if err := f.useAll(ctx, &compiled, r, s); err != nil {
				return err
			}
		}
	}
	slices.SortStableFunc(set.Rules, func(a, b *rules.Rule) int {
		x, y := found[a.ID()], found[b.ID()]
		return cmp.Or(cmp.Compare(y.Saves, x.Saves), cmp.Compare(min(y.Matches, 1), min(x.Matches, 1)))
	})
	f.Rules = nil
	for _, r := range set.Rules {
		f.Rules = append(f.Rules, *found[r.ID()])
	}
	return nil
}

// trail begins at the model, with the moves of some rules.
func (f *ForModel) trail(r *search.Rules) (*search.Trail, error) {
	net := f.net.Clone()
	p := search.NewPricer(net, lower.CPU(), cost.Picoseconds{Model: f.machine})
	return search.NewTrail(search.NewRewriter(net, r), p), p.Err()
}

// useAll uses a rule wherever it lowers the cost, each use on top of those before.
func (f *ForModel) useAll(ctx context.Context, cache *rewrite.Cache, r *rules.Rule, s *Saving) error {
	one, _, err := search.NewRulesFrom(cache, []*law.Law{r.Law})
	if err != nil {
		return err
	}
	t, err := f.trail(one)
	if err != nil {
		return err
	}
	start := t.Price.Cost()
	before, after := r.Law.LHS, r.Law.RHS
	for n := bank.Node(1); int(n) <= t.Net.Len(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		single, several := t.Moves.At(n)
		moves := slices.Concat(single, several)
		now := t.Price.Cost()
		i := slices.IndexFunc(moves, func(m search.Move) bool {
			lower := false
			return t.Try(&m, func(cost int64, _ bank.Hash) { lower = cost < now }) && lower
		})
		if i < 0 || !t.Do(&moves[i]) {
			n++
			continue
		}
		if s.Places++; moves[i].Direction.Backward {
			before, after = r.Law.RHS, r.Law.LHS
		}
	}
	saved := start - t.Price.Cost()
	s.Saves = float64(saved) * cost.Picosecond
	if start > 0 {
		s.Part = float64(saved) / float64(start)
	}
	s.Words = change(before, after)
	s.Before, s.After = headline(before, after)
	return nil
}

// Saving returns the rules that save something, one of each kind: of rules with the same words
// and the same savings the first stands for all.
func (f *ForModel) Saving() []Saving {
	type kind struct {
		words  string
		places int
		saves  float64
	}
	seen := map[kind]bool{}
	var out []Saving
	for _, s := range f.Rules {
		k := kind{s.Words, s.Places, s.Saves}
		if s.Places == 0 || seen[k] {
			continue
		}
		seen[k] = true
		out = append(out, s)
	}
	return out
}

// Counts are the rules that save, that match and save nothing by themselves, and that match
// nowhere.
func (f *ForModel) Counts() (save, match, nowhere int) {
	for _, s := range f.Rules {
		switch {
		case s.Places > 0:
			save++
		case s.Matches > 0:
			match++
		default:
			nowhere++
		}
	}
	return save, match, nowhere
}

// NotEnumerated are the operators of the model that are not enumerated, with their reasons.
func (f *ForModel) NotEnumerated() []ModelOperator {
	return slices.DeleteFunc(slices.Clone(f.Operators), func(o ModelOperator) bool { return o.Reason == "" })
}

// Enumerated are the names of what is enumerated, without repetitions.
func (f *ForModel) Enumerated() []string {
	var out []string
	for _, o := range f.Operators {
		if o.Enumerated != "" {
			out = append(out, o.Enumerated)
		}
	}
	slices.SortFunc(out, strings.Compare)
	return slices.Compact(out)
}
