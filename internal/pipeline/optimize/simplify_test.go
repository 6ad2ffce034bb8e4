package optimize_test

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/model"
)

// simplifications are the bodies of models of x : float32[2, 3, 4, 8] and weights, with the
// fewest operators beside repetitions of weights that compute the same. Weights have names in capitals:
// Zero, One, Half and Tiny are what they are called, most others hold random numbers.
var simplifications = []struct {
	name, text string
	fewest     int
}{
	{"x + 0", "b = rep(Zero)\ny = ewadd(x, b)", 0},
	{"0 + x", "b = rep(Zero)\ny = ewadd(b, x)", 0},
	{"x + -0", "b = rep(Minus)\ny = ewadd(x, b)", 0},
	{"x + zeros", "y = ewadd(x, Zeros)", 0},
	{"x - 0", "b = rep(Zero)\ny = ewsub(x, b)", 0},
	{"x * 1", "b = rep(One)\ny = ewmul(b, x)", 0},
	{"x + 0 behind a sum that stays", "b = rep(Zero)\nc = rep(Half)\na = ewadd(x, c)\ny = ewadd(a, b)", 1},
	{"x + a + b", "b = rep(P)\nc = rep(Q)\nd = ewadd(x, b)\ny = ewadd(d, c)", 1},
	{"x - a + b", "b = rep(P)\nc = rep(Q)\nd = ewsub(x, b)\ny = ewadd(d, c)", 1},
	{"x + a - b", "b = rep(P)\nc = rep(Q)\nd = ewadd(x, b)\ny = ewsub(d, c)", 1},
	{"x - a - b", "b = rep(P)\nc = rep(Q)\nd = ewsub(x, b)\ny = ewsub(d, c)", 1},
	{"x * a * b", "b = rep(P)\nc = rep(Q)\nd = ewmul(x, b)\ny = ewmul(d, c)", 1},
	{"x + rows + rows", "b = rep(R)\nc = rep(S)\nd = ewadd(x, b)\ny = ewadd(d, c)", 1},
	{"maximum of a maximum", "b = rep(P)\nc = rep(Q)\nd = ewmax(x, b)\ny = ewmax(d, c)", 1},
	{"minimum of a minimum", "b = rep(P)\nc = rep(Q)\nd = ewmin(x, b)\ny = ewmin(d, c)", 1},
	{"relu of relu", "a = relu(x)\ny = relu(a)", 1},
	{"clip of clip", "a = clip[lo=-1.0, hi=6.0](x)\ny = clip[lo=-1.0, hi=6.0](a)", 1},
	{"clip of relu", "a = relu(x)\ny = clip[lo=0.0, hi=6.0](a)", 1},
	{"abs of abs", "a = abs(x)\ny = abs(a)", 1},
	{"floor of floor", "a = floor(x)\ny = floor(a)", 1},
	{"ceil of ceil", "a = ceil(x)\ny = ceil(a)", 1},
	{"round of round", "a = round(x)\ny = round(a)", 1},
	{"sign of sign", "a = sign(x)\ny = sign(a)", 1},
	{"neg of neg", "a = neg(x)\ny = neg(a)", 0},
	{"transposed and back", "a = transpose[perm=(0, 2, 3, 1)](x)\ny = transpose[perm=(0, 3, 1, 2)](a)", 0},
	{"two transpositions", "a = transpose[perm=(0, 2, 3, 1)](x)\ny = transpose[perm=(0, 2, 3, 1)](a)", 1},
	{"two slices", "a = slice[axis=3, lo=1, hi=7](x)\ny = slice[axis=3, lo=2, hi=5](a)", 1},
	{"cut and put together", "a = slice[axis=3, lo=0, hi=3](x)\nb = slice[axis=3, lo=3, hi=8](x)\ny = concat[axis=3](a, b)", 0},
	{"padding in front of a convolution", "a = pad[before=(0, 0, 1, 1), after=(0, 0, 1, 1)](x)\ny = conv2d[pad=valid](a, W)", 1},
	{"padding in front of a convolution of stride 2", "a = pad[before=(0, 0, 1, 1), after=(0, 0, 1, 1)](x)\ny = conv2d[stride=(2, 2), pad=valid](a, W)", 1},
	{"padding of another size and more of the convolution", "a = pad[before=(0, 0, 1, 0), after=(0, 0, 1, 2)](x)\ny = conv2d[stride=(2, 2), pad=(1, 0, 1, 0), act=relu](a, W)", 1},
	{"padding in front of an average that counts it", "a = pad[before=(0, 0, 1, 0), after=(0, 0, 1, 1)](x)\ny = poolavg[kh=3, kw=3, pad=valid](a)", 1},
	{"padding that is cut", "a = pad[before=(0, 0, 1, 0), after=(0, 0, 2, 0)](x)\ny = slice[axis=2, lo=1, hi=5](a)", 0},
	{"reshaped and back", "a = reshape[shape=[6, 32]](x)\ny = reshape[shape=[2, 3, 4, 8]](a)", 0},
	{"an axis put in and taken out", "a = reshape[shape=[2, 1, 3, 4, 8]](x)\ny = reshape[shape=[2, 3, 4, 8]](a)", 0},
	{"three reshapes", "a = reshape[shape=[6, 32]](x)\nb = reshape[shape=[192]](a)\ny = reshape[shape=[3, 2, 16, 2]](b)", 1},
	{"batch norm behind a convolution with a bias", "c = conv2d[pad=same_upper](x, W)\nb = broadcast[shape=[2, 3, 4, 8]](Bias)\nd = ewadd(c, b)\ny = batchnorm[eps=0.001](d, K, K, K, V)", 2},

	{"x / 1", "b = rep(One)\ny = ewdiv(x, b)", 0},
	{"clip of a wider clip", "a = clip[lo=-1.0, hi=6.0](x)\ny = clip[lo=0.0, hi=3.0](a)", 1},
	{"clips that overlap", "a = clip[lo=-1.0, hi=2.0](x)\ny = clip[lo=0.0, hi=3.0](a)", 1},
	{"clips of one side each", "a = clip[lo=-1.0, hi=inf](x)\ny = clip[lo=-inf, hi=3.0](a)", 1},
	{"clip below and relu", "a = clip[lo=-1.0, hi=inf](x)\ny = relu(a)", 1},
	{"three clips", "a = clip[lo=-1.0, hi=6.0](x)\nb = relu(a)\ny = clip[lo=-2.0, hi=4.0](b)", 1},
	{"clip of a clip without overlap", "a = clip[lo=0.0, hi=1.0](x)\ny = clip[lo=2.0, hi=3.0](a)", 1},
	{"x * channels * channels", "b = rep(Bias)\nc = rep(Gain)\nd = ewmul(x, b)\ny = ewmul(d, c)", 1},
	{"x + channels + channels", "b = rep(Bias)\nc = rep(Gain)\nd = ewadd(x, b)\ny = ewadd(d, c)", 1},
	{"x * columns * columns", "b = rep(R)\nc = rep(S)\nd = ewmul(x, b)\ny = ewmul(d, c)", 1},
	{"batch norm behind a convolution with a bias of its own", "c = conv2d[pad=same_upper](x, W)\nr = reshape[shape=[1, 3, 1, 1]](K)\nb = broadcast[shape=[2, 3, 4, 8]](r)\nd = ewadd(c, b)\ny = batchnorm[eps=0.001](d, K, K, K, V)", 2},
	{"batch norm behind a product with a bias", "f = reshape[shape=[24, 8]](x)\nm = matmul(f, F)\nb = broadcast[shape=[24, 3]](K)\nd = ewadd(m, b)\ny = batchnorm[eps=0.001](d, K, K, K, V)", 3},
	{"batch norm behind a product that is transposed", "f = reshape[shape=[24, 8]](x)\nm = matmul(f, F)\nr = reshape[shape=[2, 12, 3]](m)\nt = transpose[perm=(0, 2, 1)](r)\ny = batchnorm[eps=0.001](t, K, K, K, V)", 5},
	{"batch norm behind a product that is reshaped", "f = reshape[shape=[24, 8]](x)\nm = matmul(f, G)\nr = reshape[shape=[24, 3, 2, 2]](m)\ny = batchnorm[eps=0.001](r, K, K, K, V)", 4},
	{"x / a * b", "b = rep(P)\nc = rep(Q)\nd = ewdiv(x, b)\ny = ewmul(d, c)", 1},
	{"padding of padding", "a = pad[before=(0, 0, 1, 0), after=(0, 0, 2, 0)](x)\nb = pad[before=(0, 0, 0, 3), after=(0, 0, 1, 0)](a)\ny = tanh(b)", 2},
	{"padding in front of a convolution of signals", "f = reshape[shape=[2, 3, 32]](x)\na = pad[before=(0, 0, 1), after=(0, 0, 2)](f)\nr = reshape[shape=[2, 3, 1, 35]](a)\nk = reshape[shape=[1, 3, 1, 3]](F3)\nc = conv2d[pad=valid](r, k)\ny = reshape[shape=[2, 1, 33]](c)", 4},
	{"factors behind a convolution with a bias", "c = conv2d[pad=same_upper](x, W)\nb = broadcast[shape=[2, 3, 4, 8]](Bias)\nd = ewadd(c, b)\ne = rep(Gain)\ny = ewmul(d, e)", 2},
	{"factors behind a convolution", "c = conv2d[pad=same_upper](x, W)\ne = rep(Gain)\ny = ewmul(c, e)", 1},
	{"a number behind a convolution with a bias", "c = conv2d[pad=same_upper](x, W)\nb = broadcast[shape=[2, 3, 4, 8]](Bias)\nd = ewadd(c, b)\ny = smul(d, P)", 2},
	{"computed twice", "a = exp(x)\nb = exp(x)\ny = ewadd(a, b)", 2},
	{"computed twice, and what is made of it", "a = exp(x)\nb = exp(x)\nc = sin(a)\nd = sin(b)\ny = ewmul(c, d)", 3},
	{"not needed", "a = sin(x)\nb = exp(a)\ny = relu(x)", 1},

	// What looks alike and is something else stays.
	{"computed of different weights", "b = rep(P)\nc = rep(Q)\nd = ewmax(x, b)\ne = ewmax(x, c)\ny = ewdiv(d, e)", 3},
	{"x + tiny", "b = rep(Tiny)\ny = ewadd(x, b)", 1},
	{"x * 0", "b = rep(Zero)\ny = ewmul(x, b)", 1},
	{"x * half", "b = rep(Half)\ny = ewmul(x, b)", 1},
	{"0 - x", "b = rep(Zero)\ny = ewsub(b, x)", 1},
	{"almost zeros", "y = ewadd(x, Almost)", 1},
	{"quantized and back", "b = rep(Half)\na = ewdiv(x, b)\nr = round(a)\nc = clip[lo=0.0, hi=255.0](r)\nq = cast[to=uint8](c)\nd = cast[to=float32, mode=exact](q)\ny = ewmul(d, b)", 6},
	{"x / half", "b = rep(Half)\ny = ewdiv(x, b)", 1},
	{"1 / x", "b = rep(One)\ny = ewdiv(b, x)", 1},
	{"clip of another function of a clip", "a = clip[lo=0.0, hi=1.0](x)\nb = neg(a)\ny = clip[lo=2.0, hi=3.0](b)", 3},
	{"clip whose bounds cross", "a = clip[lo=1.0, hi=0.0](x)\ny = clip[lo=2.0, hi=3.0](a)", 2},
	{"batch norm of another axis", "c = conv2d[pad=same_upper](x, W)\nr = reshape[shape=[2, 12, 8]](c)\ny = batchnorm[eps=0.001](r, L, L, L, L)", 3},
	{"relu of neg", "a = neg(x)\ny = relu(a)", 2},
	{"floor of ceil and a half", "b = rep(Half)\na = ceil(x)\nc = ewmul(a, b)\ny = floor(c)", 3},
	{"reciprocal of reciprocal", "a = reciprocal(x)\ny = reciprocal(a)", 2},
	{"exp of log", "a = log(x)\ny = exp(a)", 2},
	{"ones in front of a convolution", "a = pad[before=(0, 0, 1, 1), after=(0, 0, 1, 1), value=1.0](x)\ny = conv2d[pad=valid](a, W)", 2},
	{"padding in front of an average of what is inside", "a = pad[before=(0, 0, 1, 1), after=(0, 0, 1, 1)](x)\ny = poolavg[kh=3, kw=3, pad=same_upper, border=excluded](a)", 2},
	{"zeros in front of a maximum", "a = pad[before=(0, 0, 1, 1), after=(0, 0, 1, 1)](x)\ny = poolmax[kh=3, kw=3, pad=valid](a)", 2},
	{"padding that is cut in part", "a = pad[before=(0, 0, 1, 0), after=(0, 0, 2, 0)](x)\ny = slice[axis=2, lo=0, hi=5](a)", 2},
	{"reshaped around a function of rows", "a = reshape[shape=[6, 32]](x)\nb = softmax[axis=1](a)\ny = reshape[shape=[2, 3, 4, 8]](b)", 3},
	{"transposed and not back", "a = transpose[perm=(0, 2, 3, 1)](x)\nb = relu(a)\ny = softmax[axis=1](b)", 3},
}

