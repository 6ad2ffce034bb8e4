package grad_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/graph/interp"
)

type tensor = interp.Tensor[float64]

// inputs are numbers for a training step: those given, the initial state, the rate, and
// random ones.
func inputs(s *grad.Step, given map[string][]float64, rate float64, seed int) []tensor {
	var in []tensor
	for _, id := range s.Graph.Inputs() {
		x := drawn[float64](s.Graph, id, seed, reals, interp.Float{})
		name := s.Graph.Name(id)
		switch k := slices.IndexFunc(s.Next, func(k grad.Kept) bool { return k.Input == id && k.State }); {
		case given[name] != nil:
			x.Data = slices.Clone(given[name])
		case k >= 0:
			for i := range x.Data {
				x.Data[i] = s.Next[k].Init
			}
		case name == "rate":
			x.Data[0] = rate
		case slices.Contains(s.Labels, id):
			for i := range x.Data {
				x.Data[i] = math.Abs(x.Data[i])
			}
		}
		in = append(in, x)
	}
	return in
}

func evaluate(t testing.TB, g *graph.Graph, in []tensor) []tensor {
	t.Helper()
	out, err := interp.EvalGraph(context.Background(), interp.Float{}, g, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// differences compares the derivatives of a training step of gradient descent, along a
// random direction, with the difference of the loss there.
func differences(t testing.TB, g *graph.Graph, opt grad.Options, given map[string][]float64, seed int) {
	t.Helper()
	opt.Rate = 1 // a weight's next is then the weight less the derivative
	s, err := grad.Train(g, opt)
	if err != nil {
		t.Fatal(err)
	}
	in := inputs(s, given, 1, seed)
	at := map[graph.NodeID]int{}
	for i, id := range s.Graph.Inputs() {
		at[id] = i
	}
	out := evaluate(t, s.Graph, in)
	trained := map[string]bool{}
	for _, id := range grad.Trained(g) {
		trained[g.Name(id)] = true
	}
	slope, size := 0.0, 0.0
	const h = 1e-6
	up, down := slices.Clone(in), slices.Clone(in)
	for i, k := range s.Next {
		if !trained[s.Graph.Name(k.Input)] {
			continue // statistics
		}
		w, next, j := in[at[k.Input]], out[1+i], at[k.Input]
		up[j].Data, down[j].Data = slices.Clone(w.Data), slices.Clone(w.Data)
		for e := range w.Data {
			v := reals(mixed(77*j, e))
			d := w.Data[e] - next.Data[e]
			slope += d * v
			size += math.Abs(d * v)
			up[j].Data[e] += h * v
			down[j].Data[e] -= h * v
		}
	}
	got := (evaluate(t, s.Graph, up)[0].Data[0] - evaluate(t, s.Graph, down)[0].Data[0]) / (2 * h)
	if math.IsNaN(got) || math.Abs(got-slope) > 1e-6*size+1e-8 || size == 0 {
		t.Errorf("slope %g, by differences %g; terms of %g in all", slope, got, size)
	}
}

// TestDifferences: training steps of networks have the derivatives of their loss.
func TestDifferences(t *testing.T) {
	for i, name := range papers {
		t.Run(name, func(t *testing.T) {
			m := tiny(t, name)
			given := map[string][]float64{}
			for id, xs := range numbers(t, m) {
				given[m.Graph.Name(id)] = xs
			}
			opt := grad.Options{Loss: []grad.Loss{grad.CrossEntropy, grad.MeanSquare, grad.Classes}[i%3], Axis: 1, Stored: i%2 == 0}
			seed := 1
			if name == "squeezenet" {
				seed = 7 // with others no feature of its last module is positive
			}
			differences(t, m.Graph, opt, given, seed)
		})
	}
}

const perceptron = `x : float32[4, 3]
w1 : weight float32[3, 5]
b1 : weight float32[5]
c1 = broadcast[shape=[4, 5]](b1)
h = matmul(x, w1)
h1 = ewadd(h, c1)
a = tanh(h1)
w2 : weight float32[5, 2]
y = matmul(a, w2)
return y
`

func graphOf(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := graph.ParseText("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// steps runs a training step several times, and returns the losses and what is kept by
// name.
func steps(t testing.TB, g *graph.Graph, opt grad.Options, n int) (losses []float64, kept []map[string][]float64) {
	t.Helper()
	s, err := grad.Train(g, opt)
	if err != nil {
		t.Fatal(err)
	}
	in := inputs(s, nil, 0.1, 1)
	for range n {
		out := evaluate(t, s.Graph, in)
		losses = append(losses, out[0].Data[0])
		now := map[string][]float64{}
		for i, k := range s.Next {
			j := slices.Index(s.Graph.Inputs(), k.Input)
			in[j] = out[1+i]
			now[s.Graph.Name(k.Input)] = out[1+i].Data
		}
		kept = append(kept, now)
	}
	return losses, kept
}

// The optimizers are what the papers say: the same steps again by loops, with derivatives
// of gradient descent.
func TestOptimizers(t *testing.T) {
	g := graphOf(t, perceptron)
	for _, opt := range []grad.Options{
		{Loss: grad.MeanSquare, Rate: 0.1, Momentum: 0.9},
		{Loss: grad.CrossEntropy, Axis: 1, Optimizer: grad.Adam},
		{Loss: grad.CrossEntropy, Axis: 1, Optimizer: grad.Adam, Rate: 0.01, Beta1: 0.5, Beta2: 0.75, Epsilon: 1e-3},
	} {
		_, kept := steps(t, g, opt, 4)
		plain := opt
		plain.Optimizer, plain.Momentum, plain.Rate = grad.SGD, 0, 1
		s, err := grad.Train(g, plain)
		if err != nil {
			t.Fatal(err)
		}
		in := inputs(s, nil, 1, 1)
		rate, b1, b2, eps := opt.Rate, opt.Beta1, opt.Beta2, opt.Epsilon
		if rate == 0 {
			rate = 0.1
		}
		if b1 == 0 {
			b1, b2, eps = 0.9, 0.999, 1e-8
		}
		m, v := map[int][]float64{}, map[int][]float64{}
		for step := range kept {
			out := evaluate(t, s.Graph, in)
			for i, k := range s.Next {
				j := slices.Index(s.Graph.Inputs(), k.Input)
				w := slices.Clone(in[j].Data)
				if m[j] == nil {
					m[j], v[j] = make([]float64, len(w)), make([]float64, len(w))
				}
				for e := range w {
					d := w[e] - out[1+i].Data[e]
					if opt.Optimizer == grad.SGD {
						m[j][e] = opt.Momentum*m[j][e] + d
						w[e] -= rate * m[j][e]
						continue
					}
					m[j][e] = b1*m[j][e] + (1-b1)*d
					v[j][e] = b2*v[j][e] + (1-b2)*d*d
					mean, square := m[j][e]/(1-math.Pow(b1, float64(step+1))), v[j][e]/(1-math.Pow(b2, float64(step+1)))
					w[e] -= rate * mean / (math.Sqrt(square) + eps)
				}
				in[j].Data = w
				name := s.Graph.Name(k.Input)
				for e, x := range kept[step][name] {
					if math.Abs(x-w[e]) > 1e-9 {
						t.Errorf("%s, step %d: %s element %d is %g, want %g", opt.Optimizer, step, name, e, x, w[e])
					}
				}
			}
		}
	}
}

// Labels that are classes are distributions with one class.
func TestClasses(t *testing.T) {
	for _, c := range []struct {
		sizes string
		axis  int
	}{{"[2, 3]", 1}, {"[2, 3, 4]", 1}, {"[4, 3]", 0}, {"[2, 1, 3]", -1}} {
		g := graphOf(t, "w : weight float32"+c.sizes+"\ny = neg(w)\nreturn y\n")
		both := map[grad.Loss]float64{}
		for _, l := range []grad.Loss{grad.Classes, grad.CrossEntropy} {
			s, err := grad.Train(g, grad.Options{Loss: l, Axis: c.axis, Rate: 1})
			if err != nil {
				t.Fatal(err)
			}
			sizes := g.Sizes(g.Outputs()[0])
			axis := (c.axis + len(sizes)) % len(sizes)
			in := inputs(s, nil, 1, 1)
			label := &in[1]
			// Class k of label i is i mod the number of classes.
			rest := graph.NumElements(sizes[axis+1:])
			graph.Each(sizes, func(flat int, idx []int) {
				i := flat/(rest*sizes[axis])*rest + flat%rest
				if class := i % sizes[axis]; l == grad.Classes {
					label.Data[i] = float64(class)
				} else {
					label.Data[flat] = 0
					if idx[axis] == class {
						label.Data[flat] = 1
					}
				}
			})
			both[l] = evaluate(t, s.Graph, in)[0].Data[0]
		}
		if a, b := both[grad.Classes], both[grad.CrossEntropy]; math.Abs(a-b) > 1e-12 || a == 0 {
			t.Errorf("%v: classes %g, distributions %g", c, a, b)
		}
	}
}

// Large scores give no infinite loss.
func TestCrossEntropyIsStable(t *testing.T) {
	g := graphOf(t, "w : weight float32[1, 3]\ny = neg(w)\nreturn y\n")
	s, err := grad.Train(g, grad.Options{Axis: 1, Rate: 1})
	if err != nil {
		t.Fatal(err)
	}
	out := evaluate(t, s.Graph, []tensor{{Sizes: []int{1, 3}, Data: []float64{-5000, 0, 4000}}, {Sizes: []int{1, 3}, Data: []float64{0, 1, 0}}})
	if got := out[0].Data[0]; got != 5000 {
		t.Errorf("loss %g, want 5000", got)
	}
	if want := []float64{-5000 + 1, -1, 4000}; !slices.Equal(out[1].Data, want) {
		t.Errorf("next %v, want %v", out[1].Data, want)
	}
}

const normalized = `x : float32[3, 2, 4]
w : weight float32[3, 2, 4]
y = ewmul(x, w)
scale : weight float32[2]
bias : weight float32[2]
mean : weight float32[2]
variance : weight float32[2]
n = batchnorm[eps=0.5](y, scale, bias, mean, variance)
z = tanh(n)
return z
`

// Batch normalizations use the statistics of the batch, which the derivative goes
// through; those of the model follow.
func TestStatistics(t *testing.T) {
	g := graphOf(t, normalized)
	differences(t, g, grad.Options{Loss: grad.MeanSquare}, map[string][]float64{"variance": {1, 2}}, 1)
	differences(t, g, grad.Options{Loss: grad.MeanSquare, Stored: true}, map[string][]float64{"variance": {1, 2}}, 1)
	s, err := grad.Train(g, grad.Options{Loss: grad.MeanSquare, Rate: 0.5, Share: 0.25})
	if err != nil {
		t.Fatal(err)
	}
	in := inputs(s, nil, 1, 1)
	out := evaluate(t, s.Graph, in)
	given := map[string][]float64{}
	for i, id := range s.Graph.Inputs() {
		given[s.Graph.Name(id)] = in[i].Data
	}
	compared := 0
	for c := range 2 {
		sum, square := 0.0, 0.0
		for i := range 12 {
			at := i/4*8 + c*4 + i%4
			y := given["x"][at] * given["w"][at]
			sum, square = sum+y/12, square+y*y/12
		}
		want := map[string]float64{"mean": sum, "variance": square - sum*sum}
		for i, k := range s.Next {
			name := s.Graph.Name(k.Input)
			if now, ok := want[name]; ok {
				want := given[name][c] + 0.25*(now-given[name][c])
				if got := out[1+i].Data[c]; math.Abs(got-want) > 1e-12 {
					t.Errorf("%s of channel %d is %g, want %g", name, c, got, want)
				}
				compared++
			}
		}
	}
	if compared != 4 {
		t.Errorf("%d statistics compared", compared)
	}
}

// Gradient descent descends.
func TestDescends(t *testing.T) {
	for _, o := range []grad.Optimizer{grad.SGD, grad.Adam} {
		losses, _ := steps(t, graphOf(t, perceptron), grad.Options{Loss: grad.MeanSquare, Optimizer: o, Rate: []float64{0.05, 0.005}[o]}, 30)
		for i := 1; i < len(losses); i++ {
			if !(losses[i] < losses[i-1]) {
				t.Errorf("%s: loss %g after %g in step %d", o, losses[i], losses[i-1], i)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	g := graphOf(t, perceptron)
	whole := graphOf(t, "x : float32[2]\nw : weight float32[2]\ny = ewmul(x, w)\nz = cast[to=int64](y)\nreturn z\n")
	for _, c := range []struct {
		g    *graph.Graph
		opt  grad.Options
		want string
	}{
		{g, grad.Options{Axis: 2}, "training step: output y: no axis 2 of classes among sizes [4 2]"},
		{g, grad.Options{Rate: -1}, "training step: rate -1 is not in 0 to 3.4028234663852886e+38"},
		{g, grad.Options{Momentum: math.NaN()}, "training step: momentum NaN is not in 0 to 1"},
		{g, grad.Options{Loss: 7}, "training step: loss 7 or optimizer 0 is not known"},
		{g, grad.Options{Weights: []graph.NodeID{99}}, "training step: node 99 is no input of a floating-point type"},
		{g, grad.Options{Weights: []graph.NodeID{2, 2}}, "training step: weight w1 is listed twice"},
		{graphOf(t, "x : float32[2]\ny = neg(x)\nreturn y\n"), grad.Options{}, "training step: there is no weight to train"},
		{whole, grad.Options{}, "training step: no output is of a floating-point type"},
	} {
		if _, err := grad.Train(c.g, c.opt); fmt.Sprint(err) != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	var b graph.Builder
	w, _ := b.AddWeight("w", graph.Float32, 2)
	id, _ := b.Opaque("odd", "Odd", nil, []graph.Tensor{w}, []graph.TensorType{{DType: graph.Float32, Sizes: []int{2}}})
	o, err := b.Finish(id.Out(0))
	if err != nil {
		t.Fatal(err)
	}
	want := "node odd: operator Odd is not modelled and has no derivative"
	if _, err := grad.Pullback(o, o.Inputs()); fmt.Sprint(err) != "pullback: "+want {
		t.Errorf("got %v", err)
	}
	if _, err := grad.Train(o, grad.Options{}); fmt.Sprint(err) != "training step: "+want {
		t.Errorf("got %v", err)
	}
	if _, err := grad.ParseLoss("hinge"); err == nil {
		t.Error("hinge is a loss")
	}
	if _, err := grad.ParseOptimizer("lamb"); err == nil {
		t.Error("lamb is an optimizer")
	}
	for _, n := range grad.LossNames() {
		if l, err := grad.ParseLoss(n); err != nil || l.String() != n {
			t.Errorf("%s is %v, %v", n, l, err)
		}
	}
	for _, n := range grad.OptimizerNames() {
		if o, err := grad.ParseOptimizer(n); err != nil || o.String() != n {
			t.Errorf("%s is %v, %v", n, o, err)
		}
	}
}

// The derivative of a derivative, of all functions and of operators with products.
func TestTwice(t *testing.T) {
	for _, c := range applications {
		g := parsed(t, c.text)
		pull := pullback(t, g)
		twice, err := grad.Pullback(pull, floats(pull))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if c.ordered {
			continue
		}
		if err := exactly(pull, twice, 1); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
	}
	for _, o := range graph.Ops() {
		if !o.IsFunction() || len(o.Params) > 0 {
			continue
		}
		pull := pullback(t, graphOf(t, "x : float32[3]\nz = "+o.Name+"(x)\nreturn z\n"))
		if err := exactly(pull, pullback(t, pull), 1); err != nil {
			t.Errorf("%s: %v", o.Name, err)
		}
	}
}

// Statistics of groups: one group is the batch, of several each sample is normalized by its own, and
// numbers of samples that are no groups are an error.
func TestGroups(t *testing.T) {
	g := graphOf(t, normalized)
	differences(t, g, grad.Options{Loss: grad.MeanSquare, Group: 1}, map[string][]float64{"variance": {1, 2}}, 1)
	given := map[string][]float64{}
	step := func(group int) (*grad.Step, []tensor) {
		s, err := grad.Train(g, grad.Options{Loss: grad.MeanSquare, Rate: 0.5, Group: group})
		if err != nil {
			t.Fatal(err)
		}
		in := inputs(s, given, 1, 1)
		for i, id := range s.Graph.Inputs() { // what is drawn depends on the node
			given[s.Graph.Name(id)] = in[i].Data
		}
		return s, evaluate(t, s.Graph, in)
	}
	_, all := step(0)
	_, one := step(3)
	_, own := step(1)
	differs := false
	for i, x := range all {
		for k, v := range x.Data {
			if math.Abs(one[i].Data[k]-v) > 1e-12 {
				t.Errorf("result %d: %v in one group, %v of the batch", i, one[i].Data[k], v)
			}
			differs = differs || math.Abs(own[i].Data[k]-v) > 1e-6
		}
	}
	if !differs {
		t.Error("groups of one sample have the statistics of the batch")
	}
	for _, group := range []int{2, -1} {
		if _, err := grad.Train(g, grad.Options{Loss: grad.MeanSquare, Group: group}); err == nil {
			t.Errorf("groups of %d of 3 samples", group)
		}
	}
}
