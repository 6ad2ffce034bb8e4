package builtin_test

import (
	"bytes"
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
	// # Two matrix products with the same left operand are one product with the right operands
	// # concatenated, split along columns.
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

func ExampleHeads() {
	laws, err := builtin.Heads()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range laws {
		fmt.Println(l.Name)
	}
	// Output:
	// merge_parted_products
	// part_bias_columns
	// join_bias_heads
	// lift_bias_heads
	// transpose_slice_front
	// transpose_slice_keys
	// part_and_join
	// join_and_part
}

func ExampleAll() {
	laws, err := builtin.All()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(laws[0].Name, laws[len(laws)-1].Name)
	// Output: merge_products ewmin_comm
}

func ExampleCertificates() {
	r, err := law.NewCertReader(bytes.NewReader(builtin.Certificates()), "laws.cert")
	if err != nil {
		fmt.Println(err)
		return
	}
	e, lemma, err := r.Next()
	fmt.Println(e.ID, lemma, err)
	// Output: smul_comm true <nil>
}
