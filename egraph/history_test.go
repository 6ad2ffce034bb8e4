package egraph

import (
	"math/rand"
	"slices"
	"testing"
)

// TestHistoryDoesNotMatter: a graph that is built step by step is the same,
// edges of proofs included, whatever numbers its symbols have and whatever was
// in its memory before. Classes are joined pairwise, so that nodes are entered
// many times and the table is swept while classes wait for repair.
func TestHistoryDoesNotMatter(t *testing.T) {
	build := func(g *Graph, seed int64, sym uint32) {
		rng := rand.New(rand.NewSource(seed))
		add := func(sym uint32, kids ...NodeID) {
			if _, err := g.Add(sym, kids...); err != nil {
				t.Fatal(err)
			}
		}
		const leaves, users = 1024, 8
		for i := range uint32(leaves) {
			add(sym + 8 + i)
		}
		for i := range uint32(users * leaves) {
			add(sym+8+leaves+i, NodeID(1+i/users))
		}
		node := func() NodeID { return NodeID(1 + rng.Intn(32)*rng.Intn(32)) }
		for step := 1; step < leaves; step *= 2 {
			for i := 0; i < leaves; i += 2 * step {
				for range 2 {
					add(sym+uint32(rng.Intn(2)), node(), node())
				}
				if _, err := g.Union(NodeID(1+i), NodeID(1+i+step), Reason(1+i)); err != nil {
					t.Fatal(err)
				}
				if rng.Intn(200) == 0 {
					if err := g.Rebuild(); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := g.Rebuild(); err != nil {
				t.Fatal(err)
			}
		}
	}
	o := Options{HeadOf: func(uint32) uint32 { return 1 }}
	used := NewGraph(Options{HeadOf: o.HeadOf, Nodes: 20000})
	for seed := range int64(6) {
		fresh := NewGraph(o)
		build(fresh, seed, 0)
		used.Reset()
		build(used, seed, uint32(17+seed*31))
		if !slices.Equal(fresh.edges, used.edges) {
			t.Fatalf("seed %d: other edges", seed)
		}
	}
}
