package egraph

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

const plus = 50

// rewriter saturates graphs with rewrites and keeps what each reason says: the
// loop that package tensor has for laws, for plain patterns.
type rewriter struct {
	why   Reason
	naive bool // search everything in every round
	seams []Pair
	found int // matches
}

// rewrite is an equality of patterns, used from left to right.
type rewrite struct {
	mt    *Matcher
	rhs   *Pat
	since uint32
}

func rule(t testing.TB, lhs, rhs *Pat) *rewrite {
	return &rewrite{mt: NewMatcher(mustCompile(t, PatternSpec{Roots: []*Pat{lhs}})), rhs: rhs}
}

// waiting is a match that waits for its application.
type waiting struct {
	rhs          *Pat
	root         NodeID
	vars         [4]NodeID
	seams0, seam int
}

// run rewrites until nothing changes, which it reports, or for some rounds.
func (r *rewriter) run(g *Graph, rules []*rewrite, rounds int, done func() bool) (saturated bool, err error) {
	for _, x := range rules {
		x.since = 0
	}
	if err := g.Rebuild(); err != nil {
		return false, err
	}
	var queue []waiting
	for range rounds {
		if done != nil && done() {
			return false, nil
		}
		queue, r.seams = queue[:0], r.seams[:0]
		now := g.Advance()
		for _, x := range rules {
			since := x.since
			if r.naive {
				since = 0
			}
			n, err := x.mt.Search(g, since, func(m *Match) bool {
				w := waiting{rhs: x.rhs, root: m.Root(0), seams0: len(r.seams)}
				copy(w.vars[:], m.vars)
				r.seams = m.Seams(g, r.seams)
				w.seam = len(r.seams)
				queue = append(queue, w)
				return true
			})
			if err != nil {
				return false, err
			}
			r.found += n
			x.since = now
		}
		nodes, unions := g.Len(), g.Stats().Unions
		for i := range queue {
			w := &queue[i]
			n, err := build(g, w.rhs, w.vars[:])
			if err != nil {
				return false, err
			}
			r.why++
			if _, err := g.UnionBecause(w.root, n, r.why, r.seams[w.seams0:w.seam]); err != nil {
				return false, err
			}
		}
		if err := g.Rebuild(); err != nil {
			return false, err
		}
		if g.Len() == nodes && g.Stats().Unions == unions {
			return true, nil
		}
	}
	return false, nil
}

func build(g *Graph, p *Pat, vars []NodeID) (NodeID, error) {
	if p.Var >= 0 {
		return vars[p.Var], nil
	}
	var kids [4]NodeID
	for i, k := range p.Kids {
		n, err := build(g, k, vars)
		if err != nil {
			return 0, err
		}
		kids[i] = n
	}
	return g.Add(p.Head, kids[:len(p.Kids)]...)
}

// enough is more rounds than any graph here takes.
const enough = 1000

func acRules(t testing.TB) []*rewrite {
	return []*rewrite{
		rule(t, P(plus, V(0), V(1)), P(plus, V(1), V(0))),
		rule(t, P(plus, P(plus, V(0), V(1)), V(2)), P(plus, V(0), P(plus, V(1), V(2)))),
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
		if ok, err := new(rewriter).run(g, acRules(t), enough, nil); err != nil || !ok {
			t.Fatalf("%d leaves: %v, %v", n, ok, err)
		}
		if got := (Stats{Live: g.Stats().Live, Classes: g.Stats().Classes}); got != want[n-2] {
			t.Errorf("%d leaves: %d nodes in %d classes, want %d in %d", n, got.Live, got.Classes, want[n-2].Live, want[n-2].Classes)
		}
		if err := g.Check(); err != nil {
			t.Error(err)
		}
	}
}

// Searching only what changed must end where naive search does.
func TestSchedulesAgree(t *testing.T) {
	run := func(naive bool) (string, int) {
		g := NewGraph(Options{})
		sum := mustAdd(t, g, 0)
		for i := 1; i < 5; i++ {
			sum = mustAdd(t, g, plus, sum, mustAdd(t, g, uint32(i)))
		}
		r := &rewriter{naive: naive}
		if ok, err := r.run(g, acRules(t), enough, nil); err != nil || !ok {
			t.Fatalf("%v, %v", ok, err)
		}
		return fmt.Sprint(g.Stats().Live, g.Stats().Classes), r.found
	}
	since, found := run(false)
	naive, all := run(true)
	if naive != since {
		t.Errorf("nodes and classes: %s since, %s naive", since, naive)
	}
	if found >= all {
		t.Errorf("%d matches since, %d naive: want fewer", found, all)
	}
}

func TestRunIsDeterministic(t *testing.T) {
	run := func(g *Graph) string {
		sum := mustAdd(t, g, 0)
		for i := 1; i < 5; i++ {
			sum = mustAdd(t, g, plus, mustAdd(t, g, uint32(i)), sum)
		}
		if _, err := new(rewriter).run(g, acRules(t), 4, nil); err != nil {
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
		if _, err := new(rewriter).run(g, acRules(t), enough, func() bool { return g.Same(a, b) }); err != nil || !g.Same(a, b) {
			rt.Fatalf("same %v, %v", g.Same(a, b), err)
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
	if _, err := NewMatcher(mustCompile(t, PatternSpec{Roots: []*Pat{V(0)}})).Search(&g.Graph, 0, nil); err != conflict {
		t.Errorf("search in a poisoned graph: %v", err)
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
