package parallel

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/refute"
)

const (
	megatron = `
x : float32[8, 8]
v : weight float32[8, 8]
w : weight float32[8, 8]
b : weight float32[8, 8]
px = replicate[on=2](x)
pv = partition[axis=1, on=2](v)
pw = partition[axis=0, on=2](w)
h = matmul(px, pv)
r = relu(h)
y = matmul(r, pw)
lb = lift[on=2](b)
s = ewadd(y, lb)
z = reduce(s)
return z`
	megatronOn1 = `
x : float32[8, 8]
v : weight float32[8, 8]
w : weight float32[8, 8]
b : weight float32[8, 8]
h = matmul(x, v)
r = relu(h)
y = matmul(r, w)
z = ewadd(y, b)
return z`
	images = `
x : float32[1, 2, 8, 4]
v : weight float32[2, 2, 3, 3]
w : weight float32[2, 2, 3, 3]
p = partition[axis=2, on=2](x)
pv = replicate[on=2](v)
pw = replicate[on=2](w)
h = halo[axis=2, before=1, after=1](p)
y = each_conv2d[over=[2], pad=(0, 1, 0, 1)](h, pv)
r = relu(y)
i = halo[axis=2, before=1, after=1](r)
u = each_conv2d[over=[2], pad=(0, 1, 0, 1)](i, pw)
z = combine[axis=2](u)
return z`
	imagesOn1 = `
x : float32[1, 2, 8, 4]
v : weight float32[2, 2, 3, 3]
w : weight float32[2, 2, 3, 3]
y = conv2d[pad=(1, 1, 1, 1)](x, v)
r = relu(y)
z = conv2d[pad=(1, 1, 1, 1)](r, w)
return z`
	square = `
x : float32[8, 8]
w : weight float32[8, 8]
dx = partition[axis=0, on=2](x)
px = each_partition[over=[2], axis=1, on=2](dx)
dw = replicate[on=2](w)
pw = each_partition[over=[2], axis=0, on=2](dw)
y = matmul(px, pw)
s = each_reduce[over=[2]](y)
z = combine[axis=0](s)
return z`
	squareOn1 = `
x : float32[8, 8]
w : weight float32[8, 8]
z = matmul(x, w)
return z`
)

