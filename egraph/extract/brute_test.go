package extract

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// drawn is a random e-graph: cycles, shared and fixed nodes, nodes that are never
// fixed, classes that cannot be made, several roots.
func drawn(t *rapid.T, classes, nodes int) *Problem {
	p := &Problem{Classes: rapid.IntRange(1, classes).Draw(t, "classes")}
	// What is deep has children of larger numbers but for one in up: choices are
	// large then, and cycles rare. Else all is mixed.
	deep := rapid.IntRange(0, 3).Draw(t, "deep") > 0
	up := rapid.IntRange(2, 12).Draw(t, "up")
	weights := rapid.IntRange(0, 2).Draw(t, "weights") == 0
	dear := rapid.IntRange(1, 12).Draw(t, "dear")
	n := rapid.IntRange(p.Classes, max(nodes, p.Classes)).Draw(t, "nodes")
	for i := range n {
		k := i // one node each first
		if i >= p.Classes {
			k = rapid.IntRange(0, p.Classes-1).Draw(t, "class")
		}
		node := Node{Class: ClassID(k), Cost: int64(rapid.IntRange(0, dear).Draw(t, "cost")), Bytes: int64(rapid.IntRange(0, 9).Draw(t, "bytes"))}
		kids := rapid.IntRange(1, 3).Draw(t, "kids")
		if k >= p.Classes*2/3 && rapid.Bool().Draw(t, "leaf") || rapid.IntRange(0, 15).Draw(t, "leaf") == 0 {
			kids = 0
		}
		for range kids {
			j := rapid.IntRange(0, p.Classes-1).Draw(t, "child")
			if deep && j <= k && rapid.IntRange(0, up).Draw(t, "up") > 0 {
				if k == p.Classes-1 {
					continue
				}
				j = rapid.IntRange(k+1, p.Classes-1).Draw(t, "down")
			}
			node.Children = append(node.Children, ClassID(j))
		}
		if weights {
			switch kind := rapid.IntRange(0, 7).Draw(t, "kind"); {
			case len(node.Children) == 0 && kind < 4:
				node.Kind = Fixed
			case kind == 7:
				node.Kind = Live
			}
		}
		p.AddNode(node)
	}
	p.Roots = append(p.Roots, 0)
	for range rapid.IntRange(0, 2).Draw(t, "roots") {
		p.Roots = append(p.Roots, ClassID(rapid.IntRange(0, p.Classes-1).Draw(t, "root")))
	}
	return p
}

// problems has f draw problems, ten for each of rapid's checks: they are small.
func problems(t *testing.T, f func(*rapid.T)) {
	rapid.Check(t, func(t *rapid.T) {
		for range 10 {
			f(t)
		}
	})
}

// judged is what a choice costs and stores, by the definition alone: depths are
// raised until nothing changes, so a cycle shows as a depth beyond all.
func judged(p *Problem, choice []NodeID) (cost, bytes int64, ok bool) {
	needed := make([]bool, p.Classes)
	for _, r := range p.Roots {
		needed[r] = true
	}
	depth := make([]int, p.Classes)
	for range p.Classes + 1 {
		for k := range needed {
			if !needed[k] {
				continue
			}
			if choice[k] == NoNode || p.Nodes[choice[k]].Class != ClassID(k) {
				return 0, 0, false
			}
			for _, j := range p.Nodes[choice[k]].Children {
				needed[j] = true
				depth[k] = max(depth[k], depth[j]+1)
			}
		}
	}
	fixed := make([]bool, p.Classes)
	for range p.Classes {
		for k := range needed {
			if !needed[k] {
				continue
			}
			if depth[k] > p.Classes {
				return 0, 0, false
			}
			n := p.Nodes[choice[k]]
			all := len(n.Children) > 0 && n.Kind == Plain
			for _, j := range n.Children {
				all = all && fixed[j]
			}
			fixed[k] = all || n.Kind == Fixed
		}
	}
	for k := range needed {
		if !needed[k] {
			continue
		}
		n := p.Nodes[choice[k]]
		if !fixed[k] {
			cost += n.Cost
			continue
		}
		read := false
		for _, r := range p.Roots {
			read = read || int(r) == k
		}
		for j := range needed {
			if needed[j] && !fixed[j] {
				for _, i := range p.Nodes[choice[j]].Children {
					read = read || int(i) == k
				}
			}
		}
		if read {
			bytes += n.Bytes
		}
	}
	return cost, bytes, true
}

// brute calls visit with every choice that has a node exactly for what is needed.
func brute(p *Problem, visit func(choice []NodeID, cost, bytes int64)) {
	byClass := make([][]NodeID, p.Classes)
	for i, n := range p.Nodes {
		byClass[n.Class] = append(byClass[n.Class], NodeID(i))
	}
	choice := make([]NodeID, p.Classes)
	for k := range choice {
		choice[k] = NoNode
	}
	var walk func(todo []ClassID)
	walk = func(todo []ClassID) {
		for len(todo) > 0 && choice[todo[len(todo)-1]] != NoNode {
			todo = todo[:len(todo)-1]
		}
		if len(todo) == 0 {
			if cost, bytes, ok := judged(p, choice); ok {
				visit(choice, cost, bytes)
			}
			return
		}
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, n := range byClass[k] {
			choice[k] = n
			walk(append(append([]ClassID(nil), todo...), p.Nodes[n].Children...))
		}
		choice[k] = NoNode
	}
	walk(append([]ClassID(nil), p.Roots...))
}

// least is the least cost of any choice within MaxBytes, or -1 if there is none.
func least(p *Problem) int64 {
	best := int64(math.MaxInt64)
	brute(p, func(_ []NodeID, cost, bytes int64) {
		if p.MaxBytes == 0 || bytes <= p.MaxBytes {
			best = min(best, cost)
		}
	})
	if best == math.MaxInt64 {
		return -1
	}
	return best
}

// sound fails unless a result is a choice with the cost and bytes it says, and
// its bound and stop reason are true of a problem whose least cost is want.
func sound(t rapid.TB, p *Problem, r *Result, want int64) {
	t.Helper()
	for i, s := range append([]Solution{r.Solution}, r.Best...) {
		cost, bytes, ok := judged(p, s.Choice)
		if !ok || cost != s.Cost || bytes != s.Bytes {
			t.Fatalf("solution %d: %v costs %d with %d bytes (%v), said to be %d and %d", i, s.Choice, cost, bytes, ok, s.Cost, s.Bytes)
		}
	}
	if r.Cost < want || r.Bound > want || r.Bound < 0 {
		t.Fatalf("cost %d, bound %d: the least cost is %d", r.Cost, r.Bound, want)
	}
	if r.Stop == StopOptimal && r.Cost != want {
		t.Fatalf("cost %d said to be optimal: the least cost is %d", r.Cost, want)
	}
}
