package tensor

import (
	"fmt"

	"github.com/taso-go/taso/egraph"
)

// Matches counts the places in the graph where the rule applies, by searching all
// of it. The graph must not have been changed since its last Run.
func (r *Rule) Matches(g *Graph) (int, error) {
	found := 0
	_, err := r.matcher.Search(g.e, 0, func(m *egraph.Match) bool {
		g.key = g.key[:0]
		for i := range r.dir.Nodes {
			g.key = append(g.key, g.e.Sym(m.Node(i)))
		}
		for i := range r.dir.Vars {
			g.key = append(g.key, g.e.Type(m.Var(i)))
		}
		if g.tab.solution(r, g.key) != nil {
			found++
		}
		return true
	})
	if err != nil {
		return 0, fmt.Errorf("law %s: search: %w", r.Law.Name, err)
	}
	return found, nil
}
