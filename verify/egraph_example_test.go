package verify_test

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
)

const associativity = `
# Sums may be taken in any order.
axiom ewadd_assoc
  given X : [P..], Y : [P..], Z : [P..]
  then  ewadd(X, ewadd(Y, Z)) == ewadd(ewadd(X, Y), Z)

# The product is linear.
axiom matmul_add
  given A : [m, k], X : [k, n], Y : [k, n]
  then  matmul(A, ewadd(X, Y)) == ewadd(matmul(A, X), matmul(A, Y))
`

// A goal is proved, and the proof names the laws it uses.
func ExampleEGraph() {
	axioms, err := law.Parse("example", []byte(associativity))
	if err != nil {
		fmt.Println(err)
		return
	}
	goal, err := law.ParseLaw(`rule g
	  given A : [m, k], X : [k, n], Y : [k, n], C : [m, n]
	  then  ewadd(matmul(A, X), ewadd(matmul(A, Y), C)) == ewadd(matmul(A, ewadd(X, Y)), C)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	prover := &verify.EGraph{Laws: axioms, Workers: 1}
	verdicts, err := prover.Prove(context.Background(), []*law.Law{goal})
	if err != nil {
		fmt.Println(err)
		return
	}
	v := verdicts[0]
	fmt.Println(v.Status, v.Proof.Laws())
	for _, in := range v.Proof.Instances {
		fmt.Println(in.Law, in.Tensors)
	}
	// Output:
	// proved [ewadd_assoc matmul_add]
	// ewadd_assoc map[X:matmul(A, X) Y:matmul(A, Y) Z:C]
	// matmul_add map[A:A X:X Y:Y]
}

// Derive asks whether one law follows from others.
func ExampleDerive() {
	axioms, err := law.Parse("example", []byte(associativity))
	if err != nil {
		fmt.Println(err)
		return
	}
	goal, err := law.ParseLaw(`rule g
	  given X : [m, n], Y : [m, n]
	  then  ewadd(X, Y) == ewadd(Y, X)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := verify.Derive(context.Background(), goal, axioms, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Status, v.Reason)
	// Output:
	// unknown not derived: saturated
}

// Of three rules, the one that follows from the others is left out.
func ExampleSession() {
	rules, err := law.Parse("example", []byte(`
rule comm
  given X : [P..], Y : [P..]
  then  ewadd(X, Y) == ewadd(Y, X)
rule assoc
  given X : [P..], Y : [P..], Z : [P..]
  then  ewadd(X, ewadd(Y, Z)) == ewadd(ewadd(X, Y), Z)
rule turn
  given X : [P..], Y : [P..], Z : [P..]
  then  ewadd(X, ewadd(Y, Z)) == ewadd(ewadd(Z, X), Y)`))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := verify.NewSession(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rules {
		v, err := s.Prove(context.Background(), r)
		if err != nil {
			fmt.Println(err)
			return
		}
		if v.Status == verify.Proved {
			fmt.Println(r.Name, "follows from", v.Proof.Laws())
			continue
		}
		if err := s.Add(r); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Name, "is kept")
	}
	// Output:
	// comm is kept
	// assoc is kept
	// turn follows from [assoc comm]
}

// Of the laws of a session, those from which the others follow are found by leaving one
// out at a time.
func ExampleSession_ProveWithout() {
	rules, err := law.Parse("example", []byte(`
rule turn
  given X : [P..], Y : [P..], Z : [P..]
  then  ewadd(X, ewadd(Y, Z)) == ewadd(ewadd(Z, X), Y)
rule comm
  given X : [P..], Y : [P..]
  then  ewadd(X, Y) == ewadd(Y, X)
rule assoc
  given X : [P..], Y : [P..], Z : [P..]
  then  ewadd(X, ewadd(Y, Z)) == ewadd(ewadd(X, Y), Z)`))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := verify.NewSession(nil, rules...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rules {
		v, err := s.ProveWithout(context.Background(), r, map[string]bool{r.Name: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Name, v.Status)
	}
	// Output:
	// turn proved
	// comm unknown
	// assoc proved
}

// Calls with the same laws share what is known of them.
func ExampleTables() {
	axioms, err := law.Parse("example", []byte(associativity))
	if err != nil {
		fmt.Println(err)
		return
	}
	goal, err := law.ParseLaw(`rule g
	  given X : [m, n], Y : [m, n], Z : [m, n]
	  then  ewadd(ewadd(X, Y), Z) == ewadd(X, ewadd(Y, Z))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	var tables verify.Tables
	for range 2 {
		prover := &verify.EGraph{Laws: axioms, Tables: &tables}
		verdicts, err := prover.Prove(context.Background(), []*law.Law{goal})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(verdicts[0].Status)
	}
	// Output:
	// proved
	// proved
}
