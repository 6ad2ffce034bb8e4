package adversary

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/law"
)

// shrinker is what asks the engine of a finding again; nil where it cannot be
// asked by itself.
func (p *panel) shrinker(ctx context.Context, engine string) func(*law.Law) []claim {
	ask := map[string]func(context.Context, []*law.Law) ([]claim, error){engineSums: p.bySums, engineEGraph: p.egraph,
		engineChecker: p.egraph, engineTheory: p.byTheory}[engine]
	if ask == nil {
		return nil
	}
	p.share = sample{1, 1, 1, 1, 1, 1}
	return func(l *law.Law) []claim {
		cs, err := ask(ctx, []*law.Law{l})
		if err != nil {
			return nil
		}
		return slices.DeleteFunc(cs, func(c claim) bool { return c.engine != engine || c.broken })
	}
}

// shrink makes the law of a finding small: as long as something is claimed of it
// that is false.
func shrink(f *Finding, tries int, ask func(*law.Law) []claim) {
	rng := rand.New(rand.NewPCG(1, 1))
	fails := func(l *law.Law) *eval.Finding {
		for _, c := range ask(l) {
			if bad, _ := eval.Check(c.law, c.says, c.within, 40, rng); bad != nil {
				return bad
			}
		}
		return nil
	}
	for again := true; again; {
		again = false
		for _, l := range simpler(f.Law) {
			l, ok := finish(l, false)
			if !ok {
				continue
			}
			if tries--; tries < 0 {
				return
			}
			if bad := fails(l); bad != nil {
				f.Law, f.At, f.What = l, bad.Point.String(), bad.Outcome.Kind.String()+": "+bad.Outcome.Detail
				again = true
				break
			}
		}
	}
}

// simpler lists laws that are smaller in one place.
func simpler(l *law.Law) []*law.Law {
	var out []*law.Law
	for i := range l.Where {
		c := *l
		c.Where = slices.Delete(slices.Clone(l.Where), i, i+1)
		out = append(out, &c)
	}
	if len(l.LHS) > 1 {
		for i := range l.LHS {
			c := *l
			c.LHS, c.RHS = l.LHS[i:i+1:i+1], l.RHS[i:i+1:i+1]
			out = append(out, &c)
		}
	}
	// The same operator outside on both sides.
	if a, b := l.LHS[0], l.RHS[0]; len(l.LHS) == 1 && a.Op != nil && a.Op == b.Op && len(a.Args) == len(b.Args) {
		for i := range a.Args {
			c := *l
			c.LHS, c.RHS = []*law.Term{a.Args[i]}, []*law.Term{b.Args[i]}
			out = append(out, &c)
		}
	}
	ty, err := l.Types()
	if err != nil {
		return out
	}
	var nodes law.Nodes
	seen := map[int]bool{}
	for _, p := range places(l) {
		if p.at.IsVar() || seen[nodes.Of(p.at)] {
			continue
		}
		seen[nodes.Of(p.at)] = true
		s := ty.Shape[p.at]
		for _, a := range p.at.Args {
			if ty.Shape[a].Equal(s) {
				out = append(out, everywhere(l, p.at, a))
			}
		}
		if len(p.at.Args) > 0 {
			c := *l
			w := &writer{}
			t := w.give(&c, s)
			out = append(out, everywhere(&c, p.at, t))
		}
	}
	sizes, runs := variables(l)
	for _, n := range runs {
		out = append(out, l.Subst(&graph.Substitution{Runs: map[string]graph.Shape{n: {}}}))
	}
	for _, n := range sizes {
		out = append(out, l.Subst(&graph.Substitution{Dims: map[string]graph.Dim{n: graph.Int(1)}}))
	}
	for i := range out {
		c := *out[i]
		used := law.Vars(slices.Concat(c.LHS, c.RHS)...)
		c.Given = slices.DeleteFunc(slices.Clone(c.Given), func(b law.Declaration) bool {
			return b.Sort == "" && !slices.Contains(used, b.Name)
		})
		out[i] = &c
	}
	return out
}

// everywhere replaces equal subterms.
func everywhere(l *law.Law, old, by *law.Term) *law.Law {
	var nodes law.Nodes
	c := *l
	c.LHS, c.RHS = nil, nil
	put := func(t *law.Term) *law.Term {
		return t.Rewrite(func(u *law.Term) *law.Term {
			if nodes.Of(u) == nodes.Of(old) {
				return by
			}
			return u
		})
	}
	for _, t := range l.LHS {
		c.LHS = append(c.LHS, put(t))
	}
	for _, t := range l.RHS {
		c.RHS = append(c.RHS, put(t))
	}
	return &c
}
