package enumerate

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/define"
)

// maxDefinedOperands is the most operands of an operator that is enumerated.
const maxDefinedOperands = 2

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
