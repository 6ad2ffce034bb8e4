package verifymodels_test

import (
	"context"
	"maps"
	"math"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/model"
)

// Every model of the list is equal to itself, and is not equal any more when
// the numbers of one weight are others.
func TestListedModels(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range models.Names() {
		m, err := models.Build(name+"-tiny", 1)
		if err != nil {
			t.Fatal(err)
		}
		if key := m.Graph.String(); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: m, B: m})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Agree || r.Exact.Verdict != verifymodels.Equal || r.Numbers.Outputs[0].Absolute != 0 || r.Numbers.Outputs[0].Largest == 0 {
			t.Errorf("with itself:\n%s", r)
		}
		other := *m
		other.Weights = maps.Clone(m.Weights)
		ids := m.Graph.Inputs()
		last := ids[len(ids)-1] // a weight near the output
		for !m.Graph.IsWeight(last) {
			t.Fatalf("%s: the last input is no weight", name)
		}
		other.Weights[last] = model.Random(99, m.Graph.Sizes(last.Out(0)), 1)
		r, err = verifymodels.Run(context.Background(), verifymodels.Options{A: m, B: &other})
		if err != nil {
			t.Fatal(err)
		}
		if r.Agree || r.Exact.Verdict == verifymodels.Equal {
			t.Errorf("with %s changed:\n%s", m.Graph.Name(last), r)
		}
	}
}

// Laws that hold in the field are seen to hold there; those of special
// functions are left undecided.
func TestLaws(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		verdict    verifymodels.Verdict
	}{
		{"division", "x : float32[3]\ny : float32[3]\nz = ewdiv(x, y)\nreturn z",
			"x : float32[3]\ny : float32[3]\nr = reciprocal(y)\nz = ewmul(x, r)\nreturn z", verifymodels.Equal},
		{"reciprocal twice", "x : float32[3]\nz = reciprocal(x)\ny = reciprocal(z)\nreturn y",
			"x : float32[3]\nreturn x", verifymodels.Equal},
		{"subtraction", "x : float32[3]\ny : float32[3]\nz = ewsub(x, y)\nreturn z",
			"x : float32[3]\ny : float32[3]\nn = neg(y)\nz = ewadd(n, x)\nreturn z", verifymodels.Equal},
		{"subtraction turned", "x : float32[3]\ny : float32[3]\nz = ewsub(x, y)\nreturn z",
			"x : float32[3]\ny : float32[3]\nz = ewsub(y, x)\nreturn z", verifymodels.Different},
		{"softmax is not changed by a shift", "x : float32[2, 3]\ny = softmax[axis=1](x)\nreturn y",
			"x : float32[2, 3]\nm = reducemax[axes=(1), keep=1](x)\nb = broadcast[shape=[2, 3]](m)\nz = ewsub(x, b)\ny = softmax[axis=1](z)\nreturn y",
			verifymodels.Undecided},
		{"gathering rows of a product", "x : float32[5, 3]\nw : float32[3, 2]\ni : int64[4]\ny = matmul(x, w)\nz = gather[axis=0](y, i)\nreturn z",
			"x : float32[5, 3]\nw : float32[3, 2]\ni : int64[4]\ny = gather[axis=0](x, i)\nz = matmul(y, w)\nreturn z", verifymodels.Equal},
		{"gathering columns of a product", "x : float32[5, 3]\nw : float32[3, 2]\ni : int64[4]\ny = matmul(x, w)\nz = gather[axis=1](y, i)\nreturn z",
			"x : float32[5, 3]\nw : float32[3, 2]\ni : int64[4]\ny = gather[axis=1](w, i)\nz = matmul(x, y)\nreturn z", verifymodels.Equal},
	} {
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{
			A: parse(t, "a", c.a, nil), B: parse(t, "b", c.b, nil), Seed: 1})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Exact.Verdict != c.verdict || r.Agree != (c.verdict != verifymodels.Different) {
			t.Errorf("%s: want %s:\n%s", c.name, c.verdict, r)
		}
	}
}

// A batch norm folded into its convolution agrees to rounding; exact
// arithmetic, for which the root is any function, leaves it undecided.
func TestFoldedBatchNorm(t *testing.T) {
	const apart = `x : float32[1, 2, 5, 5]
w : weight float32[3, 2, 3, 3]
s : weight float32[3]
b : weight float32[3]
m : weight float32[3]
v : weight float32[3]
c = conv2d[pad=valid](x, w)
y = batchnorm[eps=0.001](c, s, b, m, v)
return y`
	const folded = `x : float32[1, 2, 5, 5]
w : weight float32[3, 2, 3, 3]
b : weight float32[3, 1, 1]
c = conv2d[pad=valid](x, w)
a = broadcast[shape=[1, 3, 3, 3]](b)
y = ewadd(c, a)
return y`
	draw := func(seed uint64, n int) []float32 {
		xs, err := model.Uniform(seed, []int{n}, 0.5, 1.5).Float32s()
		if err != nil {
			t.Fatal(err)
		}
		return xs
	}
	w, s, b, mean, v := draw(1, 54), draw(2, 3), draw(3, 3), draw(4, 3), draw(5, 3)
	fw, fb := make([]float32, 54), make([]float32, 3)
	for o := range fb {
		k := float64(s[o]) / math.Sqrt(float64(v[o])+0.001)
		fb[o] = float32(float64(b[o]) - k*float64(mean[o]))
		for i := 18 * o; i < 18*(o+1); i++ {
			fw[i] = float32(k * float64(w[i]))
		}
	}
	r, err := verifymodels.Run(context.Background(), verifymodels.Options{
		A:         parse(t, "apart", apart, map[string][]float32{"w": w, "s": s, "b": b, "m": mean, "v": v}),
		B:         parse(t, "folded", folded, map[string][]float32{"w": fw, "b": fb}),
		Tolerance: 1e-6,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Agree || r.Exact.Verdict != verifymodels.Undecided || r.Numbers.Outputs[0].Absolute == 0 {
		t.Errorf("got %s", r)
	}
}
