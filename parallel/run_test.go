package parallel

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	_ "github.com/taso-go/taso/graph/op"
)

func parse(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := graph.ParseText("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func pcgOf(t testing.TB, g *graph.Graph) *PCG {
	t.Helper()
	p, err := New(context.Background(), g)
	if err != nil {
		t.Fatalf("%v\n%s", err, g)
	}
	return p
}

// residues are inputs of random elements of the field. Integers are small: they may be places.
func residues(g *graph.Graph, seed uint64) []interp.Tensor[uint64] {
	var in []interp.Tensor[uint64]
	for _, id := range g.Inputs() {
		sizes := g.Sizes(id.Out(0))
		x := fingerprint.Random(seed, g.Name(id), graph.NumElements(sizes))
		if !g.DType(id.Out(0)).IsFloat() {
			for i := range x {
				x[i] %= 2
			}
		}
		in = append(in, interp.Tensor[uint64]{Sizes: sizes, Data: x})
	}
	return in
}

func equal[T comparable](a, b []interp.Tensor[T]) bool {
	return slices.EqualFunc(a, b, func(x, y interp.Tensor[T]) bool {
		return slices.Equal(x.Sizes, y.Sizes) && slices.Equal(x.Data, y.Data)
	})
}

// agrees runs a PCG on devices and compares with the graph as one of tensors, and with the
// sequential one if there is one; and the bytes with the formulas.
func agrees(t testing.TB, p *PCG, sequential *graph.Graph) {
	t.Helper()
	if err := differs(p, sequential); err != nil {
		t.Errorf("%v\n%s", err, p.Graph)
	}
}

var ctx = context.Background()

// ring has random functions for functions of one element.
var ring = fingerprint.Zp{Key: 7}

func differs(p *PCG, sequential *graph.Graph) error {
	r := ring
	in := residues(p.Graph, 3)
	got, err := Run(ctx, p, r, in)
	if err != nil {
		return err
	}
	want, err := interp.EvalGraph(ctx, r, p.Graph, in)
	if err != nil {
		return err
	}
	if !equal(got.Outputs, want) {
		return fmt.Errorf("the devices compute something else than the graph")
	}
	if err := counted(p, got.Counts); err != nil {
		return err
	}
	if sequential == nil {
		return nil
	}
	if want, err = interp.EvalGraph(ctx, r, sequential, in); err != nil {
		return err
	}
	if !equal(got.Outputs, want) {
		return fmt.Errorf("the devices compute something else than the sequential graph")
	}
	return nil
}

// counted compares what was sent with the formulas.
func counted(p *PCG, counts []Count) error {
	for i, c := range p.Collectives {
		n := counts[i]
		busiest := max(slices.Max(n.Sent), slices.Max(n.Got))
		var got int64
		for _, b := range n.Got {
			got += b
		}
		if n.Bytes != c.Total || got != c.Total || busiest != c.Busiest {
			return fmt.Errorf("%s: %d bytes sent, %d received, %d at most, formulas %d and %d", c.text(p.Graph), n.Bytes, got, busiest, c.Total, c.Busiest)
		}
	}
	return nil
}

var networks = []struct {
	name, sequential, text string
	mesh                   string
	layouts                string // of named tensors
	kinds                  string
}{
	{"data parallel", `
x : float32[8, 4]
w : weight float32[4, 6]
y = matmul(x, w)
z = relu(y)
return z`, `
x : float32[8, 4]
w : weight float32[4, 6]
px = partition[axis=0, on=4](x)
pw = replicate[on=4](w)
y = matmul(px, pw)
r = relu(y)
z = combine[axis=0](r)
return z`, "a=4", "px: a=4 shard 0; pw: a=4 copy; y: a=4 shard 0; r: a=4 shard 0", "scatter px; broadcast pw; gather z"},
	{"row parallel", `
x : float32[8, 4]
w : weight float32[4, 6]
z = matmul(x, w)
return z`, `
x : float32[8, 4]
w : weight float32[4, 6]
px = partition[axis=1, on=2](x)
pw = partition[axis=0, on=2](w)
y = matmul(px, pw)
z = reduce(y)
return z`, "a=2", "px: a=2 shard 1; pw: a=2 shard 0; y: a=2 sum", "scatter px; scatter pw; reduce z"},
	{"two linear layers on a mesh of 2 x 3", `
x : float32[8, 4]
v : weight float32[4, 6]
w : weight float32[6, 5]
h = matmul(x, v)
r = relu(h)
z = matmul(r, w)
return z`, `
x : float32[8, 4]
v : weight float32[4, 6]
w : weight float32[6, 5]
dx = partition[axis=0, on=2](x)
px = each_replicate[over=[2], on=3](dx)
dv = replicate[on=2](v)
pv = each_partition[over=[2], axis=1, on=3](dv)
dw = replicate[on=2](w)
pw = each_partition[over=[2], axis=0, on=3](dw)
h = matmul(px, pv)
r = relu(h)
y = matmul(r, pw)
s = each_reduce[over=[2]](y)
c = each_replicate[over=[2], on=3](s)
d = each_drop[over=[2]](c)
z = combine[axis=0](d)
return z`, "a=2, b=3", "px: a=2 shard 0, b=3 copy; pv: a=2 copy, b=3 shard 1; h: a=2 shard 0, b=3 shard 1; y: a=2 shard 0, b=3 sum; c: a=2 shard 0, b=3 copy",
		"scatter dx; broadcast px; broadcast dv; scatter pv; broadcast dw; scatter pw; all-reduce s+c; none d; gather z"},
	{"reduce-scatter, all-to-all and all-gather", `
x : float32[8, 4]
w : weight float32[4, 8]
z = matmul(x, w)
return z`, `
x : float32[8, 4]
w : weight float32[4, 8]
px = partition[axis=1, on=4](x)
pw = partition[axis=0, on=4](w)
y = matmul(px, pw)
s = reduce(y)
t = partition[axis=0, on=4](s)
u = combine[axis=0](t)
v = partition[axis=1, on=4](u)
c = combine[axis=1](v)
r = replicate[on=4](c)
d = drop(r)
p = partition[axis=0, on=4](d)
e = combine[axis=0](p)
f = partition[axis=0, on=4](e)
z = combine[axis=0](f)
return z`, "a=4", "t: a=4 shard 0; v: a=4 shard 1; r: a=4 copy; f: a=4 shard 0",
		"scatter px; scatter pw; reduce-scatter s+t; all-to-all u+v; all-gather c+r; none d; scatter p; none e+f; gather z"},
	{"two meshes in one", `
x : float32[12, 4]
z = relu(x)
return z`, `
x : float32[12, 4]
p = partition[axis=0, on=6](x)
q = partition[axis=0, on=2](p)
r = relu(q)
c = each_combine[over=[2], axis=0](r)
m = combine[axis=0](c)
return m`, "a=2, b=3", "p: ab=6 shard 0; q: a=2 shard 0, b=3 shard 0; c: a=2 shard 0", "scatter p; none q; gather c; gather m"},
	{"mesh axes in the other order", `
x : float32[12, 4]
z = relu(x)
return z`, `
x : float32[12, 4]
p = partition[axis=0, on=2](x)
q = partition[axis=2, on=4](p)
r = relu(q)
m = each_combine[over=[4], axis=0](r)
z = combine[axis=1](m)
return z`, "a=2, b=4", "q: b=4 shard 1, a=2 shard 0; m: b=4 shard 1", "scatter p; scatter q; gather m; gather z"},
	{"a lifted bias in a sum", `
x : float32[8, 4]
w : weight float32[4, 6]
b : weight float32[8, 6]
y = matmul(x, w)
z = ewadd(y, b)
return z`, `
x : float32[8, 4]
w : weight float32[4, 6]
b : weight float32[8, 6]
px = partition[axis=1, on=2](x)
pw = partition[axis=0, on=2](w)
y = matmul(px, pw)
l = lift[on=2](b)
s = ewadd(y, l)
z = reduce(s)
return z`, "a=2", "l: a=2 first; s: a=2 sum", "scatter px; scatter pw; none l; reduce z"},
	{"rows of an image with halo", `
x : float32[1, 2, 12, 6]
w : weight float32[3, 2, 3, 3]
v : weight float32[3, 3, 3, 3]
y = conv2d[pad=(1, 1, 1, 1)](x, w)
r = relu(y)
z = conv2d[pad=(1, 1, 1, 1)](r, v)
return z`, `
x : float32[1, 2, 12, 6]
w : weight float32[3, 2, 3, 3]
v : weight float32[3, 3, 3, 3]
p = partition[axis=2, on=3](x)
pw = replicate[on=3](w)
pv = replicate[on=3](v)
h = halo[axis=2, before=1, after=1](p)
y = each_conv2d[over=[3], pad=(0, 1, 0, 1)](h, pw)
r = relu(y)
i = halo[axis=2, before=1, after=1](r)
u = each_conv2d[over=[3], pad=(0, 1, 0, 1)](i, pv)
z = combine[axis=2](u)
return z`, "a=3", "h: a=3 shard 2 with 1 before and 1 behind; y: a=3 shard 2; u: a=3 shard 2", "scatter p; broadcast pw; broadcast pv; send-receive h; send-receive i; gather z"},
	{"an axis of six divided in two ways", `
x : float32[12, 4]
y = relu(x)
z = tanh(y)
return z`, `
x : float32[12, 4]
p = partition[axis=0, on=6](x)
q = partition[axis=0, on=2](p)
r = relu(q)
m = combine[axis=0](r)
s = partition[axis=0, on=3](m)
u = tanh(s)
v = combine[axis=0](u)
z = combine[axis=0](v)
return z`, "a=2, b=3", "q: a=2 shard 0, b=3 shard 0; m: ab=6 shard 0; s: b=3 shard 0, a=2 shard 0", "scatter p; none q; none m; permute s; none v; gather z"},
	{"an axis of six made of another three and two", `
x : float32[12, 4]
z = relu(x)
return z`, `
x : float32[12, 4]
p = partition[axis=0, on=3](x)
q = each_partition[over=[3], axis=0, on=2](p)
m = combine[axis=0](q)
s = partition[axis=0, on=2](m)
r = relu(s)
v = each_combine[over=[2], axis=0](r)
z = combine[axis=0](v)
return z`, "a=3, b=2", "q: a=3 shard 0, b=2 shard 0; m: ab=6 shard 0; s: b=2 shard 0, a=3 shard 0", "scatter p; scatter q; none m; permute s; gather v; gather z"},
	{"attention by heads", `
q : float32[4, 6, 3]
k : float32[4, 3, 6]
v : float32[4, 6, 3]
s = matmul(q, k)
e = softmax[axis=2](s)
o = matmul(e, v)
t = transpose[perm=(1, 0, 2)](o)
z = reshape[shape=[6, 12]](t)
return z`, `
q : float32[4, 6, 3]
k : float32[4, 3, 6]
v : float32[4, 6, 3]
pq = partition[axis=0, on=2](q)
pk = partition[axis=0, on=2](k)
pv = partition[axis=0, on=2](v)
s = matmul(pq, pk)
e = each_softmax[over=[2], axis=2](s)
o = matmul(e, pv)
t = each_transpose[over=[2], perm=(1, 0, 2)](o)
r = each_reshape[over=[2], shape=[6, 6]](t)
z = combine[axis=1](r)
return z`, "a=2", "e: a=2 shard 0; o: a=2 shard 0; t: a=2 shard 1; r: a=2 shard 1", "scatter pq; scatter pk; scatter pv; gather z"},
	{"a training step in which each device updates a part of the weights", `
x : float32[8, 4]
d : float32[8, 6]
w : weight float32[4, 6]
rate : float32[]
t = transpose[perm=(1, 0)](x)
g = matmul(t, d)
s = smul(g, rate)
n = ewsub(w, s)
y = matmul(x, n)
return n, y`, `
x : float32[8, 4]
d : float32[8, 6]
w : weight float32[4, 6]
rate : float32[]
px = partition[axis=0, on=2](x)
pd = partition[axis=0, on=2](d)
pr = replicate[on=2](rate)
pw = partition[axis=1, on=2](w)
t = each_transpose[over=[2], perm=(1, 0)](px)
g = matmul(t, pd)
sum = reduce(g)
part = partition[axis=1, on=2](sum)
s = each_smul[over=[2]](part, pr)
n = ewsub(pw, s)
whole = combine[axis=1](n)
copies = replicate[on=2](whole)
y = matmul(px, copies)
z = combine[axis=0](y)
next = drop(copies)
return next, z`, "a=2", "g: a=2 sum; part: a=2 shard 1; n: a=2 shard 1; copies: a=2 copy; y: a=2 shard 0",
		"scatter px; scatter pd; broadcast pr; scatter pw; reduce-scatter sum+part; all-gather whole+copies; gather z; none next"},
	{"experts on their own devices", `
x : float32[8, 4]
w : weight float32[2, 4, 5]
r = reshape[shape=[2, 4, 4]](x)
y = matmul(r, w)
z = reshape[shape=[8, 5]](y)
return z`, `
x : float32[8, 4]
w : weight float32[2, 4, 5]
px = partition[axis=0, on=2](x)
pw = partition[axis=0, on=2](w)
r = each_reshape[over=[2], shape=[1, 4, 4]](px)
y = matmul(r, pw)
s = each_reshape[over=[2], shape=[4, 5]](y)
z = combine[axis=0](s)
return z`, "a=2", "r: a=2 shard 0; y: a=2 shard 0; s: a=2 shard 0", "scatter px; scatter pw; gather z"},
	{"a table by its columns", `
t : weight float32[5, 6]
n : int64[4]
z = gather[axis=0](t, n)
return z`, `
t : weight float32[5, 6]
n : int64[4]
p = partition[axis=1, on=3](t)
i = replicate[on=3](n)
y = each_gather[over=[3], axis=0](p, i)
z = combine[axis=1](y)
return z`, "a=3", "y: a=3 shard 1", "scatter p; broadcast i; gather z"},
}

func TestNetworks(t *testing.T) {
	for _, n := range networks {
		t.Run(n.name, func(t *testing.T) {
			g := parse(t, n.text)
			p := pcgOf(t, g)
			if got := p.MeshText(); got != n.mesh {
				t.Errorf("mesh %s, want %s", got, n.mesh)
			}
			for _, want := range strings.Split(n.layouts, "; ") {
				name, _, _ := strings.Cut(want, ":")
				id, _ := g.Find(name)
				if got := name + ": " + p.LayoutText(p.Layout(id.Out(0))); got != want {
					t.Errorf("%s, want %s", got, want)
				}
			}
			var kinds []string
			for _, c := range p.Collectives {
				kinds = append(kinds, c.text(g))
			}
			if got := strings.Join(kinds, "; "); got != n.kinds {
				t.Errorf("collectives %s\nwant %s", got, n.kinds)
			}
			for _, f := range p.Findings {
				t.Error(f.Text)
			}
			agrees(t, p, parse(t, n.sequential))
			again := parse(t, g.String())
			if !again.Equal(g) {
				t.Errorf("the text form is another graph:\n%s", g)
			}
		})
	}
}

func evalGraph(g *graph.Graph, in []interp.Tensor[uint64]) ([]interp.Tensor[uint64], error) {
	return interp.EvalGraph(context.Background(), ring, g, in)
}
