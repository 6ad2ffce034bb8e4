package plan

import (
	"slices"

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

// layoutsOf is how many layouts a planner of pipelines may make of a training step: all
// that it would, of a small one.
func layoutsOf(t *Training, devices int) int {
	return max(leastLayouts, layoutNodes/(t.Graph.Len()+deviceNodes*devices))
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
// made it looks at those which people use.
const manyLayouts = 48

// few reports whether layouts are to be few.
func (x *intra) few() bool { return layoutsOf(x.by.small.Training, x.j.Devices) < manyLayouts }

// manySamples is of how many samples a step may be for the samples of a micro-batch to say how many
// of these are looked at.
const manySamples = 1024

// near are numbers of micro-batches, by their samples those first that people use, and how
// many layouts may be made, if a pipeline fits, before the next one is looked at.
func (x *intra) near() (micro []int, most int) {
	samples := x.j.Training.samples()
	for _, b := range []int{8, 2, 1, 32, 64, 16, 4, 128} {
		if samples%b == 0 && samples <= manySamples {
			micro = append(micro, samples/b)
		}
	}
	add := func(n int) {
		if samples%n == 0 && !slices.Contains(micro, n) {
			micro = append(micro, n)
		}
	}
	for _, n := range []int{16, 64, 4, 256, 1} { // of many samples
		add(n)
	}
	if samples > manySamples {
		for _, b := range []int{8, 2, 1} { // so many of a node's device
			if b *= min(x.j.Devices, x.j.Cluster.PerNode()); samples%b == 0 {
				add(samples / b)
			}
		}
	}
	return micro, layoutsOf(x.by.small.Training, x.j.Devices)
}

// samples is how many a step has: the fewest along the first axis of inputs that are neither weights
// nor kept.
func (t *Training) samples() (n int) {
	fresh := t.fresh()
	for _, id := range t.Graph.Inputs() {
		if sizes := t.Graph.Sizes(id.Out(0)); fresh[id] && len(sizes) > 0 && (n == 0 || sizes[0] < n) {
			n = sizes[0]
		}
	}
	return max(n, 1)
}
