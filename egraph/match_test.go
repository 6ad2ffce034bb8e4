package egraph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// fataler is a test or a property.
type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func mustCompile(t fataler, spec PatternSpec) *Pattern {
	t.Helper()
	p, err := Compile(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bruteMatches tries every assignment of live nodes to pattern nodes and of
// classes to variables, and prints the matches sorted.
func bruteMatches(g *Graph, roots []*Pat, since uint32) []string {
	var pats []*Pat
	var collect func(p *Pat)
	collect = func(p *Pat) {
		if p.Var < 0 {
			pats = append(pats, p)
			for _, k := range p.Kids {
				collect(k)
			}
		}
	}
	for _, r := range roots {
		collect(r)
	}
	at := map[*Pat]int{}
	for i, p := range pats {
		at[p] = i
	}
	nodes := make([]NodeID, len(pats))
	var out []string
	var assign func(i int)
	assign = func(i int) {
		if i < len(pats) {
			for n := NodeID(1); int(n) <= g.Len(); n++ {
				if !g.nodes[n].dead && g.nodes[n].head == pats[i].Head && g.Arity(n) == len(pats[i].Kids) {
					nodes[i] = n
					assign(i + 1)
				}
			}
			return
		}
		vars := map[int]ClassID{}
		bind := func(v int, c ClassID) bool {
			if have, ok := vars[v]; ok {
				return have == c
			}
			vars[v] = c
			return true
		}
		fresh := false
		for j, p := range pats {
			fresh = fresh || g.links[nodes[j]].stamp >= since
			for k, kid := range p.Kids {
				c := g.Find(g.Child(nodes[j], k))
				if kid.Var >= 0 {
					if !bind(kid.Var, c) {
						return
					}
				} else if g.Find(nodes[at[kid]]) != c {
					return
				}
			}
		}
		if fresh {
			out = append(out, fmt.Sprint(nodes, vars))
		}
	}
	assign(0)
	slices.Sort(out)
	return out
}

func matches(t fataler, g *Graph, p *Pattern, since uint32) []string {
	t.Helper()
	return matchesBy(t, g, p, since, 0)
}

func matchesBy(t fataler, g *Graph, p *Pattern, since uint32, mode uint8) []string {
	t.Helper()
	var out []string
	mt := NewMatcher(p)
	mt.mode = mode
	n, err := mt.Search(g, since, func(m *Match) bool {
		vars := map[int]ClassID{}
		for v := range p.vars {
			vars[v] = g.Find(m.Var(v))
		}
		nodes := make([]NodeID, p.nodes)
		for i := range nodes {
			nodes[i] = m.Node(i)
		}
		out = append(out, fmt.Sprint(nodes, vars))
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	if n != len(out) {
		t.Fatalf("Search counts %d matches and yields %d", n, len(out))
	}
	slices.Sort(out)
	return out
}

// drawPat draws a pattern over the symbols of script, with variables below nv.
func drawPat(t *rapid.T, depth, nv int) *Pat {
	switch k := rapid.IntRange(0, 9).Draw(t, "pat"); {
	case depth == 0 || k < 3:
		return V(rapid.IntRange(0, nv-1).Draw(t, "var"))
	case k == 3:
		return P(uint32(rapid.IntRange(0, 3).Draw(t, "leaf")))
	case k < 6:
		return P(4+uint32(rapid.IntRange(0, 1).Draw(t, "unary")), drawPat(t, depth-1, nv))
	default:
		return P(6+uint32(rapid.IntRange(0, 1).Draw(t, "binary")), drawPat(t, depth-1, nv), drawPat(t, depth-1, nv))
	}
}

// renumber makes variables gapless, in preorder.
func renumber(roots []*Pat) {
	m := map[int]int{}
	var walk func(p *Pat)
	walk = func(p *Pat) {
		if p.Var >= 0 {
			if _, ok := m[p.Var]; !ok {
				m[p.Var] = len(m)
			}
			p.Var = m[p.Var]
		}
		for _, k := range p.Kids {
			walk(k)
		}
	}
	for _, r := range roots {
		walk(r)
	}
}

func TestMatchingAgainstBruteForce(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		s := newScript(NewGraph(Options{}))
		if err := s.play(rapid.SliceOfN(rapid.Byte(), 40, 100).Draw(t, "ops")); err != nil {
			t.Fatal(err)
		}
		since := s.g.Advance()
		for range 2 { // nodes may change in both generations
			if err := s.play(rapid.SliceOfN(rapid.Byte(), 0, 16).Draw(t, "more")); err != nil {
				t.Fatal(err)
			}
			s.g.Advance()
		}
		var roots []*Pat
		for range rapid.IntRange(1, 2).Draw(t, "roots") {
			arity := rapid.IntRange(1, 2).Draw(t, "arity")
			root := P(uint32(2+2*arity) + uint32(rapid.IntRange(0, 1).Draw(t, "head")))
			for range arity {
				root.Kids = append(root.Kids, drawPat(t, 1, 3))
			}
			roots = append(roots, root)
		}
		renumber(roots)
		p := mustCompile(t, PatternSpec{Roots: roots})
		for _, from := range []uint32{0, since} {
			want := bruteMatches(s.g, roots, from)
			found += len(want)
			for _, mode := range []uint8{0, modeFull, modeDelta} {
				got := matchesBy(t, s.g, p, from, mode)
				if slices.Equal(got, want) {
					continue
				}
				t.Fatalf("mode %d since %d: got %d matches %v\nwant %d %v\n%s", mode, from, len(got), got, len(want), want, dump(s.g))
			}
		}
	})
	if found == 0 {
		t.Error("no draw had a match: the test checks nothing")
	}
}

// New matches must all involve a node stamped since the search before; that is,
// old matches and new ones together are all matches.
func TestSinceMissesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newScript(NewGraph(Options{}))
		if err := s.play(rapid.SliceOfN(rapid.Byte(), 40, 120).Draw(t, "ops")); err != nil {
			t.Fatal(err)
		}
		root := P(6, drawPat(t, 2, 2), drawPat(t, 2, 2))
		renumber([]*Pat{root})
		p := mustCompile(t, PatternSpec{Roots: []*Pat{root}})
		// Variables and root as node ids, which outlive unions.
		var old [][]NodeID
		note := func(m *Match) bool {
			old = append(old, append(slices.Clone(m.vars), m.Root(0)))
			return true
		}
		mt := NewMatcher(p)
		if _, err := mt.Search(s.g, 0, note); err != nil {
			t.Fatal(err)
		}
		since := s.g.Advance()
		if err := s.play(rapid.SliceOfN(rapid.Byte(), 4, 40).Draw(t, "more")); err != nil {
			t.Fatal(err)
		}
		if _, err := mt.Search(s.g, since, note); err != nil {
			t.Fatal(err)
		}
		classes := func(ns []NodeID) string {
			cs := make([]ClassID, len(ns))
			for i, n := range ns {
				cs[i] = s.g.Find(n)
			}
			return fmt.Sprint(cs)
		}
		have := map[string]bool{}
		for _, ns := range old {
			have[classes(ns)] = true
		}
		if _, err := mt.Search(s.g, 0, func(m *Match) bool {
			if k := classes(append(slices.Clone(m.vars), m.Root(0))); !have[k] {
				t.Fatalf("match %s was found by neither search", k)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
	})
}

// A union makes f(g(x)) match by joining the child of f with g's class. The
// match is new whichever of the two classes keeps its name, and at any height.
func TestUnionMakesMatchesNew(t *testing.T) {
	for _, heavy := range []string{"child of f", "class of g"} {
		g := NewGraph(Options{})
		x, c := mustAdd(t, g, 1), mustAdd(t, g, 2)
		f := mustAdd(t, g, 5, c)
		top := mustAdd(t, g, 5, f)
		gx := mustAdd(t, g, 4, x)
		for i := range uint32(5) {
			if heavy == "child of f" {
				mustAdd(t, g, 10+i, c)
			} else {
				mustAdd(t, g, 10+i, gx)
			}
		}
		since := g.Advance()
		mustUnion(t, g, c, gx, 1)
		mustRebuild(t, g)
		for _, pat := range []*Pat{P(5, P(4, V(0))), P(5, P(5, P(4, V(0))))} {
			p := mustCompile(t, PatternSpec{Roots: []*Pat{pat}})
			if got := matches(t, g, p, since); len(got) != 1 {
				t.Errorf("heavy %s: %d new matches, want 1", heavy, len(got))
			}
		}
		if got := matches(t, g, mustCompile(t, PatternSpec{Roots: []*Pat{P(5, P(5, V(0)))}}), since+1); len(got) != 0 {
			t.Errorf("heavy %s: matches of the future: %v (top is %d)", heavy, got, top)
		}
	}
}

// A node that changes in two generations is new once.
func TestChangedTwiceMatchesOnce(t *testing.T) {
	g := NewGraph(Options{})
	x, y, z := mustAdd(t, g, 1), mustAdd(t, g, 2), mustAdd(t, g, 3)
	mustAdd(t, g, 6, x, y)
	since := g.Advance()
	for i, leaf := range []NodeID{x, y} {
		mustAdd(t, g, 10, z) // z is heavy and keeps its name
		mustAdd(t, g, 11, z)
		mustUnion(t, g, leaf, z, Reason(i+1))
		mustRebuild(t, g)
		g.Advance()
	}
	p := mustCompile(t, PatternSpec{Roots: []*Pat{P(6, V(0), V(1))}})
	for _, mode := range []uint8{modeFull, modeDelta} {
		if got := matchesBy(t, g, p, since, mode); len(got) != 1 {
			t.Errorf("mode %d: matches %v, want one", mode, got)
		}
	}
}

// Seams are what separates the matched nodes from the pattern's instance.
func TestSeams(t *testing.T) {
	g := NewGraph(Options{})
	a, b, c := mustAdd(t, g, 1), mustAdd(t, g, 2), mustAdd(t, g, 3)
	ga := mustAdd(t, g, 4, a)
	f := mustAdd(t, g, 6, c, b)
	mustUnion(t, g, ga, c, 1)
	mustUnion(t, g, a, b, 2)
	mustRebuild(t, g)
	p := mustCompile(t, PatternSpec{Roots: []*Pat{P(6, P(4, V(0)), V(0))}})
	n, err := NewMatcher(p).Search(g, 0, func(m *Match) bool {
		if m.Root(0) != f || m.Node(1) != ga {
			t.Errorf("matched nodes %d, %d", m.Node(0), m.Node(1))
		}
		seams := m.Seams(g, nil)
		if len(seams) != 2 {
			t.Errorf("seams %v, want two", seams)
		}
		for _, s := range seams {
			if s.A == s.B || !g.Same(s.A, s.B) {
				t.Errorf("seam %v", s)
			}
		}
		return true
	})
	if err != nil || n != 1 {
		t.Fatalf("%d matches, %v; want 1", n, err)
	}
}

// Symbols 100..119 are one head with an attribute; the pattern asks for the
// same attribute twice.
func TestAttributes(t *testing.T) {
	g := NewGraph(Options{HeadOf: func(s uint32) uint32 {
		if s >= 100 {
			return 50
		}
		return s
	}})
	x := mustAdd(t, g, 1)
	for i := range uint32(3) {
		inner := mustAdd(t, g, 100+i, x)
		for j := range uint32(3) {
			mustAdd(t, g, 100+j, inner)
		}
	}
	calls := 0
	p := mustCompile(t, PatternSpec{
		Roots: []*Pat{P(50, P(50, V(0)))},
		Attrs: 1,
		MatchSym: func(node int, sym uint32, m *Match) bool {
			if g.Sym(m.Node(node)) != sym {
				t.Errorf("node %d is not set before its symbol is judged", node)
			}
			return m.Bind(0, int64(sym-100))
		},
		MatchVar: func(v int, m *Match) bool {
			calls++
			return m.Var(v) == x
		},
	})
	var got []int64
	if _, err := NewMatcher(p).Search(g, 0, func(m *Match) bool {
		v, ok := m.attrs[0], m.isSet[0]
		if !ok {
			t.Error("attribute is not bound")
		}
		got = append(got, v)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != "[0 1 2]" || calls != 3 {
		t.Errorf("attributes %v with %d variable calls, want [0 1 2] with 3", got, calls)
	}
}

func TestRootVariable(t *testing.T) {
	g := NewGraph(Options{})
	a, b := mustAdd(t, g, 1), mustAdd(t, g, 2)
	p := mustCompile(t, PatternSpec{Roots: []*Pat{V(0)}})
	if got := matches(t, g, p, 0); len(got) != 2 {
		t.Errorf("%d matches of a bare variable, want 2", len(got))
	}
	mustUnion(t, g, a, b, 1)
	mustRebuild(t, g)
	if got := matches(t, g, p, 0); len(got) != 1 {
		t.Errorf("%d matches after the union, want 1", len(got))
	}
	since := g.Advance()
	mustAdd(t, g, 3)
	if got := matches(t, g, p, since); len(got) != 1 {
		t.Errorf("%d new matches, want 1", len(got))
	}
}

func TestCompileErrors(t *testing.T) {
	for name, roots := range map[string][]*Pat{
		"no roots":      nil,
		"gap":           {P(1, V(1))},
		"nil":           {P(1, nil)},
		"variable kids": {{Var: 0, Kids: []*Pat{V(0)}}},
		"head":          {P(MaxHead + 1)},
	} {
		if _, err := Compile(PatternSpec{Roots: roots}); err == nil {
			t.Errorf("%s: compiled", name)
		}
	}
}

// randomGraph is a graph of unary 4, 5 and binary 6, 7 over leaves, with unions.
func randomGraph(tb testing.TB, nodes, unions int) *Graph {
	rng := rand.New(rand.NewPCG(3, 4))
	g := NewGraph(Options{})
	for i := range uint32(4) {
		mustAdd(tb, g, i)
	}
	for range nodes {
		n := g.Len()
		if rng.IntN(3) == 0 {
			mustAdd(tb, g, 4+uint32(rng.IntN(2)), NodeID(1+rng.IntN(n)))
		} else {
			mustAdd(tb, g, 6+uint32(rng.IntN(2)), NodeID(1+rng.IntN(n)), NodeID(1+rng.IntN(n)))
		}
	}
	for i := range unions {
		mustUnion(tb, g, NodeID(1+rng.IntN(g.Len())), NodeID(1+rng.IntN(g.Len())), Reason(i+1))
	}
	mustRebuild(tb, g)
	return g
}

func TestSearchAllocatesNothing(t *testing.T) {
	g := randomGraph(t, 2000, 100)
	p := mustCompile(t, PatternSpec{Roots: []*Pat{P(6, P(7, V(0), V(1)), V(2)), P(4, V(2))}})
	mt := NewMatcher(p)
	n := 0
	yield := func(*Match) bool { n++; return true }
	if a := testing.AllocsPerRun(5, func() {
		if _, err := mt.Search(g, 0, yield); err != nil {
			t.Fatal(err)
		}
	}); a != 0 || n == 0 {
		t.Errorf("%v allocations a search with %d matches, want 0 with some", a, n)
	}
}
