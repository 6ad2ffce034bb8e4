package tensor

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// counted gives rules turns of so many matches, twice as many each round.
type counted struct {
	turn, over, rounds int
	refuse             bool
	seen               []string
}

func (c *counted) Turn(*Rule) int { return c.turn }
func (c *counted) Over(*Rule)     { c.over++ }
func (c *counted) Round(bool) bool {
	c.rounds++
	c.turn *= 2
	return c.over > 0 && c.rounds < 6
}

func (c *counted) Use(r *Rule, roots, vars []egraph.NodeID, cost int) bool {
	c.seen = append(c.seen, fmt.Sprintf("%s %d %d %d", r.Law.Name, len(roots), len(vars), cost))
	return !c.refuse
}

// chain is a sum of n tensors, added one after the other.
func chain(t *testing.T, n int) (*Graph, []*Rule, egraph.NodeID) {
	t.Helper()
	l, err := law.ParseLaw("axiom comm\n  given X : [n], Y : [n]\n  then ewadd(X, Y) == ewadd(Y, X)\n")
	if err != nil {
		t.Fatal(err)
	}
	tab := NewTable()
	rules, _, err := tab.Rules(l)
	if err != nil {
		t.Fatal(err)
	}
	g := NewGraph(tab)
	var sum egraph.NodeID
	for i := range n {
		x, err := g.Leaf(fmt.Sprint("x", i), graph.Sizes(4))
		if err != nil {
			t.Fatal(err)
		}
		if sum == 0 {
			sum = x
		} else if sum, err = g.Apply(op.EWAdd, nil, sum, x); err != nil {
			t.Fatal(err)
		}
	}
	return g, rules, sum
}

// A rule with more matches than its turn allows uses none, and finds all of them when
// it allows more; what the schedule refuses is not used.
func TestSchedule(t *testing.T) {
	free, rules, _ := chain(t, 9)
	stop, _, err := free.Run(context.Background(), rules, Limits{Nodes: 1000, Iters: 10, Level: Growing}, func() bool { return false })
	if err != nil || stop != StopSaturated {
		t.Fatal(stop, err)
	}
	g, rules, _ := chain(t, 9)
	s := &counted{turn: 1}
	stop, _, err = g.Run(context.Background(), rules, Limits{Nodes: 1000, Iters: 10, Level: Growing, Schedule: s}, func() bool { return false })
	if err != nil || stop != StopSaturated {
		t.Fatal(stop, err)
	}
	if s.over == 0 || g.Instances() == 0 || g.E().Live() != free.E().Live() || g.E().NumClasses() != free.E().NumClasses() {
		t.Errorf("%d times over, %d live nodes in %d classes: want %d in %d", s.over, g.E().Live(), g.E().NumClasses(), free.E().Live(), free.E().NumClasses())
	}
	g, rules, _ = chain(t, 9)
	s = &counted{turn: 100, refuse: true}
	if _, _, err = g.Run(context.Background(), rules, Limits{Nodes: 1000, Iters: 3, Level: Growing, Schedule: s}, func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	if g.Instances() != 0 || len(s.seen) == 0 || !strings.HasPrefix(s.seen[0], "comm 1 2 1") {
		t.Errorf("%d instances; asked of %q", g.Instances(), s.seen)
	}
}

// What is added node by node is what its term is, and is refused if it does not fit.
func TestApply(t *testing.T) {
	g := NewGraph(NewTable())
	x, err := g.Leaf("X", graph.Sizes(2, 3))
	if err != nil {
		t.Fatal(err)
	}
	y, err := g.Leaf("Y", graph.Sizes(3, 4))
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Apply(op.MatMul, nil, x, y)
	if err != nil {
		t.Fatal(err)
	}
	term, err := law.ParseLaw("axiom a\n  given X : [2, 3], Y : [3, 4]\n  then matmul(X, Y) == matmul(X, Y)\n")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := g.Add(term.LHS[0], ScopeOf(term)); err != nil || n != p {
		t.Errorf("the term is node %d, want %d: %v", n, p, err)
	}
	if o, _, name := g.Node(p); o != op.MatMul || name != "" {
		t.Errorf("node applies %v, %q", o, name)
	}
	if o, _, name := g.Node(x); o != nil || name != "X" {
		t.Errorf("leaf is %v, %q", o, name)
	}
	if n, err := g.Again(p, x, y); err != nil || n != p {
		t.Errorf("again: node %d, %v", n, err)
	}
	if _, err := g.Apply(op.MatMul, nil, y, x); err == nil || !strings.Contains(err.Error(), "matmul") {
		t.Errorf("operands that do not fit: %v", err)
	}
	users := 0
	for n, at := range g.E().Users(g.E().Find(y)) {
		if n != p || at != 1 {
			t.Errorf("user %d at %d", n, at)
		}
		users++
	}
	if users != 1 || g.Bytes() <= 0 {
		t.Errorf("%d users, %d bytes", users, g.Bytes())
	}
}
