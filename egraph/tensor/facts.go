package tensor

import (
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
	oneWay bool
	memo   map[*solution]bool
}

// want is a condition that does not hold for all sizes.
type want struct {
	text  string      // granted if it is one of the goal's own conditions,
	least []graph.Dim // or if there are such sizes and all are at least 0
}

func newFacts() facts { return facts{text: map[string]bool{}, memo: map[*solution]bool{}} }

func (f *facts) reset() {
	clear(f.text)
	clear(f.memo)
	f.side[0], f.side[1], f.oneWay = f.side[0][:0], f.side[1][:0], false
}

// Assume grants the goal's conditions, and those under which its sides are
// defined. The error says that the goal is ill-typed.
func (g *Graph) Assume(goal *law.Law) error {
	ty, err := goal.Types()
	if err != nil {
		return fmt.Errorf("assume: %w", err)
	}
	g.facts.reset()
	g.facts.oneWay = goal.OneWay
	var both []graph.Dim
	for _, p := range goal.Where {
		w := wantPred(p)
		g.facts.text[w.text] = true
		both = append(both, w.least...)
	}
	for i, needs := range [2][]graph.Need{ty.LeftNeeds, ty.RightNeeds} {
		g.facts.side[i] = append(g.facts.side[i], both...)
		for _, n := range needs {
			if n.Rel == "<=" {
				g.facts.side[i] = append(g.facts.side[i], n.Right.Sub(n.Left))
			}
		}
	}
	return nil
}

// wantPred writes a condition as sizes that are at least 0, where it can.
func wantPred(p law.Pred) want {
	w := want{text: p.String()}
	if p.Mod != nil {
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
			ok = ok && (f.text[w.text] || len(w.least) > 0 && f.give(w.least))
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
