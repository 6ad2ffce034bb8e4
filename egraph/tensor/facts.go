package tensor

import (
	"errors"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// facts are what a goal says of its sizes: its conditions, and the conditions
// under which its sides are defined. A law's condition that does not hold for
// all sizes has to follow from each side's facts, so that the proof is good
// from left to right and back; for a goal written with =>, from the left's.
type facts struct {
	text   map[string]bool   // the goal's conditions, as written
	side   [2][]graph.Dim    // sizes that are at least 0 where the side is defined
	mods   []rewrite.Residue // remainders that the goal's conditions state
	oneWay bool
	either bool // what one side of the goal grants is enough

	fits      [2]map[rewrite.Fit]bool
	multiples [2]map[rewrite.MultipleOf]bool
	looks     [2][]look
	memo      map[*solution]bool
}

func newFacts() facts {
	f := facts{text: map[string]bool{}, memo: map[*solution]bool{}}
	for i := range f.side {
		f.fits[i], f.multiples[i] = map[rewrite.Fit]bool{}, map[rewrite.MultipleOf]bool{}
	}
	return f
}

func (f *facts) reset() {
	clear(f.text)
	clear(f.memo)
	f.mods = f.mods[:0]
	f.side[0], f.side[1], f.oneWay, f.either = f.side[0][:0], f.side[1][:0], false, false
	for i := range f.side {
		clear(f.fits[i])
		clear(f.multiples[i])
		f.looks[i] = f.looks[i][:0]
	}
}

// Assume grants the goal's conditions, and those under which its sides are
// defined. A law may be used where both sides grant what it wants, the left one
// for a goal written =>. With either, one side is enough to let a tensor be
// taken for defined: then that the goal's sides meet is no proof, and the caller
// has to find out what it shows. The error says that the goal is ill-typed, or
// that a side may be undefined where the other is not.
func (g *Graph) Assume(goal *law.Law, either bool) error {
	ty, err := goal.Types()
	if err != nil {
		return fmt.Errorf("assume: %w", err)
	}
	g.facts.reset()
	clear(g.known)
	g.facts.oneWay, g.facts.either = goal.OneWay, either
	var both []graph.Dim
	for _, p := range goal.Where {
		w := rewrite.CondOf(p)
		g.facts.text[w.Text] = true
		both = append(both, w.Least...)
		if w.Mod != nil {
			g.facts.mods = append(g.facts.mods, *w.Mod)
		}
	}
	for _, b := range goal.Given {
		for _, it := range b.Shape {
			if d := it.Dim.Sub(graph.Int(1)); it.AxisRun == "" && !plain(d) {
				both = append(both, d)
			}
		}
	}
	var split [2][]rewrite.Cond
	for i, ts := range [2][]*law.Term{goal.LHS, goal.RHS} {
		needs, derived, err := rewrite.SideNeeds(false, ts, ty.Shape)
		if err != nil {
			return fmt.Errorf("assume: %w", err)
		}
		split[i] = derived
		if err := g.grantPlaces(i, ts, ty.Shape, ScopeOf(goal)); err != nil {
			return fmt.Errorf("assume: %w", err)
		}
		g.facts.side[i] = append(g.facts.side[i], both...)
		for _, w := range needs {
			g.facts.side[i] = append(g.facts.side[i], w.Least...)
			if w.Fit != nil {
				g.facts.fits[i][*w.Fit] = true
			}
			if w.Divides != nil {
				g.facts.multiples[i][*w.Divides] = true
			}
		}
	}
	// Derived operators may ask for more than what they stand for.
	d := forward | backward
	for i, other := range [2]directions{backward, forward} {
		for _, w := range split[i] {
			if g.facts.directions(w)&other == 0 {
				d &^= other
			}
		}
	}
	if !g.facts.enough(d) {
		return errors.New("assume: a derived operator of one side may be undefined where the other side is not")
	}
	return nil
}

// grant says whether the goal's facts give what a solution wants.
func (f *facts) grant(s *solution) bool {
	if len(s.wants) == 0 {
		return true
	}
	ok, known := f.memo[s]
	if !known {
		ok = true
		for _, w := range s.wants {
			ok = ok && (f.text[w.Text] || len(w.Least) > 0 && f.give(w.Least) || w.Mod != nil && f.divides(*w.Mod))
		}
		f.memo[s] = ok
	}
	return ok
}

func (f *facts) give(ds []graph.Dim) bool {
	for _, d := range ds {
		for i, side := range f.side {
			if !(i == 1 && f.oneWay) && !rewrite.Implied(d, side) {
				return false
			}
		}
	}
	return true
}

// plain says whether d is a polynomial of size variables alone. In the size of a
// window a variable must not be replaced by its remainder.
func plain(d graph.Dim) bool {
	terms, _ := d.Terms()
	for _, t := range terms {
		for _, a := range t.Atoms {
			if a.Kind != graph.AtomVar {
				return false
			}
		}
	}
	return true
}

// divides says whether r follows: what the goal states of single size variables
// is put in, and then all coefficients are multiples of k, or what is left is a
// multiple of a condition of the goal, as far as remainders go.
func (f *facts) divides(r rewrite.Residue) bool {
	b := &graph.Substitution{Dims: map[string]graph.Dim{}}
	for _, m := range f.mods {
		// v + c with c known: v leaves the remainder -c.
		terms, c := m.D.Terms()
		if m.K != r.K || len(terms) != 1 || len(terms[0].Atoms) != 1 || terms[0].Atoms[0].Kind != graph.AtomVar {
			continue
		}
		switch terms[0].Coef {
		case 1:
			b.Dims[terms[0].Atoms[0].Name] = graph.Int(-c)
		case -1:
			b.Dims[terms[0].Atoms[0].Name] = graph.Int(c)
		}
	}
	if plain(r.D) && multiple(r.D.Subst(b), r.K) {
		return true
	}
	for _, m := range f.mods {
		if m.K == r.K && (multiple(r.D.Sub(m.D), r.K) || multiple(r.D.Add(m.D), r.K)) {
			return true
		}
	}
	return false
}

// multiple says whether all coefficients of d are multiples of k.
func multiple(d graph.Dim, k int64) bool {
	terms, c := d.Terms()
	for _, t := range terms {
		if t.Coef%k != 0 {
			return false
		}
	}
	return c%k == 0
}
