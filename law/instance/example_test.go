package instance_test

import (
	"fmt"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// A true law holds on random inputs, a false one does not.
func ExampleCompare() {
	env := &law.Valuation{Binding: graph.Binding{Dims: map[string]graph.Dim{"a": graph.Int(2), "b": graph.Int(3)}}}
	input := func(name string, n int) []uint64 { return fingerprint.Random(1, name, n) }
	for _, text := range []string{
		"rule r given A : [a, b] then transpose(transpose(A)) == A",
		"rule r given A : [a, b] then ewmul(A, A) == ewadd(A, A)",
		"rule r given A : [a, b] where a > b then A == A",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		out, err := instance.Compare[uint64](fingerprint.Zp{}, l, env, input)
		fmt.Println(out, err)
	}
	// Output:
	// equal <nil>
	// differs <nil>
	// not an instance <nil>
}
