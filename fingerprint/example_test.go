package fingerprint_test

import (
	"fmt"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// A true law holds on random inputs, a false one does not.
func ExampleCompare() {
	env := &fingerprint.Env{Binding: graph.Binding{Dims: map[string]graph.Dim{"a": graph.Int(2), "b": graph.Int(3)}}}
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
		out, err := fingerprint.Compare[uint64](fingerprint.Zp{}, l, env, input)
		fmt.Println(out, err)
	}
	// Output:
	// equal <nil>
	// differs <nil>
	// not an instance <nil>
}

// The shape is part of a fingerprint.
func ExampleSum() {
	x, y := []uint64{1, 2, 3, 4, 5, 6}, []uint64{1, 2, 3, 4, 5, 6}
	fmt.Println(fingerprint.Sum([]int{2, 3}, x) == fingerprint.Sum([]int{2, 3}, y))
	fmt.Println(fingerprint.Sum([]int{2, 3}, x) == fingerprint.Sum([]int{3, 2}, y))
	// Output:
	// true
	// false
}

// A kernel evaluates an operator for operands of fixed sizes.
func ExampleZp_Compile() {
	m, err := op.MatMul.Program(nil, [][]int{{1, 2}, {2, 2}}, [][]int{{1, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	k := fingerprint.Zp{}.Compile(m)
	out := make([]uint64, k.Len(0))
	k.Into(out, 0, []uint64{1, fingerprint.P - 1}, []uint64{5, 7, 3, 2})
	fmt.Println(out)
	// Output: [2 5]
}

// The probability that some two of a million different graphs of four
// operators meet, with one seed and with two.
func ExampleCollisionBound() {
	fmt.Printf("%.0e %.0e\n", fingerprint.CollisionBound(1e6, 4, 1), fingerprint.CollisionBound(1e6, 4, 2))
	// Output: 3e-06 2e-23
}
