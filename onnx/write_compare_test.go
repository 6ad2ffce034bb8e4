package onnx

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// Comparisons that are spelled out are written as such and come back, with the weights
// that they had for their numbers, and ONNX Runtime computes what the graph says. With
// other numbers, or where others need what is between, nothing is covered.
func TestComparisons(t *testing.T) {
	t.Parallel()
	const head = "x : float32[2, 3, 1]\ny : float32[2, 3, 1]\n\"a huge=%\" : weight float32[]\none : weight float32[]\n"
	const number = `"a huge=%"`
	var files []defined
	for _, c := range []struct {
		name, body, nodes string
		huge, one         float32
	}{
		{"equal", "p = relu(x)\nq = relu(y)\nd = ewsub(p, q)\na = abs(d)\ns = smul(a, H)\nc = clip[lo=0.0, hi=1.0](s)\nb = broadcast[shape=[2, 3, 1]](one)\nz = ewsub(b, c)\nw = ewmul(x, z)\nreturn w", "Relu Relu Equal Cast Mul", 3e38, 1},
		{"greater", "d = ewsub(x, y)\ns = smul(d, H)\nc = clip[lo=0.0, hi=1.0](s)\nw = ewmul(x, c)\nreturn w, one", "Greater Cast Mul Identity", 3e38, 1},
		{"less or equal", "p = relu(x)\nq = relu(y)\nd = ewsub(p, q)\ns = smul(d, H)\nc = clip[lo=0.0, hi=1.0](s)\nb = broadcast[shape=[2, 3, 1]](one)\nz = ewsub(b, c)\nreturn z", "Relu Relu LessOrEqual Cast", 3e38, 1},
		{"twice", "d = ewsub(x, y)\ns = smul(d, H)\nc = clip[lo=0.0, hi=1.0](s)\ne = ewsub(y, x)\nf = smul(e, H)\ng = clip[lo=0.0, hi=1.0](f)\nw = ewmul(g, c)\nreturn w, one", "Greater Cast Greater Cast Mul Identity", 3e38, 1},
		{"not small enough", "d = ewsub(x, y)\ns = smul(d, H)\nc = clip[lo=0.0, hi=1.0](s)\nw = ewmul(x, c)\nreturn w, one", "Sub Mul Clip Mul Identity", 1e30, 1},
		{"two less", "d = ewsub(x, y)\ns = smul(d, H)\nc = clip[lo=0.0, hi=1.0](s)\nb = broadcast[shape=[2, 3, 1]](one)\nz = ewsub(b, c)\nreturn z", "Greater Cast Sub", 3e38, 2},
		{"of another range", "d = ewsub(x, y)\ns = smul(d, H)\nc = clip[lo=0.0, hi=6.0](s)\nw = ewmul(x, c)\nreturn w, one", "Sub Mul Clip Mul Identity", 3e38, 1},
		{"the difference is read", "d = ewsub(x, y)\ns = smul(d, H)\nc = clip[lo=0.0, hi=1.0](s)\nw = ewmul(d, c)\nreturn w, one", "Sub Mul Clip Mul Identity", 3e38, 1},
		{"positive, not equal", "d = ewsub(x, y)\na = abs(d)\ns = smul(a, H)\nc = clip[lo=0.0, hi=1.0](s)\nreturn c, one", "Sub Abs Mul Clip Identity", 3e38, 1},
		{"a product of absolute values", "d = ewmul(x, y)\na = abs(d)\ns = smul(a, H)\nc = clip[lo=0.0, hi=1.0](s)\nb = broadcast[shape=[2, 3, 1]](one)\nz = ewsub(b, c)\nreturn z", "Mul Abs Mul Clip Sub", 3e38, 1},
	} {
		g, err := graph.ParseText(c.name, head+strings.ReplaceAll(c.body, "H)", number+")"))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m := &model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
		for _, id := range g.Inputs() {
			switch g.Name(id) {
			case "one":
				m.Weights[id] = model.FromFloat32([]int{}, []float32{c.one})
			case "a huge=%":
				m.Weights[id] = model.FromFloat32([]int{}, []float32{c.huge})
			}
		}
		f := again(t, c.name, m)
		var ops []string
		for _, n := range f.Proto.GetGraph().GetNode() {
			ops = append(ops, n.GetOpType())
		}
		if got := strings.Join(ops, " "); got != c.nodes {
			t.Errorf("%s: written as %s, want %s", c.name, got, c.nodes)
		}
		files = append(files, defined{c.name, m, f.Path})
	}
	asDefined(t, files)
}
