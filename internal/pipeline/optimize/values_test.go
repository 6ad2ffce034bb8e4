package optimize_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/verify/sums"
)

// meant is a certificate of an equation of two networks with the proof from what operators
// compute that there is of it.
func meant(t *testing.T, equation string) []byte {
	t.Helper()
	l, err := law.ParseLaw(equation)
	if err != nil {
		t.Fatal(err)
	}
	p, err := sums.Certify(context.Background(), l)
	if err != nil || p == nil {
		t.Fatalf("no proof of %s: %v", equation, err)
	}
	var b bytes.Buffer
	w := law.NewCertWriter(&b, "")
	if err := errors.Join(w.Rule(law.CertRule{ID: "network", Law: equation, Meaning: p}), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// weighed is a model whose weights hold one number.
func weighed(t *testing.T, text string, x float32) *model.Model {
	t.Helper()
	m := written(t, text)
	for id := range m.Weights {
		sizes := m.Graph.Sizes(id.Out(0))
		xs := make([]float32, graph.NumElements(sizes))
		for i := range xs {
			xs[i] = x
		}
		m.Weights[id] = model.FromFloat32(sizes, xs)
	}
	return m
}

// A function that may have no value is not dropped, whatever is proved of real numbers: not
// the logarithm of a number that may be negative, nor a division by one that may be 0.
func TestDroppedFunctions(t *testing.T) {
	const head = "x : float32[2, 2]\ny : float32[2, 2]\nw : weight float32[2, 2]\n"
	const given = " given X : [2, 2], Y : [2, 2], W : [2, 2] then "
	without := head + "z = relu(y)\nreturn z"
	for name, c := range map[string]struct {
		text, term string // what is computed, and the same as a term
		weight     float32
		real       bool // it has values
	}{
		"log":                    {"f = log(x)", "log(X)", 1, false},
		"log of exp":             {"e = exp(x)\nf = log(e)", "log(exp(X))", 1, true},
		"log of softmax":         {"e = softmax[axis=1](x)\nf = log(e)", "log(softmax[axis=1](X))", 1, true},
		"log of relu":            {"e = relu(x)\nf = log(e)", "log(relu(X))", 1, false},
		"log of relu and weight": {"e = relu(x)\ns = ewadd(e, w)\nf = log(s)", "log(ewadd(relu(X), W))", 0.5, true},
		"log of relu and 0":      {"e = relu(x)\ns = ewadd(e, w)\nf = log(s)", "log(ewadd(relu(X), W))", 0, false},
		"log of relu less":       {"e = relu(x)\ns = ewadd(e, w)\nf = log(s)", "log(ewadd(relu(X), W))", -0.5, false},
		"log of a weight":        {"f = log(w)", "log(W)", 2, true},
		"root":                   {"f = sqrt(x)", "sqrt(X)", 1, false},
		"root of a square":       {"s = ewmul(x, x)\nf = sqrt(s)", "sqrt(ewmul(X, X))", 1, true},
		"reciprocal":             {"f = reciprocal(x)", "reciprocal(X)", 1, false},
		"reciprocal of a weight": {"f = reciprocal(w)", "reciprocal(W)", -2, true},
		"quotient":               {"f = ewdiv(y, x)", "ewdiv(Y, X)", 1, false},
		"quotient by a weight":   {"f = ewdiv(y, w)", "ewdiv(Y, W)", 3, true},
		"quotient by 0":          {"f = ewdiv(y, w)", "ewdiv(Y, W)", 0, false},
		"power":                  {"f = ewpow(x, y)", "ewpow(X, Y)", 1, false},
		"power of a weight":      {"f = ewpow(w, y)", "ewpow(W, Y)", 3, true},
		"square as a power":      {"f = ewpow(x, w)", "ewpow(X, W)", 2, true},
		"root as a power":        {"f = ewpow(x, w)", "ewpow(X, W)", 0.5, false},
		"normalization":          {"k = slice[axis=0, lo=0, hi=1](w)\nv = reshape[shape=[2]](k)\nf = layernorm[axis=1, eps=0.0](x, v, v)", "layernorm[axis=1, eps=0.0](X, reshape[shape=[2]](slice[axis=0, lo=0, hi=1](W)), reshape[shape=[2]](slice[axis=0, lo=0, hi=1](W)))", 1, false},
		"tangent":                {"f = tan(x)", "tan(X)", 1, false},
		"arc cosine":             {"f = acos(x)", "acos(X)", 1, false},
		"arc cosine of tanh":     {"e = tanh(x)\nf = acos(e)", "acos(tanh(X))", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := weighed(t, head+c.text+"\nd = ewsub(f, f)\ns0 = ewadd(y, d)\nz = relu(s0)\nreturn z", c.weight)
			equation := given + "relu(ewadd(Y, ewsub(" + c.term + ", " + c.term + "))) == relu(Y)"
			b := weighed(t, without, c.weight)
			cert := meant(t, "rule network [real]"+equation)
			if c.real {
				accepted(t, cert, a, b)
			} else {
				refused(t, cert, a, b, "finite")
			}
			// What may have no value has to be stated.
			if plain, err := law.ParseLaw("rule network" + equation); err != nil {
				t.Fatal(err)
			} else if law.WithoutValue(plain) != nil {
				refused(t, meant(t, "rule network"+equation), a, b, "must say so with the tag real")
			}
		})
	}
}

// A quotient is cancelled only where the divisor is nowhere 0, whatever is proved of inputs at
// which every term has a value.
func TestCancelledQuotients(t *testing.T) {
	const head = "x : float32[2, 2]\ny : float32[2, 2]\nw : weight float32[2, 2]\n"
	for name, c := range map[string]struct {
		text, term string
		weight     float32
		real       bool
	}{
		"by an input":       {"d = relu(x)", "relu(X)", 1, false},
		"by an exponential": {"d = exp(x)", "exp(X)", 1, true},
		"by a weight":       {"d = ewmul(w, w)", "ewmul(W, W)", 3, true},
		"by 0":              {"d = ewmul(w, w)", "ewmul(W, W)", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := weighed(t, head+c.text+"\nq = ewdiv(y, d)\nm = ewmul(q, d)\nz = relu(m)\nreturn z", c.weight)
			b := weighed(t, head+"z = relu(y)\nreturn z", c.weight)
			cert := meant(t, "rule network [real] given X : [2, 2], Y : [2, 2], W : [2, 2] then relu(ewmul(ewdiv(Y, "+c.term+"), "+c.term+")) == relu(Y)")
			if c.real {
				accepted(t, cert, a, b)
				accepted(t, meant(t, "rule network [real] given X : [2, 2], Y : [2, 2], W : [2, 2] then relu(Y) == relu(ewmul(ewdiv(Y, "+c.term+"), "+c.term+"))"), b, a)
			} else {
				refused(t, cert, a, b, "finite")
			}
		})
	}
}

