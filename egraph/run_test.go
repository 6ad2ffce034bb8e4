package egraph

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const plus = 50

// rewriter makes rules that instantiate a pattern over the variables of a
// match, and keeps what each reason says.
type rewriter struct {
	why   Reason
	seams []Pair
}

func (r *rewriter) rule(t testing.TB, name string, lhs, rhs *Pat) Rule {
	return Rule{
		Name:    name,
		Pattern: mustCompile(t, PatternSpec{Roots: []*Pat{lhs}}),
		Limit:   -1,
		Apply: func(g *Graph, m *Match) error {
			n, err := build(g, rhs, m)
			if err != nil {
				return err
			}
			r.why++
			r.seams = m.Seams(g, r.seams[:0])
			_, err = g.UnionBecause(m.Root(0), n, r.why, r.seams)
			return err
		},
	}
}

func build(g *Graph, p *Pat, m *Match) (NodeID, error) {
	if p.Var >= 0 {
		return m.Var(p.Var), nil
	}
	var kids [4]NodeID
	for i, k := range p.Kids {
		n, err := build(g, k, m)
		if err != nil {
			return 0, err
		}
		kids[i] = n
	}
	return g.Add(p.Head, kids[:len(p.Kids)]...)
}

func acRules(t testing.TB, r *rewriter) []Rule {
	return []Rule{
		r.rule(t, "commute", P(plus, V(0), V(1)), P(plus, V(1), V(0))),
		r.rule(t, "associate", P(plus, P(plus, V(0), V(1)), V(2)), P(plus, V(0), P(plus, V(1), V(2)))),
	}
}

// A sum of n different leaves has one class for each set of leaves and one node
// for each ordered cut of a set in two.
func TestAssociativityCommutativity(t *testing.T) {
	for n, want := 2, []Stats{{Live: 4, Classes: 3}, {Live: 15, Classes: 7}, {Live: 54, Classes: 15}, {Live: 185, Classes: 31}, {Live: 608, Classes: 63}}; n <= 6; n++ {
		g := NewGraph(Options{})
		sum := mustAdd(t, g, 0)
		for i := 1; i < n; i++ {
			sum = mustAdd(t, g, plus, sum, mustAdd(t, g, uint32(i)))
		}
		why, stats, err := Run(context.Background(), g, acRules(t, &rewriter{}), Limits{Nodes: -1})
		if err != nil || why != Saturated {
			t.Fatalf("%d leaves: %v, %v", n, why, err)
		}
		if got := (Stats{Live: stats.Graph.Live, Classes: stats.Graph.Classes}); got != want[n-2] {
			t.Errorf("%d leaves: %d nodes in %d classes, want %d in %d", n, got.Live, got.Classes, want[n-2].Live, want[n-2].Classes)
		}
		if err := g.Check(); err != nil {
			t.Error(err)
		}
	}
}

// Searching only what changed, and backing off, must end where naive search does.
func TestSchedulesAgree(t *testing.T) {
	run := func(change func(*Rule)) (string, RunStats) {
		g := NewGraph(Options{})
		sum := mustAdd(t, g, 0)
		for i := 1; i < 5; i++ {
			sum = mustAdd(t, g, plus, sum, mustAdd(t, g, uint32(i)))
		}
		rules := acRules(t, &rewriter{})
		for i := range rules {
			change(&rules[i])
		}
		why, stats, err := Run(context.Background(), g, rules, Limits{Iters: -1, Nodes: -1})
		if err != nil || why != Saturated {
			t.Fatalf("%v, %v", why, err)
		}
		return fmt.Sprint(g.Stats().Live, g.Stats().Classes), stats
	}
	since, sinceStats := run(func(*Rule) {})
	naive, naiveStats := run(func(r *Rule) { r.Always = true })
	banned, bannedStats := run(func(r *Rule) { r.Limit, r.Ban = 10, 2 })
	if naive != since || banned != since {
		t.Errorf("nodes and classes: %s since, %s naive, %s with back-off", since, naive, banned)
	}
	if sinceStats.Rules[1].Matches >= naiveStats.Rules[1].Matches {
		t.Errorf("%d matches since, %d naive: want fewer", sinceStats.Rules[1].Matches, naiveStats.Rules[1].Matches)
	}
	if bannedStats.Rules[1].Bans == 0 {
		t.Error("no rule was banned")
	}
}

