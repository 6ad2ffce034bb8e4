package law_test

import (
	"fmt"

	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

func ExampleEach() {
	l, err := law.ParseLaw("axiom twice given X : [m, n] then transpose(transpose(X)) == X")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(law.Format(law.Each(l)))
	// Output:
	// axiom each_twice
	//   given X : [M.., m, n]
	//   then  each_transpose[over=[M..]](each_transpose[over=[M..]](X)) == X
}