// simple is a model of the body of a graph.
func simple(t *testing.T, text string) *model.Model {
	t.Helper()
	weights := "Zero One Half Tiny Minus P Q : [] | R S : [8] | K V : [3] | L : [12] | F : [8, 3] | F3 : [1, 3, 3] | G : [8, 12] | Bias Gain : [1, 3, 1, 1] | Zeros Almost : [2, 3, 4, 8] | W : [3, 3, 3, 3]"
	m := written(t, simpleText(weights, text))
	fill := map[string]float32{"Zero": 0, "One": 1, "Half": 0.5, "Tiny": 1e-30, "Minus": float32(math.Copysign(0, -1)), "Zeros": 0, "Almost": 0, "V": 2}
	for id := range m.Weights {
		x, ok := fill[m.Graph.Name(id)]
		if !ok {
			continue
		}
		sizes := m.Graph.Sizes(id.Out(0))
		xs := make([]float32, graph.NumElements(sizes))
		for i := range xs {
			xs[i] = x
		}
		if m.Graph.Name(id) == "Almost" {
			xs[len(xs)-1] = 1
		}
		m.Weights[id] = model.FromFloat32(sizes, xs)
	}
	return m
}

// Models that every optimizer simplifies are, by the default search and by saturation, with a
// proof; what only looks alike stays.
func TestSimplifications(t *testing.T) {
	m, err := cost.FindMachine("laptop")
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range simplifications {
		t.Run(c.name, func(t *testing.T) {
			x := simple(t, c.text)
			for _, method := range []optimize.Method{optimize.Auto, optimize.Saturate} {
				if method == optimize.Saturate && i%sweep.Size(3, 1) != 0 {
					continue // in make sweeps
				}
				res, err := optimize.Run(t.Context(), optimize.Options{Model: x, Cost: m, Method: method, Tries: 150, Workers: 1})
				if err != nil {
					t.Errorf("%s: %v", method, err)
					continue
				}
				if !res.ProofChecked {
					t.Errorf("%s: no proof", method)
				}
				if got := kernels(res.Model.Graph); got != c.fewest {
					t.Errorf("%s: %d operators, want %d:\n%s", method, got, c.fewest, res.Model.Graph)
				}
			}
		})
	}
}

