package onnx

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/taso-go/taso/graph"
	"google.golang.org/protobuf/proto"
)

// trained runs a variant of another domain and gives its outputs.
func trained(t *testing.T, domain string, v *variant) []*constant {
	t.Helper()
	v.nodes[0].Domain, v.domain = proto.String(domain), domain
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, marshal(t, v.proto()), 0o666); err != nil {
		t.Fatal(err)
	}
	m, r, err := Read(path, ReadOptions{})
	if err != nil || len(r.Opaque) > 0 {
		t.Fatalf("%s: %v %v", v.name, err, r)
	}
	out, err := evaluateVariant(m, v)
	if err != nil {
		t.Fatalf("%s: %v", v.name, err)
	}
	return out
}

// TestOptimizers: steps for two parameters, against the formulas, in the first step and
// later.
func TestOptimizers(t *testing.T) {
	t.Parallel()
	x, g := []float64{1, -2, 0.5}, []float64{-1, 3, 0.25}
	v, h := []float64{0.3, -0.1, 2}, []float64{0.5, 1.5, 2.5}
	const rate, norm = 0.125, 0.01
	for _, steps := range []float64{0, 1, 3, 250} {
		begun := steps > 0
		for _, c := range []struct {
			op    string
			as    []any
			state int
			next  func(i int) []float64
		}{
			{"Adagrad", []any{"norm_coefficient", norm, "decay_factor", 0.5, "epsilon", 0.25}, 1, func(i int) []float64 {
				g := g[i] + norm*x[i]
				n := v[i]*v[i] + g*g
				return []float64{x[i] - rate/(1+0.5*steps)*g/(math.Sqrt(n)+0.25), n}
			}},
			{"Momentum", []any{"norm_coefficient", norm, "alpha", 0.75, "beta", 0.5, "mode", "standard"}, 1, func(i int) []float64 {
				g, b := g[i]+norm*x[i], 1.0
				if begun {
					b = 0.5
				}
				n := 0.75*v[i]*v[i] + b*g
				return []float64{x[i] - rate*n, n}
			}},
			{"Momentum", []any{"norm_coefficient", norm, "alpha", 0.75, "beta", 0.5, "mode", "nesterov"}, 1, func(i int) []float64 {
				g, b := g[i]+norm*x[i], 1.0
				if begun {
					b = 0.5
				}
				n := 0.75*v[i]*v[i] + b*g
				return []float64{x[i] - rate*(g+0.75*n), n}
			}},
			{"Adam", []any{"norm_coefficient", norm, "norm_coefficient_post", 0.125, "alpha", 0.75, "beta", 0.875}, 2, func(i int) []float64 {
				g, r := g[i]+norm*x[i], rate
				n, m := 0.75*v[i]*v[i]+0.25*g, 0.875*h[i]+0.125*g*g
				if begun {
					r *= math.Sqrt(1-math.Pow(0.875, steps)) / (1 - math.Pow(0.75, steps))
				}
				return []float64{(1 - 0.125) * (x[i] - r*n/(math.Sqrt(m)+1e-6)), n, m}
			}},
		} {
			square := make([]float64, len(v))
			for i := range v {
				square[i] = v[i] * v[i]
			}
			// Two parameters: all numbers but the last, and the last.
			cut := func(name string, xs []float64) (out []operand) {
				for i, part := range [][]float64{xs[:2], xs[2:]} {
					out = append(out, given(name+string(rune('a'+i)), part...))
				}
				return out
			}
			in := []operand{given("rate", rate).sized(), whole("steps", int64(steps)).sized()}
			in[1].fixed = false
			in = append(append(append(in, cut("x", x)...), cut("g", g)...), cut("v", square)...)
			outs := []string{"xa_", "xb_", "va_", "vb_"}
			if c.state == 2 {
				in, outs = append(in, cut("h", h)...), append(outs, "ha_", "hb_")
			}
			got := trained(t, training, variantOf(15, c.op, in, outs, attributesNamed(c.as)...))
			for i := range x {
				for j, want := range c.next(i) {
					k := got[2*j+i/2]
					if y := k.number(i % 2); math.Abs(y-want) > 1e-6*math.Max(1, math.Abs(want)) {
						t.Errorf("%s after %g steps: output %d of number %d is %g, want %g", c.op, steps, j, i, y, want)
					}
				}
			}
		}
	}
}

// TestLearning: the operators for classical machine learning that are read.
func TestLearning(t *testing.T) {
	t.Parallel()
	x := given("x", 1, -2, 0.5, 3, 0, 7).sized(2, 3)
	for _, c := range []struct {
		v    *variant
		want []float64
	}{
		{variantOf(15, "Binarizer", list(x), z, attributesNamed([]any{"threshold", 0.5})...), []float64{1, 0, 0, 1, 0, 1}},
		{variantOf(15, "ArrayFeatureExtractor", list(x, integers("at", graph.Int64, 2, 0)), z), []float64{0.5, 1, 7, 3}},
		{variantOf(15, "Scaler", list(x), z, floatsAttribute("offset", 1), floatsAttribute("scale", 1, 2, 4)), []float64{0, -6, -2, 2, -2, 24}},
	} {
		got := trained(t, learning, c.v)[0]
		for i, want := range c.want {
			if got.number(i) != want {
				t.Errorf("%s: element %d is %g, want %g", c.v.name, i, got.number(i), want)
			}
		}
	}
}
