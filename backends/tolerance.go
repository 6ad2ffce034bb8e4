package backends

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/lower"
)

// What may be expected of numbers, by the types that graphs compute in.

// roundings is how many roundings of a narrow type outputs may be apart: one run rounds
// results that another one holds as float32.
const roundings = 16

// Tolerance is the deviation, relative to the largest element of an output, that is
// taken for rounding where two ways to compute graphs are compared: 1e-4, or 16
// roundings of the narrowest floating-point type in which an operator that outputs
// depend on has results, though never more than a quarter. That type is Float32 where
// none is narrower.
func Tolerance(gs ...*graph.Graph) (within float64, narrowest graph.DType) {
	return toleranceOf(computed(gs))
}

// OutputTolerance is Tolerance of one output, of which there is a tensor in each of the graphs:
// only what these depend on counts.
func OutputTolerance(gs []*graph.Graph, outs []graph.Tensor) (within float64, narrowest graph.DType) {
	var types []graph.DType
	for i, g := range gs {
		types = append(types, computedFor(g, outs[i])...)
	}
	return toleranceOf(types)
}

func toleranceOf(types []graph.DType) (within float64, narrowest graph.DType) {
	within = 1e-4
	for _, t := range types {
		if w := min(roundings*Rounding(t), 0.25); t.IsNarrow() && w > within {
			within, narrowest = w, t
		}
	}
	return within, narrowest
}

// computed are the types of the results of operators that outputs depend on.
func computed(gs []*graph.Graph) []graph.DType {
	seen := map[graph.DType]bool{}
	var list []graph.DType
	for _, g := range gs {
		for _, t := range computedFor(g, g.Outputs()...) {
			if !seen[t] {
				seen[t] = true
				list = append(list, t)
			}
		}
	}
	slices.Sort(list)
	return list
}

// computedFor are the types of the results of operators that tensors depend on.
func computedFor(g *graph.Graph, outs ...graph.Tensor) []graph.DType {
	uses := interp.ReadersFor(g, outs...)
	var list []graph.DType
	for id := range g.Nodes() {
		if g.Op(id) == nil || uses[id] == 0 {
			continue
		}
		for i := range g.NumOut(id) {
			if t := g.DType(id.Out(i)); !slices.Contains(list, t) {
				list = append(list, t)
			}
		}
	}
	slices.Sort(list)
	return list
}

// Arithmetic says in which types graphs are computed, such as "float32", or "float16 in
// float32, float64, bool in int64".
func Arithmetic(gs ...*graph.Graph) string {
	var parts []string
	for _, t := range computed(gs) {
		switch held := lower.Wide(t); {
		case held == t || t == graph.Uint64:
			parts = append(parts, t.String())
		default:
			parts = append(parts, fmt.Sprintf("%s in %s", t, held))
		}
	}
	if len(parts) == 0 {
		return graph.Float32.String()
	}
	return strings.Join(parts, ", ")
}
