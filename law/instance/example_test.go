package instance_test

import (
	"fmt"
	"math/rand"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// A true law holds on random inputs, a false one does not.
func ExampleCompare() {
	env := &instance.Valuation{Substitution: graph.Substitution{Dims: map[string]graph.Dim{"a": graph.Int(2), "b": graph.Int(3)}}}
	input := func(name string, n int) []uint64 { return fingerprint.Random(1, name, n) }
	for _, text := range []string{
		"rule r given A : [a, b] then transpose(transpose(A)) == A",
		"rule r given A : [a, b] then ewmul(A, A) == ewadd(A, A)",
		"rule r given A : [a, b] where a > b then A == A",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		out, err := instance.Compare[uint64](fingerprint.Zp{}, l, env, input)
		fmt.Println(out, err)
	}
	// Output:
	// equal <nil>
	// differs <nil>
	// not an instance <nil>
}

const concatText = `
# Cutting at the seam undoes concatenation.
lemma split_concat
  given X : [P.., a, S..], Y : [P.., b, S..]
  then  split[axis=#P, at=a](concat[axis=#P](X, Y)) == (X, Y)
`

// The plainest instances come first.
func ExampleInstances() {
	l, _ := law.ParseLaw(concatText)
	n := 0
	instance.Instances(l, instance.Scope{}, func(v *instance.Valuation) bool {
		n++
		fmt.Println(l.Given[0].Shape.Subst(&v.Substitution), l.Given[1].Shape.Subst(&v.Substitution))
		return n < 3
	})
	// Output:
	// [1] [1]
	// [1] [2]
	// [2] [1]
}

func ExampleNewSampler() {
	l, _ := law.ParseLaw("axiom a given X : [m, n] where m < n then relu(X) == X")
	v, ok := instance.NewSampler(l, instance.Scope{}).Sample(rand.New(rand.NewSource(1)))
	m, _ := v.Dims["m"].Const()
	n, _ := v.Dims["n"].Const()
	fmt.Println(ok, m < n)
	// Output: true true
}
