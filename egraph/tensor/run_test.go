package tensor

import (
	"context"
	"fmt"
	"testing"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/law"
)

// crowd is a graph in which the law below has width*width matches: one class of
// that many sums, each term of it in as many further sums.
func crowd(t *testing.T, g *Graph, width int) {
	t.Helper()
	given := ""
	for i := range width {
		given += fmt.Sprintf(", X%d : [P..], Y%d : [P..], Z%d : [P..]", i, i, i)
	}
	scope := ScopeOf(parse(t, "rule a given "+given[2:]+" then X0 == X0"))
	add := func(text string) egraph.NodeID {
		t.Helper()
		l := parse(t, "rule a given "+given[2:]+" then "+text+" == "+text)
		n, err := g.Add(l.LHS[0], scope)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	first := add("ewadd(X0, Y0)")
	for i := range width {
		if _, err := g.e.Union(first, add(fmt.Sprintf("ewadd(X%d, Y%d)", i, i)), egraph.Reason(1)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range width {
		add(fmt.Sprintf("ewadd(ewadd(X%d, Y%d), Z%d)", i, i, i))
	}
}

// A law with more matches than the queue holds does not keep the laws behind it
// from their turn, in the round in which that happens.
func TestNoLawStarves(t *testing.T) {
	tab := NewTable()
	var rules []*Rule
	for _, text := range []string{
		`axiom assoc given X : [P..], Y : [P..], Z : [P..] then ewadd(ewadd(X, Y), Z) => ewadd(X, ewadd(Y, Z))`,
		`axiom twice given X : [P..] then neg(neg(X)) => X`,
	} {
		rs, _, err := tab.Rules(parse(t, text))
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, rs...)
	}
	g := NewGraph(tab)
	crowd(t, g, 90)
	goal := parse(t, "rule a given W : [P..] then neg(neg(W)) == W")
	scope := ScopeOf(goal)
	a, err := g.Add(goal.LHS[0], scope)
	if err != nil {
		t.Fatal(err)
	}
	b, err := g.Add(goal.RHS[0], scope)
	if err != nil {
		t.Fatal(err)
	}
	// No node may be added: what needs none still has its turn.
	lim := Limits{Nodes: g.e.Len(), Iters: 1, Level: Growing}
	if lim.matches() >= 90*90 {
		t.Fatalf("the queue holds %d matches", lim.matches())
	}
	stop, _, err := g.Run(context.Background(), rules, lim, func() bool { return g.e.Same(a, b) })
	if err != nil {
		t.Fatal(err)
	}
	if stop != StopDone {
		t.Errorf("stopped by %s", stop)
	}
}

// Every reason to stop, with a law that ends and one that does not.
func TestStops(t *testing.T) {
	tab := NewTable()
	var rules []*Rule
	for _, text := range []string{
		`axiom comm given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)`,
		`axiom grow given X : [P..], Y : [P..] then ewmul(X, Y) => ewmul(relu(X), Y)`,
	} {
		rs, _, err := tab.Rules(parse(t, text))
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, rs...)
	}
	live := context.Background()
	over, cancel := context.WithCancel(live)
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		goal string
		lim  Limits
		want Stop
	}{
		{live, "ewadd(A, B) == ewadd(B, A)", Limits{Nodes: 10, Iters: 2, Level: Growing}, StopDone},
		{live, "ewadd(A, B) == neg(A)", Limits{Nodes: 10, Iters: 9, Level: Growing}, StopSaturated},
		{live, "ewmul(A, B) == neg(A)", Limits{Nodes: 50, Iters: 1000, Level: Growing}, StopNodes},
		{live, "ewmul(A, B) == neg(A)", Limits{Nodes: 50, Iters: 3, Level: Growing}, StopIters},
		{live, "ewmul(A, B) == neg(A)", Limits{Nodes: 50, Level: Growing}, StopIters},
		{over, "ewadd(A, B) == ewadd(B, A)", Limits{Nodes: 10, Iters: 2, Level: Growing}, StopDeadline},
		{over, "relu(A) == relu(A)", Limits{Nodes: 10, Iters: 2}, StopDone},
	} {
		goal := parse(t, "rule a given A : [P..], B : [P..] then "+c.goal)
		g := NewGraph(tab)
		var sides [2]egraph.NodeID
		for i, term := range []*law.Term{goal.LHS[0], goal.RHS[0]} {
			var err error
			if sides[i], err = g.Add(term, ScopeOf(goal)); err != nil {
				t.Fatal(err)
			}
		}
		stop, rounds, err := g.Run(c.ctx, rules, c.lim, func() bool { return g.e.Same(sides[0], sides[1]) })
		if err != nil || stop != c.want || rounds > c.lim.Iters {
			t.Errorf("%s, %+v: stopped by %q after %d rounds, %v, want %q", c.goal, c.lim, stop, rounds, err, c.want)
		}
	}
}
