package instance

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
)

// Outcome is what the two sides of a law are on one instance.
type Outcome uint8

const (
	// Undefined: neither side is defined.
	Undefined Outcome = iota
	// Equal: both sides defined, same shapes, same values.
	Equal
	// Differs: both defined, but shapes or values differ.
	Differs
	// OneSided: only one side is defined.
	OneSided
	// NotAnInstance: the given shapes or conditions do not hold, or nothing can be
	// said.
	NotAnInstance
)

// String names the outcome.
func (o Outcome) String() string {
	return [...]string{"undefined", "equal", "differs", "one-sided", "not an instance"}[o]
}

// Input draws the elements of a tensor given.
type Input[T any] func(name string, n int) []T

// maxCells is how many elements a tensor may have that Compare evaluates.
const maxCells = 1 << 24

// Compare evaluates both sides of l on one instance. It is an error if the sides
// have different numbers of outputs, or a variable's value is not there.
func Compare[T comparable](r interp.Ring[T], l *law.Law, v *Valuation, input Input[T]) (Outcome, error) {
	p, err := New(l)
	if err != nil {
		return NotAnInstance, err
	}
	return CompareAt(p, r, v, input)
}

// CompareAt is Compare for a law whose subterms are numbered.
func CompareAt[T comparable](p *Program, r interp.Ring[T], v *Valuation, input Input[T]) (Outcome, error) {
	given, ok, err := p.Given(v)
	if !ok || err != nil {
		return NotAnInstance, err
	}
	in, err := p.At(v, given)
	if err != nil {
		return NotAnInstance, nil
	}
	switch out, _ := in.Shapes(); out {
	case OneSided:
		if _, err := in.Undefined(0); err != nil {
			return out, fmt.Errorf("left side: %w", err)
		}
		_, err := in.Undefined(1)
		return out, fmt.Errorf("right side: %w", err)
	case Undefined, Differs:
		return out, nil
	}
	if in.Compile(maxCells) != nil {
		return NotAnInstance, nil
	}
	inputs := make([][]T, len(given))
	for i, b := range p.Inputs {
		inputs[i] = input(b.Name, graph.NumElements(given[i]))
	}
	val := Run(in, r, inputs)
	out := Equal
	for k := range p.Out[0] {
		x, y := val[p.Out[0][k]], val[p.Out[1][k]]
		if overflown(x) || overflown(y) {
			return NotAnInstance, nil
		}
		if !slices.Equal(x, y) {
			out = Differs
		}
	}
	return out, nil
}

// overflown reports whether a rational computation left its range, in which
// case nothing can be said.
func overflown[T any](xs []T) bool {
	for _, x := range xs {
		q, ok := any(x).(interp.Q)
		if !ok {
			return false
		}
		if q.IsBad() {
			return true
		}
	}
	return false
}
