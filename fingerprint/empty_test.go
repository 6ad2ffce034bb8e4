package fingerprint_test

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// Kernels compute on tensors without elements what the interpreter does.
func TestEmpty(t *testing.T) {
	z := fingerprint.Zp{Key: 7}
	for _, text := range []string{
		"x : float32[2, 0]\ny : float32[0, 3]\nz = matmul(x, y)\nreturn z",
		"x : float32[0, 3]\ny : float32[2, 3]\nz = concat[axis=0](x, y)\nreturn z",
		"x : float32[2, 0]\ny = reducesum[axes=(1)](x)\nreturn y",
		"x : float32[2, 0]\ny = reducemax[axes=(1)](x)\nreturn y",
		"x : float32[2, 0]\ny = relu(x)\nreturn y",
		"x : float32[0, 2]\ny = pad[before=(1, 0), after=(1, 0), value=7](x)\nreturn y",
		"x : float32[2, 3]\ny = split[axis=1, at=3](x)\nreturn y.0",
		"x : float32[1, 0, 2, 2]\nw : float32[1, 0, 2, 2]\ny = conv2d[pad=valid, act=sigmoid](x, w)\nreturn y",
	} {
		g, err := graph.ParseText("g", text)
		if err != nil {
			t.Fatal(err)
		}
		id := graph.NodeID(g.Len())
		var sizes, out [][]int
		var in [][]uint64
		for _, o := range g.Operands(id) {
			sizes = append(sizes, g.Sizes(o))
			x := make([]uint64, graph.NumElements(g.Sizes(o)))
			for i := range x {
				x[i] = uint64(i) + 5
			}
			in = append(in, x)
		}
		for i := range g.NumOut(id) {
			out = append(out, g.Sizes(id.Out(i)))
		}
		p, err := g.Op(id).Program(g.Attrs(id), sizes, out)
		if err != nil {
			t.Fatal(err)
		}
		want, k := interp.Run[uint64](z, p, in), z.Compile(p)
		for i, got := range k.Run(in...) {
			if len(got) != graph.NumElements(out[i]) || !slices.Equal(got, want[i]) {
				t.Errorf("output %d: %v, want %v of\n%s", i, got, want[i], text)
			}
		}
	}
}
