package graph_test

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
)

// Inputs come first, weights by their first use, nothing that is dead but inputs.
func TestArranged(t *testing.T) {
	g, err := graph.ParseText("test", "unused : weight float32[2]\nb : weight float32[2]\na : weight float32[2]\nx : float32[2]\nz : float32[2]\n"+
		"dead = relu(b)\ny = ewadd(x, a)\nw = ewmul(y, b)\nreturn w, y\n")
	if err != nil {
		t.Fatal(err)
	}
	h, from, err := g.Arranged(graph.Arrangement{Name: func(id graph.NodeID) string { return "the " + g.Name(id) }})
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, name := range []string{"x", "z", "a", "b", "y", "w"} {
		want += name + " "
	}
	got := ""
	for id := range h.Nodes() {
		if h.Name(id) != "the "+g.Name(from[id]) || h.IsWeight(id) != g.IsWeight(from[id]) || h.Op(id) != g.Op(from[id]) {
			t.Errorf("%s is not %s", h.Name(id), g.Name(from[id]))
		}
		got += g.Name(from[id]) + " "
	}
	outs := fmt.Sprint(h.Name(h.Outputs()[0].Node), " ", h.Name(h.Outputs()[1].Node))
	if got != want || outs != "the w the y" {
		t.Errorf("got %s, outputs %s, want %s", got, outs, want)
	}
	if _, _, err := g.Arranged(graph.Arrangement{Name: func(graph.NodeID) string { return "same" }}); err == nil {
		t.Error("one name for all nodes")
	}
	h, _, err = g.Arranged(graph.Arrangement{Name: func(graph.NodeID) string { return "" }})
	if err != nil || h.Name(5) != "t5" {
		t.Errorf("nodes without a name: %v", err)
	}
	y, _ := g.Find("y")
	h, from, err = g.Arranged(graph.Arrangement{Weight: func(id graph.NodeID) bool { return id == y }})
	if err != nil || h.String() != "x : float32[2]\nz : float32[2]\ny : weight float32[2]\nb : weight float32[2]\nw = ewmul(y, b)\nreturn w, y\n" || from[3] != y {
		t.Errorf("a weight for y: %v\n%s", err, h)
	}
	h, _, err = g.Arranged(graph.Arrangement{Outputs: []graph.Tensor{y.Out(0)}})
	if err != nil || h.String() != "x : float32[2]\nz : float32[2]\na : weight float32[2]\ny = ewadd(x, a)\nreturn y\n" {
		t.Errorf("what y depends on: %v\n%s", err, h)
	}
}
