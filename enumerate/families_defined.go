package enumerate

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/define"
)

// Limits of what is enumerated: operands of an operator, and elements of an operand.
const (
	maxDefinedOperands = 2
	maxDefinedElements = 4096
)

// enumerable tells why an operator that a text defines cannot be enumerated; nil: it can, or is
// none.
func enumerable(name string) error {
	o, ok := graph.Lookup(name)
	if !ok || o.Definition == nil {
		return nil
	}
	if o.In > maxDefinedOperands {
		return fmt.Errorf("operator %s has %d operands; operators of at most %d are enumerated", name, o.In, maxDefinedOperands)
	}
	if d, ok := o.Definition.(*define.Definition); ok {
		for _, sizes := range d.Examples() {
			elements := 1
			for _, n := range sizes {
				if elements *= n; elements > maxDefinedElements {
					return fmt.Errorf("operator %s has an operand of shape %s at the sizes that are enumerated; at most %d elements are, write smaller numbers in its shape",
						name, graph.Sizes(sizes...), maxDefinedElements)
				}
			}
		}
	}
	return nil
}

// definedFamily is the family of an operator that a text defines ([graph.Define]): it is tried with
// all operands that it accepts.
func definedFamily(name string) (family, bool) {
	o, ok := graph.Lookup(name)
	if !ok || o.Definition == nil || o.In > maxDefinedOperands {
		return family{}, false
	}
	f := always(o)
	f.types = func() []InputType { return definedTypes(o) }
	return f, true
}

// definedTypes are the inputs of the default for operators on matrices, and inputs for each operand
// of a definition that takes none of these.
func definedTypes(o *graph.Op) []InputType {
	var out []InputType
	for _, t := range DefaultTypes() {
		if len(t.Sizes) == 0 || len(t.Sizes) == 2 {
			out = append(out, t)
		}
	}
	d, ok := o.Definition.(*define.Definition)
	if !ok {
		return out
	}
	for _, sizes := range d.Examples() {
		if !slices.ContainsFunc(out, func(t InputType) bool { return slices.Equal(t.Sizes, sizes) }) {
			out = append(out, InputType{Name: "d" + graph.Sizes(sizes...).String(), Sizes: sizes, Count: 3, Defined: true})
		}
	}
	return out
}

// familiesOf are the families of names, those of the built-in operators and behind them those of
// operators that texts define.
func familiesOf(want map[string]bool) []family {
	out := families
	for _, o := range graph.Defined() {
		if f, ok := definedFamily(o.Name); ok && want[o.Name] {
			out = append(out[:len(out):len(out)], f)
		}
	}
	return out
}
