package verifymodels

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/feed"
)

// Which elements of a tensor a gather reads is decided by numbers, so that a run
// may read few of them. What follows says which values have to be tried so that all
// are read.

// apart reports which index inputs pick from what is not the same in both
// models: a gather that both have reads the same from either, whatever it reads.
// computed names the gathers that are not the same and whose positions depend on
// more than one element of an input.
func (c *comparison) apart() (rows func(in input) bool, computed []string) {
	picks := map[int]bool{}
	for side, m := range []*model.Model{c.a, c.b} {
		own, other := c.numA, c.numB
		if side == 1 {
			own, other = other, own
		}
		for _, k := range feed.Pickings(m.Graph) {
			switch {
			case slices.Contains(other, own[k.Node]):
			case k.Input == 0:
				computed = append(computed, fmt.Sprintf("%s of %s", m.Graph.Name(k.Node), m.Name))
			default:
				picks[c.inputOf(side, k.Input)] = true
			}
		}
	}
	return func(in input) bool { return picks[in.number] }, computed
}

// inputOf is the number of an input node of A or B.
func (c *comparison) inputOf(side int, id graph.NodeID) int {
	if side == 0 {
		return -1 - c.leafA[id]
	}
	return -1 - c.leafB[id]
}
