package search_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/search"
)

// The first move of each direction of each axiom and lemma that a network has
// leaves what it computes as it is.
func TestMovesKeepMeaning(t *testing.T) {
	rs := rules(t)
	used := map[string]bool{}
	for _, name := range []string{"bert-tiny", "nasrnn-tiny", "nasneta-tiny", "resnext50-tiny", "squeezenet-full-tiny", "mobilenetv2-tiny", "bert-base-layer-128-tiny"} {
		m, err := models.Build(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		net, _, err := bank.From(m.Graph, price)
		if err != nil {
			t.Fatal(err)
		}
		before := net.Hash()
		r := search.NewRewriter(net, rs)
		r.All(func(x *search.Match) bool {
			key := x.Direction.Law.Law.Name
			if x.Direction.Backward {
				key += " backward"
			}
			if used[key] {
				return true
			}
			mark := net.Mark()
			defer net.Undo(mark)
			if err := r.Apply(x); err != nil || net.Hash() == before {
				return true
			}
			used[key] = true
			g, _, err := net.Graph()
			if err != nil {
				t.Fatalf("%s: %s: %v", name, key, err)
			}
			now, err := m.WithGraph(g)
			if err != nil {
				t.Fatalf("%s: %s: %v", name, key, err)
			}
			rep, err := verifymodels.Run(context.Background(), verifymodels.Options{A: m, B: now, Tolerance: 1e-9})
			if err != nil {
				t.Fatalf("%s: %s: %v", name, key, err)
			}
			// Laws of the true relu and maximum are seen in numbers only.
			if ordered := x.Direction.Law.Law.HasTag(law.TagOrdered); !rep.Agree || !ordered && rep.Exact.Verdict != verifymodels.Equal {
				t.Errorf("%s: %s changes what is computed:\n%s", name, key, rep)
			}
			return true
		})
		if net.Hash() != before {
			t.Errorf("%s: after undoing all moves it is another network", name)
		}
	}
	if len(used) < 20 {
		t.Errorf("%d directions of laws were used: too few to tell", len(used))
	}
	t.Logf("%d directions of laws", len(used))
}

// Laws with several outputs are found at all pairs of places.
func TestSeveralRoots(t *testing.T) {
	m, err := models.Build("bert-tiny", 1)
	if err != nil {
		t.Fatal(err)
	}
	net, _, err := bank.From(m.Graph, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := search.NewRewriter(net, merge(t))
	n := 0
	r.All(func(x *search.Match) bool {
		if x.Roots[0] == x.Roots[1] {
			t.Error("one root twice")
		}
		n++
		return true
	})
	// Eight layers with four products of one input each, and pairs in both orders.
	if want := 8 * 4 * 3; n != want {
		t.Errorf("%d pairs of products, want %d", n, want)
	}
}

// Neither false equations nor one output of several are used.
func TestRulesRefused(t *testing.T) {
	for _, text := range []string{
		"refute wrong\n  given X : [n]\n  then  relu(X) == neg(X)\n",
		"rule parts\n  given X : [a], Y : [b]\n  then  split[axis=0, at=a](concat[axis=0](X, Y)) == (X, Y)\n",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		_, unusable, err := search.NewRules([]*law.Law{l})
		if err != nil || len(unusable) == 0 {
			t.Errorf("%s: %v, unusable %v", l.Name, err, unusable)
		}
	}
}

// No law is used on tensors of which laws do not speak: integers, truth values, and numbers
// that are only stored; where real numbers are in their place, some are.
func TestOtherTypesStay(t *testing.T) {
	for _, typ := range graph.DTypes() {
		g, err := graph.ParseText("test", fmt.Sprintf("x : %[1]s[4, 2]\ny : %[1]s[4, 2]\na = ewadd(x, y)\nb = ewadd(y, x)\nc = ewmul(a, b)\nd = transpose(c)\ne = transpose(d)\nreturn e", typ))
		if err != nil {
			t.Fatal(err)
		}
		net, _, err := bank.From(g, nil)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		search.NewRewriter(net, rules(t)).All(func(*search.Match) bool { found++; return true })
		if (found > 0) != (typ == graph.Float64 || typ == graph.Float32 || typ == graph.Float16 || typ == graph.BFloat16) {
			t.Errorf("%d laws are used on %s", found, typ)
		}
	}
}

// No law takes a cast for the identity: what is cast to a narrow type is rounded.
func TestCastsStay(t *testing.T) {
	g, err := graph.ParseText("test", "x : float32[4, 2]\na = cast[to=float16](x)\nb = cast[to=float32](a)\nreturn b")
	if err != nil {
		t.Fatal(err)
	}
	net, _, err := bank.From(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	search.NewRewriter(net, rules(t)).All(func(x *search.Match) bool {
		t.Errorf("law %s is used", x.Direction.Law.Law.Name)
		return true
	})
}

// A law whose other side computes integers is not used: laws do not speak of them, and
// what would be made has no proof.
func TestIntegersStay(t *testing.T) {
	g, err := graph.ParseText("test", "x : float32[4, 2]\ni : int64[3]\ng = gather[axis=0](x, i)\ns = slice[axis=0, lo=1, hi=3](g)\nreturn s")
	if err != nil {
		t.Fatal(err)
	}
	net, _, err := bank.From(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := search.NewRewriter(net, rules(t))
	found := false
	r.All(func(x *search.Match) bool {
		mark := net.Mark()
		defer net.Undo(mark)
		positions := x.Direction.Law.Law.Name == "gather_slice_positions"
		found = found || positions
		if err := r.Apply(x); positions && err == nil {
			t.Error("the positions are sliced")
		}
		net.Nodes(func(n bank.Node) bool {
			if !net.Type(net.Out(n, 0)).DType.IsFloat() {
				t.Errorf("law %s makes a node of integers", x.Direction.Law.Law.Name)
			}
			return true
		})
		return true
	})
	if !found {
		t.Error("gather_slice_positions is not found")
	}
}