// bugs are mistakes that people make, by replacement in a graph that is right, and who
// notices them:
//
//	layout   New: no devices can run that
//	roles    a finding of New
//	law      the equation with the sequential network has a counterexample
//	devices  the run on virtual devices gives something else than that network
//	network  the run fails, since a message is not the one that is awaited
//	plain    the run gives something else than the graph as one of tensors
var bugs = []struct {
	name, right, sequential string
	replace                 []string // old, new, ...
	spoil                   func(*message[uint64])
	caught                  string
}{
	{name: "missing collective: the sum is not added up", right: megatron, sequential: megatronOn1,
		replace: []string{"z = reduce(s)", "z = drop(s)"}, caught: "roles law devices"},
	{name: "wrong collective: rows are added where they are to be put together", right: square, sequential: squareOn1,
		replace: []string{"z = combine[axis=0](s)", "q = reduce(s)\nz = concat[axis=0](q, q)"}, caught: "roles law devices"},
	{name: "wrong collective: an all-gather in place of a reduce-scatter", right: square, sequential: squareOn1,
		replace: []string{"s = each_reduce[over=[2]](y)", "c = each_combine[over=[2], axis=1](y)\ns = each_slice[over=[2], axis=1, lo=0, hi=8](c)"}, caught: "roles law devices"},
	{name: "wrong axis: parts of columns put together as rows", right: `
x : float32[8, 8]
p = partition[axis=1, on=2](x)
t = each_transpose[over=[2], perm=(1, 0)](p)
z = combine[axis=0](t)
return z`, sequential: "x : float32[8, 8]\nz = transpose[perm=(1, 0)](x)\nreturn z",
		replace: []string{"t = each_transpose[over=[2], perm=(1, 0)](p)\nz = combine[axis=0](t)", "q = combine[axis=0](p)\nz = reshape[shape=[8, 8]](q)"}, caught: "roles law devices"},
	{name: "wrong axis: weights cut along the other one", right: megatron, sequential: megatronOn1,
		replace: []string{"pw = partition[axis=0, on=2](w)", "cw = partition[axis=1, on=2](w)\npw = each_reshape[over=[2], shape=[4, 8]](cw)"}, caught: "roles law devices"},
	{name: "missing scaling: means of parts added up", right: `
x : float32[8, 4]
s : weight float32[]
p = partition[axis=0, on=2](x)
m = each_reducesum[over=[2], axes=(0)](p)
a = reduce(m)
z = smul(a, s)
return z`, sequential: "x : float32[8, 4]\ns : weight float32[]\na = reducesum[axes=(0)](x)\nz = smul(a, s)\nreturn z",
		replace: []string{"z = smul(a, s)", "z = relu(a)"}, caught: "law devices"},
	{name: "missing scaling: a mean of parts", right: `
x : float32[8, 4]
p = partition[axis=1, on=2](x)
m = each_reducemean[over=[2], axes=(0)](p)
z = combine[axis=0](m)
return z`, sequential: "x : float32[8, 4]\nz = reducemean[axes=(0)](x)\nreturn z",
		replace: []string{"axis=1, on=2](x)", "axis=0, on=2](x)", "z = combine[axis=0](m)", "z = reduce(m)"}, caught: "roles law devices"},
	{name: "early reduce: parts of rows are added before the product", right: square, sequential: squareOn1,
		replace: []string{"y = matmul(px, pw)\ns = each_reduce[over=[2]](y)", "ex = each_reduce[over=[2]](px)\new = each_reduce[over=[2]](pw)\ns = matmul(ex, ew)"}, caught: "roles law devices"},
	{name: "stale halo: rows of the neighbours before the layer", right: images, sequential: imagesOn1,
		replace: []string{"i = halo[axis=2, before=1, after=1](r)", `
a = each_slice[over=[2], axis=2, lo=0, hi=1](h)
e = each_slice[over=[2], axis=2, lo=5, hi=6](h)
f = each_concat[over=[2], axis=2](a, r)
i = each_concat[over=[2], axis=2](f, e)`}, caught: "roles law devices"},
	{name: "halo of zeros", right: images, sequential: imagesOn1,
		replace: []string{"i = halo[axis=2, before=1, after=1](r)", "i = halo[axis=2, before=0, after=0](r)", "pad=(0, 1, 0, 1)](i", "pad=(1, 1, 1, 1)](i"}, caught: "roles law devices"},
	{name: "halo on one side", right: images, sequential: imagesOn1,
		replace: []string{"i = halo[axis=2, before=1, after=1](r)", "i = halo[axis=2, before=2, after=0](r)"}, caught: "law devices"},
	{name: "swapped shards in the graph", right: square, sequential: squareOn1,
		replace: []string{"z = combine[axis=0](s)", "a = slice[axis=0, lo=0, hi=1](s)\ne = slice[axis=0, lo=1, hi=2](s)\nq = concat[axis=0](e, a)\nz = combine[axis=0](q)"}, caught: "layout law"},
	{name: "wrong rank: shards sent to each other's device", right: `
x : float32[9, 4]
p = partition[axis=0, on=3](x)
r = relu(p)
z = combine[axis=0](r)
return z`, sequential: "x : float32[9, 4]\nz = relu(x)\nreturn z",
		spoil: func(m *message[uint64]) {
			if m.from == 0 { // both get what the other one should
				for i := range m.data {
					m.data[i] += uint64(m.to)
				}
			}
		}, caught: "devices plain"},
	{name: "wrong rank: a message for another device", right: square, sequential: squareOn1,
		spoil: func(m *message[uint64]) {
			if m.from == 3 {
				m.to = 1
			}
		}, caught: "network"},
	{name: "dropped member: zeros arrive", right: megatron, sequential: megatronOn1,
		spoil: func(m *message[uint64]) {
			if m.from == 1 {
				clear(m.data)
			}
		}, caught: "devices plain"},
	{name: "dropped member: a part of a message is missing", right: megatron, sequential: megatronOn1,
		spoil: func(m *message[uint64]) {
			if m.from == 1 {
				m.data = m.data[1:]
			}
		}, caught: "network"},
	{name: "dropped member: one of two is forgotten", right: square, sequential: squareOn1,
		replace: []string{"s = each_reduce[over=[2]](y)", "s = each_drop[over=[2]](y)"}, caught: "roles law devices"},
	{name: "reduce over the wrong mesh axis", right: square, sequential: squareOn1,
		replace: []string{"s = each_reduce[over=[2]](y)", "s = reduce(y)"}, caught: "roles law devices"},
	{name: "the outer one of two parts put together first", right: `
x : float32[8, 4]
p = partition[axis=0, on=2](x)
q = each_partition[over=[2], axis=0, on=2](p)
r = relu(q)
s = each_combine[over=[2], axis=0](r)
z = combine[axis=0](s)
return z`, sequential: "x : float32[8, 4]\nz = relu(x)\nreturn z",
		replace: []string{"s = each_combine[over=[2], axis=0](r)", "s = combine[axis=1](r)"}, caught: "roles law devices"},
	{name: "replicate in place of lift: what is added up again", right: `
x : float32[8, 4]
p = lift[on=2](x)
z = reduce(p)
return z`, sequential: "x : float32[8, 4]\nreturn x",
		replace: []string{"lift[on=2](x)", "replicate[on=2](x)"}, caught: "roles law devices"},
	{name: "bias added in every member of a sum", right: megatron, sequential: megatronOn1,
		replace: []string{"lb = lift[on=2](b)", "lb = replicate[on=2](b)"}, caught: "roles law devices"},
	{name: "lift in place of replicate: the other members have no weights", right: `
x : float32[8, 8]
w : weight float32[8, 8]
p = partition[axis=0, on=2](x)
c = replicate[on=2](w)
y = matmul(p, c)
z = combine[axis=0](y)
return z`, sequential: squareOn1,
		replace: []string{"c = replicate[on=2](w)", "c = lift[on=2](w)"}, caught: "roles law devices"},
	{name: "relu of a partial sum", right: megatron, sequential: `
x : float32[8, 8]
v : weight float32[8, 8]
w : weight float32[8, 8]
b : weight float32[8, 8]
h = matmul(x, v)
r = relu(h)
y = matmul(r, w)
a = ewadd(y, b)
z = relu(a)
return z`, replace: []string{"z = reduce(s)", "q = relu(s)\nz = reduce(q)"}, caught: "roles law devices"},
	{name: "softmax split on its axis", right: `
x : float32[8, 8]
p = partition[axis=0, on=2](x)
y = each_softmax[over=[2], axis=1](p)
z = combine[axis=0](y)
return z`, sequential: "x : float32[8, 8]\nz = softmax[axis=1](x)\nreturn z",
		replace: []string{"partition[axis=0", "partition[axis=1", "combine[axis=0", "combine[axis=1"}, caught: "roles law devices"},
	{name: "largest element of a partial sum", right: images, sequential: `
x : float32[1, 2, 8, 4]
v : weight float32[2, 2, 3, 3]
w : weight float32[2, 2, 3, 3]
y = conv2d[pad=(1, 1, 1, 1)](x, v)
z = poolmax[kh=3, kw=3, pad=same_upper](y)
return z`, replace: []string{images, `
x : float32[1, 2, 8, 4]
v : weight float32[2, 2, 3, 3]
w : weight float32[2, 2, 3, 3]
p = partition[axis=1, on=2](x)
q = partition[axis=1, on=2](v)
y = each_conv2d[over=[2], pad=(1, 1, 1, 1)](p, q)
m = each_poolmax[over=[2], kh=3, kw=3, pad=same_upper](y)
z = reduce(m)
return z`}, caught: "roles law devices"},
	{name: "a result that is left on the mesh", right: megatron, sequential: megatronOn1,
		replace: []string{"z = reduce(s)", "z = relu(s)"}, caught: "layout law"},
}