// An optimized model has values where the model had them. Behind what has values everywhere
// all laws are used, behind what has none somewhere only those that move entries.
func TestOptimizeValues(t *testing.T) {
	const head = "x : float32[8, 8]\ny : float32[8, 8]\nv : weight float32[8, 8]\nw : weight float32[8, 8]\n"
	const products = "\na = matmul(q, v)\nz = matmul(a, w)\nreturn z"
	const moves = "\ns = transpose(q)\nz = transpose(s)\nreturn z"
	on := machine(t)
	for name, c := range map[string]struct {
		text  string
		fewer bool
	}{
		"quotient":               {"q = ewdiv(x, y)" + products, false},
		"quotient by exp":        {"e = exp(y)\nq = ewdiv(x, e)" + products, true},
		"log":                    {"q = log(x)" + products, false},
		"log of sigmoid":         {"e = sigmoid(x)\nq = log(e)" + products, true},
		"root of a square":       {"e = ewmul(x, x)\nq = sqrt(e)" + products, true},
		"log, moved":             {"q = log(x)" + moves, true},
		"choice of the positive": {"c = fill[shape=[8, 8], value=0.0]()\np = ewless(c, x)\nl = log(x)\nq = ewwhere(p, l, c)" + products, false},
		"log, compared":          {"l = log(x)\nq = ewless(l, y)" + products, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := written(t, head+c.text)
			res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: on, Tries: 300})
			if err != nil {
				t.Fatal(err)
			}
			if !res.ProofChecked {
				t.Errorf("the proof was not checked: %+v", res)
			}
			if fewer := res.NodesAfter < res.NodesBefore; fewer != c.fewer {
				t.Errorf("%d operators became %d", res.NodesBefore, res.NodesAfter)
			}
			if !strings.Contains(c.text, "log") {
				return
			}
			kept := false
			for id := range res.Model.Graph.Nodes() {
				kept = kept || res.Model.Graph.Op(id) != nil && res.Model.Graph.Op(id).Name == "log"
			}
			if !kept {
				t.Error("the logarithm is gone")
			}
		})
	}
}

