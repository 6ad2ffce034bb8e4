package builtin_test

import (
	"fmt"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/builtin"

	_ "github.com/taso-go/taso/graph/op"
)

func ExampleNetworks() {
	laws, err := builtin.Networks()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(law.Format(laws[0]))
	// Output:
	// # Products with the same left factor are one product, cut into its parts.
	// rule merge_products
	//   given X : [m, k], V : [k, a], W : [k, b]
	//   then  (matmul(X, V), matmul(X, W)) == split[axis=1, at=a](matmul(X, concat[axis=1](V, W)))
}

func ExampleExchanges() {
	laws, err := builtin.Exchanges()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(laws[0].Name, laws[0].LHS[0], laws[0].RHS[0])
	// Output:
	// ewmin_comm ewmin(X, Y) ewmin(Y, X)
}
