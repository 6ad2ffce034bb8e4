package verifymodels

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// What a node does on a side of a point need not show in an output if the other model computes
// the same numbers in some node: then both do the same there, and whatever follows hides it in
// both or in neither.

// Limits of the results that are kept: runs, and elements of all of them.
const (
	keptRuns  = 48
	keptNotes = 1 << 21
)

// note keeps the results of a node in a run, for comparison with those of the other model.
func (w *watch) note(id graph.NodeID, out []interp.Tensor[float64]) {
	if !w.notes || len(out) != 1 || w.noted+len(out[0].Data) > keptNotes {
		return
	}
	of := w.results[id]
	if of == nil {
		of = map[int][]float64{}
		w.results[id] = of
	}
	if len(of) < keptRuns {
		of[w.run] = out[0].Data
		w.noted += len(out[0].Data)
	}
}

// alikeWith enters the points of nodes that compute the same as some node of the other model, in
// all runs that were kept and in one that reached the side.
func (w *watch) alikeWith(other *watch) {
	for _, p := range w.points {
		for s := range sides {
			from := s
			if p.choice && s == below {
				from = above
			}
			if p.need[s] && !p.shown[s] && p.seen[s] && w.computedBy(other, p.node, p.reachedIn[from]) {
				p.show(s)
			}
		}
	}
}

// computedBy reports whether a node of another model has the same results, in at least one of
// the runs named.
func (w *watch) computedBy(other *watch, id graph.NodeID, runs []int) bool {
	own := w.results[id]
	for _, of := range other.results {
		one := false
		for _, run := range runs {
			_, a := own[run]
			_, b := of[run]
			one = one || a && b
		}
		if one && sameResults(own, of) {
			return true
		}
	}
	return false
}

// sameResults reports whether the results of two nodes are the same in the runs of both, but
// for rounding, and are several numbers.
func sameResults(a, b map[int][]float64) bool {
	const enough = 8
	var first []float64
	common, varied := 0, false
	for run, x := range a {
		y, ok := b[run]
		if !ok {
			continue
		}
		if len(x) != len(y) {
			return false
		}
		if common++; first == nil {
			first = x
		}
		varied = varied || !slices.Equal(x, first)
		for i := range x {
			if !same64(x[i], y[i]) && !(math.Abs(x[i]-y[i]) <= 1e-6*max(math.Abs(x[i]), math.Abs(y[i]))) {
				return false
			}
		}
	}
	return varied && common >= enough
}
