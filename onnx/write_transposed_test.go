package onnx

import (
	"fmt"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
)

// transposedGraph is a product of channels and a reshuffle: of 2x4x3x5, kernels of 6 channels, 2x3
// cells, that many groups, and an attribute more.
func transposedGraph(groups int, more, perm, after string) string {
	return fmt.Sprintf(`x : float32[2, 4, 3, 5]
w : weight float32[36, %d, 1, 1]
c = conv2d[pad=valid, groups=%d%s](x, w)
r = reshape[shape=[2, 6, 2, 3, 3, 5]](c)
t = transpose[perm=(%s)](r)
y = reshape[shape=[2, 6, 6, 15]](t)
%s`, 4/groups, groups, more, perm, after)
}

// TestTransposed: a product of channels and a reshuffle are written as a transposed
// convolution; the same graph with the same numbers comes back, and ONNX Runtime computes
// from the file what the graph's definition says.
func TestTransposed(t *testing.T) {
	t.Parallel()
	var files []defined
	const cells = "0, 1, 4, 2, 5, 3"
	const apart = "Conv(x, w[36 4 1 1]) Reshape(c, ints[6]) Transpose(r) Reshape(t, ints_1[4])"
	for _, c := range []struct{ name, graph, nodes string }{
		{"one group", transposedGraph(1, "", cells, "return y"), "ConvTranspose(x, w[4 6 2 3])"},
		{"two groups", transposedGraph(2, "", cells, "return y"), "ConvTranspose(x, w[4 3 2 3])"},
		{"read by another", transposedGraph(1, "", cells, "z = relu(y)\nreturn z"), "ConvTranspose(x, w[4 6 2 3]) Relu(y)"},
		{"an activation", transposedGraph(1, ", act=relu", cells, "return y"), "Conv(x, w[36 4 1 1]) Relu(c/conv) Reshape(c, ints[6]) Transpose(r) Reshape(t, ints_1[4])"},
		{"another order", transposedGraph(1, "", "0, 1, 4, 3, 5, 2", "return y"), apart},
		{"the product is read", transposedGraph(1, "", cells, "return y, c"), apart},
		{"the kernel is read", transposedGraph(1, "", cells, "v = neg(w)\nreturn y, v"), apart + " Neg(w[36 4 1 1])"},
	} {
		g, err := graph.ParseText("g", c.graph)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m := weighted(g)
		f := again(t, c.name, m)
		id, ok := g.Find("w")
		other, found := f.Model.Graph.Find("w")
		if !ok || !found {
			t.Fatalf("%s: the kernel has another name", c.name)
		}
		want, err := m.Weights[id].Float32s()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.Model.Weights[other].Float32s(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: another kernel comes back", c.name)
		}
		if got := written(f.Proto); got != c.nodes {
			t.Errorf("%s: written as %s, want %s", c.name, got, c.nodes)
		}
		files = append(files, defined{c.name, m, f.Path})
	}
	asDefined(t, files)
}

// TestUnpadded: a convolution without padding has pads in numbers, into which ONNX Runtime
// takes a Pad before it; a pool has none, whose padding would be of another number. Padding
// that is absent and padding by zeros stay apart.
func TestUnpadded(t *testing.T) {
	t.Parallel()
	var files []defined
	for _, c := range []struct {
		op, pad string
		auto    string
		pads    []int64
	}{
		{"conv2d", "pad=valid", "", []int64{0, 0, 0, 0}},
		{"conv2d", "pad=(0, 0, 0, 0)", "NOTSET", []int64{0, 0, 0, 0}},
		{"poolmax", "kh=3, kw=3, pad=valid", "VALID", nil},
	} {
		operands := "p"
		if c.op == "conv2d" {
			operands = "p, w"
		}
		g, err := graph.ParseText("g", fmt.Sprintf(`x : float32[1, 2, 5, 5]
w : weight float32[2, 2, 3, 3]
p = pad[before=(0, 0, 1, 0), after=(0, 0, 1, 2), value=0](x)
y = %s[%s](%s)
v = neg(w)
return y, v`, c.op, c.pad, operands))
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s[%s]", c.op, c.pad)
		m := weighted(g)
		f := again(t, name, m)
		auto, pads := "", []int64(nil)
		for _, a := range f.Proto.Graph.Node[1].Attribute {
			switch a.GetName() {
			case "auto_pad":
				auto = string(a.GetS())
			case "pads":
				pads = a.Ints
			}
		}
		if auto != c.auto || !slices.Equal(pads, c.pads) {
			t.Errorf("%s: written with auto_pad %q and pads %v, want %q and %v", name, auto, pads, c.auto, c.pads)
		}
		files = append(files, defined{name, m, f.Path})
	}
	asDefined(t, files)
}
