package verifymodels_test

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/verifymodels"
)

// A run that reaches a side of a point counts only if an output depends on what happens there.
func TestShown(t *testing.T) {
	const (
		x             = "x : float32[3]\n"
		w             = x + "w : weight float32[3]\n"
		marks         = "m = reducemax[axes=(0), keep=1](z)\nb = broadcast[shape=[3]](m)\ne = ewequal(z, b)\nf = cast[to=float32](e)\nv : weight float32[3]\n"
		last          = "p = ewmul(f, v)\ny = reducemax[axes=(0), keep=1](p)\nreturn y"
		first         = "r = reverse[axes=(0)](v)\np = ewmul(f, r)\nq = reducemax[axes=(0), keep=1](p)\nk = reducesum[axes=(0), keep=1](v)\nu = ewsub(k, q)\no : float32 = one[shape=[1]]()\nt = ewadd(o, o)\ny = ewsub(u, t)\nreturn y"
		probabilities = "e = exp(x)\ns = reducesum[axes=(0), keep=1](e)\nb = broadcast[shape=[3]](s)\n"
		square        = "a = ewmul(x, x)\ns = sin(a)\nc = cos(a)\nu = ewmul(s, s)\nv = ewmul(c, c)\nr = ewadd(u, v)\n"
	)
	steep := map[string][]float32{"w": {1e6, 1e6, 1e6}}
	for _, c := range []struct {
		name, a, b string
		w          map[string][]float32
		verdicts   string
		reason     string
	}{
		{name: "a bound that saturation hides", a: w + "p = ewmul(x, w)\ny = clip[lo=-1, hi=1](p)\nreturn y", b: w + "c = clip[lo=-5, hi=inf](x)\np = ewmul(c, w)\ny = clip[lo=-1, hi=1](p)\nreturn y",
			w: steep, verdicts: "unknown", reason: "node c (clip(-5.0, inf)): no output shows operand x less than -5"},
		{name: "a bound that shows in a small range", a: x + "y = hardsigmoid[alpha=0.2, beta=0.5](x)\nreturn y", b: w + "d = ewsub(x, w)\nr = relu(d)\ns = ewadd(x, r)\ny = hardsigmoid[alpha=0.2, beta=0.5](s)\nreturn y",
			w: map[string][]float32{"w": {2, 2, 2}}, verdicts: "differ"},
		{name: "a sign that an order hides", a: x + "y = topk[axis=0, k=1](x)\nreturn y", b: x + "o : float32 = one[shape=[3]]()\ns = sign(x)\na = abs(s)\nd = ewsub(a, o)\nz = ewadd(x, d)\ny = topk[axis=0, k=1](z)\nreturn y",
			verdicts: "differ unknown"},
		{name: "the first and the last of the largest", a: w + "z = ewadd(x, w)\n" + marks + last, b: w + "z = ewadd(x, w)\n" + marks + first,
			w: map[string][]float32{"w": {1.5, 1, 1.5}, "v": {1, 2, 3}}, verdicts: "differ"},
		{name: "the last of the largest", a: w + "z = ewadd(x, w)\n" + marks + last, b: w + "z = ewadd(w, x)\n" + marks + strings.Replace(last, "(f, v)", "(v, f)", 1),
			w: map[string][]float32{"w": {1.5, 1, 1.5}, "v": {1, 2, 3}}, verdicts: "equal agree"},
		{name: "bounds that the same numbers never reach", a: x + square + "y = clip[lo=-1, hi=5](r)\nreturn y", b: w + square + "n = neg(w)\nl = ewless(r, n)\nk = ewwhere(l, n, r)\no : float32 = fill[shape=[3], value=5]()\ng = ewless(o, k)\ny = ewwhere(g, o, k)\nreturn y",
			w: map[string][]float32{"w": {1, 1, 1}}, verdicts: "agree"},
		{name: "values that rounding saturates", a: x + "s = sigmoid(x)\ny = ceil(s)\nreturn y", b: x + "o : float32 = one[shape=[3]]()\nn = neg(x)\ns = sigmoid(n)\nd = ewsub(o, s)\ny = ceil(d)\nreturn y",
			verdicts: "equal agree unknown"},
		{name: "numbers too small for float64", a: x + probabilities + "l = log(b)\nd = ewsub(x, l)\ny = ewmul(d, d)\nreturn y", b: x + probabilities + "p = ewdiv(e, b)\nd = log(p)\ny = ewmul(d, d)\nreturn y",
			verdicts: "agree unknown"},
		{name: "an integer of what is no number", a: x + "a = acos(x)\ny = sign(a)\nreturn y", b: x + "a = acos(x)\ns = sign(a)\ni = cast[to=uint8](s)\ny = cast[to=float32](i)\nreturn y",
			verdicts: "differ"},
		{name: "an exponential of an infinity", a: x + "a = atanh(x)\ny = softmax[axis=0](a)\nreturn y", b: x + "a = atanh(x)\ns = softmax[axis=0](a)\ng = sign(s)\no : float32 = one[shape=[3]]()\nd = ewsub(g, o)\ny = ewadd(s, d)\nreturn y",
			verdicts: "differ unknown"},
	} {
		if !strings.Contains(c.b, "w : weight") { // parse gives weights to those that have them
			c.w = nil
		}
		wa := c.w
		if !strings.Contains(c.a, "w : weight") {
			wa = nil
		}
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: parse(t, "a", c.a, wa), B: parse(t, "b", c.b, c.w)})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !strings.Contains(c.verdicts, string(r.Verdict)) || !strings.Contains(strings.Join(r.Unreached, "\n"), c.reason) {
			t.Errorf("%s: want %s\n%s", c.name, c.verdicts, r)
		}
	}
}

// Weights that were computed when a model was read differ by roundings of their largest
// element; weights of a file do not.
func TestFoldedWeights(t *testing.T) {
	const text = "x : float32[3]\nw : weight float32[3]\ny = ewmul(x, w)\nreturn y"
	a, b := parse(t, "a", text, map[string][]float32{"w": {0, 0.5, 1}}), parse(t, "b", text, map[string][]float32{"w": {1.5e-8, 0.5, 1}})
	for _, folded := range []bool{false, true} {
		for _, w := range a.Weights {
			w.Folded = folded
		}
		want := verifymodels.ModelsDiffer
		if folded {
			want = verifymodels.ModelsAgree
		}
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: a, B: b})
		if err != nil || r.Verdict != want {
			t.Errorf("folded %v: %v, want %s\n%s", folded, err, want, r)
		}
	}
}
