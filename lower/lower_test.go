package lower_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/lower"
)

func parse(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := graph.ParseText("case", text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func lowered(t testing.TB, g *graph.Graph, target *lower.Target, opt lower.Options) *lower.Plan {
	t.Helper()
	p, err := lower.Graph(g, target, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// text is the kernels of a plan: what they are, whose, and their tails.
func text(p *lower.Plan) string {
	var lines []string
	kinds := [...]string{"", "chain ", "copy ", "prepare ", "constant "}
	modes := [...]string{"", " scalar", " row", " col", " full", " rows"}
	write := func(list string, ks []lower.Kernel) {
		for _, k := range ks {
			line := list + kinds[k.Kind] + k.As + " " + p.Graph.Name(k.Node)
			if k.Tail != nil {
				for _, s := range k.Tail.Steps {
					line += " | " + s.Fn + modes[s.Mode]
					if s.Reversed {
						line += " reversed"
					}
					if s.Node != k.Node {
						line += " " + p.Graph.Name(s.Node)
					}
				}
			}
			if k.Overwrites {
				line += ", in place"
			}
			lines = append(lines, line)
		}
	}
	write("once: ", p.Once)
	write("", p.Run)
	return strings.Join(lines, "\n")
}

// packing is the CPU's target, with forms of twice the size.
func packing() *lower.Target {
	t := lower.CPU()
	t.Packed = func(a *lower.App) ([]lower.Packed, error) {
		out := make([]lower.Packed, 2)
		if a.Constant[1] {
			out[1].Elements = 2 * a.In[1].Elements()
		}
		return out, nil
	}
	return t
}

func TestGraph(t *testing.T) {
	stiff := &lower.Target{Name: "stiff", Align: 16, Copies: map[string]bool{"slice": true}, Steps: func(fn string, _ graph.DType) bool { return fn == "relu" }}
	for _, c := range []struct {
		name, text string
		target     *lower.Target
		opt        lower.Options
		want       string
	}{
		{"convolution, bias, residual, relu", convText, packing(), lower.Options{}, `
once: prepare conv2d c
conv2d c | ewadd row d | ewadd full e | relu f`},
		{"convolution in ONNX Runtime", convText, lower.ONNXRuntime(), lower.Options{}, `
conv2d c | ewadd row d | ewadd full e | relu f`},
		{"other operators in ONNX Runtime", "x : float32[2, 4]\nw : weight float32[4, 6]\np = matmul(x, w)\ns = slice[axis=1, lo=0, hi=3](p)\nt = exp(s)\nm = ewmul(t, s)\ny = sigmoid(m)\nreturn y", lower.ONNXRuntime(), lower.Options{}, `
matmul p
copy copy s
exp t
ewmul m
chain chain y | sigmoid, in place`},
		{"each by itself", convText, packing(), lower.Options{NoFuse: true}, `
once: prepare conv2d c
once: copy copy bb
conv2d c
chain chain d | ewadd full, in place
chain chain e | ewadd full, in place
chain chain f | relu, in place`},
		{"kernels without tails", convText, stiff, lower.Options{}, `
once: copy copy bb
conv2d c
ewadd d
ewadd e
chain chain f | relu`},
		{"a function of its own", "x : float32[1, 2, 4, 4]\nw : float32[2, 2, 3, 3]\ny = conv2d[pad=same_upper, act=relu](x, w)\nz = tanh(y)\nreturn z",
			lower.CPU(), lower.Options{NoFuse: true}, `
conv2d y | relu
chain chain z | tanh, in place`},
		{"batch norm", `
x : float32[1, 3, 5, 5]
w : weight float32[4, 3, 1, 1]
s : weight float32[4]
c = conv2d[pad=valid](x, w)
d = batchnorm[eps=1e-05](c, s, s, s, s)
return d`, lower.CPU(), lower.Options{}, `
once: prepare affine d
conv2d c | affine row d`},
		{"views, and who cannot read them", `
x : float32[4, 6]
t = transpose(x)
u = slice[axis=1, lo=1, hi=3](t)
v = softmax[axis=0](u)
w = concat[axis=0](t, t)
return v, w`, lower.CPU(), lower.Options{}, `
copy copy u
softmax v
concat w`},
		{"halves of a product", halvesText, lower.CPU(), lower.Options{}, `
matmul m
chain chain s | sigmoid | ewmul rows reversed t | ewmul rows v
matmul y | ewadd rows z`},
		{"halves of a product, for who reads what is dense", halvesText, &lower.Target{Name: "dense", Align: 16, Reads: map[string]lower.Form{"matmul": lower.Matrices}, Tails: map[string]bool{"matmul": true}}, lower.Options{}, `
matmul m
copy copy a
copy copy b
chain chain s | sigmoid | ewmul full reversed t | ewmul full v
matmul y | ewadd full z`},
		{"halves of integers", "x : int64[3, 8]\na = slice[axis=1, lo=0, hi=4](x)\nb = slice[axis=1, lo=4, hi=8](x)\nc = ewadd(a, b)\nreturn c", lower.CPU(), lower.Options{}, `
copy copy a
copy copy b
chain chain c | ewadd full reversed, in place`},
		{"the dense operand's kernel takes the step", "x : float32[3, 8]\nw : float32[3, 3]\na = slice[axis=1, lo=0, hi=4](x)\nb = slice[axis=1, lo=4, hi=8](x)\nt = matmul(w, b)\nc = ewsub(a, t)\nd = ewsub(a, b)\nreturn c, d", lower.CPU(), lower.Options{}, `
matmul t | ewsub rows reversed c
chain chain d | ewsub rows`},
		{"concatenations in one another", `
x : float32[2, 3]
a = concat[axis=0](x, x)
b = concat[axis=0](x, a)
t = tanh(x)
c = concat[axis=0](b, t)
d = concat[axis=1](c, c)
e = concat[axis=0](t, t)
f = concat[axis=0](e, t)
return d, f, e`, lower.CPU(), lower.Options{}, `
chain chain t | tanh
concat c
concat d
concat e
concat f`},
		{"concatenations in one another, each by itself", "x : float32[2, 3]\na = concat[axis=0](x, x)\nb = concat[axis=0](x, a)\nreturn b", lower.CPU(), lower.Options{NoFuse: true}, `
concat a
concat b`},
		{"a target that copies slices", "x : float32[4, 6]\nu = slice[axis=0, lo=1, hi=3](x)\nv = slice[axis=1, lo=1, hi=3](x)\nt = transpose(x)\nw = concat[axis=0](u, u)\nreturn w, v, t",
			stiff, lower.Options{}, `
copy copy v
concat w
copy copy t`},
		{"whole pools, reduced axes apart", `
x : float32[1, 3, 4, 5]
p = poolavg[kh=4, kw=5, pad=valid](x)
q = relu(p)
r = reducesum[axes=(1, 3), keep=0](x)
return q, r`, lower.CPU(), lower.Options{}, `
reducemean p
chain chain q | relu, in place
copy copy r
reducesum r`},
		{"depthwise kernels as large as the image, and others", `
x : float32[2, 3, 4, 5]
w : weight float32[3, 1, 4, 5]
u : weight float32[3, 1, 3, 4]
v : weight float32[6, 1, 4, 5]
b : weight float32[3, 1, 1]
bb = broadcast[shape=[2, 3, 1, 1]](b)
c = conv2d[pad=valid, groups=3](x, w)
d = ewadd(c, bb)
e = relu(d)
strided = conv2d[stride=(2, 2), pad=valid, groups=3](x, u)
padded = conv2d[stride=(9, 9), pad=(1, 0, 0, 0), groups=3](x, w)
many = conv2d[pad=valid, groups=3](x, v)
return e, strided, padded, many`, lower.CPU(), lower.Options{}, `
dots c | ewadd row d | relu e
depthwise strided
depthwise padded
conv2d many`},
		{"the later product takes the difference", "x : float32[4, 4]\na = matmul(x, x)\nb = softmax[axis=1](a)\nc = matmul(b, x)\nd = matmul(x, c)\ne = ewsub(c, d)\nreturn e",
			lower.CPU(), lower.Options{}, `
matmul a
softmax b
matmul c
matmul d | ewsub full reversed e`},
		{"constants and what is dead", "x : float32[2]\no : float32 = one[shape=[2]]()\np = exp(o)\ndead = tanh(x)\nq = ewadd(x, p)\nreturn q", lower.CPU(), lower.Options{}, `
once: constant one o
once: chain chain p | exp
chain chain q | ewadd full, in place`},
		{"resize", "x : float32[1, 1, 2, 2]\ny = resize[sizes=(1, 1, 4, 3), mode=linear_half_pixel](x)\nreturn y", lower.CPU(), lower.Options{}, `
once: prepare resize y
once: prepare resize y
resize y
resize y`},
	} {
		p := lowered(t, parse(t, c.text), c.target, c.opt)
		if got := text(p); got != strings.TrimSpace(c.want) {
			t.Errorf("%s:\n%s\nwant%s", c.name, got, c.want)
		}
		check(t, c.name, p)
	}
}

const halvesText = `
x : float32[4, 6]
w : weight float32[6, 16]
d : weight float32[8, 8]
m = matmul(x, w)
a = slice[axis=1, lo=0, hi=8](m)
b = slice[axis=1, lo=8, hi=16](m)
s = sigmoid(a)
t = ewmul(a, s)
v = ewmul(t, b)
y = matmul(v, d)
z = ewadd(y, b)
return z`

// TestRows: which values are rows that lie apart.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		sizes, strides []int
		n, apart       int
	}{
		{[]int{3, 4}, []int{10, 1}, 4, 10},
		{[]int{2, 3, 4}, []int{30, 10, 1}, 4, 10},
		{[]int{2, 3, 4}, []int{24, 4, 1}, 12, 24},
		{[]int{2, 1, 3, 1, 4}, []int{50, 7, 4, 9, 1}, 12, 50},
		{[]int{3, 4}, []int{4, 1}, 0, 0},         // dense
		{[]int{3, 4}, []int{0, 1}, 0, 0},         // one row
		{[]int{2, 3, 4}, []int{8, 0, 1}, 0, 0},   // rows that are repeated
		{[]int{2, 3, 4}, []int{31, 10, 1}, 0, 0}, // at two distances
		{[]int{3, 4}, []int{20, 2}, 0, 0},        // every other element
		{[]int{3, 1}, []int{5, 1}, 0, 0},         // of one element
		{[]int{4, 3}, []int{1, 4}, 0, 0},         // columns
		{[]int{1, 4}, []int{99, 1}, 0, 0},        // one row
		{[]int{3, 2, 4}, []int{4, 12, 1}, 0, 0},  // in another order
	} {
		v := lower.Value{Sizes: c.sizes, Strides: c.strides}
		n, apart, ok := v.Rows()
		if !ok {
			n, apart = 0, 0
		}
		if n != c.n || apart != c.apart {
			t.Errorf("%v at %v: rows of %d, %d apart, want %d and %d", c.sizes, c.strides, n, apart, c.n, c.apart)
		}
	}
}

const convText = `
x : float32[2, 8, 9, 9]
w : weight float32[8, 8, 3, 3]
b : weight float32[8]
c = conv2d[pad=same_upper](x, w)
r = reshape[shape=[1, 8, 1, 1]](b)
bb = broadcast[shape=[2, 8, 9, 9]](r)
d = ewadd(c, bb)
e = ewadd(d, x)
f = relu(e)
return f`

func TestOpaque(t *testing.T) {
	var b graph.Builder
	w, _ := b.AddWeight("w", graph.Float32, 2, 3)
	o, err := b.Opaque("o", "If", nil, []graph.Tensor{w}, []graph.TensorType{{Sizes: []int{2}}, {DType: graph.Int64, Sizes: []int{3}}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Finish(o.Out(0), o.Out(1))
	if err != nil {
		t.Fatal(err)
	}
	p := lowered(t, g, lower.CPU(), lower.Options{})
	if len(p.Once) != 0 || len(p.Run) != 1 || len(p.Run[0].Out) != 2 || p.Buffer(p.Outputs[1]).Bytes != 24 {
		t.Errorf("%+v", p)
	}
	check(t, "opaque", p)
}

// check: what kernels read is there when they read it and stays until then,
// values lie in their buffers, and buffers in use at the same time are apart
// unless one overwrites the other.
func check(t testing.TB, name string, p *lower.Plan) {
	t.Helper()
	written := make([]bool, len(p.Buffers))
	for i, b := range p.Buffers {
		written[i] = b.Home == lower.Weight
	}
	bad := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s", name, fmt.Sprintf(format, args...))
	}
	for _, v := range p.Inputs {
		if v != lower.None {
			written[p.Values[v].Buffer] = true
		}
	}
	run := func(at int, ks []lower.Kernel) {
		for i := range ks {
			k := &ks[i]
			k.Reads(func(v lower.ValueID) {
				b := p.Buffer(v)
				switch {
				case !written[p.Values[v].Buffer]:
					bad("kernel %d of node %s reads value %d before it is written", i, p.Graph.Name(k.Node), v)
				case at < 0 && !b.Constant():
					bad("kernel %d runs once and reads what is not there", i)
				case at >= 0 && b.Constant() && !b.Kept, at >= 0 && !b.Constant() && (b.First > i || b.Last < i):
					bad("kernel %d reads value %d, which is gone: %+v", i, v, *b)
				}
			})
			for _, v := range k.Out {
				if written[p.Values[v].Buffer] {
					bad("buffer %d is written twice", p.Values[v].Buffer)
				}
				written[p.Values[v].Buffer] = true
			}
		}
	}
	run(-1, p.Once)
	run(0, p.Run)
	for i, v := range p.Values {
		last := v.Offset
		for k, n := range v.Sizes {
			last += (n - 1) * v.Strides[k]
		}
		if v.Offset < 0 || (last+1)*v.DType.Bytes() > p.Buffers[v.Buffer].Bytes {
			bad("value %d reaches element %d of a buffer of %d bytes", i, last, p.Buffers[v.Buffer].Bytes)
		}
	}
	constants := 0
	for i := range p.Buffers {
		a := &p.Buffers[i]
		if a.Constant() {
			if a.Kept {
				constants += a.Bytes
			}
			continue
		}
		x := p.Place(lower.BufferID(i))
		if x+a.Bytes > p.Arena {
			bad("buffer %d ends at %d of %d", i, x+a.Bytes, p.Arena)
		}
		for j := range p.Buffers[:i] {
			b := &p.Buffers[j]
			y := p.Place(lower.BufferID(j))
			// The one that is overwritten ends with the kernel that begins the other.
			if !b.Constant() && a.Shares == lower.None && b.Shares == lower.None &&
				a.First <= b.Last && b.First <= a.Last && x < y+b.Bytes && y < x+a.Bytes {
				bad("buffers %d and %d overlap: %+v, %+v", j, i, *b, *a)
			}
		}
	}
	if constants != p.Constants || p.Peak() != p.Arena+constants {
		bad("%d bytes of constants, %d said", constants, p.Constants)
	}
	if len(p.Outputs) != len(p.Graph.Outputs()) {
		bad("%d outputs", len(p.Outputs))
	}
	for _, v := range p.Outputs {
		if !p.Values[v].Dense() || !written[p.Values[v].Buffer] {
			bad("output %d is not there, dense", v)
		}
	}
	for id, once := range lower.Fixed(p.Graph) {
		if v, ok := p.Of[graph.NodeID(id).Out(0)]; ok && once != (p.Buffer(v).Home == lower.Computed || p.Buffer(v).Home == lower.Weight && p.Graph.Op(graph.NodeID(id)) != nil) {
			bad("node %s: depends on weights only: %v", p.Graph.Name(graph.NodeID(id)), once)
		}
	}
}

// TestModels: plans of all small models and forms hold together, and are the
// same when made again.
func TestModels(t *testing.T) {
	for _, name := range models.Names() {
		names := []string{name + "-tiny"}
		for _, v := range models.Variants(name + "-tiny") {
			names = append(names, v.Name)
		}
		for _, n := range names {
			m, err := models.Build(n, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, opt := range []lower.Options{{}, {NoFuse: true}, {KeepAll: true}} {
				p := lowered(t, m.Graph, packing(), opt)
				check(t, fmt.Sprint(n, opt), p)
				if !reflect.DeepEqual(p, lowered(t, m.Graph, packing(), opt)) {
					t.Errorf("%s %v: another plan when made again", n, opt)
				}
			}
		}
	}
}

// TestLocal: what neighbours tell of a node is what becomes of it, and where it is
// not, another operand was ready only later or rows differ.
func TestLocal(t *testing.T) {
	steps, other := 0, 0
	for _, name := range models.Names() {
		names := []string{name + "-tiny"}
		for _, v := range models.Variants(name + "-tiny") {
			names = append(names, v.Name)
		}
		for _, n := range names {
			m, err := models.Build(n, 1)
			if err != nil {
				t.Fatal(err)
			}
			g, target := m.Graph, lower.CPU()
			p, uses, fixed := lowered(t, g, target, lower.Options{}), lower.Uses(g), lower.Fixed(g)
			for id := range g.Nodes() {
				op := g.Op(id)
				if op == nil || fixed[id] || !lower.IsStep(op) || uses[id.Out(0)] == 0 {
					continue
				}
				var in []lower.Made
				for _, x := range g.Operands(id) {
					n := uses[x]
					for o := g.Op(x.Node); o != nil && o.Name == "reshape" && p.Values[p.Of[g.Operands(x.Node)[0]]].Dense(); o = g.Op(x.Node) {
						x = g.Operands(x.Node)[0]
						n = max(n, uses[x])
					}
					o := lower.Made{Attrs: lower.Attrs{Op: g.Op(x.Node), Values: g.Attrs(x.Node)}, Type: g.Type(x), Uses: n, Fixed: fixed[x.Node]}
					if len(g.Operands(x.Node)) > 0 {
						o.X = g.Sizes(g.Operands(x.Node)[0])
					}
					in = append(in, o)
				}
				steps++
				joins := target.Joins(op, g.Type(id.Out(0)), in)
				if got := p.Into[id] != 0; got && !joins {
					t.Errorf("%s: node %s is fused, and its neighbours do not tell", n, g.Name(id))
				} else if joins && !got {
					other++
				}
			}
		}
	}
	if steps < 3000 || other*20 > steps {
		t.Errorf("of %d elementwise nodes %d are not fused although their neighbours tell so", steps, other)
	}
}

func BenchmarkGraph(b *testing.B) {
	m, err := models.Build("nasneta", 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		lowered(b, m.Graph, lower.CPU(), lower.Options{})
	}
	b.ReportMetric(float64(m.Graph.Len()), "nodes")
}
