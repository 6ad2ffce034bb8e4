package onnx

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// Comparisons are written as such and come back; what chooses by them reads them as truth
// values, and nodes broadcast as far as ONNX's do.
func TestComparisons(t *testing.T) {
	t.Parallel()
	const head = "x : float32[2, 3, 1]\ny : float32[2, 3, 1]\n"
	var files []defined
	for _, c := range []struct{ name, body, nodes string }{
		{"equal", "z = ewequal(x, y)\nw = ewmul(x, z)\nreturn w", "Equal Cast Mul"},
		{"less", "z = ewless(x, y)\nreturn z, x", "Less Cast Identity"},
		{"chosen", "z = ewlessequal(x, y)\nw = ewwhere(z, x, y)\nreturn w", "LessOrEqual Where"},
		{"chosen and read", "z = ewlessequal(x, y)\nw = ewwhere(z, x, z)\nreturn w", "LessOrEqual Cast Where"},
		{"chosen by numbers", "w = ewwhere(x, x, y)\nreturn w", "Cast Where"},
		{"chosen by truth values", "b = cast[to=bool](y)\nf = cast[to=float32](b)\nw = ewwhere(f, x, y)\nreturn w", "Cast Cast Cast Where"},
		{"chosen by truth values that are read", "b = cast[to=bool](y)\nf = cast[to=float32](b)\ng = ewadd(f, y)\nw = ewwhere(f, x, g)\nreturn w", "Cast Cast Add Cast Where"},
		{"chosen where it is no number", "f = isnan(x)\nw = ewwhere(f, y, x)\nreturn w", "IsNaN Where"},
		{"broadcast", "r = reducesum[axes=(1), keep=1](x)\nq = broadcast[shape=[2, 3, 1]](r)\nz = ewless(q, y)\nw = ewwhere(z, q, x)\nreturn w", "ReduceSum Expand Less Where"},
		{"each broadcast", "r = reducesum[axes=(1), keep=1](x)\nq = broadcast[shape=[2, 3, 1]](r)\ns = reducesum[axes=(0), keep=1](x)\np = broadcast[shape=[2, 3, 1]](s)\nw = ewwhere(y, q, p)\nreturn w", "ReduceSum ReduceSum Cast Where"},
		{"all broadcast", "r = reducesum[axes=(1), keep=1](x)\nq = broadcast[shape=[2, 3, 1]](r)\ns = reducesum[axes=(1), keep=1](y)\np = broadcast[shape=[2, 3, 1]](s)\nz = ewequal(p, q)\nreturn z", "ReduceSum Expand ReduceSum Equal Cast"},
	} {
		g, err := graph.ParseText(c.name, head+c.body)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m := &model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
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
