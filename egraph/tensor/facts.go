package tensor

import (
	"errors"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// facts are what a goal says of its sizes: its conditions, and the conditions
// under which its sides are defined. A law's condition that does not hold for
// all sizes has to follow from each side's facts, so that the proof is good
// from left to right and back; for a goal written with =>, from the left's.
type facts struct {
	text   map[string]bool // the goal's conditions, as written
	side   [2][]graph.Dim  // sizes that are at least 0 where the side is defined
	mods   []residue       // remainders that the goal's conditions state
	oneWay bool
	either bool // what one side of the goal grants is enough

	fits      [2]map[fit]bool
	multiples [2]map[multipleOf]bool
	memo      map[*solution]bool
}

// residue is a condition d % k == 0.
type residue struct {
	d graph.Dim
	k int64
}

// want is a condition that does not hold for all sizes.
type want struct {
	text  string      // granted if it is one of the goal's own conditions,
	least []graph.Dim // or if there are such sizes and all are at least 0,
	mod   *residue    // or if the remainder follows from those that it states

	// Of conditions under which a term is defined, instead of these:
	fit     *fit
	divides *multipleOf
}

func newFacts() facts {
	f := facts{text: map[string]bool{}, memo: map[*solution]bool{}}
	for i := range f.side {
		f.fits[i], f.multiples[i] = map[fit]bool{}, map[multipleOf]bool{}
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
		w := wantPred(p)
		g.facts.text[w.text] = true
		both = append(both, w.least...)
		if w.mod != nil {
			g.facts.mods = append(g.facts.mods, *w.mod)
		}
	}
	for _, b := range goal.Given {
		for _, it := range b.Shape {
			if d := it.Dim.Sub(graph.Int(1)); it.Run == "" && !plain(d) {
				both = append(both, d)
			}
		}
	}
	var split [2][]want
	for i, ts := range [2][]*law.Term{goal.LHS, goal.RHS} {
		needs, derived, err := sideNeeds(false, ts, ty.Shape)
		if err != nil {
			return fmt.Errorf("assume: %w", err)
		}
		split[i] = derived
		g.facts.side[i] = append(g.facts.side[i], both...)
		for _, w := range needs {
			g.facts.side[i] = append(g.facts.side[i], w.least...)
			if w.fit != nil {
				g.facts.fits[i][*w.fit] = true
			}
			if w.divides != nil {
				g.facts.multiples[i][*w.divides] = true
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

// wantPred writes a condition as sizes that are at least 0, where it can.
func wantPred(p law.Pred) want {
	w := want{text: p.String()}
	if p.Mod != nil {
		k, isConst := p.Mod.Const()
		r, known := p.Right.Const()
		if isConst && known && k >= 2 && r >= 0 && r < k && p.Rel == "==" {
			w.mod = &residue{p.Left.Sub(p.Right), k}
		}
		return w
	}
	d, one := p.Right.Sub(p.Left), graph.Int(1)
	switch p.Rel {
	case "==":
		w.least = []graph.Dim{d, d.Neg()}
	case "<=":
		w.least = []graph.Dim{d}
	case "<":
		w.least = []graph.Dim{d.Sub(one)}
	case ">=":
		w.least = []graph.Dim{d.Neg()}
	case ">":
		w.least = []graph.Dim{d.Neg().Sub(one)}
	}
	return w
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
			ok = ok && (f.text[w.text] || len(w.least) > 0 && f.give(w.least) || w.mod != nil && f.divides(*w.mod))
		}
		f.memo[s] = ok
	}
	return ok
}

func (f *facts) give(ds []graph.Dim) bool {
	for _, d := range ds {
		for i, side := range f.side {
			if !(i == 1 && f.oneWay) && !implied(d, side) {
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
func (f *facts) divides(r residue) bool {
	b := &graph.Binding{Dims: map[string]graph.Dim{}}
	for _, m := range f.mods {
		// v + c with c known: v leaves the remainder -c.
		terms, c := m.d.Terms()
		if m.k != r.k || len(terms) != 1 || len(terms[0].Atoms) != 1 || terms[0].Atoms[0].Kind != graph.AtomVar {
			continue
		}
		switch terms[0].Coef {
		case 1:
			b.Dims[terms[0].Atoms[0].Name] = graph.Int(-c)
		case -1:
			b.Dims[terms[0].Atoms[0].Name] = graph.Int(c)
		}
	}
	if plain(r.d) && multiple(r.d.Subst(b), r.k) {
		return true
	}
	for _, m := range f.mods {
		if m.k == r.k && (multiple(r.d.Sub(m.d), r.k) || multiple(r.d.Add(m.d), r.k)) {
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

// implied says whether d is at least 0 since one of the facts is.
func implied(d graph.Dim, facts []graph.Dim) bool {
	if d.NonNegative() {
		return true
	}
	for _, f := range facts {
		if d.Sub(f).NonNegative() {
			return true
		}
	}
	return false
}

// positive says whether a law's size variable may stand for d: d is at least 1
// for all sizes, or an axis of a tensor of the match, which it is wherever that
// is defined, or the goal has to grant it.
func (r *Rule) positive(d graph.Dim, key []uint32, out *solution) bool {
	less := d.Sub(graph.Int(1))
	if less.NonNegative() {
		return true
	}
	if d.Neg().NonNegative() {
		return false // never at least 1
	}
	for i := range r.vars {
		for _, it := range r.tab.shapes[key[len(r.nodes)+i]] {
			if it.Run == "" && it.Dim == d {
				return true
			}
		}
	}
	out.wants = append(out.wants, want{least: []graph.Dim{less}})
	return true
}
