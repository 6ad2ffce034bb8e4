package egraph

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func TestSizeof(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want uintptr
	}{
		{"node", unsafe.Sizeof(node{}), 16},
		{"link", unsafe.Sizeof(link{}), 28},
		{"use", unsafe.Sizeof(use{}), 8},
		{"edge", unsafe.Sizeof(edge{}), 16},
	} {
		if c.got != c.want {
			t.Errorf("%s takes %d bytes, want %d", c.name, c.got, c.want)
		}
	}
}

// mustAdd and friends keep tests readable.
func mustAdd(t testing.TB, g *Graph, sym uint32, kids ...NodeID) NodeID {
	t.Helper()
	n, err := g.Add(sym, kids...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func mustUnion(t testing.TB, g *Graph, a, b NodeID, why Reason) bool {
	t.Helper()
	ok, err := g.Union(a, b, why)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func mustRebuild(t testing.TB, g *Graph) {
	t.Helper()
	if err := g.Rebuild(); err != nil {
		t.Fatal(err)
	}
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
}

func TestTwinsJoinByCongruence(t *testing.T) {
	g := NewGraph(Options{})
	a, b := mustAdd(t, g, 1), mustAdd(t, g, 2)
	fa := mustAdd(t, g, 10, a)
	mustUnion(t, g, a, b, 7)
	fb := mustAdd(t, g, 10, b)
	if fa == fb || !g.Same(fa, fb) {
		t.Fatalf("f(a)=%d and f(b)=%d: want two nodes of one class", fa, fb)
	}
	if again := mustAdd(t, g, 10, b); again != fb {
		t.Fatalf("f(b) added twice: nodes %d and %d", fb, again)
	}
	mustRebuild(t, g)
	if n, ok := g.Lookup(10, b); !ok || n != fb {
		t.Errorf("Lookup f(b) = %d, %v; want the very node %d", n, ok, fb)
	}
	if g.Len() != 4 || g.live != 3 || g.nclass != 2 {
		t.Errorf("%d nodes, %d live, %d classes", g.Len(), g.live, g.nclass)
	}
	if got, err := g.Reasons(nil, fa, fb); err != nil || fmt.Sprint(got) != "[7]" {
		t.Errorf("reasons %v, %v, want [7]", got, err)
	}
}

func TestErrors(t *testing.T) {
	g := NewGraph(Options{})
	a := mustAdd(t, g, 1)
	b := mustAdd(t, g, 2)
	if _, err := g.Add(3, 99); !errors.Is(err, ErrNoSuchNode) {
		t.Errorf("Add over a missing node: %v", err)
	}
	if _, err := g.Add(3, 0); !errors.Is(err, ErrNoSuchNode) {
		t.Errorf("Add over node 0: %v", err)
	}
	if _, err := g.Add(MaxHead + 1); !errors.Is(err, ErrHead) {
		t.Errorf("Add of a large head: %v", err)
	}
	if _, err := g.Add(1, make([]NodeID, MaxArity+1)...); !errors.Is(err, ErrArity) {
		t.Errorf("Add of many children: %v", err)
	}
	if _, err := g.Union(a, b, Congruence); !errors.Is(err, ErrReason) {
		t.Errorf("Union by reason 0: %v", err)
	}
	if _, err := g.Union(a, 99, 1); !errors.Is(err, ErrNoSuchNode) {
		t.Errorf("Union with a missing node: %v", err)
	}
	if _, err := g.UnionBecause(a, b, 1, []Pair{{a, b}}); !errors.Is(err, ErrNotEqual) {
		t.Errorf("Union on a false premise: %v", err)
	}
	if _, err := g.Reasons(nil, a, b); !errors.Is(err, ErrNotEqual) {
		t.Errorf("Reasons of a falsehood: %v", err)
	}
	if _, err := g.Reasons(nil, a, 0); !errors.Is(err, ErrNoSuchNode) {
		t.Errorf("Reasons of node 0: %v", err)
	}
	mustUnion(t, g, a, b, 1)
	p, err := Compile(PatternSpec{Roots: []*Pat{P(1)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewMatcher(p).Search(g, 0, func(*Match) bool { return true }); !errors.Is(err, ErrDirty) {
		t.Errorf("Search before Rebuild: %v", err)
	}
	if g.Len() != 2 {
		t.Errorf("refused calls left %d nodes, want 2", g.Len())
	}
}

// script replays a string of bytes as operations on a graph and the reference.
// It is what the property tests and the fuzz target share.
type script struct {
	g       *Graph
	ref     *naive
	why     Reason
	equated map[Reason]Pair
}

func newScript(g *Graph) *script {
	return &script{g: g, ref: &naive{}, equated: map[Reason]Pair{}}
}

// play reads four bytes an operation: what, symbol, first and second operand.
func (s *script) play(ops []byte) error {
	for ; len(ops) >= 4; ops = ops[4:] {
		n := s.g.Len()
		pick := func(b byte) NodeID { return NodeID(int(b)%n + 1) }
		switch what := ops[0] % 8; {
		case n == 0 || what == 0:
			if err := s.add(uint32(ops[1]%4), nil); err != nil {
				return err
			}
		case what <= 2:
			if err := s.add(4+uint32(ops[1]%2), []NodeID{pick(ops[2])}); err != nil {
				return err
			}
		case what <= 4:
			if err := s.add(6+uint32(ops[1]%2), []NodeID{pick(ops[2]), pick(ops[3])}); err != nil {
				return err
			}
		case what <= 6:
			a, b := pick(ops[2]), pick(ops[3])
			s.why++
			news := !s.g.Same(a, b)
			got, err := s.g.Union(a, b, s.why)
			if err != nil {
				return err
			}
			if got != news {
				return fmt.Errorf("union %d %d: news %v, want %v", a, b, got, news)
			}
			s.equated[s.why] = Pair{a, b}
			s.ref.union(int(a)-1, int(b)-1)
		default:
			if err := s.rebuild(); err != nil {
				return err
			}
		}
	}
	return s.rebuild()
}

func (s *script) add(sym uint32, kids []NodeID) error {
	n, err := s.g.Add(sym, kids...)
	if err != nil {
		return err
	}
	var rk []int
	for _, k := range kids {
		rk = append(rk, int(k)-1)
	}
	if r := s.ref.add(sym, rk...); r != int(n)-1 {
		return fmt.Errorf("add %d%v: node %d, want %d", sym, kids, n, r+1)
	}
	return nil
}

// rebuild compares all pairs with the reference.
func (s *script) rebuild() error {
	if err := s.g.Rebuild(); err != nil {
		return err
	}
	if err := s.g.Check(); err != nil {
		return err
	}
	s.ref.close()
	for i := range s.ref.class {
		for j := range i {
			if want, got := s.ref.class[i] == s.ref.class[j], s.g.Same(NodeID(i+1), NodeID(j+1)); got != want {
				return fmt.Errorf("nodes %d and %d: same %v, want %v", i+1, j+1, got, want)
			}
		}
		if n, ok := s.g.Lookup(s.g.Sym(NodeID(i+1)), s.g.Children(NodeID(i+1))...); !ok || n != NodeID(i+1) {
			return fmt.Errorf("look-up of node %d finds %d", i+1, n)
		}
	}
	return nil
}

// explain checks the explanation of a = b: the equations of its reasons alone
// entail a = b in a fresh closure.
func (s *script) explain(a, b NodeID) error {
	reasons, err := s.g.Reasons(nil, a, b)
	if err != nil {
		return err
	}
	r := terms(s.g)
	for _, why := range reasons {
		q := s.equated[why]
		r.union(int(q.A)-1, int(q.B)-1)
	}
	r.close()
	if r.class[a-1] != r.class[b-1] {
		return fmt.Errorf("reasons %v do not entail %d = %d", reasons, a, b)
	}
	return nil
}

// dump writes the classes, a line each: the nodes by id, with the classes of their
// children, dead ones marked.
func dump(g *Graph) string {
	var b strings.Builder
	for c := range g.Classes() {
		fmt.Fprintf(&b, "c%d:", c)
		for n := NodeID(1); int(n) <= g.Len(); n++ {
			if g.Find(n) != c {
				continue
			}
			fmt.Fprintf(&b, " n%d=%d", n, g.Sym(n))
			for _, k := range g.Children(n) {
				fmt.Fprintf(&b, " c%d", g.Find(k))
			}
			if g.nodes[n].dead {
				b.WriteString(" dead")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestAgainstNaiveClosure(t *testing.T) {
	g := NewGraph(Options{})
	rapid.Check(t, func(t *rapid.T) {
		g.Reset() // also tests that nothing survives Reset
		ops := rapid.SliceOfN(rapid.Byte(), 4, 240).Draw(t, "ops")
		if err := newScript(g).play(ops); err != nil {
			t.Fatal(err)
		}
		fresh := NewGraph(Options{Nodes: 1000})
		if err := newScript(fresh).play(ops); err != nil {
			t.Fatal(err)
		}
		if a, b := dump(g), dump(fresh); a != b {
			t.Fatalf("same calls, different graphs:\n%s\n%s", a, b)
		}
	})
}

func TestExplanationsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newScript(NewGraph(Options{}))
		if err := s.play(rapid.SliceOfN(rapid.Byte(), 40, 200).Draw(t, "ops")); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < 30; i++ {
			a := NodeID(rapid.IntRange(1, s.g.Len()).Draw(t, "a"))
			b := NodeID(rapid.IntRange(1, s.g.Len()).Draw(t, "b"))
			if s.g.Same(a, b) {
				if err := s.explain(a, b); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// Large random graphs reach table growth and sweeping, which small ones do not.
func TestLargeRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	g := NewGraph(Options{})
	for i := range uint32(200) {
		mustAdd(t, g, i)
	}
	why := Reason(0)
	for round := range 40 {
		for range 500 {
			n := g.Len()
			mustAdd(t, g, 1000+uint32(rng.IntN(3)), NodeID(1+rng.IntN(n)), NodeID(1+rng.IntN(n)))
		}
		for range 40 {
			why++
			mustUnion(t, g, NodeID(1+rng.IntN(g.Len())), NodeID(1+rng.IntN(g.Len())), why)
		}
		if round%3 == 0 {
			mustRebuild(t, g)
		}
	}
	mustRebuild(t, g)
	if g.Len() < 15000 || g.live >= g.Len() {
		t.Errorf("%d nodes, %d live: the test misses its aim", g.Len(), g.live)
	}
}

// A proof that shares subproofs must not be gone through as a tree.
func TestExplanationIsShared(t *testing.T) {
	g := NewGraph(Options{})
	a, b := mustAdd(t, g, 1), mustAdd(t, g, 2)
	x, y := a, b
	for range 100 {
		x, y = mustAdd(t, g, 10, x, x), mustAdd(t, g, 10, y, y)
	}
	mustUnion(t, g, a, b, 5)
	mustRebuild(t, g)
	reasons, err := g.Reasons(nil, x, y)
	if err != nil || fmt.Sprint(reasons) != "[5]" {
		t.Errorf("reasons %v, %v", reasons, err)
	}
}

func TestPremisesAreExplained(t *testing.T) {
	g := NewGraph(Options{})
	a, b, c, d := mustAdd(t, g, 1), mustAdd(t, g, 2), mustAdd(t, g, 3), mustAdd(t, g, 4)
	fc, fd := mustAdd(t, g, 10, c), mustAdd(t, g, 10, d)
	mustUnion(t, g, c, d, 1)
	mustRebuild(t, g)
	if _, err := g.UnionBecause(a, b, 2, []Pair{{fc, fd}, {a, a}}); err != nil {
		t.Fatal(err)
	}
	if got, err := g.Reasons(nil, b, a); err != nil || fmt.Sprint(got) != "[1 2]" {
		t.Errorf("reasons %v, %v, want [1 2]", got, err)
	}
}

func FuzzOperations(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00\x00\x05\x00\x00\x01\x01\x00\x01\x00\x07\x00\x00\x00"))
	f.Add([]byte("0000010203010100030102050201070000060102"))
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 400 {
			return
		}
		s := newScript(NewGraph(Options{}))
		if err := s.play(ops); err != nil {
			t.Fatal(err)
		}
		for n := NodeID(2); int(n) <= s.g.Len(); n++ {
			if s.g.Same(1, n) {
				if err := s.explain(1, n); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
