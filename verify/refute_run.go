package verify

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

// evaluate runs all steps of a program on the inputs' values, given one after
// the other; call is the function variables.
func evaluate[T any](p *program, r interp.Ring[T], call func(fn string, x T) T, vals []T) [][]T {
	ins := make([][]T, len(p.inputs))
	for i, in := range p.inputs {
		n := graph.NumElements(in.sizes)
		ins[i], vals = vals[:n], vals[n:]
	}
	res := make([][]T, len(p.steps))
	for i, st := range p.steps {
		switch {
		case st.input > 0:
			res[i] = ins[st.input-1]
		case st.fn != "":
			x := res[st.args[0]]
			y := make([]T, len(x))
			for j := range x {
				y[j] = call(st.fn, x[j])
			}
			res[i] = y
		default:
			args := make([][]T, len(st.args))
			for j, a := range st.args {
				args[j] = res[a]
			}
			res[i] = interp.Run(r, st.mean, args)[st.term.Out]
		}
	}
	return res
}

// rationals runs a program in exact arithmetic.
func (p *program) rationals(vals []interp.Q) [][]interp.Q {
	return evaluate(p, interp.Ring[interp.Q](&p.fns), p.fns.call, vals)
}

// bounds runs a program between bounds. A function variable has a value where
// its argument is exact.
func (p *program) bounds(vals []interp.Q) [][]interp.Bound {
	var r interp.Bounds
	call := func(fn string, x interp.Bound) interp.Bound { return r.OfQ(p.fns.call(fn, x.Q)) }
	return evaluate(p, interp.Ring[interp.Bound](r), call, bounded(vals))
}

func bounded(vals []interp.Q) []interp.Bound {
	out := make([]interp.Bound, len(vals))
	for i, q := range vals {
		out[i] = interp.Bounds{}.OfQ(q)
	}
	return out
}

// run evaluates all steps.
func (p *program) run(vals []interp.Q) [][]interp.Bound {
	if p.real {
		return p.bounds(vals)
	}
	res := p.rationals(vals)
	out := make([][]interp.Bound, len(res))
	for i := range res {
		out[i] = bounded(res[i])
	}
	return out
}

// differ is the first output whose values differ, or -1. Where arithmetic
// overflowed nothing is said.
func (p *program) differ(vals []interp.Q) int {
	if !p.real {
		res := p.rationals(vals)
		for i := range p.out[0] {
			if _, ok := firstDiff(res[p.out[0][i]], res[p.out[1][i]], unequal); ok {
				return i
			}
		}
		return -1
	}
	res := p.bounds(vals)
	for i := range p.out[0] {
		if _, ok := firstDiff(res[p.out[0][i]], res[p.out[1][i]], distinct); ok {
			return i
		}
	}
	return -1
}

// firstDiff is the first element in which x and y differ.
func firstDiff[T any](x, y []T, differ func(a, b T) bool) (int, bool) {
	for i := range x {
		if differ(x[i], y[i]) {
			return i, true
		}
	}
	return 0, false
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
