package verifymodels_test

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/verifymodels"
)

// Runs reach what functions do far from 0, at poles, at ties and where branches meet; what
// they do not reach is not taken to agree.
func TestSearch(t *testing.T) {
	const x, half = "x : float32[4]\n", "o : float32 = one[shape=[4]]()\nt = ewadd(o, o)\nh = ewdiv(o, t)\n"
	scaled := func(w float32) map[string][]float32 { return map[string][]float32{"w": {w, w, w, w}} }
	weight := x + "w : weight float32[4]\n"
	for _, c := range []struct {
		name, a, b string
		w          map[string][]float32
		verdict    verifymodels.Conclusion
		reason     string
	}{
		{name: "a bound", a: x + "y = clip[lo=-inf, hi=20](x)\nreturn y", b: x + "return x", verdict: verifymodels.ModelsDiffer},
		{name: "a far bound", a: x + "y = clip[lo=-5000, hi=inf](x)\nreturn y", b: x + "return x", verdict: verifymodels.ModelsDiffer},
		{name: "a bound of what is computed", a: weight + "p = ewmul(x, w)\ny = clip[lo=-100, hi=100](p)\nreturn y", b: weight + "y = ewmul(w, x)\nreturn y", w: scaled(0.01), verdict: verifymodels.ModelsDiffer},
		{name: "a bound of a sum", a: weight + "p = ewmul(x, w)\ns = reducesum[axes=(0)](p)\ny = clip[lo=-100, hi=100](s)\nreturn y", b: weight + "p = ewmul(w, x)\ny = reducesum[axes=(0)](p)\nreturn y", w: scaled(0.5), verdict: verifymodels.ModelsDiffer},
		{name: "between bounds far from 0", a: "x : float32[1]\nw : weight float32[1]\nr = ewadd(x, w)\ns = ewadd(r, w)\ny = clip[lo=-1.6, hi=1.5](s)\nreturn y", b: "x : float32[1]\nw : weight float32[1]\ns = ewadd(x, w)\ny = clip[lo=-1.6, hi=1.5](s)\nreturn y", w: map[string][]float32{"w": {28.7}}, verdict: verifymodels.ModelsDiffer},
		{name: "a bound that bounds nothing", a: x + "e = sigmoid(x)\ny = clip[lo=-1, hi=3](e)\nreturn y", b: x + "y = sigmoid(x)\nreturn y", verdict: verifymodels.ModelsAgree},
		{name: "a bound of a square", a: x + "e = ewmul(x, x)\ny = relu(e)\nreturn y", b: x + "y = ewmul(x, x)\nreturn y", verdict: verifymodels.ModelsAgree},
		{name: "a pole beside 0", a: weight + "s = ewadd(x, w)\ny = reciprocal(s)\nreturn y", b: x + "w : weight float32[4]\nz = ewsub(w, w)\ns = ewadd(x, z)\ny = reciprocal(s)\nreturn y", w: scaled(1e-9), verdict: verifymodels.ModelsDiffer},
		{name: "a pole that cancels", a: x + "p = ewmul(x, x)\ny = ewdiv(p, x)\nreturn y", b: x + "return x", verdict: verifymodels.ModelsDiffer},
		{name: "a root that cancels", a: x + half + "d = ewsub(t, x)\nr = sqrt(d)\ns = ewadd(x, r)\ny = ewsub(s, r)\nreturn y", b: x + "return x", verdict: verifymodels.ModelsDiffer},
		{name: "no pole", a: x + "e = exp(x)\ns = reducesum[axes=(0), keep=1](e)\nb = broadcast[shape=[4]](s)\ny = ewdiv(e, b)\nreturn y", b: x + "y = softmax[axis=0](x)\nreturn y", verdict: verifymodels.ModelsEqual},
		{name: "a comparison at its bound", a: weight + "p = ewless(x, w)\ny = ewwhere(p, x, w)\nreturn y", b: weight + "y = ewmin(x, w)\nreturn y", w: scaled(0.3), verdict: verifymodels.ModelsAgree},
		{name: "other values on both sides of a bound", a: weight + "y = ewlessequal(x, w)\nreturn y", b: weight + "y = ewless(x, w)\nreturn y", w: scaled(0.3), verdict: verifymodels.ModelsDiffer},
		{name: "ties of the largest", a: x + "y = topk[axis=0, k=1](x)\nreturn y",
			b:       x + "r = reverse[axes=(0)](x)\nk = topk[axis=0, k=1](r)\nt : int64 = fill[shape=[1], value=3]()\ny = ewsub(t, k)\nreturn y",
			verdict: verifymodels.ModelsDiffer},
		{name: "integers of both signs", a: "i : int64[4]\nj : int64[4]\ny = ewint[fn=rem](i, j)\nreturn y", b: "i : int64[4]\nj : int64[4]\ny = ewint[fn=mod](i, j)\nreturn y", verdict: verifymodels.ModelsDiffer},
		{name: "a mask without an element", a: "m : bool[20]\nf = cast[to=float32](m)\ns = reducesum[axes=(0), keep=1](f)\ny = sign(s)\nreturn y",
			b: "m : bool[20]\no : float32 = one[shape=[1]]()\nf = cast[to=float32](m)\ns = reducesum[axes=(0), keep=1](f)\nz = ewsub(s, s)\ny = ewadd(z, o)\nreturn y", verdict: verifymodels.ModelsDiffer},
		{name: "a branch that is not reached", a: x + "p = ewmul(x, x)\nq = ewmul(p, p)\ns = sin(q)\nc = cos(q)\nu = ewmul(s, s)\nv = ewmul(c, c)\nr = ewadd(u, v)\ny = clip[lo=-inf, hi=1.5](r)\nreturn y, x",
			b: x + "p = ewmul(x, x)\nq = ewmul(p, p)\ns = sin(q)\nc = cos(q)\nu = ewmul(s, s)\nv = ewmul(c, c)\ny = ewadd(v, u)\nreturn y, x", verdict: verifymodels.NotKnown, reason: "node y (clip(-inf, 1.5)): no run with operand r more than 1.5"},
	} {
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: parse(t, "a", c.a, c.w), B: parse(t, "b", c.b, c.w)})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Verdict != c.verdict || !strings.Contains(strings.Join(r.Unreached, "\n"), c.reason) {
			t.Errorf("%s: want %s\n%s", c.name, c.verdict, r)
		}
	}
	// The search is left out where it is not wanted.
	o := verifymodels.Options{A: parse(t, "a", x+"y = clip[lo=-inf, hi=20](x)\nreturn y", nil), B: parse(t, "b", x+"return x", nil), NoSearch: true}
	if r, err := verifymodels.Run(context.Background(), o); err != nil || r.Verdict != verifymodels.ModelsAgree {
		t.Errorf("without the search: %v\n%s", err, r)
	}
}

// The same models and the same seed give the same report.
func TestSearchIsDeterministic(t *testing.T) {
	text := ""
	for range 3 {
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{Seed: 5,
			A: parse(t, "a", "x : float32[9]\ny = clip[lo=-70, hi=300](x)\nreturn y", nil), B: parse(t, "b", "x : float32[9]\nreturn x", nil)})
		if err != nil {
			t.Fatal(err)
		}
		if text != "" && r.String() != text {
			t.Errorf("%s\nand\n%s", text, r)
		}
		text = r.String()
	}
}
