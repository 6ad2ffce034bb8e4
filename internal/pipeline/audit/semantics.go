package audit

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/rules/taso"
)

// Semantics is a reading of what the formats of others leave open.
type Semantics struct {
	Name string
	// Doc is one sentence.
	Doc string
	// Reading says what SAME padding, averages and groups mean.
	Reading taso.Reading
	// Broadcast: operands of sums and products of elements may differ in shape.
	Broadcast bool
	// Parallel: a reading of FlexFlow's parallel operators and its linear. Rules that
	// have such are read in these only, and other rules in the others only.
	Parallel bool
}

// GroupsNote is what the star in Doc says.
const GroupsNote = "* rules that have no shapes with one group are read with any number of groups"

// All are the readings, the strictest first: what holds in it leaves nothing
// open, so it holds for both ways to pad and to average. The sources are the
// generator, the verifier and the kernels of Jia et al., TASO (SOSP 2019), and
// the operator specifications of ONNX.
var All = []Semantics{
	{Name: "strict", Doc: "both SAME paddings, averages with and without padding, one group *, no broadcasting",
		Reading: taso.Reading{Same: taso.AnySame, Border: taso.AnyBorder}},
	{Name: "taso-generator", Doc: "SAME_UPPER, averages include padding, one group *, no broadcasting",
		Reading: taso.Reading{Same: graph.SameUpper, Border: "counted"}},
	{Name: "taso-runtime", Doc: "SAME_LOWER, averages include padding, any groups, broadcasting",
		Reading: taso.Reading{Same: graph.SameLower, Border: "counted", Grouped: true}, Broadcast: true},
	{Name: "onnx", Doc: "SAME_UPPER, averages exclude padding, one group *, broadcasting",
		Reading: taso.Reading{Same: graph.SameUpper, Border: "excluded"}, Broadcast: true},
	{Name: "replicas", Doc: "linear multiplies replica by replica (FlexFlow rules with linear or parallel operators)",
		Parallel: true},
	{Name: "unity", Doc: "linear reads the first replica of its operands and returns one (the same rules)",
		Reading: taso.Reading{Linear: taso.Replica0}, Parallel: true},
}

// FindSemantics is the reading of a name.
func FindSemantics(name string) (Semantics, error) {
	var names []string
	for _, s := range All {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Semantics{}, fmt.Errorf("unknown semantics %q%s", name, suggest.OneOf(name, names))
}
