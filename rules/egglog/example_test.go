package egglog_test

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/egglog"
)

func ExampleWrite() {
	r, err := rules.Parse(`rule x given X : [m, k], A : [k, a], B : [k, b]
	  then concat[axis=1](matmul(X, A), matmul(X, B)) == matmul(X, concat[axis=1](A, B))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	program, written, skips := egglog.Write([]*rules.Rule{r})
	_, rewrites, _ := strings.Cut(string(program), "3 operators to 2\n")
	first, _, _ := strings.Cut(rewrites, "\n")
	fmt.Println(written, len(skips))
	fmt.Println(first)
	// Output:
	// 1 0
	// (rewrite (t-concat 1 (t-matmul A B) (t-matmul A C)) (t-matmul A (t-concat 1 B C)) :when ((= (Shape-2 a b) (t-shape A)) (= (Shape-2 b c) (t-shape B)) (= (Shape-2 b d) (t-shape C))) :ruleset taso)
}
