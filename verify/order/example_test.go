package order_test

import (
	"fmt"
	randv2 "math/rand/v2"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/order"
)

func randV2(seed int64) *randv2.Rand { return randv2.New(randv2.NewPCG(uint64(seed), 1)) }

func ExampleProve() {
	l, err := law.ParseLaw("rule r given X : [P..], Y : [P..] then ewmax(X, Y) => ewadd(Y, relu(ewsub(X, Y)))")
	if err != nil {
		panic(err)
	}
	p, err := order.Prove(l)
	if err != nil {
		panic(err)
	}
	d, err := order.Check(l, p)
	fmt.Println(d.Forward, err)
	// Output: true <nil>
}
