package define_test

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/define"
	"github.com/taso-go/taso/graph/interp"
	_ "github.com/taso-go/taso/graph/op"
)

// An operator is its definition: shapes and values follow from the text.
func ExampleParse() {
	ds, err := define.Parse("cumsum.ops", "op running(X : [n, m]) : [n, m] at i, j = sum k in 0..i of X[k, j]")
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := interp.Apply(interp.Float{}, ds[0].Op(), nil, []interp.Tensor[float64]{{Sizes: []int{3, 1}, Data: []float64{1, 2, 3}}})
	fmt.Println(out[0].Data, err)

	_, err = define.Parse("next.ops", "op following(X : [n]) : [n] at i = X[i + 1]")
	fmt.Println(err)
	// Output:
	// [1 3 6] <nil>
	// next.ops:1:1: operator following: X[i + 1]: index i + 1 is not shown to be from 0 to n - 1
}

// Operators are known to the whole program from then on.
func ExampleRegister() {
	ds, _ := define.Parse("twice.ops", "op twice_as_much(x) = 2 * x")
	fmt.Println(define.Register(ds))
	_, known := graph.Lookup("twice_as_much")
	fmt.Println(known)
	// Output:
	// <nil>
	// true
}
