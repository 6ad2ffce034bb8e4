package onnx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// covers are graphs, and the nodes that they are written as, with the sizes of the
// weights that these read.
var covers = []struct{ name, graph, nodes string }{
	{"bias as the reader makes it", `x : float32[2, 3, 4, 4]
w : weight float32[5, 3, 1, 1]
b : weight float32[5]
c = conv2d[pad=valid](x, w)
r = reshape[shape=[1, 5, 1, 1]](b)
s = broadcast[shape=[2, 5, 4, 4]](r)
y = ewadd(c, s)
return y`, "Conv(x, w[5 3 1 1], b[5])"},
	{"bias of the law of batch norms, on the other side", `x : float32[2, 3, 4, 4]
w : weight float32[5, 3, 1, 1]
b : weight float32[5]
c = conv2d[pad=valid](x, w)
r = reshape[shape=[5, 1, 1]](b)
s = broadcast[shape=[2, 5, 4, 4]](r)
y = ewadd(s, c)
z = relu(y)
return z`, "Conv(x, w[5 3 1 1], b[5]) Relu(y)"},
	{"bias computed ahead", `x : float32[1, 4, 5, 5]
w : weight float32[4, 1, 3, 3]
b : weight float32[4, 1, 1]
c = conv2d[pad=same_upper, groups=4](x, w)
s = broadcast[shape=[1, 4, 5, 5]](b)
y = ewadd(c, s)
return y`, "Conv(x, w[4 1 3 3], b[4])"},
	{"bias computed ahead, of four axes", `x : float32[1, 4, 5, 5]
w : weight float32[4, 4, 3, 3]
b : weight float32[1, 4, 1, 1]
c = conv2d[pad=same_upper](x, w)
s = broadcast[shape=[1, 4, 5, 5]](b)
y = ewadd(c, s)
return y`, "Conv(x, w[4 4 3 3], b[4])"},
	{"repeated matrix", `x : float32[2, 3, 4]
w : weight float32[4, 5]
b = broadcast[shape=[2, 4, 5]](w)
y = matmul(x, b)
return y`, "MatMul(x, w[4 5])"},
	{"repeated matrix, two axes of matrices", `x : float32[2, 6, 3, 4]
w : weight float32[1, 4, 5]
b = broadcast[shape=[2, 6, 4, 5]](w)
y = matmul(x, b)
return y`, "MatMul(x, w[1 4 5])"},
	{"repeated first factor", `x : weight float32[3, 4]
w : float32[2, 4, 5]
b = broadcast[shape=[2, 3, 4]](x)
y = matmul(b, w)
return y`, "MatMul(x[3 4], w)"},
	{"one of two repeated matrices", `x : float32[3, 4]
w : weight float32[4, 5]
a = broadcast[shape=[2, 3, 4]](x)
b = broadcast[shape=[2, 4, 5]](w)
y = matmul(a, b)
return y`, "Expand(x, ints[3]) MatMul(a, w[4 5])"},
	{"no repeated matrix: columns are repeated", `x : float32[2, 3, 4]
w : weight float32[4, 1]
b = broadcast[shape=[2, 4, 5]](w)
y = matmul(x, b)
return y`, "Expand(w[4 1], ints[3]) MatMul(x, b)"},
	{"bias of one cell", `x : float32[1, 4, 1, 1]
w : weight float32[3, 4, 1, 1]
b : weight float32[3]
c = conv2d[pad=valid](x, w)
r = reshape[shape=[1, 3, 1, 1]](b)
y = ewadd(c, r)
return y`, "Conv(x, w[3 4 1 1], b[3])"},
	{"bias of one cell, computed ahead", `x : float32[1, 4, 1, 1]
w : weight float32[3, 4, 1, 1]
b : weight float32[1, 3, 1, 1]
c = conv2d[pad=valid](x, w)
y = ewadd(c, b)
return y`, "Conv(x, w[3 4 1 1], b[3])"},
	{"bias of one channel", `x : float32[1, 4, 2, 2]
w : weight float32[1, 4, 1, 1]
b : weight float32[1, 1, 1]
c = conv2d[pad=valid](x, w)
s = broadcast[shape=[1, 1, 2, 2]](b)
y = ewadd(c, s)
return y`, "Conv(x, w[1 4 1 1], b[1])"},
	{"no bias: the weight is read twice", `x : float32[1, 4, 5, 5]
w : weight float32[4, 4, 3, 3]
b : weight float32[4, 1, 1]
c = conv2d[pad=same_upper](x, w)
s = broadcast[shape=[1, 4, 5, 5]](b)
y = ewadd(c, s)
t = neg(b)
return y, t`, "Conv(x, w[4 4 3 3]) Add(c, b[4 1 1]) Neg(b[4 1 1])"},
	{"no bias: the convolution is read twice", `x : float32[1, 4, 5, 5]
w : weight float32[4, 4, 3, 3]
b : weight float32[4, 1, 1]
c = conv2d[pad=same_upper](x, w)
s = broadcast[shape=[1, 4, 5, 5]](b)
y = ewadd(c, s)
z = ewmul(c, y)
return z`, "Conv(x, w[4 4 3 3]) Add(c, b[4 1 1]) Mul(c, y)"},
	{"no bias: a number for each column", `x : float32[1, 4, 4, 4]
w : weight float32[4, 4, 3, 3]
b : weight float32[1, 1, 4]
c = conv2d[pad=same_upper](x, w)
s = broadcast[shape=[1, 4, 4, 4]](b)
y = ewadd(c, s)
return y`, "Conv(x, w[4 4 3 3]) Add(c, b[1 1 4])"},
	{"no bias: an activation is in between", `x : float32[1, 4, 5, 5]
w : weight float32[4, 4, 3, 3]
b : weight float32[4, 1, 1]
c = conv2d[pad=same_upper, act=relu](x, w)
s = broadcast[shape=[1, 4, 5, 5]](b)
y = ewadd(c, s)
return y`, "Conv(x, w[4 4 3 3]) Relu(c/conv) Add(c, b[4 1 1])"},
	{"a row, a transposed factor", `x : float32[3, 4]
w : weight float32[5, 4]
b : weight float32[5]
t = transpose[perm=(1, 0)](w)
p = matmul(x, t)
s = broadcast[shape=[3, 5]](b)
y = ewadd(s, p)
return y`, "Gemm[transB](x, w[5 4], b[5])"},
	{"a row, one row", `x : float32[1, 4]
w : weight float32[4, 5]
b : weight float32[1, 5]
p = matmul(x, w)
y = ewadd(p, b)
return y`, "Gemm(x, w[4 5], b[1 5])"},
	{"transposed factors, of which one is read twice", `x : float32[4, 3]
w : weight float32[4, 4]
t = transpose[perm=(1, 0)](x)
v = transpose[perm=(1, 0)](w)
p = matmul(t, v)
q = matmul(p, v)
return q`, "Transpose(w[4 4]) Gemm[transA](x, v) MatMul(p, v)"},
	{"a square that is transposed", `x : float32[4, 4]
t = transpose[perm=(1, 0)](x)
p = matmul(t, x)
return p`, "Gemm[transA](x, x)"},
	{"no row: a column", `x : float32[3, 4]
w : weight float32[4, 5]
b : weight float32[3, 1]
p = matmul(x, w)
s = broadcast[shape=[3, 5]](b)
y = ewadd(p, s)
return y`, "MatMul(x, w[4 5]) Add(p, b[3 1])"},
	{"a tall matrix", `x : float32[2, 3, 4]
w : weight float32[4, 5]
b : weight float32[5]
t = reshape[shape=[6, 4]](x)
p = matmul(t, w)
r = reshape[shape=[2, 3, 5]](p)
s = broadcast[shape=[2, 3, 5]](b)
y = ewadd(r, s)
return y`, "MatMul(x, w[4 5]) Add(r, b[5])"},
	{"a tall matrix of other rows", `x : float32[2, 3, 4]
w : weight float32[4, 6]
t = reshape[shape=[6, 4]](x)
p = matmul(t, w)
r = reshape[shape=[3, 2, 6]](p)
return r`, "Reshape(x, ints[2]) MatMul(t, w[4 6]) Reshape(p, ints_1[3])"},
	{"a matrix with an axis in front", `x : float32[1, 3, 4]
w : weight float32[1, 4, 5]
b : weight float32[5]
p = matmul(x, w)
s = broadcast[shape=[1, 3, 5]](b)
y = ewadd(p, s)
return y`, "MatMul(x, w[4 5]) Add(p, b[5])"},
	{"a matrix with two axes in front", `x : float32[1, 1, 3, 4]
w : weight float32[1, 1, 4, 5]
p = matmul(x, w)
return p`, "MatMul(x, w[4 5])"},
	{"no matrix: two of them", `x : float32[2, 3, 4]
w : weight float32[2, 4, 5]
p = matmul(x, w)
return p`, "MatMul(x, w[2 4 5])"},
	{"no matrix: read twice", `x : float32[1, 3, 4]
w : weight float32[1, 4, 5]
p = matmul(x, w)
v = neg(w)
return p, v`, "MatMul(x, w[1 4 5]) Neg(w[1 4 5])"},
	{"slices of all of an axis", `x : float32[2, 3, 4]
s = slice[axis=1, lo=0, hi=3](x)
t = slice[axis=2, lo=1, hi=4](s)
y = relu(t)
u = slice[axis=0, lo=0, hi=2](y)
return u`, "Identity(x) Slice(s, ints[1], ints_1[1], ints_2[1]) Relu(t) Identity(y)"},
	{"a mean over the image", `x : float32[2, 3, 4, 4]
a = reducemean[axes=(2, 3), keep=1](x)
b = reducemax[axes=(2, 3), keep=1](x)
y = ewadd(a, b)
z = reducemean[axes=(2, 3), keep=0](y)
return z`, "GlobalAveragePool(x) GlobalMaxPool(x) Add(a, b) ReduceMean(y)"},
}