func TestRunIsDeterministic(t *testing.T) {
	run := func(g *Graph) string {
		sum := mustAdd(t, g, 0)
		for i := 1; i < 5; i++ {
			sum = mustAdd(t, g, plus, mustAdd(t, g, uint32(i)), sum)
		}
		if _, _, err := Run(context.Background(), g, acRules(t, &rewriter{}), Limits{Iters: 4}); err != nil {
			t.Fatal(err)
		}
		return dump(g)
	}
	g := NewGraph(Options{})
	first := run(g)
	g.Reset()
	if second := run(g); first != second {
		t.Errorf("after Reset:\n%s\nfirst:\n%s", second, first)
	}
	if third := run(NewGraph(Options{Nodes: 5000})); first != third {
		t.Errorf("in a larger graph:\n%s\nfirst:\n%s", third, first)
	}
}

// Explanations of saturated graphs: every reason is an instance of an axiom, and
// the equations entail the goal.
func TestRunExplains(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(rt, "leaves")
		g := NewGraph(Options{})
		var leaves []NodeID
		for i := range n {
			leaves = append(leaves, mustAdd(t, g, uint32(i)))
		}
		tree := func() NodeID {
			part := rapid.Permutation(leaves).Draw(rt, "order")
			for len(part) > 1 {
				i := rapid.IntRange(0, len(part)-2).Draw(rt, "join")
				s := mustAdd(t, g, plus, part[i], part[i+1])
				part = append(append(append([]NodeID{}, part[:i]...), s), part[i+2:]...)
			}
			return part[0]
		}
		a, b := tree(), tree()
		why, _, err := Run(context.Background(), g, acRules(t, &rewriter{}), Limits{Nodes: -1, Goals: []Pair{{a, b}}})
		if err != nil || why != GoalReached {
			rt.Fatalf("%v, %v", why, err)
		}
		s := &script{g: g, equated: map[Reason]Pair{}}
		for why, sides := range g.Unions() {
			s.equated[why] = sides
		}
		if err := s.explain(a, b); err != nil {
			rt.Fatal(err)
		}
	})
}

