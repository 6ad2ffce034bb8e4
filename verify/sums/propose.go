package sums

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/meaning"
)

// search proposes how terms are matched, for one question of an engine. Whatever it
// proposes is checked there.
type search struct {
	e          *meaning.Engine
	impossible func([]graph.Guard) bool
	equal      *equations
}

// place calls try with the ways in which t may be a member of a group, until one is
// accepted. Where there is a choice, as in a sum over two windows of the sum of
// their places, those come first with which the domain is that of a member.
func (b *search) place(ctx []graph.Guard, groups []*meaning.Group, t meaning.Term, try func(meaning.Placing) bool) bool {
	for i, g := range groups {
		if !meaning.AlikeInKind(g.Rep, t) {
			continue
		}
		var all []meaning.Placing
		var pairings [][]int
		dom := func(p meaning.Placing) ([]graph.Guard, bool) {
			by := map[graph.Sym]graph.Index{}
			for i, v := range t.Over {
				by[v] = p.By[i]
			}
			dom := make([]graph.Guard, len(t.Dom))
			for i, g := range t.Dom {
				dom[i] = graph.Guard{E: b.e.Space.Subst(g.E, by), Eq: g.Eq}
			}
			return meaning.Normalize(dom)
		}
		b.matchings(g.Rep.Atoms, t.Atoms, func(pairs []int) bool {
			pairings = append(pairings, slices.Clone(pairs))
			for _, by := range b.bijections(g.Rep, t, pairs) {
				p := placing(i, pairs, t, by)
				if _, ok := dom(p); ok {
					all = append(all, p)
				}
			}
			return len(all) >= maxBijections*maxMatchings
		})
		// A proposal is tried once: what is the same at sight first, then what is.
		done := make([]bool, len(all))
		for pass := 0; pass < 3; pass++ {
			if pass == 1 && b.reflected(i, g, t, pairings, try) {
				return true
			}
			if pass == 1 && len(all) == 1 {
				continue
			}
			for k, p := range all {
				if done[k] || slices.ContainsFunc(p.By, func(e graph.Index) bool { return !known(b.e.Space, e) }) {
					continue
				}
				if pass < 2 {
					d, _ := dom(p)
					if !slices.ContainsFunc(g.Members, func(m meaning.Member) bool {
						return meaning.AlikeSets(m.Dom, d) || pass == 1 && b.all(ctx, d, m.Dom) && b.all(ctx, m.Dom, d)
					}) {
						continue
					}
				}
				done[k] = true
				if try(p) {
					return true
				}
			}
		}
	}
	return false
}

func placing(group int, pairs []int, t meaning.Term, by map[graph.Sym]graph.Index) meaning.Placing {
	p := meaning.Placing{Group: group, Pairs: slices.Clone(pairs)}
	for _, v := range t.Over {
		p.By = append(p.By, by[v])
	}
	return p
}

// reflected tries what makes the domain of t that of a member of a group.
func (b *search) reflected(group int, g *meaning.Group, t meaning.Term, pairings [][]int, try func(meaning.Placing) bool) bool {
	var all []meaning.Placing
	for _, pairs := range pairings {
		for _, m := range g.Members {
			for _, by := range b.reflections(g.Rep, t, pairs, m.Dom) {
				all = append(all, placing(group, pairs, t, by))
			}
		}
	}
	// What is tried may make unknowns, and have them forgotten.
	return slices.ContainsFunc(all, try)
}

// all reports whether where ctx and dom hold all of gs do.
func (b *search) all(ctx, dom, gs []graph.Guard) bool {
	here := slices.Concat(ctx, dom)
	for _, g := range gs {
		if slices.ContainsFunc(here, func(h graph.Guard) bool { return h.Eq == g.Eq && h.E.Equal(g.E) }) {
			continue
		}
		for _, n := range meaning.Not(g) {
			if !b.impossible(append(here[:len(here):len(here)], n)) {
				return false
			}
		}
	}
	return true
}

// cover calls try with the points of q that equations between indices give.
func (b *search) cover(p, q meaning.Piece, try func(meaning.Covering) bool) bool {
	var eqs []graph.Index
	b.equations(p.Body, q.Body, &eqs)
	by, rest := b.solve(eqs, q.Over)
	c := meaning.Covering{By: map[int]graph.Index{}, Also: rest}
	for i, v := range q.Over {
		if e, ok := by[v]; ok {
			c.By[i] = e
		}
	}
	if try(c) {
		return true
	}
	// Sizes may depend on a point that no index tells: it may be the same one.
	if len(by) > 0 || len(p.Over) == 0 || len(p.Over) != len(q.Over) {
		return false
	}
	same := meaning.Covering{By: map[int]graph.Index{}}
	for i, v := range p.Over {
		same.By[i] = v.Index()
	}
	return try(same)
}

// guide answers an engine by Z3 and by search; nothing is put on record.
type guide struct{ *solver }

func (g guide) search(e *meaning.Engine) *search {
	return &search{e, func(gs []graph.Guard) bool { return g.solver.impossible(e, gs) }, &g.equal}
}

// Impossible is part of meaning.Guide.
func (g guide) Impossible(e *meaning.Engine, gs []graph.Guard) bool { return g.impossible(e, gs) }

// Cancels is meaning.Summer.
func (g guide) Cancels(e *meaning.Engine, ctx []graph.Guard, parts []meaning.Member) bool {
	return g.cancels(e, ctx, parts)
}

// Place is part of meaning.Guide.
func (g guide) Place(e *meaning.Engine, ctx []graph.Guard, groups []*meaning.Group, t meaning.Term, try func(meaning.Placing) bool) bool {
	return g.search(e).place(ctx, groups, t, try)
}

// Digits is part of meaning.Guide.
func (g guide) Digits(e *meaning.Engine, over []graph.Sym, here, there meaning.NF) (int, graph.Dim, bool) {
	return g.search(e).digits(over, here, there)
}

// Cover is part of meaning.Guide.
func (g guide) Cover(e *meaning.Engine, p, q meaning.Piece, try func(meaning.Covering) bool) bool {
	return g.search(e).cover(p, q, try)
}

// Frame is part of meaning.Guide.
func (g guide) Frame(e *meaning.Engine, reps []meaning.Term, t meaning.Term) (int, []int) {
	return frameOf(e, reps, t)
}

// Step is part of meaning.Guide.
func (g guide) Step(_ *meaning.Engine, v *meaning.Values) (meaning.Step, bool) { return nextStep(v) }

// Try is part of meaning.Guide.
func (g guide) Try(_ *meaning.Engine, f func() bool) bool { return f() }
