package export

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

var ctx = context.Background()

// Small networks of the kinds that people train.
const (
	perceptron = `
x : float32[16, 8]
v : weight float32[8, 16]
w : weight float32[16, 8]
h = matmul(x, v)
r = relu(h)
y = matmul(r, w)
return y`

	convolutional = `
x : float32[64, 3, 8, 8]
k : weight float32[16, 3, 3, 3]
l : weight float32[32, 16, 3, 3]
w : weight float32[32, 10]
a = conv2d[pad=same_upper, act=relu](x, k)
b = poolmax[kh=2, kw=2, stride=(2, 2), pad=valid](a)
c = conv2d[pad=(1, 1, 1, 1), stride=(2, 2)](b, l)
d = relu(c)
e = poolavg[kh=2, kw=2, pad=valid](d)
f = reshape[shape=[64, 32]](e)
y = matmul(f, w)
return y`

	recommender = `
i : int64[8]
j : int64[8]
x : float32[8, 4]
s : weight float32[16, 8]
t : weight float32[24, 8]
v : weight float32[4, 8]
w : weight float32[24, 8]
u : weight float32[8, 4]
a = gather[axis=0](s, i)
b = gather[axis=0](t, j)
c = matmul(x, v)
d = relu(c)
e = concat[axis=1](a, b)
f = concat[axis=1](e, d)
g = matmul(f, w)
h = sigmoid(g)
y = matmul(h, u)
return y`

	encoder = `
x : float32[4, 8, 16]
q : weight float32[16, 16]
k : weight float32[16, 16]
v : weight float32[16, 16]
o : weight float32[16, 16]
ls : weight float32[16]
lb : weight float32[16]
f : weight float32[16, 32]
g : weight float32[32, 16]
ms : weight float32[16]
mb : weight float32[16]
x2 = reshape[shape=[32, 16]](x)
xq = matmul(x2, q)
xk = matmul(x2, k)
xv = matmul(x2, v)
q4 = reshape[shape=[4, 8, 4, 4]](xq)
k4 = reshape[shape=[4, 8, 4, 4]](xk)
v4 = reshape[shape=[4, 8, 4, 4]](xv)
qh = transpose[perm=(0, 2, 1, 3)](q4)
kh = transpose[perm=(0, 2, 3, 1)](k4)
vh = transpose[perm=(0, 2, 1, 3)](v4)
s = matmul(qh, kh)
half = fill[shape=[], value=0.5]()
t = smul(s, half)
p = softmax[axis=3](t)
a = matmul(p, vh)
at = transpose[perm=(0, 2, 1, 3)](a)
a2 = reshape[shape=[32, 16]](at)
ao = matmul(a2, o)
r = ewadd(x2, ao)
n = layernorm[axis=1, eps=1e-05](r, ls, lb)
h = matmul(n, f)
i = gelu(h)
j = matmul(i, g)
z = ewadd(n, j)
y = layernorm[axis=1, eps=1e-05](z, ms, mb)
return y`
)

// training is a network's training step.
func training(t testing.TB, text string, opt grad.Options) *plan.Training {
	t.Helper()
	g, err := graph.ParseText("test", strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	tr, err := plan.Train(g, opt)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// meshOf is one of devices of Summit.
func meshOf(t testing.TB, axes ...plan.Axis) *plan.Mesh {
	t.Helper()
	c, err := machine.Find("summit", machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := plan.NewMeshOf(c, nil, axes...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// made is a plan on a mesh.
func made(t testing.TB, tr *plan.Training, means []plan.Means, degrees ...int) *plan.Plan {
	t.Helper()
	axes := make([]plan.Axis, len(degrees))
	for i, d := range degrees {
		axes[i].Degree = d
	}
	p, err := plan.Make(ctx, tr, meshOf(t, axes...), plan.Options{Means: means})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
