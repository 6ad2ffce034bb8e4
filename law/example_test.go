package law_test

import (
	"fmt"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

const concatText = `
# Cutting at the seam undoes concatenation.
lemma split_concat
  given X : [P.., a, S..], Y : [P.., b, S..]
  then  split[axis=#P, at=a](concat[axis=#P](X, Y)) == (X, Y)
`

func ExampleParse() {
	laws, err := law.Parse("my.axioms", []byte(concatText))
	fmt.Println(len(laws), laws[0].Name, len(laws[0].LHS), err)
	_, err = law.Parse("my.axioms", []byte("axiom a\n  given X : [m, n]\n  then  relu(X) == transpos(Y)\n"))
	fmt.Println(err)
	// Output:
	// 1 split_concat 2 <nil>
	// my.axioms:3:20: unknown operator transpos; did you mean transpose?
	// my.axioms:3:29: tensor Y is not given
}

func ExampleParseTerm() {
	l, _ := law.ParseLaw(concatText)
	t, err := law.ParseTerm("slice[axis=#P, lo=0, hi=a](ewadd(X, X))", l.Given)
	fmt.Println(t, err)
	// Output: slice[axis=#P, lo=0, hi=a](ewadd(X, X)) <nil>
}

// One law in two disguises.
func ExampleCanonical() {
	for _, text := range []string{
		"rule x given U : [m, n], V : [m, n], T : [k, m] then ewadd(matmul(T, U), matmul(T, V)) == matmul(T, ewadd(U, V))",
		"rule y given A : [c, b], B : [a, c], C : [c, b] then matmul(B, ewadd(C, A)) == ewadd(matmul(B, A), matmul(B, C))",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		c := law.Canonical(l)
		fmt.Println(law.FormatOutputs(c.LHS), "==", law.FormatOutputs(c.RHS))
	}
	// Output:
	// ewadd(matmul(A, B), matmul(A, C)) == matmul(A, ewadd(B, C))
	// ewadd(matmul(A, B), matmul(A, C)) == matmul(A, ewadd(B, C))
}

func ExampleLint() {
	laws, _ := law.Parse("my.axioms", []byte("axiom a\n  given X : [n]\n  then relu(X) == relu(X)\n"))
	fmt.Println(law.Lint(laws, instance.Mismatch))
	// Output:
	// my.axioms:1:1: axiom a: both sides are relu(X)
	// my.axioms:1:1: axiom a: there is no comment above it that says it in words
}

// Macros are written out.
func ExampleFormat() {
	l, _ := law.ParseLaw("axiom a given X:[n] let f(Y) = ewmul(Y, X) then f(f(X)) == f(X)")
	fmt.Print(law.Format(l))
	// Output:
	// axiom a
	//   given X : [n]
	//   then  ewmul(ewmul(X, X), X) == ewmul(X, X)
}

// The name and the names of variables are not part of a law's identity.
func ExampleID() {
	a, _ := law.ParseLaw("rule x given X : [m], Y : [m] then relu(ewadd(X, Y)) == ewadd(relu(X), relu(Y))")
	b, _ := law.ParseLaw("rule y given V : [n], U : [n] then ewadd(relu(V), relu(U)) == relu(ewadd(V, U))")
	fmt.Println(law.ID(a) == law.ID(b))
	// Output: true
}
