package pad

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/network"
)

var ctx = context.Background()

func parse(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := graph.ParseText("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// trained is the training step of a network, with which output becomes which input.
func trained(t testing.TB, text string, opt grad.Options) (*graph.Graph, map[int]int) {
	t.Helper()
	step, err := grad.Train(parse(t, text), opt)
	if err != nil {
		t.Fatal(err)
	}
	next := map[int]int{}
	for i, k := range step.Next {
		next[1+i] = slices.Index(step.Graph.Inputs(), k.Input)
	}
	return step.Graph, next
}

func input(t testing.TB, g *graph.Graph, name string) int {
	t.Helper()
	id, ok := g.Find(name)
	if !ok {
		t.Fatalf("no input %s", name)
	}
	return slices.Index(g.Inputs(), id)
}

// shown is what the steps alone show.
func shown(t testing.TB, steps ...*Step) *Shown {
	t.Helper()
	to := steps[len(steps)-1].To
	e := &law.Law{Kind: law.Rule, Name: "network"}
	all := terms(to)
	for _, x := range to.Outputs() {
		e.RHS = append(e.RHS, all[x.Node][x.Out])
	}
	return Around(steps, &Shown{Equation: e, Proof: &law.Proof{}, Laws: map[string]*law.Law{}, Evidence: map[string]*law.Proof{}})
}

// open is a graph all inputs of which may be anything.
func open(t testing.TB, g *graph.Graph) *model.Model {
	t.Helper()
	var b graph.Builder
	at := make([][]graph.Tensor, g.Len()+1)
	for id := range g.Nodes() {
		if g.Op(id) == nil {
			x, err := b.AddInput(g.Name(id), g.DType(id.Out(0)), g.Sizes(id.Out(0))...)
			if err != nil {
				t.Fatal(err)
			}
			at[id] = []graph.Tensor{x}
			continue
		}
		var in []graph.Tensor
		for _, x := range g.Operands(id) {
			in = append(in, at[x.Node][x.Out])
		}
		x, err := b.Copy(g, id, in)
		if err != nil {
			t.Fatal(err)
		}
		for k := range g.NumOut(id) {
			at[id] = append(at[id], x.Out(k))
		}
	}
	var outs []graph.Tensor
	for _, x := range g.Outputs() {
		outs = append(outs, at[x.Node][x.Out])
	}
	h, err := b.Finish(outs...)
	if err != nil {
		t.Fatal(err)
	}
	return &model.Model{Name: "test", Graph: h}
}

// accepted asks the checker about laws and the equation, and whether that is about the two
// networks.
func accepted(t testing.TB, s *Shown, a, b *graph.Graph) error {
	t.Helper()
	for name, l := range s.Laws {
		if _, err := check.Rule(l, s.Evidence[name], nil); err != nil {
			return err
		}
	}
	if _, err := check.Rule(s.Equation, s.Proof, check.Laws(s.Laws)); err != nil {
		return err
	}
	_, err := network.CheckWhereDefined(s.Equation, open(t, a), open(t, b))
	return err
}

// verified holds padded networks to what they are to compute: by the checker, and by numbers.
func verified(t testing.TB, steps ...*Step) {
	t.Helper()
	first, last := steps[0], steps[len(steps)-1]
	var cells []Cells
	for _, s := range steps {
		cells = append(cells, s.Cells)
	}
	a, b, err := Squared(first.Of, last.To, first.Next, cells)
	if err != nil {
		t.Fatal(err)
	}
	if err := accepted(t, shown(t, steps...), a, b); err != nil {
		t.Errorf("%v\n%s", err, last.To)
	}
	r := fingerprint.Zp{Key: 7}
	var in []interp.Tensor[uint64]
	for i, id := range first.Of.Inputs() {
		sizes := first.Of.Sizes(id.Out(0))
		x := interp.Tensor[uint64]{Sizes: sizes, Data: fingerprint.Random(uint64(i), "in", graph.NumElements(sizes))}
		if !first.Of.DType(id.Out(0)).IsFloat() {
			for k := range x.Data {
				x.Data[k] %= 3
			}
		}
		in = append(in, x)
	}
	want, err := interp.EvalGraph(ctx, r, a, in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := interp.EvalGraph(ctx, r, b, in)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if !slices.Equal(want[i].Data, got[i].Data) {
			t.Errorf("output %d: other numbers\n%s", i, last.To)
		}
	}
}

const perceptron = `
x : float32[10, 6]
v : weight float32[6, 7]
c : weight float32[7]
w : weight float32[7, 5]
h = matmul(x, v)
k = broadcast[shape=[10, 7]](c)
s = ewadd(h, k)
r = exp(s)
y = matmul(r, w)
return y`

func count(g *graph.Graph, name string) (n int) {
	for id := range g.Nodes() {
		if o := g.Op(id); o != nil && o.Name == name {
			n++
		}
	}
	return n
}

func TestPad(t *testing.T) {
	for _, c := range []struct {
		name, in string
		after    []int
		masks    int
		cuts     int
		opt      grad.Options
	}{
		{"samples", "x", []int{2, 0}, 1, 0, grad.Options{Loss: grad.MeanSquare, Rate: 0.5}},
		{"samples, classes", "x", []int{2, 0}, 1, 0, grad.Options{Loss: grad.Classes, Axis: 1, Rate: 0.5}},
		{"samples, cross entropy", "x", []int{2, 0}, 0, 0, grad.Options{Loss: grad.CrossEntropy, Axis: 1, Rate: 0.5}},
		{"hidden", "v", []int{0, 1}, 1, 0, grad.Options{Loss: grad.MeanSquare, Rate: 0.5}},
		{"hidden, adam", "v", []int{0, 1}, 1, 0, grad.Options{Loss: grad.MeanSquare, Rate: 0.5, Optimizer: grad.Adam}},
		{"classes", "w", []int{0, 3}, 0, 1, grad.Options{Loss: grad.Classes, Axis: 1, Rate: 0.5}},
		{"classes, adam", "w", []int{0, 3}, 0, 1, grad.Options{Loss: grad.Classes, Axis: 1, Rate: 0.5, Optimizer: grad.Adam}},
		{"columns", "w", []int{0, 3}, 0, 0, grad.Options{Loss: grad.MeanSquare, Rate: 0.5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, next := trained(t, perceptron, c.opt)
			s, err := Pad(ctx, g, next, Cells{input(t, g, c.in): c.after}, NewLaws())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d laws, %v, %d nodes of %d", len(s.laws), s.Cells, s.To.Len(), g.Len())
			if masks, cuts := count(s.To, "one"), count(s.To, "slice"); masks != c.masks || cuts != c.cuts {
				t.Errorf("%d masks and %d cuts\n%s", masks, cuts, s.To)
			}
			verified(t, s)
		})
	}
}

// values are numbers for inputs of a network.
func values(g *graph.Graph, seed uint64) (in []interp.Tensor[uint64]) {
	for i, id := range g.Inputs() {
		sizes := g.Sizes(id.Out(0))
		in = append(in, interp.Tensor[uint64]{Sizes: sizes, Data: fingerprint.Random(seed+uint64(i), "in", graph.NumElements(sizes))})
	}
	return in
}

// Three steps on weights that lie padded in between compute what three steps do.
func TestSteps(t *testing.T) {
	g, next := trained(t, perceptron, grad.Options{Loss: grad.MeanSquare, Rate: 0.5})
	s, err := Pad(ctx, g, next, Cells{input(t, g, "v"): {0, 1}}, NewLaws())
	if err != nil {
		t.Fatal(err)
	}
	both, err := Pad(ctx, s.To, next, Cells{input(t, g, "x"): {2, 0}}, NewLaws())
	if err != nil {
		t.Fatal(err)
	}
	verified(t, s, both)
	r := fingerprint.Zp{Key: 7}
	padded := func(in []interp.Tensor[uint64]) (out []interp.Tensor[uint64]) {
		for i, x := range in {
			for _, c := range []Cells{s.Cells, both.Cells} {
				if !some(c[i]) {
					continue
				}
				o, attrs := padding(c[i])
				y, err := interp.Apply(r, o, attrs, []interp.Tensor[uint64]{x})
				if err != nil {
					t.Fatal(err)
				}
				x = y[0]
			}
			out = append(out, x)
		}
		return out
	}
	in := values(g, 1)
	long := padded(in)
	for step := range 3 {
		out, err := interp.EvalGraph(ctx, r, g, in)
		if err != nil {
			t.Fatal(err)
		}
		longer, err := interp.EvalGraph(ctx, r, both.To, long)
		if err != nil {
			t.Fatal(err)
		}
		for k, i := range next {
			in[i], long[i] = out[k], longer[k]
		}
		for i, want := range padded(in) {
			if !slices.Equal(want.Data, long[i].Data) {
				t.Fatalf("step %d: input %d is something else", step, i)
			}
		}
		if !slices.Equal(out[0].Data, longer[0].Data) {
			t.Errorf("step %d: another loss", step)
		}
	}
}

// A law that is not so, that a mask is not needed, would make a network without it right. The
// checker does not believe it, whatever proof it comes with, and the numbers are others.
func TestForged(t *testing.T) {
	g, next := trained(t, perceptron, grad.Options{Loss: grad.MeanSquare, Rate: 0.5})
	s, err := Pad(ctx, g, next, Cells{input(t, g, "x"): {2, 0}}, NewLaws())
	if err != nil {
		t.Fatal(err)
	}
	a, b, err := Squared(g, s.To, next, []Cells{s.Cells})
	if err != nil {
		t.Fatal(err)
	}
	honest := shown(t, s)
	if err := accepted(t, honest, a, b); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(s.To.String(), "(t11_masked", "(t11")
	text = strings.ReplaceAll(text, ", t11_masked)", ", t11)")
	without := *s
	if without.To = parse(t, text).WithoutDead(); count(without.To, "one") > 0 {
		t.Fatalf("it is still masked\n%s", without.To)
	}
	forged, err := law.ParseLaw("lemma forged\n given X0 : [12, 5]\n then X0 == pad[before=(0, 0), after=(2, 0)](slice[axis=0, lo=0, hi=10](X0))\n")
	if err != nil {
		t.Fatal(err)
	}
	without.insts = slices.Clone(s.insts)
	without.laws, without.proofs = maps.Clone(s.laws), maps.Clone(s.proofs)
	if _, b, err = Squared(g, without.To, next, []Cells{s.Cells}); err != nil {
		t.Fatal(err)
	}
	if err := accepted(t, shown(t, &without), a, b); err == nil {
		t.Error("it is accepted without any reason")
	}
	mask := slices.IndexFunc(s.insts, func(i law.Instance) bool {
		return strings.Contains(law.Format(s.laws[i.Law]), "one[shape=[10]]")
	})
	without.insts[mask].Law = forged.Name
	without.laws[forged.Name], without.proofs[forged.Name] = forged, s.proofs[s.insts[mask].Law]
	told := shown(t, &without)
	if _, err := check.Rule(told.Equation, told.Proof, check.Laws(told.Laws)); err != nil {
		t.Errorf("with that law it would follow: %v", err)
	}
	if err := accepted(t, told, a, b); err == nil {
		t.Error("it is accepted with a law that is not so")
	}
	r := fingerprint.Zp{Key: 7}
	want, err := interp.EvalGraph(ctx, r, a, values(a, 1))
	if err != nil {
		t.Fatal(err)
	}
	got, err := interp.EvalGraph(ctx, r, b, values(a, 1))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(want[0].Data, got[0].Data) {
		t.Error("the mask was not needed")
	}
}

// A function that is not defined everywhere is not applied to cells of which nothing is known.
func TestDomain(t *testing.T) {
	for f, size := range map[string]int{"log": 10, "reciprocal": 10, "sqrt": 12, "exp": 12} { // a root takes zeros
		g := parse(t, "x : float32[10, 6]\nv : weight float32[6, 7]\nh = matmul(x, v)\ne = "+f+"(h)\ny = tanh(e)\nz = reducesum[axes=(0)](y)\nreturn z")
		s, err := Pad(ctx, g, nil, Cells{0: {2, 0}}, NewLaws())
		if err != nil {
			t.Fatal(err)
		}
		for id := range s.To.Nodes() {
			if o := s.To.Op(id); o != nil && o.Name == f && s.To.Sizes(id.Out(0))[0] != size {
				t.Errorf("%s is not of %d rows\n%s", f, size, s.To)
			}
		}
		verified(t, s)
	}
}

// A layer is normalized over what is added, too: its variance there is at least zero, whose root
// with something more than zero is taken.
func TestNormalized(t *testing.T) {
	g, next := trained(t, `
x : float32[10, 6]
v : weight float32[6, 6]
s : weight float32[6]
b : weight float32[6]
h = matmul(x, v)
n = layernorm[axis=1, eps=1e-5](h, s, b)
return n`, grad.Options{Loss: grad.MeanSquare, Rate: 0.5})
	p, err := Pad(ctx, g, next, Cells{input(t, g, "x"): {2, 0}}, NewLaws())
	if err != nil {
		t.Fatal(err)
	}
	if masks, cuts := count(p.To, "one"), count(p.To, "slice"); masks != 1 || cuts != 0 {
		t.Errorf("%d masks and %d cuts\n%s", masks, cuts, p.To)
	}
	verified(t, p)
}

// An axis along which a weight is read and written has all of its cells, along both axes.
func TestSquare(t *testing.T) {
	g, next := trained(t, `
x : float32[10, 7]
v : weight float32[7, 7]
w : weight float32[7, 7]
h = matmul(x, v)
r = relu(h)
s = ewadd(x, r)
y = matmul(s, w)
return y`, grad.Options{Loss: grad.MeanSquare, Rate: 0.5, Optimizer: grad.Adam})
	p, err := Pad(ctx, g, next, Cells{input(t, g, "v"): {0, 1}}, NewLaws())
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Cells[input(t, g, "v")]; !slices.Equal(got, []int{1, 1}) {
		t.Errorf("v is padded by %v", got)
	}
	verified(t, p)
}
