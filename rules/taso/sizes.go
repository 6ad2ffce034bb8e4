package taso

import "github.com/taso-go/taso/graph"

// The equations between sizes that both sides of a rule of TASO's need, and what
// to suppose where they have no single solution.

// candidates lists equalities that would help to solve an equation between
// sizes, the best first: the sizes of the two sides pair by pair, then
// convolutions without groups.
func (t *translator) candidates(e [2]graph.Dim) [][2]graph.Dim {
	d := e[0].Sub(e[1])
	terms, constant := d.Terms()
	var out [][2]graph.Dim
	var side [2][]string // variables of the terms with either sign
	groups := map[string]bool{}
	for _, m := range terms {
		k := 0
		if m.Coef < 0 {
			k = 1
		}
		for _, a := range m.Atoms {
			if a.Kind == graph.AtomVar {
				side[k] = append(side[k], a.Name)
				// A product that is a constant: its factors may be 1.
				groups[a.Name] = t.groups[a.Name] || constant != 0 && len(terms) == 1
			}
		}
	}
	t.byAge(side[0])
	t.byAge(side[1])
	for _, p := range side[0] {
		for _, n := range side[1] {
			if p != n {
				out = append(out, [2]graph.Dim{graph.Var(p), graph.Var(n)})
			}
		}
	}
	var open []string
	for name, is := range groups {
		if is {
			open = append(open, name)
		}
	}
	t.byAge(open)
	for _, name := range open {
		out = append(out, [2]graph.Dim{graph.Var(name), graph.Int(1)})
	}
	return out
}

// settle solves the equations that are left by dividing them by what all their
// terms have in common, which is not 0; open is one that remains.
func (t *translator) settle() (open *[2]graph.Dim, err error) {
	tried := map[graph.Dim]bool{}
	for {
		pending := t.facts.Pending()
		if len(pending) == 0 {
			return nil, nil
		}
		progress := false
		for _, e := range pending {
			d := e[0].Sub(e[1])
			q := d.Reduced()
			if q == d || tried[q] {
				continue
			}
			tried[q], progress = true, true
			if err := t.facts.Eq(q, graph.Int(0)); err != nil {
				return nil, err
			}
		}
		if !progress {
			return &pending[0], nil
		}
	}
}
