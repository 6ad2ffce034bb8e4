package refute

import (
	"math"
	"slices"
	"strconv"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// isReal says whether a meaning has a function that takes rationals to numbers
// that are none, but have bounds.
func isReal(m *graph.Program) bool {
	return slices.ContainsFunc(m.Steps, func(st graph.Step) bool {
		return st.Kind == graph.StepMap && interp.Bounds{}.HasBounds(st.Fn)
	})
}

func bounded(vals []interp.Q) []interp.Bound {
	out := make([]interp.Bound, len(vals))
	for i, q := range vals {
		out[i] = interp.Bounds{}.OfQ(q)
	}
	return out
}

func unequal(a, b interp.Q) bool { return a != b && !a.IsBad() && !b.IsBad() }

// clearly is how far bounds have to be from each other, for numbers near 1: so far
// that what is printed of them differs. Bounds that are closer than closely are
// printed as one number.
const (
	clearly = 1e-6
	closely = 1e-9
)

// distinct says whether two numbers differ for certain.
func distinct(a, b interp.Bound) bool {
	if !a.Q.IsBad() && !b.Q.IsBad() {
		return a.Q != b.Q
	}
	if !a.IsKnown() || !b.IsKnown() {
		return false
	}
	far := clearly * max(1, math.Abs(a.Lo), math.Abs(a.Hi), math.Abs(b.Lo), math.Abs(b.Hi))
	return a.Lo-b.Hi > far || b.Lo-a.Hi > far
}

// formatBound writes an exact number as such, one between bounds that are close
// in 9 digits, or else both bounds.
func formatBound(b interp.Bound) string {
	digits := func(x float64) string { return strconv.FormatFloat(x, 'g', 9, 64) }
	switch {
	case !b.Q.IsBad():
		return formatQ(b.Q)
	case !b.IsKnown():
		return formatQ(interp.Bad)
	case b.Hi-b.Lo < closely && max(math.Abs(b.Lo), math.Abs(b.Hi)) < closely:
		return "about 0"
	case b.Hi-b.Lo < closely*max(1, math.Abs(b.Lo)):
		return "about " + digits((b.Lo+b.Hi)/2)
	}
	return digits(b.Lo) + " to " + digits(b.Hi)
}
