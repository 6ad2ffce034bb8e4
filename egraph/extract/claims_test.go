package extract

import (
	"context"
	"testing"

	"pgregory.net/rapid"
)

// unshared is a random e-graph in which the children of a node have nothing in
// common that costs, though nodes of one class may use the same children.
func unshared(t *rapid.T) *Problem {
	p := &Problem{}
	free := p.AddClass()
	p.AddNode(Node{Class: free})
	var grow func(depth int) ClassID
	grow = func(depth int) ClassID {
		k := p.AddClass()
		var below []ClassID
		if depth > 0 {
			for range rapid.IntRange(0, 3).Draw(t, "below") {
				below = append(below, grow(depth-1))
			}
		}
		for range rapid.IntRange(1, 3).Draw(t, "nodes") {
			n := Node{Class: k, Cost: int64(rapid.IntRange(0, 9).Draw(t, "cost")), Children: []ClassID{free}}
			for _, j := range below {
				if rapid.Bool().Draw(t, "uses") {
					n.Children = append(n.Children, j)
				}
			}
			p.AddNode(n)
		}
		return k
	}
	for range rapid.IntRange(1, 2).Draw(t, "roots") {
		p.Roots = append(p.Roots, grow(2))
	}
	return p
}

// TestGreedyClaim: the greedy methods are optimal where nothing that costs is
// shared, and not everywhere.
func TestGreedyClaim(t *testing.T) {
	methods := []Method{Greedy, GreedyDAG, Share}
	problems(t, func(t *rapid.T) {
		p := unshared(t)
		if len(p.Nodes) > 24 {
			return
		}
		want := least(p)
		for _, m := range methods {
			r, err := Solve(context.Background(), p, Options{Method: m})
			if err != nil {
				t.Fatal(err)
			}
			if r.Cost != want {
				t.Fatalf("method %s: cost %d: the least is %d", m, r.Cost, want)
			}
		}
	})
	above := map[Method]int{}
	problems(t, func(t *rapid.T) {
		p := drawn(t, 9, 22)
		want := least(p)
		for _, m := range append(methods, LNS) {
			if r, err := Solve(context.Background(), p, Options{Method: m}); err == nil && r.Cost > want {
				above[m]++
			}
		}
	})
	if above[Greedy] == 0 || above[GreedyDAG] == 0 || above[Share] > above[GreedyDAG] {
		t.Errorf("above the least cost: %v", above)
	}
	t.Logf("above the least cost: %v", above)
}

// TestShareClaim: no change of the node of one class alone makes the result of share
// moves cheaper.
func TestShareClaim(t *testing.T) {
	compared := 0
	problems(t, func(t *rapid.T) {
		p := drawn(t, 9, 22)
		r, err := Solve(context.Background(), p, Options{Method: Share})
		if err != nil {
			return
		}
		brute(p, func(choice []NodeID, cost, _ int64) {
			changed := 0
			for k, n := range choice {
				switch {
				case n == NoNode || n == r.Choice[k]:
				case r.Choice[k] == NoNode:
					return // another class is needed
				default:
					changed++
				}
			}
			if changed != 1 {
				return
			}
			compared++
			if cost < r.Cost {
				t.Fatalf("%v costs %d, with one change %v costs %d", r.Choice, r.Cost, choice, cost)
			}
		})
	})
	if compared == 0 {
		t.Error("no neighbours")
	}
}
