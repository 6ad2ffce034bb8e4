package optimize

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// A weight of zeros is not put together from as many weights of one zero as it has
// numbers, and one of a few parts still is.
func TestManyParts(t *testing.T) {
	zeros := func(text string) *model.Model {
		g, err := graph.ParseText("model", text)
		if err != nil {
			t.Fatal(err)
		}
		m := &model.Model{Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
		for _, id := range g.Inputs() {
			if s := g.Sizes(id.Out(0)); g.IsWeight(id) {
				m.Weights[id] = model.FromFloat32(s, make([]float32, graph.NumElements(s)))
			}
		}
		return m
	}
	const conv = "y = conv2d[stride=(1, 1), pad=same_upper](x, k)\nreturn y"
	a := zeros("x : float32[1, 128, 8, 8]\no : weight float32[1, 1, 1, 1]\nk : weight float32[128, 128, 3, 3]\nl : weight float32[128, 128, 1, 3]\n" + conv)
	b := func(rows string) *model.Model {
		return zeros("x : float32[1, 128, 8, 8]\nk : weight float32[128, 128, " + rows + ", 3]\n" + conv)
	}
	for rows, most := range map[string]int{"5": 8 * mostParts, "3": 8, "1": 8} {
		o, err := Options{Model: a, Cost: flat{}}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		g, err := together(a, b(rows), &o)
		if err != nil {
			t.Fatal(err)
		}
		if g.Len() > most {
			t.Errorf("%s rows: %d nodes, want at most %d", rows, g.Len(), most)
		}
	}
}
