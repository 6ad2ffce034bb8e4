package genrules

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
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
	rw := search.NewRewriter(f.net, all)
	rw.All(func(m *search.Match) bool {
		id := m.Direction.Law.Law.Name
		made, lower := tryUse(rw, m)
		if made {
			of(id).Matches++
			saves[id] = saves[id] || lower
		}
		return ctx.Err() == nil
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, r := range set.Rules {
		s := of(r.ID())
		s.Derivable = r.Derivable
		if saves[r.ID()] {
			if err := useAll(ctx, &compiled, r, f, s); err != nil {
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

// tryUse makes a use and undoes it: whether it can be made and changes something, and whether
// the cost is lower then.
func tryUse(rw *search.Rewriter, m *search.Match) (made, lower bool) {
	mark, before := rw.Net.Mark(), rw.Net.Cost()
	roots := slices.Clone(m.Roots)
	if made = rw.Apply(m) == nil; made {
		lower = rw.Net.Cost() < before
		made = lower || slices.ContainsFunc(roots, func(t bank.Tensor) bool { return !rw.Net.Has(t) })
	}
	rw.Net.Undo(mark)
	return made, lower
}

// useAll uses a rule wherever it lowers the cost, each use on top of those before.
func useAll(ctx context.Context, cache *rewrite.Cache, r *rules.Rule, f *ForModel, s *Saving) error {
	one, _, err := search.NewRulesFrom(cache, []*law.Law{r.Law})
	if err != nil {
		return err
	}
	net := f.net.Clone()
	rw := search.NewRewriter(net, one)
	start := net.Cost()
	before, after := r.Law.LHS, r.Law.RHS
	for n := bank.Node(1); int(n) <= net.Len(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		var use *search.Move
		if net.Live(n) {
			rw.At(n, func(m *search.Match) bool {
				if _, lower := tryUse(rw, m); !lower {
					return true
				}
				use = &search.Move{Direction: m.Direction, Roots: slices.Clone(m.Roots), Vars: slices.Clone(m.Vars)}
				return false
			})
		}
		if use == nil {
			n++
			continue
		}
		var failed error
		if !rw.Find(use, func(m *search.Match) { failed = rw.Apply(m) }) || failed != nil {
			n++
			continue
		}
		if s.Places++; use.Direction.Backward {
			before, after = r.Law.RHS, r.Law.LHS
		}
	}
	saved := start - net.Cost()
	s.Saves = float64(saved) / picoseconds
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
