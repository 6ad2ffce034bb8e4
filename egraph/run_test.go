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
		nodes, edges := g.Len(), len(g.edges)
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
		if g.Len() == nodes && len(g.edges) == edges {
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
	type counts struct{ live, classes int }
	for n, want := 2, []counts{{4, 3}, {15, 7}, {54, 15}, {185, 31}, {608, 63}}; n <= 6; n++ {
		g := NewGraph(Options{})
		sum := mustAdd(t, g, 0)
		for i := 1; i < n; i++ {
			sum = mustAdd(t, g, plus, sum, mustAdd(t, g, uint32(i)))
		}
		if ok, err := new(rewriter).run(g, acRules(t), enough, nil); err != nil || !ok {
			t.Fatalf("%d leaves: %v, %v", n, ok, err)
		}
		if got := (counts{g.live, g.nclass}); got != want[n-2] {
			t.Errorf("%d leaves: nodes and classes %v, want %v", n, got, want[n-2])
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
		return fmt.Sprint(g.live, g.nclass), r.found
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

// Explanations of saturated graphs: the equations of the reasons entail the goal.
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
		for _, e := range g.edges[1:] {
			s.equated[e.why] = Pair{e.left, e.right}
		}
		if err := s.explain(a, b); err != nil {
			rt.Fatal(err)
		}
	})
}

// colour is a typing by symbols modulo 10: leaves give a colour, symbol 20 passes
// on its child's, and unlike colours contradict each other.
type colour struct{}

var errColour = errors.New("colours differ")

func (colour) TypeOf(g *Graph, n NodeID) (uint32, error) {
	switch s := g.Sym(n); {
	case s == 20:
		return g.Type(g.Child(n, 0)), nil
	case s == 30:
		return 0, errors.New("ill-formed")
	default:
		return s % 10, nil
	}
}

func (colour) Differ(a, b uint32) error { return fmt.Errorf("%d and %d: %w", a, b, errColour) }

func TestConflictPoisons(t *testing.T) {
	g := NewGraph(Options{Typing: colour{}})
	a, b, c := mustAdd(t, g, 1), mustAdd(t, g, 11), mustAdd(t, g, 2)
	if _, err := g.Add(30, a); err == nil || g.err != nil || g.Len() != 3 {
		t.Fatalf("ill-formed node: %v, poisoned by %v, %d nodes", err, g.err, g.Len())
	}
	mustUnion(t, g, a, b, 1)
	_, err := g.Union(a, c, 2)
	var conflict *ConflictError
	if !errors.As(err, &conflict) || !errors.Is(err, errColour) || conflict.A != a || conflict.B != c || conflict.Reason != 2 {
		t.Fatalf("union of unlike colours: %v", err)
	}
	if _, err := g.Add(1); err != conflict {
		t.Errorf("Add to a poisoned graph: %v", err)
	}
	if err := g.Rebuild(); err != conflict || g.err != conflict {
		t.Errorf("Rebuild of a poisoned graph: %v", err)
	}
	if rs, err := g.Reasons(nil, a, b); err != nil || len(rs) != 1 {
		t.Errorf("reasons in a poisoned graph: %v, %v", rs, err)
	}
	if _, err := NewMatcher(mustCompile(t, PatternSpec{Roots: []*Pat{V(0)}})).Search(g, 0, nil); err != conflict {
		t.Errorf("search in a poisoned graph: %v", err)
	}
	g.Reset()
	if n := mustAdd(t, g, 3); g.err != nil || g.Type(n) != 3 {
		t.Errorf("after Reset: %v, type %d", g.err, g.Type(n))
	}
}

// A conflict that follows by congruence is found by Rebuild.
func TestRebuildFindsConflicts(t *testing.T) {
	g := NewGraph(Options{Typing: parity{}})
	a, b := mustAdd(t, g, 1), mustAdd(t, g, 3)
	fa, fb := mustAdd(t, g, 40, a), mustAdd(t, g, 40, b)
	mustUnion(t, g, a, b, 1)
	var conflict *ConflictError
	if err := g.Rebuild(); !errors.As(err, &conflict) || conflict.Reason != Congruence ||
		min(conflict.A, conflict.B) != fa || max(conflict.A, conflict.B) != fb {
		t.Errorf("rebuild: %v", err)
	}
}

// parity is a typing that is no function of the types of children: it is by the
// number of the node where there are some.
type parity struct{}

func (parity) TypeOf(g *Graph, n NodeID) (uint32, error) {
	if g.Arity(n) == 0 {
		return 0, nil
	}
	return uint32(n) % 2, nil
}

func (parity) Differ(a, b uint32) error { return errColour }
