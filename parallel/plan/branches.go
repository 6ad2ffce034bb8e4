package plan

import (
	"slices"

	"github.com/taso-go/taso/parallel/machine"
)

// Clusters, and the stages that they become, are a graph: each reads some before it. Where
// branches of a model are stages that do not read each other, they work on the same micro-batch
// at once, so that it is through sooner, and the first stages have fewer in flight (Jeon et al.,
// GraphPipe, ASPLOS 2025).

// after says which of n parts each part reads activations of, from 0 and in order; of is the part,
// from 1, of each node.
func (t *Training) after(of []int, n int) [][]int {
	out := make([][]int, n)
	each, _ := t.crossing(of, 1)
	for k := range each {
		if a, b := k[0]-1, k[1]-1; a < b {
			out[b] = append(out[b], a)
		}
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

// inRow makes each part wait for the one before it, too.
func inRow(after [][]int) [][]int {
	out := make([][]int, len(after))
	for i, list := range after {
		out[i] = slices.Clone(list)
		if i > 0 && !slices.Contains(list, i-1) {
			out[i] = append(out[i], i-1)
		}
	}
	return out
}

// branches reports whether some part does not read the one before it.
func branches(after [][]int) bool {
	for i, list := range after {
		if i > 0 && !slices.Contains(list, i-1) {
			return true
		}
	}
	return false
}

// merged is what stages read, each of some parts in a row; stage is that of each part, from 1.
func merged(after [][]int, stage []int, stages int) [][]int {
	out := make([][]int, stages)
	for i, list := range after {
		s := stage[i] - 1
		for _, a := range list {
			if k := stage[a] - 1; k != s && !slices.Contains(out[s], k) {
				out[s] = append(out[s], k)
			}
		}
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

// longest is the time of the slowest way through parts.
func longest(after [][]int, time func(i int) machine.Time) (most machine.Time) {
	at := make([]machine.Time, len(after))
	for i, list := range after {
		for _, a := range list {
			at[i] = max(at[i], at[a])
		}
		at[i] += time(i)
		most = max(most, at[i])
	}
	return most
}

// depths are, as in package schedule, how many parts there are from each to the last one on the
// longest way.
func depths(after [][]int) []int {
	out := make([]int, len(after))
	for i := len(after) - 1; i >= 0; i-- {
		out[i] = max(out[i], 1)
		for _, a := range after[i] {
			out[a] = max(out[a], out[i]+1)
		}
	}
	return out
}

// uneven are by how much the slowest stage may be slower than it must, in percent, so that fewer
// stages begin in the middle of a branch.
var uneven = []machine.Time{10, 30, 60}

// aligned divides clusters into stages in a row, like balance, so that few stages go on with what
// the one before them began: these wait for it. before is the time of each cluster and those
// before it.
func aligned(after [][]int, before []machine.Time, ends []int) (out [][]int) {
	work, cost := make([]int64, len(before)), make([]int64, len(before))
	for i, t := range before {
		work[i] = int64(t)
		if i > 0 && i < len(after) && slices.Contains(after[i], i-1) {
			cost[i] = 1
		}
	}
	slowest, from := machine.Time(0), 0
	for _, to := range ends {
		slowest, from = max(slowest, before[to]-before[from]), to
	}
	for _, more := range uneven {
		if list := cutBy(work, cost, len(ends), int64(slowest+slowest*more/100)); list != nil {
			out = append(out, list)
		}
	}
	return out
}
