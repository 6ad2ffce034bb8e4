package verifymodels

import (
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// naming is residues that remember which functions were random.
type naming struct {
	residues
	names map[string]bool
}

// Fn is FnOf for one element.
func (z naming) Fn(name string, x uint64) uint64 { return z.FnOf(name)(x) }

// FnOf is that of residues.
func (z naming) FnOf(name string) func(uint64) uint64 {
	before := *z.functions
	*z.functions = false
	f := z.residues.FnOf(name)
	if *z.functions {
		z.names[name] = true
	}
	*z.functions = *z.functions || before
	return f
}

// Max is that of residues.
func (z naming) Max(xs []uint64) uint64 {
	if len(xs) > 1 {
		z.names["maximum"] = true
	}
	return z.residues.Max(xs)
}

// Weights is that of residues.
func (z naming) Weights(at uint64, n int) []uint64 {
	z.names["the rows that are read"] = true
	return z.residues.Weights(at, n)
}

// opaque is that of residues.
func (z naming) opaque(g *graph.Graph, id graph.NodeID, in []interp.Tensor[uint64]) ([]interp.Tensor[uint64], error) {
	z.names[kindOf(g, id)] = true
	return z.residues.opaque(g, id, in)
}

// why is the reason of Undecided.
func (z naming) why() string {
	if len(z.names) == 0 {
		return "a reciprocal of 0 occurs" // modulo the prime, by chance
	}
	return "special properties of these functions were not used: " + strings.Join(slices.Sorted(maps.Keys(z.names)), ", ")
}
