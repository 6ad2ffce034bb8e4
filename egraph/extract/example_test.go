package extract_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/taso-go/taso/egraph/extract"
)

// Two products of one input, or one product with both weights side by side and cut
// in two. The joined weights depend on weights only, so joining them costs nothing.
func ExampleSolve() {
	var p extract.Problem
	x, w1, w2, w := p.AddClass(), p.AddClass(), p.AddClass(), p.AddClass()
	y, y1, y2 := p.AddClass(), p.AddClass(), p.AddClass()
	p.AddNode(extract.Node{Class: x})
	p.AddNode(extract.Node{Class: w1, Kind: extract.Fixed, Bytes: 64})
	p.AddNode(extract.Node{Class: w2, Kind: extract.Fixed, Bytes: 64})
	p.AddNode(extract.Node{Class: w, Children: []extract.ClassID{w1, w2}, Cost: 50, Bytes: 128})
	p.AddNode(extract.Node{Class: y, Children: []extract.ClassID{x, w}, Cost: 120})
	for i, k := range []extract.ClassID{y1, y2} {
		p.AddNode(extract.Node{Class: k, Children: []extract.ClassID{x, []extract.ClassID{w1, w2}[i]}, Cost: 100})
		p.AddNode(extract.Node{Class: k, Children: []extract.ClassID{y}, Cost: 5})
	}
	p.Roots = []extract.ClassID{y1, y2}

	for _, m := range []extract.Method{extract.GreedyDAG, extract.Auto} {
		r, err := extract.Solve(context.Background(), &p, extract.Options{Method: m})
		if err != nil {
			panic(err)
		}
		fmt.Println("cost", r.Cost, "bytes", r.Bytes, r.Stop, r.Choice)
	}
	// Output:
	// cost 200 bytes 128 done [0 1 2 -1 -1 5 7]
	// cost 130 bytes 128 optimal [0 1 2 3 4 6 8]
}

// The two cheapest solutions, for a caller who judges by more than a sum of costs.
func ExampleOptions_best() {
	var p extract.Problem
	x, y := p.AddClass(), p.AddClass()
	p.AddNode(extract.Node{Class: x})
	for _, cost := range []int64{30, 10, 20} {
		p.AddNode(extract.Node{Class: y, Children: []extract.ClassID{x}, Cost: cost})
	}
	p.Roots = []extract.ClassID{y}
	r, err := extract.Solve(context.Background(), &p, extract.Options{Best: 2})
	if err != nil {
		panic(err)
	}
	for _, s := range r.Best {
		fmt.Println(s.Cost, s.Choice)
	}
	// Output:
	// 10 [0 2]
	// 20 [0 3]
}

// A choice is followed from the roots; what they do not need is left out of it.
func ExampleProblem_Evaluate() {
	p := extract.Problem{Classes: 3, Roots: []extract.ClassID{0}, Nodes: []extract.Node{
		{Class: 0, Children: []extract.ClassID{1, 1}, Cost: 2},
		{Class: 1, Cost: 3},
		{Class: 2, Cost: 4},
	}}
	fmt.Println(p.Evaluate([]extract.NodeID{0, 1, 2}))
	_, err := p.Evaluate([]extract.NodeID{0, extract.NoNode, 2})
	fmt.Println(err)
	// Output:
	// {[0 1 -1] 5 0} <nil>
	// class 1 is needed, and no node is chosen
}

func ExampleProblem_Validate() {
	p := extract.Problem{Classes: 1, Nodes: []extract.Node{{Children: []extract.ClassID{7}}}, Roots: []extract.ClassID{0}}
	fmt.Println(p.Validate())
	// Output: node 0: child 0: class 7: there are 1 classes
}

func ExampleReadGym() {
	g, err := extract.ReadGym(strings.NewReader(`{
		"nodes": {
			"y": {"op": "relu", "cost": 0.5, "eclass": "2", "children": ["x"]},
			"x": {"op": "input", "cost": 0, "eclass": "1", "children": []}
		},
		"root_eclasses": ["2"]}`), 0)
	if err != nil {
		panic(err)
	}
	r, err := extract.Solve(context.Background(), &g.Problem, extract.Options{})
	if err != nil {
		panic(err)
	}
	for k, n := range r.Choice {
		fmt.Println("class", g.ClassNames[k], "node", g.NodeNames[n], g.Ops[n], g.Nodes[n].Cost, "ps")
	}
	// Output:
	// class 2 node y relu 500000000 ps
	// class 1 node x input 0 ps
}

func ExampleGym_Write() {
	var g extract.Gym
	k := g.AddClass()
	g.AddNode(extract.Node{Class: k, Kind: extract.Fixed, Bytes: 4})
	g.Roots = []extract.ClassID{k}
	if err := g.Write(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// {"nodes": {
	// "0": {"op":"node0","cost":0,"eclass":"0","children":[],"kind":"fixed","bytes":4}
	// },
	// "root_eclasses": ["0"]
	// }
}
