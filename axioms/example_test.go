package axioms_test

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
)

func ExampleDefault() {
	for _, l := range axioms.Default() {
		if l.Name == "matmul_concat_inner" {
			fmt.Print(law.Format(l))
		}
	}
	// Output:
	// # The product of matrices concatenated along the
	// # inner dimension is the sum of two matrix products.
	// axiom matmul_concat_inner
	//   given X : [B.., m, k], Y : [B.., m, l], Z : [B.., k, n], W : [B.., l, n]
	//   then  matmul(concat[axis=#B+1](X, Y), concat[axis=#B](Z, W)) == ewadd(matmul(X, Z), matmul(Y, W))
	//   cite  taso19
}

func ExampleByKind() {
	for _, l := range axioms.ByKind(law.Refute)[:2] {
		fmt.Println(l.Name+":", l.Doc)
	}
	// Output:
	// matmul_comm: Matrix multiplication is not commutative; the smallest counterexample has 2x2 matrices.
	// concat_comm: Concatenation is not commutative: the order of its operands matters.
}

// The text goes into certificates, with its hash.
func ExampleText() {
	laws, err := law.Parse("axioms", []byte(axioms.Text()))
	fmt.Println(len(laws) == len(axioms.Default()), err, law.HashText(axioms.Text()) == axioms.SHA256())
	// Output: true <nil> true
}

func ExampleMarkdown() {
	title, _, _ := strings.Cut(axioms.Markdown(), "\n")
	fmt.Println(title)
	// Output: # Laws
}
