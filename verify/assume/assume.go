package assume

import (
	"maps"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
)

// Name is the name of an assumption.
type Name string

// The assumptions.
const (
	Reals        Name = "reals"
	FiniteInputs Name = "finite-inputs"
	NoOverflow   Name = "no-overflow"
	Defined      Name = "defined"
	Modulus      Name = "modulus"
	Opaque       Name = "opaque"
	Defaults     Name = "defaults"
	Sizes        Name = "sizes"
)

// All returns all assumptions, in the order in which they are listed.
func All() []Name {
	return []Name{Reals, FiniteInputs, NoOverflow, Defined, Modulus, Opaque, Defaults, Sizes}
}

var definitions = map[Name]string{
	Reals:        "floating-point numbers are real numbers: rounding, overflow, underflow and the sign of zero are ignored",
	FiniteInputs: "floating-point inputs are finite: no element is NaN or infinite",
	NoOverflow:   "results of integer operators fit their element type: none wraps around",
	Defined:      "every function has a value where it is applied: no divisor is 0, no logarithm or root is of a negative number",
	Modulus:      "coefficients in which the models differ are not all multiples of the prime 2^61 - 1, modulo which they are compared",
	Opaque:       "an operator that taso does not understand gives the same results for the same operands in both models, these are finite, and they have the type and the sizes that the file declares",
	Sizes:        "what is computed from dynamic sizes is exact: no integer wraps around, and no size is rounded",
	Defaults:     "with --defaults: inputs to which a model file gives a default keep it",
}

// Definition says what is assumed, as a sentence without its period.
func (n Name) Definition() string { return definitions[n] }

// Set is a set of assumptions.
type Set map[Name]bool

// Add adds assumptions.
func (s Set) Add(names ...Name) {
	for _, n := range names {
		s[n] = true
	}
}

// List returns the assumptions in the order of [All]; it is never nil.
func (s Set) List() []Name {
	list := []Name{}
	for _, n := range All() {
		if s[n] {
			list = append(list, n)
		}
	}
	return list
}

// Join returns the assumptions of any of several lists, each once.
func Join(lists ...[]Name) []Name {
	s := Set{}
	for _, l := range lists {
		s.Add(l...)
	}
	return s.List()
}

// Computes reports whether an operator makes new numbers of its operands, as sums and
// functions do. One that only moves elements, or makes constants, does not.
func Computes(op *graph.Op) bool { return op.In > 0 && !op.Moves && !op.Rearranges && !op.Counts }

// Partial reports whether a function has no finite value for some finite operands. It is
// tried at small numbers. A function with attributes that are not numbers, as in a law, is
// tried with 1 in their place.
func Partial(op *graph.Op, a graph.Attrs) bool {
	at := []float64{-2, -1, -0.5, 0, 0.5, 1, 2}
	switch {
	case op.Pointwise && op.Value != nil:
		_, params, err := graph.ParseFunc(graph.FuncText(op.Name, a...))
		if err != nil || len(params) != len(op.Params) {
			params = slices.Repeat([]float64{1}, len(op.Params))
		}
		f := op.Value(params)
		return slices.ContainsFunc(at, func(x float64) bool { return !isFinite(f(x)) })
	case op.Elementwise && op.In == 2:
		for _, x := range at {
			for _, y := range at {
				scalars := []interp.Tensor[float64]{{Sizes: []int{}, Data: []float64{x}}, {Sizes: []int{}, Data: []float64{y}}}
				out, err := interp.Apply(interp.Float{}, op, a, scalars)
				if err != nil || !isFinite(out[0].Data[0]) {
					return true
				}
			}
		}
	}
	return false
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// OfLaw returns what a use of a law takes for granted. Laws are about real numbers: one that
// only moves elements holds for all others as well.
func OfLaw(l *law.Law) Set {
	s := Set{}
	l.EachTerm(func(t *law.Term) {
		if t.Op == nil {
			return
		}
		if Computes(t.Op) {
			s.Add(Reals, FiniteInputs)
		}
		if Partial(t.Op, t.Attrs) {
			s.Add(Defined)
		}
	})
	return s
}

// Union adds all assumptions of other sets.
func (s Set) Union(others ...Set) {
	for _, o := range others {
		maps.Copy(s, o)
	}
}
