package main

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
)

// chainOf writes the chain from one term to another by equations.
func chainOf(t *testing.T, from, to string, eqs ...[2]string) (string, bool) {
	t.Helper()
	goal, err := law.ParseLaw(`rule g
  given A : [a, a], B : [a, a], C : [a, a]
  then  ` + from + ` == ` + to)
	if err != nil {
		t.Fatal(err)
	}
	term := func(s string) *law.Term {
		u, err := law.ParseTerm(s, goal.Given)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	var list []ground
	for i, e := range eqs {
		list = append(list, ground{&law.Law{Name: string(rune('p' + i))}, term(e[0]), term(e[1])})
	}
	steps, ok := chain(goal.LHS[0], goal.RHS[0], list)
	var out []string
	for _, s := range steps {
		out = append(out, s.law.Name+": "+s.term.String())
	}
	return strings.Join(out, "; "), ok
}

func TestChain(t *testing.T) {
	// Equations are used in both directions, below other operators, and the
	// shortest chain is found.
	got, ok := chainOf(t, "relu(ewadd(A, B))", "relu(matmul(C, C))",
		[2]string{"ewadd(B, A)", "ewadd(A, B)"}, [2]string{"ewadd(B, A)", "matmul(C, C)"}, [2]string{"A", "relu(A)"})
	if want := "p: relu(ewadd(B, A)); q: relu(matmul(C, C))"; got != want || !ok {
		t.Errorf("got %q, %v; want %q", got, ok, want)
	}
	// One place of several.
	got, ok = chainOf(t, "ewadd(A, A)", "ewadd(A, B)", [2]string{"A", "B"})
	if want := "p: ewadd(A, B)"; got != want || !ok {
		t.Errorf("got %q, %v; want %q", got, ok, want)
	}
	// Nothing to do, and nothing that helps: an equation that grows without end
	// stops at the bound.
	if got, ok = chainOf(t, "A", "A"); got != "" || !ok {
		t.Errorf("got %q, %v", got, ok)
	}
	if got, ok = chainOf(t, "A", "B", [2]string{"A", "relu(A)"}); ok {
		t.Errorf("got %q", got)
	}
}
