package check_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	every "github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
	"github.com/taso-go/taso/law/mutate"
	"github.com/taso-go/taso/verify/check"
)

// network is a network of residual blocks, as it was and rewritten, with the
// proof that they are equal: in every block the normalization is folded into the
// convolution before it, and a convolution with kernels of one cell into the one
// behind it. The images of a batch are as many as one likes.
func network(t testing.TB, blocks int) (*law.Law, *law.Proof, check.Laws) {
	t.Helper()
	use := check.Laws{}
	for _, l := range every.ByKind(law.Axiom) {
		use[l.Name] = l
	}
	const channels, side = 4, 5
	l := &law.Law{Kind: law.Rule}
	p := &law.Proof{}
	weight := func(name string, block int, ds ...int) *law.Term {
		name = fmt.Sprint(name, block)
		l.Given = append(l.Given, law.Declaration{Name: name, Shape: graph.Sizes(ds...)})
		return law.V(name)
	}
	apply := func(name string, attrs map[string]graph.Value, args ...*law.Term) *law.Term {
		o, ok := graph.Lookup(name)
		if !ok {
			t.Fatal(name)
		}
		return law.Apply(o, o.MustAttr(attrs), args...)
	}
	one, same := graph.TupleValue(1, 1), graph.NameValue(graph.SameUpper)
	image := graph.ShapeOf(graph.Var("b"), graph.Int(channels), graph.Int(side), graph.Int(side))
	l.Given = append(l.Given, law.Declaration{Name: "X", Shape: image})
	left, right := law.V("X"), law.V("X")
	for i := range blocks {
		w, v, u := weight("W", i, channels, channels, 3, 3), weight("V", i, channels, channels, 1, 1), weight("U", i, channels, channels, 3, 3)
		k, bias, mean, variance := weight("K", i, channels), weight("L", i, channels), weight("M", i, channels), weight("S", i, channels)
		// Both rewrites of a block whose image is x, the image of the second
		// being y.
		rewrites := func(x, y *law.Term) [2]law.Instance {
			eps := graph.NumberValue(1e-5)
			return [2]law.Instance{{Law: "batchnorm_conv",
				Tensors: map[string]*law.Term{"X": x, "W": w, "K": k, "L": bias, "M": mean, "V": variance},
				Dims: map[string]graph.Dim{"b": graph.Var("b"), "g": graph.Int(1), "c": graph.Int(channels), "o": graph.Int(channels),
					"h": graph.Int(side), "w": graph.Int(side), "kh": graph.Int(3), "kw": graph.Int(3)},
				Attrs: map[string]graph.Value{"e": eps, "s": one, "r": one, "p": same}},
				{Law: "conv_conv_single",
					Tensors: map[string]*law.Term{"X": y, "V": v, "W": u},
					Dims: map[string]graph.Dim{"b": graph.Var("b"), "c": graph.Int(channels), "m": graph.Int(channels), "o": graph.Int(channels),
						"h": graph.Int(side), "w": graph.Int(side), "kh": graph.Int(3), "kw": graph.Int(3)},
					Attrs: map[string]graph.Value{"s": one, "r": one, "p": same, "a": graph.NameValue("none")}}}
		}
		// block is the block on x with the sides of the laws that side picks.
		block := func(x *law.Term, side func(lhs, rhs []*law.Term) *law.Term) (out *law.Term, in [2]law.Instance) {
			in = rewrites(x, nil)
			y := apply("relu", nil, side(in[0].Sides(use[in[0].Law])))
			in = rewrites(x, y)
			return apply("relu", nil, apply("ewadd", nil, x, side(in[1].Sides(use[in[1].Law])))), in
		}
		var in [2]law.Instance
		left, in = block(left, func(lhs, _ []*law.Term) *law.Term { return lhs[0] })
		right, _ = block(right, func(_, rhs []*law.Term) *law.Term { return rhs[0] })
		p.Instances = append(p.Instances, in[:]...)
	}
	l.LHS, l.RHS = []*law.Term{left}, []*law.Term{right}
	l.Name = law.ID(l)
	return law.Stated(l), p, use
}

// networkFile is the certificate file of a network.
func networkFile(t testing.TB, blocks int) []byte {
	l, p, _ := network(t, blocks)
	return certFile(t, every.Text(), nil, []law.CertRule{law.NewCertRule(l.Name, l, p)})
}

func checkNetwork(t testing.TB, file []byte) {
	t.Helper()
	checkFile(t, file, check.Options{SHA256: every.SHA256(), ID: law.ID})
}

func checkFile(t testing.TB, file []byte, o check.Options) {
	t.Helper()
	rep, err := check.File(context.Background(), bytes.NewReader(file), "network", o)
	if err != nil || len(rep.Rejected) > 0 || rep.Rules != 1 {
		t.Fatalf("%+v, %v", rep, err)
	}
}

