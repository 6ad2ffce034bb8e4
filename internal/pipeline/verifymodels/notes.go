package verifymodels

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// notes are what the comparison takes for granted.
func (c *comparison) notes() []string {
	var notes []string
	ib := c.b.Inputs()
	var places []string
	for _, in := range c.ins {
		if other := c.b.Graph.Name(ib[in.place]); other != in.name {
			places = append(places, in.name+" with "+other)
		}
		if in.computed {
			notes = append(notes, fmt.Sprintf("input %s: positions are computed from it; its elements are 0 to %d, and others in one run in floating point", in.name, in.below-1))
		} else if in.index {
			notes = append(notes, fmt.Sprintf("input %s selects positions: its elements are %d to %d", in.name, -in.rows, in.rows-1))
		}
	}
	if len(places) > 0 {
		notes = append(notes, "inputs are paired by their order: "+strings.Join(places, ", "))
	}
	for i, j := range c.outs {
		if i != j {
			notes = append(notes, "outputs are paired by name: the models have them in different orders")
			break
		}
	}
	if types := wide(c.a, c.b); len(types) > 0 {
		notes = append(notes, "results are assumed to be exact and within the range of their types: "+strings.Join(types, ", "))
	}
	kinds := map[string]bool{}
	for _, m := range []*model.Model{c.a, c.b} {
		uses := interp.Readers(m.Graph)
		for id := range m.Graph.Nodes() {
			if uses[id] > 0 && isOpaque(m.Graph, id) {
				kinds[kindOf(m.Graph, id)] = true
			}
		}
	}
	if len(kinds) > 0 {
		notes = append(notes, "opaque nodes are treated as functions of their operands: "+strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	return notes
}
