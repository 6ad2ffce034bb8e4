package parallel

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph/interp"
)

// named are graphs with collectives by name, and with what the names stand for.
var named = []struct{ name, text, written string }{
	{"all-reduce", `
x : float32[4, 6]
w : float32[6, 2]
p = partition[axis=1, on=2](x)
q = partition[axis=0, on=2](w)
m = matmul(p, q)
s = allreduce(m)
r = relu(s)
y = drop(r)
return y`, `
x : float32[4, 6]
w : float32[6, 2]
p = partition[axis=1, on=2](x)
q = partition[axis=0, on=2](w)
m = matmul(p, q)
a = reduce(m)
s = replicate[on=2](a)
r = relu(s)
y = drop(r)
return y`},
	{"reduce-scatter and all-gather", `
x : float32[4, 6]
w : float32[6, 2]
p = partition[axis=1, on=2](x)
q = partition[axis=0, on=2](w)
m = matmul(p, q)
s = reducescatter[axis=0](m)
r = relu(s)
a = allgather[axis=0](r)
y = drop(a)
return y`, `
x : float32[4, 6]
w : float32[6, 2]
p = partition[axis=1, on=2](x)
q = partition[axis=0, on=2](w)
m = matmul(p, q)
t = reduce(m)
s = partition[axis=0, on=2](t)
r = relu(s)
b = combine[axis=0](r)
a = replicate[on=2](b)
y = drop(a)
return y`},
	{"all-to-all in the members of a mesh", `
x : float32[4, 6, 2]
h = partition[axis=2, on=2](x)
p = each_pipeline[over=[2], axis=0, on=2](h)
a = each_alltoall[over=[2], split=1, concat=0](p)
r = relu(a)
b = each_batch[over=[2], axis=1](r)
y = combine[axis=2](b)
return y`, `
x : float32[4, 6, 2]
h = partition[axis=2, on=2](x)
p = each_partition[over=[2], axis=0, on=2](h)
c = each_combine[over=[2], axis=0](p)
a = each_partition[over=[2], axis=1, on=2](c)
r = relu(a)
b = each_combine[over=[2], axis=1](r)
y = combine[axis=2](b)
return y`},
}

// A collective by name is what it stands for: the same layouts, messages and numbers, and
// the numbers are those of the graph with the names as one of ordinary tensors.
func TestNamed(t *testing.T) {
	for _, c := range named {
		g := parse(t, c.text)
		p, q := pcgOf(t, g), pcgOf(t, parse(t, c.written))
		if !LaidOut(g) || len(p.Findings) > 0 {
			t.Errorf("%s: findings %v", c.name, p.Findings)
		}
		agrees(t, p, q.Graph)
		if a, b := fmt.Sprint(p.Mesh, sent(t, p)), fmt.Sprint(q.Mesh, sent(t, q)); a != b {
			t.Errorf("%s: sends %s, written out %s", c.name, a, b)
		}
		in := residues(g, 3)
		whole, err := interp.EvalGraph(context.Background(), ring, g, in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Run(ctx, p, ring, in)
		if err != nil {
			t.Fatal(err)
		}
		if !equal(whole, got.Outputs) {
			t.Errorf("%s: devices compute something else", c.name)
		}
		for _, id := range p.Graph.Inputs() {
			if other, ok := g.Find(p.Graph.Name(id)); !ok || !slices.Equal(g.Sizes(other.Out(0)), p.Graph.Sizes(id.Out(0))) {
				t.Errorf("%s: input %s", c.name, p.Graph.Name(id))
			}
		}
	}
}

// sent are the kinds of the collectives and what they send.
func sent(t *testing.T, p *PCG) (out []string) {
	t.Helper()
	r, err := Run(ctx, p, ring, residues(p.Graph, 1))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range p.Collectives {
		out = append(out, fmt.Sprintf("%v %d", c.Kind, r.Counts[i].Bytes))
	}
	return out
}
