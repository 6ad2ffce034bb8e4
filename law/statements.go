package law

import (
	"encoding/binary"

	"github.com/taso-go/taso/graph"
)

// Statements numbers laws by what they say, with the names that it is said with: equal
// declarations in their order, equal conditions in theirs, equal sides and one
// direction have one number, and nothing else has. Kind, name and what is there for
// people do not matter. No text is made of a law, so that laws which only print alike
// have different numbers. Numbers count from 0 in the order in which statements are
// first met; laws that were met must not be changed. The zero Statements holds none.
// Not for use by several goroutines.
type Statements struct {
	nodes Nodes
	words map[string]int
	items map[graph.Item]int
	sizes map[graph.Dim]int
	index map[string]int
}

// Of is the number of what l says.
func (s *Statements) Of(l *Law) int {
	if s.index == nil {
		s.words, s.items = map[string]int{}, map[graph.Item]int{}
		s.sizes, s.index = map[graph.Dim]int{}, map[string]int{}
	}
	// Every list is preceded by its length, so that no two laws have one key.
	var key []byte
	put := func(n int) { key = binary.AppendUvarint(key, uint64(n)) }
	put(len(l.Given))
	for _, g := range l.Given {
		put(count(s.words, g.Name))
		put(count(s.words, g.Sort))
		put(len(g.Shape))
		for _, it := range g.Shape {
			put(count(s.items, it))
		}
	}
	put(len(l.Where))
	for _, w := range l.Where {
		put(count(s.words, w.Rel))
		put(count(s.sizes, w.Left))
		put(count(s.sizes, w.Right))
		if w.Mod == nil {
			put(0)
			continue
		}
		put(1 + count(s.sizes, *w.Mod))
	}
	for _, side := range [2][]*Term{l.LHS, l.RHS} {
		put(len(side))
		for _, t := range side {
			put(s.nodes.Of(t))
		}
	}
	if l.OneWay {
		put(1)
	} else {
		put(0)
	}
	return count(s.index, string(key))
}

// Same reports whether two laws say the same with the same names, see Statements.
func Same(a, b *Law) bool {
	var s Statements
	return a == b || s.Of(a) == s.Of(b)
}
