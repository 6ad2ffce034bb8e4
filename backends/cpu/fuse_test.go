package cpu

import (
	"context"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/lower"
)

// TestFusion counts the kernel calls of a run. Constants are computed when
// compiling and count nothing; NoFuse gives each node its own.
func TestFusion(t *testing.T) {
	for _, c := range []struct {
		name, text  string
		fused, each int
	}{
		{"convolution, bias, residual, relu", `
x : float32[2, 8, 9, 9]
w : weight float32[8, 8, 3, 3]
b : weight float32[8]
c = conv2d[pad=same_upper](x, w)
r = reshape[shape=[1, 8, 1, 1]](b)
bb = broadcast[shape=[2, 8, 9, 9]](r)
d = ewadd(c, bb)
e = ewadd(d, x)
f = relu(e)
return f`, 1, 4},
		{"batch norm", `
x : float32[1, 3, 5, 5]
w : weight float32[4, 3, 1, 1]
s : weight float32[4]
b : weight float32[4]
m : weight float32[4]
v : weight float32[4]
c = conv2d[pad=valid](x, w)
d = batchnorm[eps=1e-05](c, s, b, m, v)
e = relu(d)
return e`, 1, 3},
		{"the later convolution takes the sum", `
x : float32[1, 3, 8, 8]
w : weight float32[4, 3, 1, 1]
v : weight float32[4, 3, 3, 3]
a = conv2d[pad=valid](x, w)
b = conv2d[pad=same_upper](x, v)
c = ewadd(a, b)
d = relu(c)
return d`, 2, 4},
		{"an operand that is used again", `
x : float32[5]
a = exp(x)
b = tanh(a)
c = ewmul(a, b)
return c`, 2, 3},
		{"an output of the graph", `
x : float32[5]
a = exp(x)
b = tanh(a)
return a, b`, 2, 2},
		{"a chain", `
x : float32[5]
y : float32[5]
s : float32[]
a = exp(x)
b = ewsub(y, a)
c = clip[lo=0.0, hi=1.0](b)
d = smul(c, s)
return d`, 1, 4},
		{"rows of two lengths", `
x : float32[4, 5, 6]
a : float32[4, 1, 1]
b : float32[5, 1]
aa = broadcast[shape=[4, 5, 6]](a)
bb = broadcast[shape=[4, 5, 6]](b)
c = ewmul(x, aa)
d = ewadd(c, bb)
return d`, 2, 4},
		{"views", `
x : float32[4, 6]
a = reshape[shape=[24]](x)
b = reshape[shape=[6, 4]](a)
c = slice[axis=0, lo=1, hi=3](b)
return c`, 0, 0},
		{"a transpose that the product packs", `
x : float32[4, 6]
y : float32[5, 6]
t = transpose(y)
z = matmul(x, t)
return z`, 1, 2},
		{"constants", `
x : float32[4]
a : weight float32[2, 2]
b : weight float32[2, 2]
c = matmul(a, b)
d = reshape[shape=[4]](c)
e = ewadd(x, d)
return e`, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := compileText(t, c.text, backends.CompileOptions{})
			if len(p.steps) != c.fused {
				t.Errorf("%d kernel calls, want %d", len(p.steps), c.fused)
			}
			p = compileText(t, c.text, backends.CompileOptions{NoFuse: true})
			if len(p.steps) != c.each {
				t.Errorf("without fusion %d kernel calls, want %d", len(p.steps), c.each)
			}
			if len(p.plan.Into) != 0 {
				t.Errorf("without fusion %v", p.plan.Into)
			}
		})
	}
}

// TestPasses counts the operations of a tail that pass over the result, beside what the
// registers do.
func TestPasses(t *testing.T) {
	const head = `
x : float32[2, 6, 9, 9]
w : weight float32[6, 6, 1, 1]
k : weight float32[6, 1, 3, 3]
b : weight float32[6, 1, 1]
s : weight float32[]
u : weight float32[1]
bb = broadcast[shape=[2, 6, 9, 9]](b)
uu = broadcast[shape=[2, 6, 9, 9]](u)
`
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"a bias, and scaled activations", `
c = conv2d[pad=valid](x, w)
d = ewadd(c, bb)
e = smul(d, s)
f = ewadd(e, uu)
g = hardswish(f)
h = smul(g, s)
i = ewadd(uu, h)
return i`, 3},
		{"the same behind windows", `
c = conv2d[pad=same_upper, groups=6](x, k)
d = ewadd(c, bb)
e = smul(d, s)
f = ewadd(e, uu)
g = hardswish(f)
return g`, 2},
		{"rows scaled and shifted, in registers", `
c = conv2d[pad=valid](x, w)
d = ewmul(c, bb)
e = ewadd(d, bb)
f = relu(e)
return f`, 0},
		{"one for all, then one a row", `
c = conv2d[pad=same_upper, groups=6](x, k)
d = smul(c, s)
e = ewadd(d, bb)
return e`, 2},
		{"the sum first", `
c = conv2d[pad=same_upper, groups=6](x, k)
d = ewadd(c, uu)
e = smul(d, s)
return e`, 2},
	} {
		p := compileText(t, head+c.text, backends.CompileOptions{})
		if len(p.steps) != 1 || p.steps[0].tail.tail.nops != c.want {
			t.Errorf("%s: %d kernels, %d passes, want 1 and %d", c.name, len(p.steps), p.steps[0].tail.tail.nops, c.want)
		}
	}
}

// TestMeasuredGroups: what is measured of a group runs as it does in the model.
func TestMeasuredGroups(t *testing.T) {
	b, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	groups := 0
	for _, name := range models.Names() {
		m, err := models.Build(name+"-tiny", 1)
		if err != nil {
			t.Fatal(err)
		}
		l, err := lower.Graph(m.Graph, b.Target(), lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range cost.Groups(l) {
			if len(g.Tail) == 0 {
				continue
			}
			groups++
			one, _, err := backends.Single(&g.Application, backends.MeasureOptions{}.WithDefaults(&g.Application))
			if err != nil {
				t.Fatal(err)
			}
			p, err := b.Compile(context.Background(), one, backends.CompileOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if q := p.(*Plan); len(q.steps) != 1 || len(q.plan.Into) != len(g.Tail) {
				t.Errorf("%s: %s: %d kernels, %d nodes in others", name, cost.KeyOf(cost.Setting{}, g.Application), len(q.steps), len(q.plan.Into))
			}
			p.Close()
		}
	}
	if groups < 300 {
		t.Errorf("%d groups", groups)
	}
}