// A certificate of a network is as long as the network, and what its check takes
// grows with it, though every block uses its image twice: the trees of 48 blocks
// have 2^48 leaves.
func TestNetwork(t *testing.T) {
	empty := len(certFile(t, every.Text(), nil, nil))
	var size, allocs [3]float64
	for i, blocks := range []int{12, 24, 48} {
		file := networkFile(t, blocks)
		size[i] = float64(len(file) - empty)
		allocs[i] = testing.AllocsPerRun(1, func() { checkNetwork(t, file) })
	}
	checkFile(t, networkFile(t, 12), check.Options{SHA256: every.SHA256(), ID: law.ID, Z3: true})
	t.Logf("bytes %v, allocations %v", size, allocs)
	for what, x := range map[string][3]float64{"bytes": size, "allocations": allocs} {
		if grown := (x[2] - x[1]) / (x[1] - x[0]); grown > 2.1 || grown < 1.9 {
			t.Errorf("%s for 12, 24 and 48 blocks: %v", what, x)
		}
	}
}

// A tower ewadd(relu(t), t) of itself: its text doubles with each level, its
// certificate and what the check takes grow by as much.
func TestTower(t *testing.T) {
	ax, err := law.ParseLaw("axiom ewadd_comm given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)")
	if err != nil {
		t.Fatal(err)
	}
	l, err := law.ParseLaw("rule r given X : [n] then ewadd(relu(X), X) == ewadd(X, relu(X))")
	if err != nil {
		t.Fatal(err)
	}
	add, relu := l.LHS[0].Op, l.LHS[0].Args[0].Op
	use := check.Laws{ax.Name: ax}
	var bytes, allocs [3]float64
	for i, levels := range []int{16, 32, 64} {
		left, right := law.V("X"), law.V("X")
		p := &law.Proof{}
		for range levels {
			below := law.Apply(relu, nil, left)
			p.Instances = append(p.Instances, law.Instance{Law: ax.Name, Tensors: map[string]*law.Term{"X": below, "Y": left},
				Runs: map[string]graph.Shape{"P": graph.ShapeOf(graph.Var("n"))}})
			left, right = law.Apply(add, nil, below, left), law.Apply(add, nil, right, law.Apply(relu, nil, right))
		}
		l.LHS, l.RHS = []*law.Term{left}, []*law.Term{right}
		l.Name = law.ID(l)
		file := certFile(t, law.Format(ax), nil, []law.CertRule{law.NewCertRule(l.Name, l, p)})
		bytes[i] = float64(len(file))
		allocs[i] = testing.AllocsPerRun(1, func() { checkFile(t, file, check.Options{ID: law.ID}) })
		p.Instances = p.Instances[1:]
		if _, err := check.Rule(l, p, use); err == nil {
			t.Errorf("%d levels: accepted without the lowest", levels)
		}
	}
	t.Logf("bytes %v, allocations %v", bytes, allocs)
	for what, x := range map[string][3]float64{"bytes": bytes, "allocations": allocs} {
		if grown := (x[2] - x[1]) / (x[1] - x[0]); grown > 2.2 || grown < 1.8 {
			t.Errorf("%s for 16, 32 and 64 levels: %v", what, x)
		}
	}
}

// corruptions is how many are tried; a thousand take most of a minute.
var corruptions = flag.Int("corruptions", 40, "corruptions of the certificate of a network")

// What is altered in the certificate of a network is rejected, whatever its id,
// or says another thing that is true: both sides are evaluated modulo a prime.
func TestCorruptedNetwork(t *testing.T) {
	l, p, use := network(t, 48)
	good := law.NewCertRule(l.Name, l, p)
	find := func(n string) (*law.Law, bool) { l, ok := use[n]; return l, ok }
	rng := rand.New(rand.NewPCG(1, 2))
	kinds := map[string]int{}
	accepted := 0
	for n := range *corruptions {
		bad, what, err := mutate.Entry(rng, good, use)
		if err != nil {
			t.Fatal(err)
		}
		kinds[what]++
		m, q, err := bad.Decode(find)
		if err == nil {
			_, err = check.Rule(m, q, use)
		}
		if err != nil {
			if n < 20 {
				t.Logf("%s: %v", what, err)
			}
			continue
		}
		accepted++
		if !trueNetwork(t, m) {
			t.Errorf("accepted, and false: %s", what)
		}
		if law.ID(m) == good.ID && law.Body(m) != law.Body(l) {
			t.Errorf("another law under the id: %s", what)
		}
		t.Logf("accepted, and true: %s", what)
	}
	t.Logf("%d of %d accepted, %d ways", accepted, *corruptions, len(kinds))
	if accepted > *corruptions/20 || len(kinds) < *corruptions/2 {
		t.Errorf("%d accepted, %d different corruptions", accepted, len(kinds))
	}
}

// trueNetwork evaluates both sides of a law of one size b.
func trueNetwork(t *testing.T, l *law.Law) bool {
	t.Helper()
	env := &instance.Valuation{Substitution: graph.Substitution{Dims: map[string]graph.Dim{"b": graph.Int(1)}}}
	out, err := instance.Compare(fingerprint.Zp{Key: 7}, l, env, func(name string, n int) []uint64 { return fingerprint.Random(7, name, n) })
	if err != nil {
		t.Fatal(err)
	}
	return out == instance.Equal
}

// BenchmarkNetwork checks certificates of 12, 24 and 48 blocks.
func BenchmarkNetwork(b *testing.B) {
	for _, blocks := range []int{12, 24, 48} {
		file := networkFile(b, blocks)
		b.Run(fmt.Sprint(blocks), func(b *testing.B) {
			for range b.N {
				checkNetwork(b, file)
			}
			b.ReportMetric(float64(len(file)), "bytes")
		})
	}
}
