package explain_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/explain"
)

// TestPicture: equal subterms are one node, outputs of one application are its
// ports.
func TestPicture(t *testing.T) {
	l, err := law.ParseLaw("rule r\n  given X : [n], Y : [m]\n  then (split[axis=0, at=n](concat[axis=0](X, Y)).1, ewadd(relu(X), relu(X))) == (Y, ewadd(relu(X), relu(X)))")
	if err != nil {
		t.Fatal(err)
	}
	g := explain.Picture(l, l.LHS)
	var nodes, edges []string
	for _, n := range g.Nodes {
		nodes = append(nodes, n.Label+"/"+strings.ReplaceAll(n.Sub, "\n", "/"))
	}
	for _, e := range g.Edges {
		edges = append(edges, e.From+e.Port+">"+e.To)
	}
	if got, want := strings.Join(nodes, "; "), "X/[n]; Y/[m]; concat/axis=0/[m+n]; split/axis=0, at=n; relu/[n]; ewadd/[n]; output 0/; output 1/"; got != want {
		t.Errorf("nodes %s\nwant  %s", got, want)
	}
	cat := "concat[axis=0](X, Y)"
	want := []string{"X>" + cat, "Y>" + cat, cat + ">split[axis=0, at=n](" + cat + ")", "X>relu(X)",
		"relu(X)>ewadd(relu(X), relu(X))", "relu(X)>ewadd(relu(X), relu(X))",
		"split[axis=0, at=n](" + cat + ").1>output 0", "ewadd(relu(X), relu(X))>output 1"}
	if !reflect.DeepEqual(edges, want) {
		t.Errorf("edges %q\nwant  %q", edges, want)
	}
	// A side that has no shape is drawn all the same.
	if l, err = law.ParseLaw("rule r\n  given X : [n], Y : [m]\n  then ewadd(X, Y) == X"); err != nil {
		t.Fatal(err)
	}
	if g := explain.Picture(l, l.LHS); len(g.Nodes) != 3 || g.Nodes[2].Class != "kind2 output" {
		t.Errorf("an ill-typed side is drawn as %v", g)
	}
	if g := explain.Picture(l, l.RHS); len(g.Nodes) != 1 || g.Nodes[0].Class != "input output" {
		t.Errorf("a bare variable is drawn as %v", g)
	}
}

func ExamplePicture() {
	l, err := law.ParseLaw("rule r\n  given X : [m, k], V : [k, n], W : [k, n]\n  then ewadd(matmul(X, V), matmul(X, W)) == matmul(X, ewadd(V, W))")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range explain.Picture(l, l.RHS).Nodes {
		fmt.Println(n.Label, n.Sub)
	}
	// Output:
	// X [m, k]
	// V [k, n]
	// W [k, n]
	// ewadd [k, n]
	// matmul [m, n]
}
