package optimize

import (
	"cmp"
	"slices"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/search"
)

// LawUse says what came of a law.
type LawUse struct {
	Law string `json:"law"`
	// Tried are the moves of the law that all searches tried by themselves, Made those
	// of them that could be made and changed the network.
	Tried int `json:"tried"`
	Made  int `json:"made"`
	// EGraph is how often the law changed an e-graph.
	EGraph int `json:"egraph"`
	// Kept are the steps of the result that use the law, Together those of them that are
	// of a saturation.
	Kept     int `json:"kept"`
	Together int `json:"together"`
	// Paid is by how much the kept steps lowered the cost, those of a saturation left
	// out, for they have no cost of their own. It is below 0 for laws that make the
	// network dearer so that others pay.
	Paid cost.Seconds `json:"paid"`
}

// movesOf is the number of moves that searches tried.
func movesOf(all []*searching) (n int) {
	for _, s := range all {
		n += s.trail.Tried
	}
	return n
}

// tally says what came of each law.
func (r *Report) tally(all []*searching) {
	at := map[string]*LawUse{}
	of := func(name string) *LawUse {
		u := at[name]
		if u == nil {
			u = &LawUse{Law: name}
			at[name] = u
		}
		return u
	}
	for _, s := range all {
		for l, c := range s.tried {
			u := of(l.Name)
			u.Tried += c.tried
			u.Made += c.made
		}
		if s.stats != nil {
			for name, n := range s.stats.Uses {
				of(name).EGraph += n
			}
		}
	}
	for _, l := range all[0].o.Laws {
		of(l.Name)
	}
	for _, s := range r.Steps {
		u := of(s.Law)
		u.Kept++
		if s.Together {
			u.Together++
		} else {
			u.Paid += s.Before - s.After
		}
	}
	r.Laws = []LawUse{}
	for _, u := range at {
		r.Laws = append(r.Laws, *u)
	}
	slices.SortFunc(r.Laws, func(a, b LawUse) int {
		return cmp.Or(cmp.Compare(b.Paid, a.Paid), cmp.Compare(b.Kept, a.Kept), cmp.Compare(b.Made+b.EGraph, a.Made+a.EGraph), cmp.Compare(b.Tried, a.Tried), cmp.Compare(a.Law, b.Law))
	})
	for _, e := range all[0].unusable {
		r.Unusable = append(r.Unusable, e.Error())
	}
}

// mark finds what the model and the result do not have in common, by the names that
// nodes keep.
func (r *Result) mark(m *model.Model, d *search.Derivation) {
	kept := map[string]bool{}
	for id := range d.To.Nodes() {
		if !d.Made[id] {
			kept[d.To.Name(id)] = true
		}
	}
	changed := func(g *graph.Graph) map[graph.NodeID]bool {
		out := map[graph.NodeID]bool{}
		for id := range g.Nodes() {
			if g.Op(id) != nil && !kept[g.Name(id)] {
				out[id] = true
			}
		}
		return out
	}
	r.Gone, r.Made = map[graph.NodeID]bool{}, map[graph.NodeID]bool{}
	if len(r.Steps) > 0 {
		r.Gone, r.Made = changed(m.Graph), changed(r.Model.Graph)
	}
}
