package fingerprint_test

import (
	"fmt"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph/op"
)

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
