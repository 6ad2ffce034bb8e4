package plan

import (
	"slices"

	"github.com/taso-go/taso/parallel"
)

// early moves updates that lead to collectives only, and collectives after which there is not
// more than before, to behind what they read: so what is sent for gradients is under way
// while derivatives of layers before are computed, also where a network multiplies
// gradients by a rate first. The others stay in the order of the graph.
func (p *program) early() {
	readers := make([][]int, len(p.slots))
	for i, s := range p.slots {
		for _, r := range s.reads {
			readers[r] = append(readers[r], i)
		}
	}
	moves := make([]bool, len(p.slots))
	for i := len(p.slots) - 1; i >= 0; i-- {
		s := &p.slots[i]
		switch {
		case s.adds:
			moves[i] = true
		case s.kept || s.inPlace:
		case s.kind != parallel.None:
			moves[i] = !s.enlarges
		case s.class == "update" && len(readers[i]) > 0 && len(s.reads) > 0:
			moves[i] = !slices.ContainsFunc(readers[i], func(r int) bool { return !moves[r] })
		}
	}
	at := slices.Repeat([]int{-1}, len(p.slots)) // where each slot is now
	var order []int
	ready := func(i int) bool {
		return !slices.ContainsFunc(p.slots[i].reads, func(r int) bool { return at[r] < 0 && len(p.slots[r].reads) > 0 })
	}
	var place func(i int)
	place = func(i int) {
		if at[i] >= 0 {
			return
		}
		for _, r := range p.slots[i].reads { // constants; others are there
			place(r)
		}
		if at[i] >= 0 { // behind a constant
			return
		}
		at[i] = len(order)
		order = append(order, i)
		for _, r := range readers[i] {
			if moves[r] && at[r] < 0 && ready(r) {
				place(r)
			}
		}
	}
	for i := range p.slots {
		place(i)
	}
	slots := make([]slot, len(order))
	for k, i := range order {
		slots[k] = p.slots[i]
		slots[k].reads = nil
		for _, r := range p.slots[i].reads {
			slots[k].reads = append(slots[k].reads, at[r])
		}
		slices.Sort(slots[k].reads)
	}
	p.slots = slots
}
