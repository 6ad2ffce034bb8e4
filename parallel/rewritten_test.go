package parallel_test

import (
	"context"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/sums"
)

// Two products with one factor become one, which is laid out by samples: the checker accepts
// that this is the network that came, and does not without the first step.
func TestRewritten(t *testing.T) {
	ctx := context.Background()
	g, err := graph.ParseText("", `
x : float32[4, 8]
v : weight float32[8, 16]
w : weight float32[8, 16]
q = matmul(x, v)
k = matmul(x, w)
return q, k
`)
	if err != nil {
		t.Fatal(err)
	}
	merge, err := law.ParseLaw(`rule merge_products
  given X : [m, k], V : [k, a], W : [k, b]
  then  (matmul(X, V), matmul(X, W)) == split[axis=1, at=a](matmul(X, concat[axis=1](V, W)))
`)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := sums.Certify(ctx, merge)
	if err != nil || proof == nil {
		t.Fatal("no proof", err)
	}
	rules, _, err := search.NewRules([]*law.Law{merge})
	if err != nil {
		t.Fatal(err)
	}
	n, err := search.NewNetwork(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := search.NewRewriter(n.Net, rules)
	r.All(func(m *search.Match) bool {
		if err := n.Make(r, m); err != nil {
			t.Fatal(err)
		}
		return false
	})
	d, err := n.Derivation()
	if err != nil {
		t.Fatal(err)
	}
	by := &parallel.Rewriting{To: d.To, Instances: d.Proof.Instances, Laws: d.Laws, Evidence: map[string]*law.Proof{merge.Name: {Meaning: proof}}}
	l, err := parallel.NewLayingOf(g, by, parallel.NewStrategies())
	if err != nil {
		t.Fatal(err)
	}
	err = l.Along(ctx, 2, parallel.Choice{Of: func(id graph.NodeID) []*parallel.Strategy {
		if d.To.Op(id) == nil {
			return nil
		}
		all, err := l.Strategies(ctx, id, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range all {
			if st.Out[0] == (parallel.Role{Kind: parallel.Shard}) && d.To.Op(id).Name != "concat" {
				return []*parallel.Strategy{st}
			}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range l.Laws() {
		if _, err := check.Rule(x, l.Evidence(name), nil); err != nil {
			t.Errorf("law %s: %v", name, err)
		}
	}
	if _, err := check.Rule(l.Equation(), l.Proof(), check.Laws(l.Laws())); err != nil {
		t.Errorf("%v\n%s", err, l.Graph())
	}
	short := *l.Proof()
	short.Instances = short.Instances[len(d.Proof.Instances):]
	if _, err := check.Rule(l.Equation(), &short, check.Laws(l.Laws())); err == nil {
		t.Error("accepted without the instance of the merge")
	}
	other, err := graph.ParseText("", "x : float32[4, 8]\ny = relu(x)\nreturn y")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parallel.NewLayingOf(g, &parallel.Rewriting{To: other}, parallel.NewStrategies()); err == nil {
		t.Error("a network with other inputs")
	}
}
