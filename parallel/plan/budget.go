package plan

import (
	"github.com/taso-go/taso/parallel/machine"
)

const (
	// layoutNodes is how many nodes all layouts together have that a planner of pipelines
	// makes: each costs time by the nodes of the training step, and by the devices, for the
	// collectives among which are as many as deviceNodes nodes.
	layoutNodes = 48_000
	deviceNodes = 8
	// leastLayouts is how many it makes at least.
	leastLayouts = 6
)

// layouts is how many layouts a planner of pipelines may make of the training step: all
// that it would, of a small one.
func (j *Job) layouts() int {
	return max(leastLayouts, layoutNodes/(j.Training.Graph.Len()+deviceNodes*j.Devices))
}

// descend looks at points of a grid, at most so many, and reports whether it has looked at
// all. If they are more, it begins with one row after another, evenly, in the middle column
// and in the first one of the first row, and goes on beside the point that is best so far, of
// which not all neighbours are known. look gives what a point promises; never: it is none, and
// does not count.
func descend(rows, columns, most int, look func(row, column int) (machine.Time, error)) (all bool, err error) {
	type point struct{ row, column int }
	known := map[point]machine.Time{}
	var order []point // those looked at
	count := 0        // without those that are none
	at := func(p point) error {
		if _, ok := known[p]; ok || p.row < 0 || p.row >= rows || p.column < 0 || p.column >= columns || count >= most {
			return nil
		}
		t, err := look(p.row, p.column)
		known[p], order = t, append(order, p)
		if t < never {
			count++
		}
		return err
	}
	var first []point
	if rows*columns <= most {
		for r := range rows {
			for c := range columns {
				first = append(first, point{r, c})
			}
		}
	} else {
		n := min(rows, (most+1)/2)
		first = append(first, point{0, 0})
		for i := range n {
			first = append(first, point{i * (rows - 1) / max(n-1, 1), columns / 2})
		}
	}
	for _, p := range first {
		if err := at(p); err != nil {
			return false, err
		}
	}
	for done := map[point]bool{}; count < most && len(done) < len(order); {
		i := -1
		for k, p := range order {
			if !done[p] && (i < 0 || known[p] < known[order[i]]) {
				i = k
			}
		}
		best := order[i]
		done[best] = true
		for _, d := range []point{{0, 1}, {0, -1}, {1, 0}, {-1, 0}} {
			if err := at(point{best.row + d.row, best.column + d.column}); err != nil {
				return false, err
			}
		}
	}
	return len(order) == rows*columns, nil
}

// manyLayouts is how many layouts alpa makes about on some hundred devices. With fewer to be
// made it looks at the middle numbers of micro-batches only, and at submeshes of one device, of
// nodes of which each is four times as many as before, and of all devices, with samples
// dealt out, and parts of weights within nodes.
const manyLayouts = 48

// few are the middle ones of the numbers of micro-batches, if layouts are to be few.
func (j *Job) few(micro []int) []int {
	if j.layouts() >= manyLayouts || len(micro) < 4 {
		return micro
	}
	return micro[1:3]
}

// skips reports whether a layout is one of those that are left out.
func (j *Job) skips(l *layoutOf) bool {
	if j.layouts() >= manyLayouts {
		return false
	}
	for _, k := range l.looks {
		if k.means == All || k.means == FSDP {
			return true
		}
	}
	per := j.Cluster.PerNode()
	if len(l.degrees) == 1 && l.looks[0].means == Megatron && l.devices > per {
		return true
	}
	for n := 1; n < l.devices; n *= 4 {
		if l.devices == n*per*2 {
			return true
		}
	}
	return l.devices > 1 && l.devices < per
}
