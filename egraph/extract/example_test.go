package extract_test

import (
	"context"
	"fmt"

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
	p.AddNode(extract.Node{Class: y, Children: []extract.ClassID{x, w}, Cost: 90})
	for i, k := range []extract.ClassID{y1, y2} {
		p.AddNode(extract.Node{Class: k, Children: []extract.ClassID{x, []extract.ClassID{w1, w2}[i]}, Cost: 100})
		p.AddNode(extract.Node{Class: k, Children: []extract.ClassID{y}, Cost: 5})
	}
	p.Roots = []extract.ClassID{y1, y2}

	r, err := extract.Solve(context.Background(), &p, extract.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println("cost", r.Cost, "bytes", r.Bytes)
	fmt.Println("choice", r.Choice)
	// Output:
	// cost 100 bytes 128
	// choice [0 1 2 3 4 6 8]
}
