package search

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Derivation is a network that was reached from another one by laws.
type Derivation struct {
	// To is the network that was reached. Names of its nodes are those of the nodes
	// that they replace.
	To *graph.Graph
	// Made are its nodes that were not in the network before.
	Made map[graph.NodeID]bool
	// Equation says that both networks are equal: the outputs of one and of the
	// other, and what their cut tensors are computed from ([Network]).
	Equation *law.Law
	// Proof are the instances from which the equation follows by congruence.
	Proof *law.Proof
	// Laws are those that the instances name.
	Laws map[string]*law.Law
}

// EquationName is the name of a derivation's equation.
const EquationName = "network"

// Derivation is what has become of the network so far.
func (n *Network) Derivation() (*Derivation, error) {
	to, of, err := n.Net.Graph()
	if err != nil {
		return nil, fmt.Errorf("write the network: %w", err)
	}
	made := map[graph.NodeID]bool{}
	for id, x := range of {
		made[id] = int(x) > n.original
	}
	right := n.Right() // may name a tensor
	return &Derivation{
		To:       to,
		Made:     made,
		Equation: law.Stated(&law.Law{Kind: law.Rule, Name: EquationName, Given: n.Given(), LHS: n.Left(), RHS: right, Where: n.Where(n.Given())}),
		Proof:    &law.Proof{Instances: n.Proof()},
		Laws:     n.Laws(),
	}, nil
}