// drawn is a random network in which functions that may have no value are applied to numbers
// that are and to numbers that are not where they have one.
func drawn(rng *rand.Rand) string {
	one := []string{"relu", "log", "sqrt", "reciprocal", "rsqrt[eps=0.00001]", "neg", "sigmoid", "abs", "transpose", "transpose", "softmax[axis=1]", "asin", "tanh"}
	two := []string{"ewadd", "ewsub", "ewmul", "ewdiv", "ewmax", "matmul", "matmul", "ewpow"}
	var b strings.Builder
	b.WriteString("x : float32[3, 3]\ny : float32[3, 3]\nv : weight float32[3, 3]\nw : weight float32[3, 3]\n")
	names := []string{"x", "y", "v", "w"}
	pick := func() string { return names[max(rng.IntN(len(names)), rng.IntN(len(names)))] }
	for i := range 4 + rng.IntN(6) {
		name := fmt.Sprintf("t%d", i)
		switch rng.IntN(5) {
		case 0, 1:
			fmt.Fprintf(&b, "%s = %s(%s)\n", name, one[rng.IntN(len(one))], pick())
		case 2:
			x := pick()
			fmt.Fprintf(&b, "%s = ewmul(%s, %s)\n", name, x, x)
		default:
			fmt.Fprintf(&b, "%s = %s(%s, %s)\n", name, two[rng.IntN(len(two))], pick(), pick())
		}
		names = append(names, name)
	}
	fmt.Fprintf(&b, "u = transpose(%s)\nz = transpose(u)\nreturn z, %s", names[len(names)-1], names[len(names)-2])
	return b.String()
}

// outputs are what a model computes in float64 arithmetic of inputs by name.
func outputs(t *testing.T, m *model.Model, in map[string][]float64) [][]float64 {
	t.Helper()
	e := interp.Evaluator[float64]{Ring: interp.Float{}, Input: func(id graph.NodeID) (interp.Tensor[float64], error) {
		y := interp.Tensor[float64]{Sizes: m.Graph.Sizes(id.Out(0)), Data: in[m.Graph.Name(id)]}
		if w := m.Weights[id]; w != nil {
			xs, err := w.Float32s()
			if err != nil {
				return y, err
			}
			y.Data = nil
			for _, x := range xs {
				y.Data = append(y.Data, float64(x))
			}
		}
		return y, nil
	}}
	out, err := e.Run(context.Background(), m.Graph)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]float64
	for _, y := range out {
		all = append(all, y.Data)
	}
	return all
}

// What an optimized network computes has a value where what the network computed had one, and
// there is a proof that the checker accepts.
func TestRandomValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	on := machine(t)
	fewer, without := 0, 0
	for range 24 {
		text := drawn(rng)
		m := written(t, text)
		res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: on, Tries: 40})
		if err != nil || !res.ProofChecked {
			t.Errorf("%v, %+v:\n%s", err, res, text)
			continue
		}
		if res.NodesAfter < res.NodesBefore {
			fewer++
		}
		for range 4 {
			in := map[string][]float64{}
			for _, name := range []string{"x", "y"} {
				for range 9 {
					in[name] = append(in[name], []float64{-1.5, -1, -0.25, 0, 0.25, 1, 2}[rng.IntN(7)])
				}
			}
			a, b := outputs(t, m, in), outputs(t, res.Model, in)
			for i := range a {
				for j, x := range a[i] {
					real := !math.IsNaN(x) && !math.IsInf(x, 0)
					if y := b[i][j]; real != (!math.IsNaN(y) && !math.IsInf(y, 0)) {
						t.Fatalf("output %d is %v and %v for %v:\n%s", i, x, y, in, text)
					}
					if !real {
						without++
					}
				}
			}
		}
	}
	t.Logf("%d of 24 networks became smaller, %d elements had no value", fewer, without)
	if fewer < 3 || without < 100 {
		t.Errorf("%d of 24 networks became smaller, %d elements had no value", fewer, without)
	}
}
