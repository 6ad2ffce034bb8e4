package randnet_test

import (
	"fmt"

	"github.com/taso-go/taso/internal/randnet"
)

func ExampleModel() {
	m, err := randnet.Model(7)
	if err != nil {
		fmt.Println(err)
		return
	}
	again, _ := randnet.Model(7)
	fmt.Println(m.Name, m.Graph.String() == again.Graph.String())
	// Output: random-7 true
}
