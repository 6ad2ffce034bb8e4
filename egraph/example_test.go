package egraph_test

import (
	"fmt"

	"github.com/taso-go/taso/egraph"
)

var names = []string{"?", "a", "b", "c", "f", "add"}

const (
	symA uint32 = iota + 1
	symB
	symC
	symF
	symAdd
)

func name(sym uint32) string { return names[sym] }

func node(g *egraph.Graph, sym uint32, kids ...egraph.NodeID) egraph.NodeID {
	n, err := g.Add(sym, kids...)
	if err != nil {
		panic(err)
	}
	return n
}

// Two unions make a and c equal, hence f(a) and f(c).
func ExampleGraph() {
	g := egraph.NewGraph(egraph.Options{})
	a, b, c := node(g, symA), node(g, symB), node(g, symC)
	fa, fc := node(g, symF, a), node(g, symF, c)
	g.Union(a, b, 1)
	g.Union(b, c, 2)
	fmt.Println(g.Same(fa, fc))
	g.Rebuild()
	fmt.Println(g.Same(fa, fc))
	for c := range g.Classes() {
		fmt.Printf("class %d:", c)
		for n := range g.Class(c) {
			fmt.Print(" ", name(g.Sym(n)))
		}
		fmt.Println()
	}
	// Output:
	// false
	// true
	// class 1: a b c
	// class 4: f
}

// What f(a) = f(c) follows from: two of the three unions.
func ExampleGraph_Reasons() {
	g := egraph.NewGraph(egraph.Options{})
	a, b, c := node(g, symA), node(g, symB), node(g, symC)
	fa, fc := node(g, symF, a), node(g, symF, c)
	g.Union(a, b, 1)
	g.Union(c, b, 2)
	g.Union(fa, node(g, symF, fc), 3)
	g.Rebuild()
	fmt.Println(g.Reasons(nil, fa, fc))
	// Output: [1 2] <nil>
}

// Addition commutes: for each sum found, its mirror image is added and made
// equal, with the number of the instance as the reason.
func ExampleMatcher_Search() {
	g := egraph.NewGraph(egraph.Options{})
	a, b := node(g, symA), node(g, symB)
	ab, ba := node(g, symAdd, a, b), node(g, symAdd, b, a)
	sum, err := egraph.Compile(egraph.PatternSpec{
		Roots: []*egraph.Pat{egraph.P(symAdd, egraph.V(0), egraph.V(1))},
	})
	if err != nil {
		panic(err)
	}
	var found [][3]egraph.NodeID // what changes the graph comes after the search
	_, err = egraph.NewMatcher(sum).Search(g, 0, func(m *egraph.Match) bool {
		found = append(found, [3]egraph.NodeID{m.Root(0), m.Var(0), m.Var(1)})
		return true
	})
	if err != nil {
		panic(err)
	}
	for i, f := range found {
		g.Union(f[0], node(g, symAdd, f[2], f[1]), egraph.Reason(i+1))
	}
	g.Rebuild()
	fmt.Println(len(found), g.Same(ab, ba))
	// Output: 2 true
}

// kinds is a typing: a is of another kind than everything else.
type kinds struct{}

func (kinds) TypeOf(g *egraph.Graph, n egraph.NodeID) (uint32, error) {
	if g.Sym(n) == symA {
		return 1, nil
	}
	return 2, nil
}

func (kinds) Differ(x, y uint32) error { return fmt.Errorf("kind %d is not kind %d", x, y) }

func ExampleTyping() {
	g := egraph.NewGraph(egraph.Options{Typing: kinds{}})
	a, b, c := node(g, symA), node(g, symB), node(g, symC)
	fmt.Println(g.Union(b, c, 1))
	fmt.Println(g.Union(a, b, 2))
	// Output:
	// true <nil>
	// false egraph: conflict: nodes 1 and 2 are equal by reason 2: kind 2 is not kind 1
}