func TestStopReasons(t *testing.T) {
	grow := func(g *Graph) (NodeID, NodeID) {
		return mustAdd(t, g, 1), mustAdd(t, g, 2)
	}
	r := &rewriter{}
	// x => f(x), for ever.
	forever := []Rule{{
		Name:    "grow",
		Pattern: mustCompile(t, PatternSpec{Roots: []*Pat{V(0)}}),
		Apply: func(g *Graph, m *Match) error {
			_, err := g.Add(4, m.Var(0))
			return err
		},
	}}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel2 := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel2()
	boom := errors.New("boom")
	for _, c := range []struct {
		name  string
		ctx   context.Context
		rules []Rule
		lim   Limits
		want  StopReason
	}{
		{"nothing to do", context.Background(), acRules(t, r), Limits{}, Saturated},
		{"iterations", context.Background(), forever, Limits{Iters: 3}, IterLimit},
		{"nodes", context.Background(), forever, Limits{Nodes: 50, Iters: -1}, NodeLimit},
		{"time", context.Background(), forever, Limits{Time: time.Nanosecond}, Deadline},
		{"deadline", late, forever, Limits{}, Deadline},
		{"canceled", canceled, forever, Limits{}, Canceled},
		{"goal", context.Background(), forever, Limits{Goals: []Pair{{1, 1}}}, GoalReached},
		{"failed", context.Background(), []Rule{{Name: "bad", Pattern: forever[0].Pattern, Apply: func(*Graph, *Match) error { return boom }}}, Limits{}, Failed},
	} {
		g := NewGraph(Options{})
		grow(g)
		got, _, err := Run(c.ctx, g, c.rules, c.lim)
		if got != c.want {
			t.Errorf("%s: stopped by %v (%v), want %v", c.name, got, err, c.want)
		}
		if (err != nil) != (c.want == Failed) || c.want == Failed && !errors.Is(err, boom) {
			t.Errorf("%s: error %v", c.name, err)
		}
		if err := g.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// colour is an analysis whose data are symbols modulo 10: leaves give a colour,
// symbol 20 passes on its child's, and unlike colours contradict each other.
type colour struct{}

var errColour = errors.New("colours differ")

func (colour) Make(g *EGraph[int], n NodeID) (int, error) {
	switch s := g.Sym(n); {
	case s == 20:
		return g.NodeData(g.Child(n, 0)), nil
	case s == 30:
		return 0, errors.New("ill-formed")
	default:
		return int(s % 10), nil
	}
}

func (colour) Merge(a, b int) (int, Changed, error) {
	if a != b {
		return 0, Unchanged, errColour
	}
	return a, Unchanged, nil
}

func TestConflictPoisons(t *testing.T) {
	g := New[int](colour{}, Options{})
	a, b, c := mustAdd(t, &g.Graph, 1), mustAdd(t, &g.Graph, 11), mustAdd(t, &g.Graph, 2)
	if _, err := g.Add(30, a); err == nil || g.Err() != nil || g.Len() != 3 {
		t.Fatalf("ill-formed node: %v, poisoned by %v, %d nodes", err, g.Err(), g.Len())
	}
	mustUnion(t, &g.Graph, a, b, 1)
	_, err := g.Union(a, c, 2)
	var conflict *ConflictError
	if !errors.As(err, &conflict) || !errors.Is(err, errColour) || conflict.A != a || conflict.B != c || conflict.Reason != 2 {
		t.Fatalf("union of unlike colours: %v", err)
	}
	if _, err := g.Add(1); err != conflict {
		t.Errorf("Add to a poisoned graph: %v", err)
	}
	if err := g.Rebuild(); err != conflict || g.Err() != conflict {
		t.Errorf("Rebuild of a poisoned graph: %v", err)
	}
	if rs, err := g.Reasons(nil, a, b); err != nil || len(rs) != 1 {
		t.Errorf("reasons in a poisoned graph: %v, %v", rs, err)
	}
	if why, _, err := Run(context.Background(), &g.Graph, nil, Limits{}); why != Conflict || err == nil {
		t.Errorf("run on a poisoned graph: %v, %v", why, err)
	}
	g.Reset()
	if n := mustAdd(t, &g.Graph, 3); g.Err() != nil || g.NodeData(n) != 3 {
		t.Errorf("after Reset: %v, datum %d", g.Err(), g.NodeData(n))
	}
}

// depth is an analysis that changes: the least depth of a class's terms.
type depth struct{}

func (depth) Make(g *EGraph[int], n NodeID) (int, error) {
	d := 0
	for _, k := range g.Children(n) {
		d = max(d, g.NodeData(k)+1)
	}
	return d, nil
}

func (depth) Merge(a, b int) (int, Changed, error) {
	switch {
	case a < b:
		return a, RightChanged, nil
	case a > b:
		return b, LeftChanged, nil
	}
	return a, Unchanged, nil
}

func TestAnalysisPropagates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := New[int](depth{}, Options{})
		if err := newScript(&g.Graph).play(rapid.SliceOfN(rapid.Byte(), 20, 160).Draw(t, "ops")); err != nil {
			t.Fatal(err)
		}
		// The least depth is also what extraction by depth finds.
		x, err := Extract(&g.Graph, func(_ *Graph, _ NodeID, kids []float64) float64 {
			d := 0.0
			for _, k := range kids {
				d = max(d, k+1)
			}
			return d
		})
		if err != nil {
			t.Fatal(err)
		}
		for c := range g.Classes() {
			if want := int(x.Cost(NodeID(c))); g.Data(c) != want {
				t.Fatalf("class %d: least depth %d, want %d\n%s", c, g.Data(c), want, dump(&g.Graph))
			}
		}
	})
}
