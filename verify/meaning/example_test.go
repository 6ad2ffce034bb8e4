package meaning_test

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
)

func ExampleCheck() {
	laws, err := law.Parse("example", []byte(`
# Rows of the left factor are rows of the product.
axiom matmul_concat_rows
  given X : [B.., a, k], Y : [B.., b, k], Z : [B.., k, n]
  then  matmul(concat[axis=#B](X, Y), Z) == concat[axis=#B](matmul(X, Z), matmul(Y, Z))
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	proof, err := sums.Certify(context.Background(), laws[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(meaning.Check(laws[0], proof))
	proof[len(proof)-1]++
	_, err = meaning.Check(laws[0], proof)
	fmt.Println(err != nil)
	// Output:
	// {true true true} <nil>
	// true
}
