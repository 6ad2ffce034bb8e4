package search_test

import (
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/verify/check"
)

// prices are those of a cost model, in picoseconds.
type prices struct{ m cost.Model }

func (p prices) Alone(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) (alone, view int64, err error) {
	x, err := cost.PricesOf(p.m, cost.Application{Op: op, Attrs: a, In: in, Out: out})
	return int64(x.Alone * 1e12), int64(x.View * 1e12), err
}

func (p prices) Fused(op *graph.Op, a graph.Attrs, others []graph.TensorType, t graph.TensorType) (int64, error) {
	s, _, err := p.m.Fused(cost.Fused{Op: op, Attrs: a, Others: others}, t)
	return int64(s * 1e12), err
}

// swaps tells a network the laws by which operands are exchanged.
func swaps(tb testing.TB, n *search.Network, rs *search.Rules) {
	tb.Helper()
	if got := n.SwapBy(rs); got < 3 {
		tb.Fatalf("%d laws exchange operands", got)
	}
}

// Random moves, one after the other: the checker accepts that what they lead to is
// the network, the cost kept up to date is that of the whole, and so are the moves.
func TestDerivation(t *testing.T) {
	rs := rules(t)
	for i, name := range []string{"bert-tiny", "nasrnn-tiny", "nasneta-tiny", "resnext50-tiny", "squeezenet-full-tiny", "mobilenetv2-tiny", "bert-base-layer-128-tiny"} {
		m, err := models.Build(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		n, err := search.NewNetwork(m.Graph, nil)
		if err != nil {
			t.Fatal(err)
		}
		swaps(t, n, rs)
		r := search.NewRewriter(n.Net, rs)
		p := search.NewPricer(n.Net, lower.CPU(), prices{model()})
		moves := search.NewMoves(r)
		rnd := rand.New(rand.NewPCG(1, uint64(i)))
		made := 0
		for step := 0; step < 60; step++ {
			var all []search.Move
			n.Net.Nodes(func(x bank.Node) bool {
				one, many := moves.At(x)
				all = append(append(all, one...), many...)
				return true
			})
			if want := count(r); len(all) != want || moves.Len() < want {
				t.Fatalf("%s, step %d: %d moves are known, there are %d", name, step, len(all), want)
			}
			mv := all[rnd.IntN(len(all))]
			mark := n.Net.Mark()
			if !r.Find(&mv, func(x *search.Match) { err = n.Make(r, x) }) {
				t.Fatalf("%s: a move of %s is gone", name, mv.Direction.Law.Law.Name)
			}
			if err == nil {
				made++
			}
			p.Update(mark)
			moves.Update(mark)
			n.Net.Keep(mark)
			if got, want := p.Cost(), search.NewPricer(n.Net, lower.CPU(), prices{model()}).Cost(); got != want {
				t.Fatalf("%s, step %d, law %s: the cost is %d, kept up to date %d", name, step, mv.Direction.Law.Law.Name, want, got)
			}
		}
		d, err := n.Derivation()
		if err != nil {
			t.Fatal(err)
		}
		res, err := check.Rule(d.Equation, d.Proof, d.Laws)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !res.Forward || !res.Backward || made < 20 {
			t.Errorf("%s: %+v, %d moves", name, res, made)
		}
		// Without one of the instances it does not follow, unless that one says
		// what others say.
		lost := 0
		for i := range d.Proof.Instances {
			less := *d.Proof
			less.Instances = append(append(less.Instances[:0:0], less.Instances[:i]...), less.Instances[i+1:]...)
			if _, err := check.Rule(d.Equation, &less, d.Laws); err != nil {
				lost++
				break
			}
		}
		if lost == 0 {
			t.Errorf("%s: no instance is needed", name)
		}
	}
}

func count(r *search.Rewriter) (n int) {
	r.All(func(x *search.Match) bool {
		if len(x.Conds) == 0 {
			n++
		}
		return true
	})
	return n
}
