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

// A number for each channel that is repeated over a small image stays one for elementwise
// operators, which repeat it themselves; a product needs all of it.
func TestRepeated(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"x : float32[1, 2, 3, 3]\nu : weight float32[2, 1, 1]\nv = neg(u)\nw = broadcast[shape=[1, 2, 3, 3]](v)\nz = ewadd(x, w)\nreturn z", "v"},
		{"x : float32[2, 2]\nu : weight float32[2]\nv = neg(u)\nw = broadcast[shape=[2, 2]](v)\nz = ewadd(x, w)\ny = matmul(z, w)\nreturn y", "w"},
		{"x : float32[1, 2]\nu : weight float32[2]\nv = neg(u)\nw = broadcast[shape=[3, 2]](v)\ny = broadcast[shape=[3, 2]](x)\nz = ewadd(y, w)\nreturn z", "w"},
		{"x : float32[9, 9, 9]\nn = fill[shape=[], value=2.0, den=1]()\nw = broadcast[shape=[9, 9, 9]](n)\nt = transpose[perm=(2, 0, 1)](w)\nz = ewadd(x, t)\nreturn z", "t"},
		{"x : float32[2]\nn = fill[shape=[], value=2.0, den=1]()\nt = ewmul(n, n)\nw = broadcast[shape=[2]](t)\nz = ewadd(x, w)\nreturn z", "t"},
	} {
		weights := map[string]*model.Weight{}
		if strings.Contains(c.text, "u : ") {
			weights["u"] = model.Random(1, map[bool][]int{true: {2, 1, 1}, false: {2}}[c.want == "v"], 1)
		}
		m, err := read(c.text, weights)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for id := range fold.Worth(m.Graph, fold.Limits{}) {
			got = append(got, m.Graph.Name(id))
		}
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%v are worth it, want %s of\n%s", got, c.want, c.text)
		}
	}
}

// What is as large as 2e9 elements is left to the run, which refuses it, and so is what is
// made of it.
func TestTooLarge(t *testing.T) {
	m, err := read("x : float32[1]\nu : weight float32[1]\nv = broadcast[shape=[2000000000]](u)\nw = slice[axis=0, lo=5, hi=6](v)\nz = ewadd(x, w)\nreturn z",
		map[string]*model.Weight{"u": model.Random(1, []int{1}, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if worth := fold.Worth(m.Graph, fold.Limits{}); len(worth) != 0 {
		t.Errorf("%d nodes are worth it", len(worth))
	}
	w, _ := m.Graph.Find("w")
	if _, err := fold.Weight(m, w.Out(0)).Read(); err == nil || !strings.Contains(err.Error(), "has 2000000000 elements") {
		t.Errorf("got %v", err)
	}
}

// A weight without elements is computed ahead like any other.
func TestEmpty(t *testing.T) {
	m, err := read("x : float32[2]\nu : weight float32[2, 0]\nv = relu(u)\nw = reducesum[axes=(1)](v)\nz = ewadd(x, w)\nreturn z, v",
		map[string]*model.Weight{"u": model.Random(1, []int{2, 0}, 1)})
	if err != nil {
		t.Fatal(err)
	}
	v, _ := m.Graph.Find("v")
	w, _ := m.Graph.Find("w")
	out, err := fold.Model(m, func(id graph.NodeID) bool { return id == v || id == w })
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]int{"v": 0, "w": 8} {
		id, _ := out.Graph.Find(name)
		raw, err := out.Weights[id].Read()
		if err != nil || len(raw) != n || strings.Trim(string(raw), "\x00") != "" {
			t.Errorf("%s: %v, %v", name, raw, err)
		}
	}
}