// weighted is a model of a graph, with random weights.
func weighted(g *graph.Graph) *model.Model {
	m := &model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			m.Weights[id] = model.Random(model.Seed(1, g.Name(id)), g.Sizes(id.Out(0)), 1)
		}
	}
	return m
}

// written is what is in a file: nodes with what they read.
func written(p *onnxpb.ModelProto) string {
	dims := map[string][]int64{}
	for _, w := range p.GetGraph().GetInitializer() {
		dims[w.GetName()] = w.GetDims()
	}
	var nodes []string
	for _, n := range p.GetGraph().GetNode() {
		op := n.GetOpType()
		for _, a := range n.GetAttribute() {
			if strings.HasPrefix(a.GetName(), "trans") {
				op += "[" + a.GetName() + "]"
			}
		}
		var in []string
		for _, name := range n.GetInput() {
			if d, ok := dims[name]; ok {
				name += fmt.Sprint(d)
			}
			in = append(in, name)
		}
		nodes = append(nodes, op+"("+strings.Join(in, ", ")+")")
	}
	return strings.Join(nodes, " ")
}

// TestCovers: what ONNX has one node for is written as one node, the same graph comes
// back, and ONNX Runtime computes from the file what the graph's definition says.
func TestCovers(t *testing.T) {
	t.Parallel()
	var files []defined
	for _, c := range covers {
		g, err := graph.ParseText(c.name, c.graph)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m := weighted(g)
		f := again(t, c.name, m)
		if got := written(f.Proto); got != c.nodes {
			t.Errorf("%s: written as %s, want %s", c.name, got, c.nodes)
		}
		files = append(files, defined{c.name, m, f.Path})
	}
	asDefined(t, files)
}

