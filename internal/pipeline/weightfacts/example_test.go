package weightfacts_test

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/internal/pipeline/weightfacts"
	"github.com/taso-go/taso/model"
)

func ExampleOf() {
	g, err := graph.ParseText("m.graph", "x : float32[2]\nw : weight float32[2]\ny = ewmul(x, w)\nreturn y\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	m := &model.Model{Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			m.Weights[id] = model.FromFloat32([]int{2}, []float32{1, 1})
		}
	}
	w, err := weightfacts.Of(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, ok := w.Constant("w")
	fmt.Println(x, ok, len(w.Infinite))
	// Output: 1 true 0
}
