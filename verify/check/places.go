package check

import (
	"strings"

	"github.com/taso-go/taso/graph"
)

// Where an operator reads at places that an operand holds, these have to be within its
// table. That is a condition on a node, not on sizes: it is given where the same node,
// or one that holds its entries, is known to hold places of a table that is no longer.

// moved says of operators whose entries are entries of their operands, each of them,
// whether all entries of these are among them.
var moved = map[string]bool{
	"slice": false, "concat": true, "reshape": true, "transpose": true, "broadcast": true,
	"partition": true, "combine": true, "replicate": true, "drop": false,
}

// maxMoves is how many moves one behind the other are looked through.
const maxMoves = 1000

// placed reports whether the conditions give that the entries of a node are places in a
// table of size n. A node is looked at once for each condition.
func (g *given) placed(id int, n size) bool {
	seen := map[int]bool{}
	var look func(id, depth int) bool
	look = func(id, depth int) bool {
		if yes, ok := seen[id]; ok {
			return yes
		}
		yes := false
		for _, d := range g.places[id] {
			yes = yes || g.t.sizes.atLeast0(n.minus(d), g.known)
		}
		if moves, _ := g.t.moves(id); !yes && depth < maxMoves && moves {
			yes = true
			for _, a := range g.t.nodes[id].args {
				yes = look(a, depth+1) && yes
			}
		}
		seen[id] = yes
		return yes
	}
	return look(id, 0)
}

// place notes that the entries of a node are places in a table of size n, and so are
// those that it is made of where it has all of these.
func (g *given) place(id int, n size, depth int) {
	for _, d := range g.places[id] {
		if d.equal(n) {
			return
		}
	}
	g.places[id] = append(g.places[id], n)
	if _, all := g.t.moves(id); depth < maxMoves && all {
		for _, a := range g.t.nodes[id].args {
			g.place(a, n, depth+1)
		}
	}
}

// moves reports whether a node's entries are those of its operands, and whether all of
// these are among them. An operator on each member of families moves what it moves in one.
func (b *terms) moves(id int) (yes, all bool) {
	all, yes = moved[strings.TrimPrefix(b.ops[id], graph.EachPrefix)]
	return yes, all
}