// Numbers that change nothing are removed even if the search has no moves left.
func TestNeutral(t *testing.T) {
	m, err := cost.FindMachine("laptop")
	if err != nil {
		t.Fatal(err)
	}
	x := simple(t, "n = fill[shape=[], value=0.0, den=1]()\nb = rep(n)\nd = ewadd(x, b)\ne = exp(d)\nf = ewadd(e, b)\ng = sin(f)\nh = ewsub(g, b)\ny = tanh(h)")
	res, err := optimize.Run(t.Context(), optimize.Options{Model: x, Cost: m, Method: optimize.Descend, Tries: 1, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := kernels(res.Model.Graph); got != 3 || !res.ProofChecked {
		t.Errorf("%d operators, want 3; proof %v:\n%s", got, res.ProofChecked, res.Model.Graph)
	}
}

// kernels counts operators, but those that only repeat a weight or give it another shape.
func kernels(g *graph.Graph) (n int) {
	fixed := map[graph.NodeID]bool{}
	for id := range g.Nodes() {
		if g.Op(id) == nil {
			fixed[id] = g.IsWeight(id)
			continue
		}
		fixed[id] = true
		for _, t := range g.Operands(id) {
			fixed[id] = fixed[id] && fixed[t.Node]
		}
		if !fixed[id] {
			n++
		}
	}
	return n
}

// simpleText is the text of a graph: the weights that its body names, and rep(W) for W
// repeated to the shape of x.
func simpleText(weights, body string) string {
	text := "x : float32[2, 3, 4, 8]\n"
	for _, part := range strings.Split(weights, " | ") {
		names, shape, _ := strings.Cut(part, " : ")
		for _, name := range strings.Fields(names) {
			if regexp.MustCompile(`\b` + name + `\b`).MatchString(body) {
				text += name + " : weight float32" + shape + "\n"
			}
		}
	}
	return text + strings.ReplaceAll(body, "rep(", "broadcast[shape=[2, 3, 4, 8]](") + "\nreturn y"
}