// termsOf are the outputs of a graph as terms over its inputs.
func termsOf(g *graph.Graph) (given []law.Declaration, out []*law.Term) {
	terms := make([]*law.Term, g.Len()+1)
	for id := range g.Nodes() {
		if g.Op(id) == nil {
			v := "X" + g.Name(id)
			terms[id] = law.V(v)
			given = append(given, law.Declaration{Name: v, Shape: graph.Sizes(g.Sizes(id.Out(0))...)})
			continue
		}
		var args []*law.Term
		for _, t := range g.Operands(id) {
			args = append(args, terms[t.Node].Output(int(t.Out)))
		}
		terms[id] = law.Apply(g.Op(id), g.Attrs(id), args...)
	}
	for _, t := range g.Outputs() {
		out = append(out, terms[t.Node].Output(int(t.Out)))
	}
	return given, out
}

// falseLaw reports whether the equation of two graphs does not hold.
func falseLaw(t *testing.T, g, h *graph.Graph) bool {
	t.Helper()
	given, left := termsOf(g)
	_, right := termsOf(h)
	l := &law.Law{Kind: law.Rule, Name: "plan", Given: given, LHS: left, RHS: right}
	if _, err := l.Types(); err != nil {
		return true
	}
	w, err := refute.Find(context.Background(), l, refute.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w != nil
}

// Each mistake is noticed by those who are said to notice it, and by nobody in the graph
// that is right.
func TestBugs(t *testing.T) {
	for _, b := range bugs {
		t.Run(b.name, func(t *testing.T) {
			sequential := parse(t, b.sequential)
			if b.name != "relu of a partial sum" && b.name != "largest element of a partial sum" {
				p := pcgOf(t, parse(t, b.right))
				agrees(t, p, sequential)
				for _, f := range p.Findings {
					t.Error(f.Text)
				}
			}
			text := b.right
			for i := 0; i < len(b.replace); i += 2 {
				if !strings.Contains(text, b.replace[i]) {
					t.Fatalf("there is no %q", b.replace[i])
				}
				text = strings.ReplaceAll(text, b.replace[i], b.replace[i+1])
			}
			if got := noticed(t, sequential, parse(t, text), b.spoil); got != b.caught {
				t.Errorf("noticed by: %s; want %s", got, b.caught)
			}
		})
	}
}

func noticed(t *testing.T, sequential, g *graph.Graph, spoil func(*message[uint64])) string {
	var by []string
	p, err := New(context.Background(), g)
	if err != nil {
		by = append(by, "layout")
	} else if len(p.Findings) > 0 {
		by = append(by, "roles")
	}
	if spoil == nil && falseLaw(t, sequential, g) {
		by = append(by, "law")
	}
	if p == nil {
		return strings.Join(by, " ")
	}
	in := residues(g, 3)
	got, err := runOn(context.Background(), p, ring, in, func(n int) *network[uint64] {
		net := newNetwork[uint64](n)
		net.spoil = spoil
		return net
	})
	if err != nil {
		if !strings.Contains(err.Error(), "message") {
			t.Fatal(err)
		}
		return strings.Join(append(by, "network"), " ")
	}
	for _, ref := range []struct {
		name string
		g    *graph.Graph
	}{{"devices", sequential}, {"plain", g}} {
		want, err := evalGraph(ref.g, in)
		if err != nil {
			t.Fatal(err)
		}
		if !equal(got.Outputs, want) {
			by = append(by, ref.name)
		}
	}
	return strings.Join(by, " ")
}

// A reshape of channels that are sharded in blocks has no law with size variables; the law with
// its concrete sizes decides.
func TestBlocksOfLargeReshape(t *testing.T) {
	reshape, _ := graph.Lookup("reshape")
	shape := func(sizes ...int) graph.Attrs { return graph.Attrs{graph.ShapeValue(graph.Sizes(sizes...))} }
	q := &spreading{op: reshape, member: shape(32, 512, 7, 7), whole: shape(32, 3072, 7, 7),
		sizes: [][]int{{32, 32, 16, 7, 7}}, in: []Role{{Kind: Shard, Axis: 2}}, degree: 6}
	for _, c := range []struct {
		blocks int
		want   bool
	}{{32, true}, {16, false}} {
		if got, err := q.holds(context.Background(), 0, Role{Kind: Shard, Axis: 1, Blocks: c.blocks}); err != nil || got != c.want {
			t.Errorf("%d blocks: %v, %v, want %v", c.blocks, got, err, c.want)
		}
	}
}
