package egraph_test

import (
	"fmt"
	"os"

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
	g.Dump(os.Stdout, name)
	// Output:
	// false
	// true
	// c1: n1=a n2=b n3=c
	// c4: n4=f(c1) +1
}

func ExampleGraph_Explain() {
	g := egraph.NewGraph(egraph.Options{})
	a, b, c := node(g, symA), node(g, symB), node(g, symC)
	fa, fc := node(g, symF, a), node(g, symF, c)
	g.Union(a, b, 1)
	g.Union(c, b, 2)
	g.Rebuild()
	proof, err := g.Explain(fa, fc)
	if err != nil {
		panic(err)
	}
	for i, chain := range proof.Chains {
		for _, s := range chain.Steps {
			fmt.Printf("chain %d: %s = %s by %d forward=%v on %v\n", i,
				g.TermString(s.From, name), g.TermString(s.To, name), s.Reason, s.Forward, s.Sub)
		}
	}
	fmt.Println(proof.Reasons())
	// Output:
	// chain 0: a = b by 1 forward=true on []
	// chain 0: b = c by 2 forward=false on []
	// chain 1: f(a) = f(c) by 0 forward=true on [0]
	// [1 2]
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

func ExampleExtract() {
	g := egraph.NewGraph(egraph.Options{})
	a := node(g, symA)
	ffa := node(g, symF, node(g, symF, a))
	g.Union(ffa, a, 1) // f is its own inverse
	g.Rebuild()
	fffa := node(g, symF, ffa)
	x, err := egraph.Extract(g, func(_ *egraph.Graph, _ egraph.NodeID, kids []float64) float64 {
		cost := 1.0
		for _, k := range kids {
			cost += k
		}
		return cost
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(g.TermString(x.Best(ffa), name), x.Cost(ffa), x.Cost(fffa))
	// Output: a 1 2
}

// least keeps the least leaf symbol below a class.
type least struct{}

func (least) Make(g *egraph.EGraph[uint32], n egraph.NodeID) (uint32, error) {
	d := g.Sym(n)
	for _, k := range g.Children(n) {
		d = min(d, g.NodeData(k))
	}
	return d, nil
}

func (least) Merge(a, b uint32) (uint32, egraph.Changed, error) {
	switch {
	case a < b:
		return a, egraph.RightChanged, nil
	case a > b:
		return b, egraph.LeftChanged, nil
	}
	return a, egraph.Unchanged, nil
}

func ExampleNew() {
	g := egraph.New[uint32](least{}, egraph.Options{})
	b := node(&g.Graph, symB)
	fb := node(&g.Graph, symF, b)
	fmt.Println(name(g.NodeData(fb)))
	g.Union(b, node(&g.Graph, symA), 1)
	g.Rebuild()
	fmt.Println(name(g.NodeData(fb)))
	// Output:
	// b
	// a
}
