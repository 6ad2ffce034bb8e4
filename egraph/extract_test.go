package egraph

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func size(_ *Graph, _ NodeID, kids []float64) float64 {
	s := 1.0
	for _, k := range kids {
		s += k
	}
	return s
}

func TestExtractSharing(t *testing.T) {
	g := NewGraph(Options{})
	x := mustAdd(t, g, 1)
	y := mustAdd(t, g, 4, x)
	big := mustAdd(t, g, 6, y, y)
	ex, err := Extract(g, size)
	if err != nil {
		t.Fatal(err)
	}
	if ex.Cost(big) != 5 {
		t.Errorf("tree cost %v, want 5", ex.Cost(big))
	}
	if c, err := ex.DAGCost(func(NodeID) float64 { return 1 }, big); err != nil || c != 3 {
		t.Errorf("DAG cost %v, %v; want 3", c, err)
	}
}

func TestExtractNothing(t *testing.T) {
	g := NewGraph(Options{})
	x := mustAdd(t, g, 1)
	f := mustAdd(t, g, 4, x)
	ex, err := Extract(g, func(_ *Graph, n NodeID, _ []float64) float64 {
		if n == x {
			return math.Inf(1)
		}
		return 1
	})
	if err != nil {
		t.Fatal(err)
	}
	if ex.Best(f) != 0 || !math.IsInf(ex.Cost(f), 1) {
		t.Errorf("chose node %d at %v", ex.Best(f), ex.Cost(f))
	}
	if _, err := ex.DAG(f); err == nil {
		t.Error("DAG of a class without a choice")
	}
	if _, err := Extract(g, func(*Graph, NodeID, []float64) float64 { return math.NaN() }); err == nil {
		t.Error("a cost of NaN is accepted")
	}
}

// Bellman-Ford over all nodes is the reference; the choice must also be a DAG
// of the price it claims.
func TestExtractIsOptimalAsTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newScript(NewGraph(Options{}))
		if err := s.play(rapid.SliceOfN(rapid.Byte(), 20, 200).Draw(t, "ops")); err != nil {
			t.Fatal(err)
		}
		g := s.g
		ex, err := Extract(g, size)
		if err != nil {
			t.Fatal(err)
		}
		best := map[ClassID]float64{}
		for c := range g.Classes() {
			best[c] = math.Inf(1)
		}
		for range best {
			for n := NodeID(1); int(n) <= g.Len(); n++ {
				sum := 1.0
				for _, k := range g.Children(n) {
					sum += best[g.Find(k)]
				}
				best[g.Find(n)] = min(best[g.Find(n)], sum)
			}
		}
		for c, want := range best {
			if got := ex.Cost(NodeID(c)); got != want {
				t.Fatalf("class %d costs %v, want %v", c, got, want)
			}
			order, err := ex.DAG(NodeID(c))
			if err != nil {
				t.Fatal(err)
			}
			if float64(len(order)) > want {
				t.Fatalf("class %d: DAG of %d nodes for a tree of %v", c, len(order), want)
			}
		}
	})
}
