package z3_test

import (
	"context"
	"fmt"
	"log"

	"github.com/taso-go/taso/internal/z3"
)

// A law of tensors, proved from labelled axioms.
func Example() {
	c, err := z3.NewContext(z3.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	tensor := c.Uninterpreted("Tensor")
	add := c.Func("ewadd", []z3.Sort{tensor, tensor}, tensor)
	x, y, z := c.Const("x", tensor), c.Const("y", tensor), c.Const("z", tensor)
	all := func(id string, bound []z3.Term, l, r z3.Term) z3.Term {
		return c.ForAll(z3.Quantifier{ID: id, Bound: bound, Patterns: [][]z3.Term{{l}}, Body: c.Eq(l, r)})
	}

	s, err := c.NewSolver(z3.SolverConfig{EMatchingOnly: true})
	if err != nil {
		log.Fatal(err)
	}
	axioms := []struct {
		label string
		f     z3.Term
	}{
		{"commutative", all("comm", []z3.Term{x, y}, add.Apply(x, y), add.Apply(y, x))},
		{"associative", all("assoc", []z3.Term{x, y, z}, add.Apply(add.Apply(x, y), z), add.Apply(x, add.Apply(y, z)))},
	}
	for _, a := range axioms {
		if err := s.AssertTracked(a.label, a.f); err != nil {
			log.Fatal(err)
		}
	}
	a, b, d := c.Const("a", tensor), c.Const("b", tensor), c.Const("d", tensor)
	goal := c.Eq(add.Apply(add.Apply(a, b), d), add.Apply(a, add.Apply(d, b)))
	if err := s.AssertTracked("negated goal", c.Not(goal)); err != nil {
		log.Fatal(err)
	}
	status, err := s.Check(context.Background())
	fmt.Println(status, err, s.UnsatCore())
	// Output: unsat <nil> [commutative associative negated goal]
}

// Errors of nested terms surface where they are asserted.
func ExampleSolver_Assert() {
	c, _ := z3.NewContext(z3.Config{})
	defer c.Close()
	s, _ := c.NewSolver(z3.SolverConfig{})
	f := c.Func("f", []z3.Sort{c.Bool()}, c.Int())
	fmt.Println(s.Assert(c.Lt(c.IntVal(0), f.Apply(c.IntVal(1)))))
	// Output: z3: apply f: Sort mismatch at argument #1 for function (declare-fun f (Bool) Int) supplied sort is Int
}

func ExampleCoreMinimize() {
	c, _ := z3.NewContext(z3.Config{})
	defer c.Close()
	s, _ := c.NewSolver(z3.SolverConfig{})
	n := c.Const("n", c.Int())
	_ = s.AssertTracked("n > 9", c.Lt(c.IntVal(9), n))
	_ = s.AssertTracked("n > 5", c.Lt(c.IntVal(5), n))
	_ = s.AssertTracked("n is odd", c.Eq(c.Mod(n, c.IntVal(2)), c.IntVal(1)))
	_ = s.AssertTracked("n < 3", c.Lt(n, c.IntVal(3)))
	core, err := z3.CoreMinimize(context.Background(), s, nil)
	fmt.Println(core.Labels, core.Minimal, err)
	// Output: [n > 9 n < 3] true <nil>
}
