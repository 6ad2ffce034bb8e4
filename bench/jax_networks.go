package bench

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/parallel/plan"
)

// jaxNetwork is a network of a kind that people train on several devices, so small that a
// laptop runs a step on eight virtual ones, so large that it pays to share its work.
type jaxNetwork struct {
	name, text string
	optimizer  grad.Options
}

// training is its training step.
func (n *jaxNetwork) training() (*plan.Training, error) {
	g, err := graph.ParseText(n.name, n.text)
	if err != nil {
		return nil, err
	}
	return plan.Train(g, n.optimizer)
}

var jaxNetworks = []*jaxNetwork{
	{"MLP", jaxPerceptron, grad.Options{Loss: grad.MeanSquare, Rate: 0.01, Momentum: 0.9}},
	{"encoder", jaxEncoder(2), grad.Options{Loss: grad.MeanSquare, Rate: 0.01, Momentum: 0.9}},
	{"convolutional", jaxConvolutional, grad.Options{Loss: grad.CrossEntropy, Axis: -1, Rate: 0.01, Momentum: 0.9}},
	{"DLRM", jaxRecommender, grad.Options{Loss: grad.MeanSquare, Rate: 0.01}},
	{"MLP by Adam", jaxPerceptron, grad.Options{Loss: grad.MeanSquare, Rate: 0.01, Optimizer: grad.Adam}},
}

const jaxPerceptron = `x : float32[256, 256]
u : weight float32[256, 1024]
v : weight float32[1024, 1024]
w : weight float32[1024, 256]
a = matmul(x, u)
b = relu(a)
c = matmul(b, v)
d = gelu(c)
y = matmul(d, w)
return y
`

const jaxConvolutional = `x : float32[128, 3, 16, 16]
k : weight float32[32, 3, 3, 3]
l : weight float32[64, 32, 3, 3]
m : weight float32[64, 64, 3, 3]
w : weight float32[256, 16]
a = conv2d[pad=same_upper](x, k)
b = relu(a)
c = poolmax[kh=2, kw=2, stride=(2, 2), pad=valid](b)
d = conv2d[pad=(1, 1, 1, 1), stride=(2, 2)](c, l)
e = relu(d)
f = conv2d[pad=same_upper](e, m)
g = ewadd(e, f)
h = relu(g)
i = poolavg[kh=2, kw=2, stride=(2, 2), pad=valid](h)
j = reshape[shape=[128, 256]](i)
y = matmul(j, w)
return y
`

// jaxRecommender has three embedding tables, a bottom and a top chain.
const jaxRecommender = `i : int64[256]
j : int64[256]
k : int64[256]
x : float32[256, 64]
s : weight float32[1024, 64]
t : weight float32[2048, 64]
r : weight float32[4096, 64]
u : weight float32[64, 512]
v : weight float32[512, 64]
w : weight float32[256, 1024]
z : weight float32[1024, 32]
a = gather[axis=0](s, i)
b = gather[axis=0](t, j)
c = gather[axis=0](r, k)
d = matmul(x, u)
e = relu(d)
f = matmul(e, v)
g = concat[axis=1](a, b)
h = concat[axis=1](c, f)
l = concat[axis=1](g, h)
m = matmul(l, w)
n = relu(m)
o = matmul(n, z)
y = sigmoid(o)
return y
`

// jaxEncoder has layers of attention and feed-forward parts, normalized behind each: sixteen
// samples of 16 positions, hidden size 256, eight heads.
func jaxEncoder(layers int) string {
	inputs, body, x := "x : float32[16, 16, 256]\n", "e0 = reshape[shape=[256, 256]](x)\n", "e0"
	for l := 1; l <= layers; l++ {
		for _, w := range []struct{ name, sizes string }{{"q", "256, 256"}, {"k", "256, 256"}, {"v", "256, 256"}, {"o", "256, 256"},
			{"s1", "256"}, {"b1", "256"}, {"f", "256, 1024"}, {"g", "1024, 256"}, {"s2", "256"}, {"b2", "256"}} {
			inputs += fmt.Sprintf("w%s%d : weight float32[%s]\n", w.name, l, w.sizes)
		}
		for _, h := range []struct{ name, perm string }{{"q", "(0, 2, 1, 3)"}, {"k", "(0, 2, 3, 1)"}, {"v", "(0, 2, 1, 3)"}} {
			body += fmt.Sprintf("%[1]sm%[2]d = matmul(%[3]s, w%[1]s%[2]d)\n%[1]sr%[2]d = reshape[shape=[16, 16, 8, 32]](%[1]sm%[2]d)\n%[1]sh%[2]d = transpose[perm=%[4]s](%[1]sr%[2]d)\n",
				h.name, l, x, h.perm)
		}
		body += fmt.Sprintf(`score%[1]d = matmul(qh%[1]d, kh%[1]d)
root%[1]d = fill[shape=[], value=0.1767766952966369]()
scaled%[1]d = smul(score%[1]d, root%[1]d)
soft%[1]d = softmax[axis=3](scaled%[1]d)
mixed%[1]d = matmul(soft%[1]d, vh%[1]d)
turned%[1]d = transpose[perm=(0, 2, 1, 3)](mixed%[1]d)
joined%[1]d = reshape[shape=[256, 256]](turned%[1]d)
out%[1]d = matmul(joined%[1]d, wo%[1]d)
added%[1]d = ewadd(%[2]s, out%[1]d)
norm%[1]d = layernorm[axis=1, eps=1e-05](added%[1]d, ws1%[1]d, wb1%[1]d)
inner%[1]d = matmul(norm%[1]d, wf%[1]d)
act%[1]d = gelu(inner%[1]d)
outer%[1]d = matmul(act%[1]d, wg%[1]d)
sum%[1]d = ewadd(norm%[1]d, outer%[1]d)
e%[1]d = layernorm[axis=1, eps=1e-05](sum%[1]d, ws2%[1]d, wb2%[1]d)
`, l, x)
		x = fmt.Sprintf("e%d", l)
	}
	return inputs + body + "return " + x + "\n"
}