// TestBiasNotes: a note on a bias that is not what is there changes no number.
func TestBiasNotes(t *testing.T) {
	t.Parallel()
	g, err := graph.ParseText("g", covers[2].graph)
	if err != nil {
		t.Fatal(err)
	}
	m := weighted(g)
	raw, err := encode(m, WriteOptions{}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	x := feeds(m, -1, 1)[0]
	k, err := constantOf(x)
	if err != nil {
		t.Fatal(err)
	}
	want, err := evaluate(m, map[string]*constant{"x": k})
	if err != nil {
		t.Fatal(err)
	}
	graphs := map[graph.Hash]bool{}
	for _, text := range []string{biasWeight3, biasWeight4, biasReshape3, "", "bias of 5 axes"} {
		var p onnxpb.ModelProto
		if err := proto.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
		p.Graph.Node[0].DocString = proto.String(note + text)
		back, _, err := Read(put(t, marshal(t, &p)), ReadOptions{})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		graphs[back.Graph.Hash()] = true
		got, err := evaluate(back, map[string]*constant{"x": k})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for i, a := range want[0].Data {
			if got[0].Data[i] != a {
				t.Fatalf("%q: entry %d is %v, not %v", text, i, got[0].Data[i], a)
			}
		}
	}
	if len(graphs) != 4 {
		t.Errorf("%d graphs were read, want one for each note and one for none", len(graphs))
	}
}

// TestDilated: a dilated convolution is written as one, padding by name as numbers with a
// note; the same graph comes back, with the same numbers.
func TestDilated(t *testing.T) {
	t.Parallel()
	var files []defined
	for _, c := range []struct {
		name, attrs, kernel string
		want, pads          []int64 // dilations and pads in the file, nil: none
	}{
		{"both axes", "pad=(2, 2, 2, 2), dilation=(2, 2)", "3, 3", []int64{2, 2}, []int64{2, 2, 2, 2}},
		{"two ways", "pad=(4, 2, 4, 2), dilation=(4, 1)", "3, 3", []int64{4, 1}, []int64{4, 2, 4, 2}},
		{"without padding", "pad=valid, dilation=(2, 5), act=relu", "3, 2", []int64{2, 5}, []int64{0, 0, 0, 0}},
		{"padded by name", "pad=same_upper, stride=(2, 1), dilation=(3, 4), act=relu", "3, 2", []int64{3, 4}, []int64{2, 2, 3, 2}},
		{"padded by name, lower", "pad=same_lower, dilation=(1, 3)", "2, 2", []int64{1, 3}, []int64{1, 2, 0, 1}},
		{"padded by name, nothing", "pad=same_lower, dilation=(2, 1)", "1, 1", []int64{2, 1}, []int64{0, 0, 0, 0}},
		{"not dilated", "pad=same_upper", "5, 5", nil, nil},
	} {
		g, err := graph.ParseText("g", fmt.Sprintf("x : float32[1, 3, 12, 12]\nw : weight float32[4, 3, %s]\ny = conv2d[%s](x, w)\nreturn y", c.kernel, c.attrs))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m := weighted(g)
		f := again(t, c.name, m)
		var got, pads []int64
		for _, a := range f.Proto.Graph.Node[0].Attribute {
			switch a.GetName() {
			case "dilations":
				got = a.Ints
			case "pads":
				pads = a.Ints
			}
		}
		if fmt.Sprint(got, pads) != fmt.Sprint(c.want, c.pads) {
			t.Errorf("%s: dilations %v and pads %v, want %v and %v", c.name, got, pads, c.want, c.pads)
		}
		files = append(files, defined{c.name, m, f.Path})
	}
	asDefined(t, files)
}

// TestDilatedOnce: files that were written when a dilated kernel was read spread out, with a
// note that says so, read as dilated convolutions; a note that does not fit changes nothing.
func TestDilatedOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ weight, node, pads, want string }{
		{"dilated", "", "2, 0, 2, 0", "pad=(2, 0, 2, 0), dilation=(2, 3)"},
		{"", "padded by same_upper", "2, 1, 2, 2", "pad=same_upper, dilation=(2, 3)"},
		{"", "padded by same_lower", "2, 1, 2, 2", "pad=(2, 1, 2, 2), dilation=(2, 3)"},
		{"", "padded by valid", "0, 0, 0, 0", "pad=valid, dilation=(2, 3)"},
	} {
		var pads []int64
		for _, s := range strings.Split(c.pads, ", ") {
			n, _ := strconv.ParseInt(s, 10, 64)
			pads = append(pads, n)
		}
		m := small()
		w := floatsWeight("k/dilated", []int{2, 1, 3, 2}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
		n := node("Conv", []string{"x", "k/dilated"}, []string{"z"}, intsAttribute("dilations", 2, 3), intsAttribute("pads", pads...))
		if c.weight != "" {
			w.DocString = proto.String(note + c.weight)
		}
		if c.node != "" {
			mark(n, c.node)
		}
		m.ProducerName = proto.String(producer)
		m.Graph.Input, m.Graph.Initializer, m.Graph.Node = []*onnxpb.ValueInfoProto{float32Info("x", 1, 1, 9, 8)}, []*onnxpb.TensorProto{w}, []*onnxpb.NodeProto{n}
		m.Graph.Output = []*onnxpb.ValueInfoProto{{Name: proto.String("z")}}
		got, _, err := Read(put(t, marshal(t, m)), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if text := got.Graph.String(); !strings.Contains(text, "conv2d["+c.want+"]") || !strings.Contains(text, "k/dilated") {
			t.Errorf("%+v: read as\n%s", c, text)
		}
	}
}

// TestOtherNotes: a note on a product or an Identity that is not what is there changes no
// number.
func TestOtherNotes(t *testing.T) {
	t.Parallel()
	g, err := graph.ParseText("g", `x : float32[2, 3, 4]
w : weight float32[4, 5]
a = slice[axis=1, lo=0, hi=3](x)
t = reshape[shape=[6, 4]](a)
p = matmul(t, w)
y = reshape[shape=[2, 3, 5]](p)
return y`)
	if err != nil {
		t.Fatal(err)
	}
	m := weighted(g)
	raw, err := encode(m, WriteOptions{}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	k, err := constantOf(feeds(m, -1, 1)[0])
	if err != nil {
		t.Fatal(err)
	}
	want, err := evaluate(m, map[string]*constant{"x": k})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{noteWhole + "0", noteWhole + "2", noteWhole + "3", noteWhole + "-1", noteWhole + "x", noteMatrix, "keep", ""} {
		var p onnxpb.ModelProto
		if err := proto.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
		for _, n := range p.Graph.Node {
			n.DocString = proto.String(note + text)
		}
		back, _, err := Read(put(t, marshal(t, &p)), ReadOptions{})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		got, err := evaluate(back, map[string]*constant{"x": k})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if !slices.Equal(got[0].Sizes, want[0].Sizes) || !slices.Equal(got[0].Data, want[0].Data) {
			t.Errorf("%q: %v, not %v", text, got[0].Data, want[0].Data)
		}
	}
}
