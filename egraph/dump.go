package egraph

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Walk visits the term of n: its nodes, each once, children first.
func (g *Graph) Walk(n NodeID, visit func(NodeID)) {
	seen := make(map[NodeID]bool)
	// Children have smaller ids than their parents, so the term has no cycle.
	var stack []NodeID
	stack = append(stack, n)
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		if seen[top] {
			stack = stack[:len(stack)-1]
			continue
		}
		ready := true
		kids := g.Children(top)
		for i := len(kids) - 1; i >= 0; i-- {
			if !seen[kids[i]] {
				ready = false
				stack = append(stack, kids[i])
			}
		}
		if ready {
			seen[top] = true
			visit(top)
			stack = stack[:len(stack)-1]
		}
	}
}

// TermString returns the term of n as written when it was added, for instance
// "f(a, b)"; name nil prints symbols as numbers. Shared subterms are written
// out each time.
func (g *Graph) TermString(n NodeID, name func(sym uint32) string) string {
	var b strings.Builder
	g.writeTerm(&b, n, name)
	return b.String()
}

func (g *Graph) writeTerm(b *strings.Builder, n NodeID, name func(uint32) string) {
	b.WriteString(g.symName(n, name))
	for i, k := range g.Children(n) {
		if i == 0 {
			b.WriteByte('(')
		} else {
			b.WriteString(", ")
		}
		g.writeTerm(b, k, name)
	}
	if g.Arity(n) > 0 {
		b.WriteByte(')')
	}
}

func (g *Graph) symName(n NodeID, name func(uint32) string) string {
	if name != nil {
		return name(g.Sym(n))
	}
	return strconv.FormatUint(uint64(g.Sym(n)), 10)
}

// Dump writes the classes, a line each: the class's name, then its live nodes by
// id with their children's classes, then how many twins it has. The same calls
// on two graphs give the same text.
func (g *Graph) Dump(w io.Writer, name func(sym uint32) string) error {
	twins := make(map[NodeID]int)
	for n := NodeID(1); int(n) < len(g.nodes); n++ {
		if g.nodes[n].dead {
			twins[g.find(n)]++
		}
	}
	var members []NodeID
	for c := range g.Classes() {
		members = members[:0]
		for n := range g.Class(c) {
			members = append(members, n)
		}
		slices.Sort(members)
		if _, err := fmt.Fprintf(w, "c%d:", c); err != nil {
			return err
		}
		for _, n := range members {
			fmt.Fprintf(w, " n%d=%s", n, g.symName(n, name))
			for i, k := range g.Children(n) {
				sep := " "
				if i == 0 {
					sep = "("
				}
				fmt.Fprintf(w, "%sc%d", sep, g.find(k))
			}
			if g.Arity(n) > 0 {
				fmt.Fprint(w, ")")
			}
		}
		if t := twins[NodeID(c)]; t > 0 {
			fmt.Fprintf(w, " +%d", t)
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}
