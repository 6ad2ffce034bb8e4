package egraph_test

import (
	"context"
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

// Addition commutes: the two sums become one class, with the rule's instance
// as the proof.
func ExampleRun() {
	g := egraph.NewGraph(egraph.Options{})
	a, b := node(g, symA), node(g, symB)
	ab, ba := node(g, symAdd, a, b), node(g, symAdd, b, a)
	pattern, err := egraph.Compile(egraph.PatternSpec{
		Roots: []*egraph.Pat{egraph.P(symAdd, egraph.V(0), egraph.V(1))},
	})
	if err != nil {
		panic(err)
	}
	instance := egraph.Reason(0)
	commute := egraph.Rule{
		Name:    "commute",
		Pattern: pattern,
		Apply: func(g *egraph.Graph, m *egraph.Match) error {
			n, err := g.Add(symAdd, m.Var(1), m.Var(0))
			if err != nil {
				return err
			}
			instance++
			_, err = g.UnionBecause(m.Root(0), n, instance, m.Seams(g, nil))
			return err
		},
	}
	why, stats, err := egraph.Run(context.Background(), g, []egraph.Rule{commute},
		egraph.Limits{Goals: []egraph.Pair{{A: ab, B: ba}}})
	if err != nil {
		panic(err)
	}
	fmt.Println(why, stats.Iters, g.Same(ab, ba))
	// Output: goal reached 1 true
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
