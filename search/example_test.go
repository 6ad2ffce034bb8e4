package search_test

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/search"
)

const mergeProducts = `rule merge_products
  given X : [m, k], V : [k, a], W : [k, b]
  then  (matmul(X, V), matmul(X, W)) == split[axis=1, at=a](matmul(X, concat[axis=1](V, W)))
`

func merge(tb testing.TB) *search.Rules {
	tb.Helper()
	l, err := law.ParseLaw(mergeProducts)
	if err != nil {
		tb.Fatal(err)
	}
	r, _, err := search.NewRules([]*law.Law{l})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func Example() {
	g, err := graph.ParseText("", `
x : float32[4, 8]
v : weight float32[8, 16]
w : weight float32[8, 16]
q = matmul(x, v)
k = matmul(x, w)
return q, k
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	net, _, err := bank.From(g, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := law.ParseLaw(mergeProducts)
	if err != nil {
		fmt.Println(err)
		return
	}
	rules, _, err := search.NewRules([]*law.Law{l})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := search.NewRewriter(net, rules)
	r.All(func(m *search.Match) bool {
		if err := r.Apply(m); err != nil {
			fmt.Println(err)
		}
		return false // the network is another one now
	})
	g, _, err = net.Graph()
	fmt.Print(g, err)
	// Output:
	// x : float32[4, 8]
	// v : weight float32[8, 16]
	// w : weight float32[8, 16]
	// t4 = concat[axis=1](v, w)
	// t5 = matmul(x, t4)
	// q = slice[axis=1, lo=0, hi=16](t5)
	// k = slice[axis=1, lo=16, hi=32](t5)
	// return q, k
	//  <nil>
}
