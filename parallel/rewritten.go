package parallel

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Rewriting says that a network computes what another one does: instances of laws, over the
// inputs of the network as X0, X1, .., from which that follows by congruence
// (search.Derivation).
type Rewriting struct {
	To        *graph.Graph
	Instances []law.Instance
	Laws      map[string]*law.Law
	// Evidence are proofs of Laws, by name; of one without any, those who check must know that
	// it holds.
	Evidence map[string]*law.Proof
}

// NewLayingOf begins with a graph that was rewritten: what is laid out is the other graph, and
// the equation is about the one that came. Errors: inputs or outputs that are not the same
// in number, type and order. That the instances show what they are said to is for
// verify/check to see.
func NewLayingOf(g *graph.Graph, r *Rewriting, of *Strategies) (*Laying, error) {
	was, l := NewLaying(g, of), NewLaying(r.To, of)
	if err := SameEnds(g, r.To); err != nil {
		return nil, fmt.Errorf("lay out a rewritten network: %w", err)
	}
	l.given, l.left = was.given, was.left
	l.insts = slices.Clone(r.Instances)
	for name, x := range r.Laws {
		l.laws[name] = x
	}
	l.evidence = r.Evidence
	return l, nil
}

// SameEnds checks that two networks have inputs and outputs of the same types in the same
// order.
func SameEnds(g, h *graph.Graph) error {
	types := func(g *graph.Graph) (out []string) {
		for _, id := range g.Inputs() {
			out = append(out, fmt.Sprint("input ", g.Type(id.Out(0))))
		}
		for _, t := range g.Outputs() {
			out = append(out, fmt.Sprint("output ", g.Type(t)))
		}
		return out
	}
	if a, b := types(g), types(h); !slices.Equal(a, b) {
		return fmt.Errorf("it has %v, and what came has %v", b, a)
	}
	return nil
}
