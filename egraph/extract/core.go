package extract

import (
	"fmt"
	"slices"
)

// way is one way to make a class of a core: a node, or several nodes of as many
// classes that are chosen together.
type way struct {
	cost  int64
	kids  []int32  // classes, ascending, each once
	picks []NodeID // the nodes of the problem that it stands for
}

// core is a problem without fixed nodes, in which every way can be part of some
// acyclic choice: what the methods work on. Its classes are those of the problem
// (or of a component, see split), and a class that is gone has no ways.
type core struct {
	ways  [][]way // by class
	roots []int32 // ascending, each once
	base  int64   // the cost of what is chosen in any case, which is in no way
	picks []NodeID
	// picks are chosen wherever their classes are needed.

	// cyclic is what cycles found last, at so many ways.
	cyclic   []int32
	cyclicAt int
}

// distinct sorts kids and drops what occurs twice.
func distinct(kids []int32) []int32 {
	slices.Sort(kids)
	return slices.Compact(kids)
}

// size is the number of classes with ways, of ways, and of their kids.
func (c *core) size() (classes, ways, kids int) {
	for _, ws := range c.ways {
		if len(ws) > 0 {
			classes++
		}
		ways += len(ws)
		for i := range ws {
			kids += len(ws[i].kids)
		}
	}
	return
}

// users lists for each class the classes that have a way with it as a kid.
func (c *core) users() [][]int32 {
	count, last := make([]int32, len(c.ways)), make([]int32, len(c.ways)) // last: a user, from 1
	all := 0
	for k := range c.ways {
		for i := range c.ways[k] {
			for _, j := range c.ways[k][i].kids {
				if last[j] != int32(k)+1 {
					last[j] = int32(k) + 1
					count[j]++
					all++
				}
			}
		}
	}
	out, list := make([][]int32, len(c.ways)), make([]int32, all)
	for j, n := range count {
		out[j], list = list[:0:n], list[n:]
	}
	for k := range c.ways {
		for i := range c.ways[k] {
			for _, j := range c.ways[k][i].kids {
				if u := out[j]; len(u) == 0 || u[len(u)-1] != int32(k) {
					out[j] = append(u, int32(k))
				}
			}
		}
	}
	return out
}

// founded drops the ways that are part of no acyclic choice because some kid
// cannot be made, and reports whether all roots can be made.
func (c *core) founded() bool {
	made := make([]bool, len(c.ways))
	for _, k := range c.settled() {
		made[k] = true
	}
	for k := range c.ways {
		if !made[k] {
			c.ways[k] = nil
			continue
		}
		ws := c.ways[k]
		out := ws[:0]
		for _, w := range ws {
			if !slices.ContainsFunc(w.kids, func(j int32) bool { return !made[j] }) {
				out = append(out, w)
			}
		}
		c.ways[k] = out
	}
	for _, r := range c.roots {
		if !made[r] {
			return false
		}
	}
	return true
}

// reached drops the classes that no root needs, whatever is chosen.
func (c *core) reached() {
	seen := make([]bool, len(c.ways))
	stack := slices.Clone(c.roots)
	for _, r := range stack {
		seen[r] = true
	}
	for len(stack) > 0 {
		k := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for i := range c.ways[k] {
			for _, j := range c.ways[k][i].kids {
				if !seen[j] {
					seen[j] = true
					stack = append(stack, j)
				}
			}
		}
	}
	for k := range c.ways {
		if !seen[k] {
			c.ways[k] = nil
		}
	}
}

// clone copies the core but not what is never changed in place: kids and picks.
func (c *core) clone() *core {
	d := &core{ways: make([][]way, len(c.ways)), roots: slices.Clone(c.roots), base: c.base, picks: slices.Clone(c.picks), cyclic: c.cyclic, cyclicAt: c.cyclicAt}
	for k, ws := range c.ways {
		d.ways[k] = slices.Clone(ws)
	}
	return d
}

// check panics unless the core is as its methods want it: kids ascending, with ways
// of their own, and each class derivable. It is a check of this package's own work, for
// tests (internal/invariants).
func (c *core) check() {
	made := c.treeChoice()
	for k, ws := range c.ways {
		if len(ws) > 0 && made[k] < 0 {
			panic(fmt.Sprintf("extract: class %d cannot be made", k))
		}
		for i, w := range ws {
			if !slices.IsSorted(w.kids) || slices.Contains(w.kids, int32(k)) || w.cost < 0 {
				panic(fmt.Sprintf("extract: class %d: way %d: kids %v, cost %d", k, i, w.kids, w.cost))
			}
			for _, j := range w.kids {
				if len(c.ways[j]) == 0 {
					panic(fmt.Sprintf("extract: class %d: way %d: kid %d has no ways", k, i, j))
				}
			}
		}
	}
	for _, r := range c.roots {
		if len(c.ways[r]) == 0 {
			panic(fmt.Sprintf("extract: root %d has no ways", r))
		}
	}
}
