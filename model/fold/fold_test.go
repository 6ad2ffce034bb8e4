package fold_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/fold"
)

// read is a model from its text; weights are given by name.
func read(text string, weights map[string]*model.Weight) (*model.Model, error) {
	g, err := graph.ParseText("model", text)
	if err != nil {
		return nil, err
	}
	m := &model.Model{Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for name, w := range weights {
		id, _ := g.Find(name)
		m.Weights[id] = w
	}
	return m, m.Validate()
}

func ExampleModel() {
	m, err := read("x : float32[2]\nu : weight float32[2]\nv : weight float32[2]\nw = ewmul(u, v)\nz = ewadd(x, w)\nreturn z",
		map[string]*model.Weight{"u": model.FromFloat32([]int{2}, []float32{2, 3}), "v": model.FromFloat32([]int{2}, []float32{5, 7})})
	if err != nil {
		fmt.Println(err)
		return
	}
	worth := fold.Worth(m.Graph, fold.Limits{})
	out, err := fold.Model(m, func(id graph.NodeID) bool { return worth[id] })
	if err != nil {
		fmt.Println(err)
		return
	}
	w, _ := out.Graph.Find("w")
	numbers, err := out.Weights[w].Float32s()
	fmt.Print(out.Graph)
	fmt.Println(numbers, err)
	// Output:
	// x : float32[2]
	// w : weight float32[2]
	// z = ewadd(x, w)
	// return z
	// [10 21] <nil>
}

func ExampleWorth() {
	// A bias that is repeated for every row is larger than what it is made of.
	g, err := graph.ParseText("model", "x : float32[16, 2]\nu : weight float32[2]\nv = neg(u)\nw = broadcast[shape=[16, 2]](v)\nz = ewadd(x, w)\nreturn z")
	if err != nil {
		fmt.Println(err)
		return
	}
	for id := range fold.Worth(g, fold.Limits{}) {
		fmt.Println(g.Name(id))
	}
	// Output: v
}

// Rows at places that a weight tells are not worth to be computed ahead, since integers
// are not read; who asks for it gets an error, not other rows.
func TestIntegers(t *testing.T) {
	m, err := read("x : float32[2, 2]\nw : weight float32[4, 2]\ni : weight int64[2]\ng = gather[axis=0](w, i)\nz = ewadd(x, g)\nreturn z",
		map[string]*model.Weight{"w": model.Random(1, []int{4, 2}, 1), "i": model.FromInt64([]int{2}, []int64{3, 1})})
	if err != nil {
		t.Fatal(err)
	}
	if worth := fold.Worth(m.Graph, fold.Limits{}); len(worth) != 0 {
		t.Errorf("%d nodes are worth it", len(worth))
	}
	g, _ := m.Graph.Find("g")
	out, err := fold.Model(m, func(id graph.NodeID) bool { return id == g })
	if err != nil {
		t.Fatal(err)
	}
	w, _ := out.Graph.Find("g")
	if _, err := out.Weights[w].Read(); err == nil || !strings.Contains(err.Error(), "weight i: it is int64") {
		t.Errorf("got %v", err)
	}
}
