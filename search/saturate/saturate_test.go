package saturate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/rules/builtin"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/search/saturate"
	"github.com/taso-go/taso/verify/check"
)

// laws are the axioms, the lemmas and the laws of the rewritten forms. Those of the
// true rectifier are left out where exact arithmetic is to see that results are
// equal, since it has random functions there.
func laws(t testing.TB, ordered bool) []*law.Law {
	t.Helper()
	vs, err := builtin.Networks()
	if err != nil {
		t.Fatal(err)
	}
	hs, err := builtin.Heads()
	if err != nil {
		t.Fatal(err)
	}
	var out []*law.Law
	for _, l := range append(append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...), append(vs, hs...)...) {
		if ordered || !l.HasTag(law.TagOrdered) {
			out = append(out, l)
		}
	}
	return out
}

func options(t testing.TB) saturate.Options {
	t.Helper()
	m, err := cost.FindMachine("v100")
	if err != nil {
		t.Fatal(err)
	}
	return saturate.Options{Laws: laws(t, false), Price: saturate.PriceOf(m), Target: lower.CPU()}
}

func network(t testing.TB, g *graph.Graph) *search.Network {
	t.Helper()
	n, err := search.NewNetwork(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// optimized runs a model through saturation, and asks of the result that it computes
// the same, and that the checker of certificates accepts its proof.
func optimized(t *testing.T, m *model.Model, o saturate.Options) (*saturate.Stats, *search.Derivation) {
	t.Helper()
	n := network(t, m.Graph)
	st, err := saturate.Run(context.Background(), n, o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := n.Derivation()
	if err != nil {
		t.Fatal(err)
	}
	if st.After > st.Before || st.Passes == 1 && st.Bound > st.After {
		t.Errorf("cost %d to %d, bound %d, by %d instances", st.Before, st.After, st.Bound, len(d.Proof.Instances))
	}
	now, err := m.WithGraph(d.To)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := verifymodels.Run(context.Background(), verifymodels.Options{A: m, B: now, Tolerance: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	if !rep.Agree || rep.Exact.Verdict != verifymodels.Equal {
		t.Errorf("another network:\n%s\n%s", rep, d.To)
	}
	if _, err := check.Rule(d.Equation, d.Proof, d.Laws); err != nil {
		t.Errorf("proof of %d instances: %v", len(d.Proof.Instances), err)
	}
	return st, d
}

// What the papers' networks become computes the same, and is proved to.
func TestModels(t *testing.T) {
	better := map[string]bool{"squeezenet": true, "inceptionv3": true, "nasneta": true}
	names := []string{"bert", "nasrnn", "squeezenet", "resnext50", "inceptionv3", "vgg19", "resnet50-taso", "mobilenetv2", "nasneta", "bert-large-64", "resnet50"}
	for _, name := range names[:sweep.Size(5, len(names))] {
		t.Run(name, func(t *testing.T) {
			m, err := models.Build(name+"-tiny", 1)
			if err != nil {
				t.Fatal(err)
			}
			o := options(t)
			o.Nodes, o.ExtractSteps, o.Passes = 1000, 1<<15, 2
			st, d := optimized(t, m, o)
			if better[name] && st.After >= st.Before {
				t.Errorf("nothing was found: cost %d", st.Before)
			}
			t.Logf("%d parts, %d pieces, %d nodes; cost %d to %d (bound %d), %d instances", st.Parts, st.Pieces, st.Nodes,
				st.Before, st.After, st.Bound, len(d.Proof.Instances))
		})
	}
}

// A network of more layers has as many pieces, and takes as many nodes.
func TestLayersAreShared(t *testing.T) {
	var few, many *saturate.Stats
	for _, layers := range []int{3, 24} {
		m, err := models.Encoder(models.EncoderConfig{Layers: layers, Sequence: 4, Hidden: 12, Heads: 3}, 1)
		if err != nil {
			t.Fatal(err)
		}
		st, err := saturate.Run(context.Background(), network(t, m.Graph), options(t))
		if err != nil {
			t.Fatal(err)
		}
		few, many = many, st
	}
	if many.Pieces != few.Pieces || many.Nodes != few.Nodes || many.Parts < 24 {
		t.Errorf("of 24 layers: %d parts, %d pieces, %d nodes; of 3: %d pieces, %d nodes", many.Parts, many.Pieces, many.Nodes, few.Pieces, few.Nodes)
	}
}

// Two runs give the same network, the same proof and the same counts.
func TestRepeats(t *testing.T) {
	for _, name := range []string{"squeezenet-tiny", "nasneta-tiny"}[:sweep.Size(1, 2)] {
		m, err := models.Build(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for range 2 {
			n := network(t, m.Graph)
			o := options(t)
			o.Nodes, o.ExtractSteps = 1000, 1<<13
			st, err := saturate.Run(context.Background(), n, o)
			if err != nil {
				t.Fatal(err)
			}
			d, err := n.Derivation()
			if err != nil {
				t.Fatal(err)
			}
			text := d.To.String()
			for _, in := range d.Proof.Instances {
				text += fmt.Sprintf("%s %v %v %v %v\n", in.Law, in.Dims, in.Runs, in.Attrs, in.Fns)
			}
			st.Bytes = 0 // what was allocated is the allocator's affair
			texts = append(texts, text+fmt.Sprintf("%+v", *st))
		}
		if texts[0] != texts[1] {
			t.Errorf("%s: two runs differ", name)
		}
	}
}

// parsed is a model with random weights of a graph's text.
func parsed(t testing.TB, text string) *model.Model {
	t.Helper()
	g, err := graph.ParseText("", text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return weighted(g)
}

func weighted(g *graph.Graph) *model.Model {
	m := &model.Model{Name: "test", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for i, id := range g.Inputs() {
		if g.IsWeight(id) {
			m.Weights[id] = model.Uniform(uint64(i), g.Sizes(id.Out(0)), -1, 1)
		}
	}
	return m
}

// What published optimizers take for equal and is not stays what it is, and what is
// around it computes what it did.
func TestWhatMustNotMatch(t *testing.T) {
	for name, text := range map[string]string{
		"grouped convolutions of one image": `
x : float32[1, 4, 8, 8]
v : weight float32[4, 1, 3, 3]
w : weight float32[4, 1, 3, 3]
a = conv2d[pad=same_upper, groups=4](x, v)
b = conv2d[pad=same_upper, groups=4](x, w)
return a, b
`,
		"sum of grouped convolutions": `
x : float32[1, 4, 8, 8]
y : float32[1, 4, 8, 8]
v : weight float32[4, 2, 3, 3]
w : weight float32[4, 2, 3, 3]
a = conv2d[pad=same_upper, groups=2](x, v)
b = conv2d[pad=same_upper, groups=2](y, w)
c = ewadd(a, b)
return c
`,
		"unequal groups side by side": `
x : float32[1, 4, 8, 8]
y : float32[1, 2, 8, 8]
v : weight float32[4, 2, 3, 3]
w : weight float32[4, 1, 3, 3]
a = conv2d[pad=same_upper, groups=2](x, v)
b = conv2d[pad=same_upper, groups=2](y, w)
c = concat[axis=1](a, b)
return c
`,
		"a seam that is nobody's": `
x : float32[4, 2]
y : float32[4, 3]
z : float32[4, 4]
a = concat[axis=1](y, z)
b = concat[axis=1](x, a)
c = slice[axis=1, lo=0, hi=3](b)
d = slice[axis=1, lo=3, hi=9](b)
return c, d
`,
		"repeated tensors side by side": `
x : float32[1, 4]
y : float32[1, 4]
a = broadcast[shape=[3, 4]](x)
b = broadcast[shape=[3, 4]](y)
c = concat[axis=0](a, b)
d = relu(c)
return d
`,
		"even kernels and strides": `
x : float32[1, 3, 8, 8]
v : weight float32[4, 3, 2, 2]
w : weight float32[4, 3, 3, 3]
u : weight float32[4, 3, 1, 1]
a = conv2d[pad=same_upper](x, v)
b = conv2d[pad=same_upper](x, w)
c = conv2d[pad=same_upper, stride=(2, 2)](x, u)
d = conv2d[pad=same_upper, stride=(2, 2)](x, w)
e = concat[axis=1](a, b)
f = concat[axis=1](c, d)
return e, f
`,
		"a product that an input has a part in": `
x : float32[4, 4]
y : float32[4, 4]
v : weight float32[4, 4]
w : weight float32[4, 4]
a = matmul(v, w)
b = matmul(a, y)
c = ewadd(b, x)
d = ewadd(a, x)
return c, d
`,
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			o.Growth, o.Nodes, o.ExtractSteps = 2, 1500, 1<<14
			_, d := optimized(t, parsed(t, text), o)
			if strings.HasPrefix(name, "grouped") && models.Count(d.To, "conv2d") != 2 {
				t.Errorf("merged:\n%s", d.To)
			}
		})
	}
}

// Of what costs the same, what is there stays: where a bias is added does not matter to a
// kernel that has both sums in it, but other programs look for it behind the convolution.
func TestWhatCostsTheSameStays(t *testing.T) {
	m := parsed(t, `
x : float32[1, 8, 6, 6]
y : float32[1, 8, 6, 6]
v : weight float32[8, 8, 1, 1]
w : weight float32[8, 8, 1, 1]
b : weight float32[8]
c : weight float32[8]
br = reshape[shape=[1, 8, 1, 1]](b)
bb = broadcast[shape=[1, 8, 6, 6]](br)
cr = reshape[shape=[1, 8, 1, 1]](c)
cc = broadcast[shape=[1, 8, 6, 6]](cr)
k = conv2d[pad=valid](x, v)
l = ewadd(k, bb)
m = ewadd(y, l)
n = conv2d[pad=valid](m, w)
o = ewadd(n, cc)
p = ewadd(m, o)
q = transpose[perm=(0, 1, 3, 2)](p)
r = transpose[perm=(0, 1, 3, 2)](q)
s = tanh(r)
return s
`)
	st, d := optimized(t, m, options(t))
	if st.After >= st.Before {
		t.Errorf("cost %d to %d", st.Before, st.After)
	}
	for _, in := range d.Proof.Instances {
		t.Logf("%s", in.Law)
		if in.Law == "ewadd_assoc" || in.Law == "ewadd_comm" || in.Law == "ewmul_comm" {
			t.Errorf("%s was used for nothing:\n%s", in.Law, d.To)
		}
	}
}

// Positions and truth values are no numbers that laws speak of; they are in the way of
// nothing.
func TestOtherTypes(t *testing.T) {
	m := parsed(t, `
x : float32[6, 8]
i : int64[3]
v : weight float32[8, 4]
w : weight float32[8, 4]
j = ewadd(i, i)
k = ewadd(j, i)
a = gather[axis=0](x, k)
b = matmul(a, v)
c = matmul(a, w)
d = concat[axis=1](b, c)
return d, k
`)
	st, d := optimized(t, m, options(t))
	if st.After >= st.Before || models.Count(d.To, "matmul") != 1 {
		t.Errorf("cost %d to %d:\n%s", st.Before, st.After, d.To)
	}
}

// An end of the context is no error: what is found by then is used.
func TestDeadline(t *testing.T) {
	m, err := models.Build("squeezenet-tiny", 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	n := network(t, m.Graph)
	st, err := saturate.Run(ctx, n, options(t))
	if err != nil {
		t.Fatal(err)
	}
	if st.Stop != "deadline" {
		t.Errorf("stopped by %q", st.Stop)
	}
	d, err := n.Derivation()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := check.Rule(d.Equation, d.Proof, d.Laws); err != nil {
		t.Error(err)
	}
}

// A law by which numbers are positions is false, and is found out.
func TestConflict(t *testing.T) {
	l, err := law.ParseLaw("rule wrong\n  given X : [n], I : [k]\n  then gather[axis=0](X, I) == I\n")
	if err != nil {
		t.Fatal(err)
	}
	m := parsed(t, "x : float32[4]\ni : int64[3]\ny = gather[axis=0](x, i)\nz = relu(y)\nreturn z\n")
	o := options(t)
	o.Laws = []*law.Law{l}
	_, err = saturate.Run(context.Background(), network(t, m.Graph), o)
	if err == nil || !strings.Contains(err.Error(), "int64") {
		t.Errorf("got %v", err)
	}
}

// Laws that are false are refused, and so are two of one name.
func TestLawsAreAsked(t *testing.T) {
	m := parsed(t, "x : float32[2, 2]\ny = relu(x)\nreturn y\n")
	o := options(t)
	o.Laws = axioms.ByKind(law.Refute)
	if _, err := saturate.Run(context.Background(), network(t, m.Graph), o); err == nil {
		t.Error("refuted laws were taken")
	}
	one := axioms.ByKind(law.Axiom)[0]
	o.Laws = []*law.Law{one, one}
	if _, err := saturate.Run(context.Background(), network(t, m.Graph), o); err == nil {
		t.Error("a law was taken twice")
	}
}

// Random networks of matrices, their parts, sums and products.
func TestRandomNetworks(t *testing.T) {
	seeds, found := sweep.Size(20, 150), 0
	for seed := range uint64(seeds) {
		o := options(t)
		o.Nodes, o.Growth, o.ExtractSteps, o.Passes = 400, int(seed%2), 1<<12, 1+int(seed%3)
		st, _ := optimized(t, weighted(random(t, seed)), o)
		if st.After < st.Before {
			found++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if found < seeds/15 {
		t.Errorf("better networks were found for %d of %d seeds: too few to tell", found, seeds)
	}
}

// random is a network of 5 to 40 operators.
func random(t testing.TB, seed uint64) *graph.Graph {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 11))
	var b strings.Builder
	type tensor struct {
		name string
		rows int
		cols int
	}
	var ts []tensor
	for i := range 5 {
		kind := ""
		if i > 1 {
			kind = "weight "
		}
		x := tensor{fmt.Sprintf("x%d", i), 2 + 2*(i%2), 4}
		if i == 4 {
			x.rows = 4
		}
		fmt.Fprintf(&b, "%s : %sfloat32[%d, %d]\n", x.name, kind, x.rows, x.cols)
		ts = append(ts, x)
	}
	pick := func(ok func(tensor) bool) (tensor, bool) {
		for range 30 {
			if x := ts[r.IntN(len(ts))]; ok(x) {
				return x, true
			}
		}
		return tensor{}, false
	}
	any := func(tensor) bool { return true }
	size := 5 + r.IntN(36)
	for n := 0; n < size; {
		x, _ := pick(any)
		y := tensor{fmt.Sprintf("t%d", n), x.rows, x.cols}
		same := func(z tensor) bool { return z.rows == x.rows && z.cols == x.cols }
		text := ""
		switch r.IntN(9) {
		case 0:
			text = fmt.Sprintf("relu(%s)", x.name)
		case 1:
			text = fmt.Sprintf("tanh(%s)", x.name)
		case 2, 3:
			z, ok := pick(same)
			if !ok {
				z = x
			}
			text = fmt.Sprintf("%s(%s, %s)", []string{"ewadd", "ewmul", "ewsub"}[r.IntN(3)], x.name, z.name)
		case 4, 5, 6:
			z, ok := pick(func(z tensor) bool { return z.rows == x.cols })
			if !ok {
				continue
			}
			y.cols = z.cols
			text = fmt.Sprintf("matmul(%s, %s)", x.name, z.name)
		case 7:
			z, ok := pick(func(z tensor) bool { return z.rows == x.rows })
			if !ok || x.cols+z.cols > 16 {
				continue
			}
			y.cols += z.cols
			text = fmt.Sprintf("concat[axis=1](%s, %s)", x.name, z.name)
		default:
			if x.cols < 2 {
				continue
			}
			y.cols = x.cols / 2
			lo := r.IntN(x.cols - y.cols + 1)
			text = fmt.Sprintf("slice[axis=1, lo=%d, hi=%d](%s)", lo, lo+y.cols, x.name)
		}
		fmt.Fprintf(&b, "%s = %s\n", y.name, text)
		ts = append(ts, y)
		n++
	}
	last := ts[len(ts)-3:]
	fmt.Fprintf(&b, "return %s, %s, %s\n", last[0].name, last[1].name, last[2].name)
	g, err := graph.ParseText("", b.String())
	if err != nil {
		t.Fatalf("seed %d: %v in\n%s", seed, err, b.String())
	}
	return g
}
