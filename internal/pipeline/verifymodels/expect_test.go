package verifymodels

import (
	"context"
	"testing"
	"time"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// TestExpect: how long it takes grows with the elements that are moved, with the ways of
// evaluating and with the positions of a table, and nothing is said of models that are
// equal by structure.
func TestExpect(t *testing.T) {
	build := func(text string) *model.Model {
		g, err := graph.ParseText("test", text)
		if err != nil {
			t.Fatal(err)
		}
		m := &model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
		for _, id := range g.Inputs() {
			if g.IsWeight(id) {
				m.Weights[id] = model.Random(1, g.Sizes(id.Out(0)), 1)
			}
		}
		return m
	}
	expect := func(o Options) (least, most time.Duration, called bool) {
		o.Expect = func(a, b time.Duration) { least, most, called = a, b, true }
		if _, err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		return least, most, called
	}
	small := build("x : float32[100]\ny = relu(x)\ns = ewadd(y, x)\nz = ewadd(s, x)\nreturn z\n")
	turned := build("x : float32[100]\ny = relu(x)\ns = ewadd(x, x)\nz = ewadd(y, s)\nreturn z\n")
	large := build("x : float32[10000]\ny = relu(x)\ns = ewadd(y, x)\nz = ewadd(s, x)\nreturn z\n")
	largeTurned := build("x : float32[10000]\ny = relu(x)\ns = ewadd(x, x)\nz = ewadd(y, s)\nreturn z\n")
	if _, _, called := expect(Options{A: small, B: small}); called {
		t.Error("said of models that are equal by structure")
	}
	least, most, called := expect(Options{A: small, B: turned})
	if !called || least <= 0 || most < least {
		t.Errorf("%v to %v", least, most)
	}
	if l, m, _ := expect(Options{A: large, B: largeTurned}); l < 50*least || m < 50*most {
		t.Errorf("a hundred times as many elements: %v to %v, was %v to %v", l, m, least, most)
	}
	if l, m, _ := expect(Options{A: small, B: turned, NoExact: true}); l >= least || m >= most {
		t.Errorf("without the exact comparison: %v to %v, was %v to %v", l, m, least, most)
	}
	rows := "i : int64[4]\nw : weight float32[300, 2]\ng = gather[axis=0](w, i)\nr = relu(g)\n"
	a, b := build(rows+"s = ewadd(g, r)\nz = ewadd(s, g)\nreturn z\n"), build("i : int64[4]\nw : weight float32[300, 2]\nv = relu(w)\ng = gather[axis=0](v, i)\nz = ewadd(g, g)\nreturn z\n")
	if l, m, _ := expect(Options{A: a, B: b}); m < 300*l {
		t.Errorf("a table of 300 rows: %v to %v", l, m)
	}
}
