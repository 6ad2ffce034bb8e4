package search_test

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/search"
)

// sums is a network of two products that are added, and the laws for it.
func sums() (*graph.Graph, *search.Rules, error) {
	g, err := graph.ParseText("", `
x : float32[64, 64]
v : weight float32[64, 64]
w : weight float32[64, 64]
q = matmul(x, v)
k = matmul(x, w)
y = ewadd(q, k)
z = relu(y)
return z
`)
	if err != nil {
		return nil, nil, err
	}
	l, err := law.ParseLaw(`rule one_product
  given X : [m, k], V : [k, n], W : [k, n]
  then  ewadd(matmul(X, V), matmul(X, W)) == matmul(X, ewadd(V, W))`)
	if err != nil {
		return nil, nil, err
	}
	rules, unusable, err := search.NewRules([]*law.Law{l})
	for _, why := range unusable {
		fmt.Println("refused:", why)
	}
	return g, rules, err
}

// trail is a trail through the rewrites of the network.
func trail() (*search.Trail, error) {
	g, rules, err := sums()
	if err != nil {
		return nil, err
	}
	net, _, err := bank.From(g, nil)
	if err != nil {
		return nil, err
	}
	p := search.NewPricer(net, lower.CPU(), prices{model()})
	return search.NewTrail(search.NewRewriter(net, rules), p), p.Err()
}

func ExampleTrail() {
	t, err := trail()
	if err != nil {
		fmt.Println(err)
		return
	}
	before := t.Price.Cost()
	t.Watch = func(m *search.Move, made bool) { fmt.Println("tried", m.Direction.Law.Law.Name, made) }
	var first search.Move
	t.Net.Nodes(func(n bank.Node) bool {
		one, _ := t.Moves.At(n)
		if len(one) == 0 {
			return true
		}
		// The other one is the same with the operands of the sum exchanged.
		t.Try(&one[0], func(cost int64, _ bank.Hash) { fmt.Println("cheaper:", cost < before) })
		first = one[0]
		fmt.Println("made:", t.Do(&first), "steps:", t.Len(), "moves there now:", t.Moves.Len())
		return false // the network is another one now
	})
	fmt.Println("made possible:", len(t.Enabled()))
	t.Back(0)
	fmt.Println("back:", t.Price.Cost() == before, "moves:", t.Moves.Len())
	// What computes a new weight may not be there.
	t.Allow = func(mark bank.Mark) bool {
		ok := true
		t.Net.Changed(mark, func(n bank.Node, _ bool) { ok = ok && !(t.Net.New(n, mark) && t.Net.Fixed(n)) })
		return ok
	}
	fmt.Println("made:", t.Do(&first), "steps:", t.Len(), "back:", t.Price.Cost() == before)
	// Output:
	// cheaper: true
	// tried one_product true
	// made: true steps: 1 moves there now: 2
	// made possible: 2
	// back: true moves: 2
	// made: false steps: 0 back: true
}

func ExampleTrail_Descend() {
	t, err := trail()
	if err != nil {
		fmt.Println(err)
		return
	}
	kept, done := t.Descend(context.Background(), search.DescendOptions{Tries: 100})
	for _, m := range kept {
		fmt.Println(m.Direction.Law.Law.Name)
	}
	fmt.Println(done)
	// Output:
	// one_product
	// true
}

func ExampleTrail_Backtrack() {
	t, err := trail()
	if err != nil {
		fmt.Println(err)
		return
	}
	before := t.Price.Cost()
	path, best, done := t.Backtrack(context.Background(), search.BacktrackOptions{Alpha: 1.05})
	fmt.Println(len(path), best < before, done)
	// The trail is where it was; the path can be made, and shortened.
	fmt.Println(t.Price.Cost() == before, len(t.Shorten(path, best)))
	for i := range path {
		t.Do(&path[i])
	}
	fmt.Println(t.Price.Cost() == best)
	t.Settle()
	// Output:
	// 1 true true
	// true 1
	// true
}

func ExampleNetwork() {
	g, rules, err := sums()
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := search.NewNetwork(g, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := search.NewRewriter(n.Net, rules)
	moves := search.NewMoves(r)
	mark := n.Net.Mark()
	n.Net.Nodes(func(x bank.Node) bool {
		one, _ := moves.At(x)
		for i := range one {
			r.Find(&one[i], func(m *search.Match) { err = n.Make(r, m) })
		}
		return len(one) == 0
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(moves.Update(mark)) > 0)
	d, err := n.Derivation()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(law.Format(d.Equation))
	for _, in := range d.Proof.Instances {
		fmt.Println(in.Law, in.Tensors["X"], in.Tensors["V"], in.Tensors["W"])
	}
	// Output:
	// true
	// rule network
	//   given X0 : [64, 64], X1 : [64, 64], X2 : [64, 64]
	//   then  relu(ewadd(matmul(X0, X1), matmul(X0, X2))) == relu(matmul(X0, ewadd(X1, X2)))
	// one_product X0 X1 X2
}

func ExampleRewriter_Exhaust() {
	g, rules, err := sums()
	if err != nil {
		fmt.Println(err)
		return
	}
	net, _, err := bank.From(g, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var forward *search.Match
	r := search.NewRewriter(net, rules)
	r.All(func(m *search.Match) bool { forward = m; return false })
	d := forward.Direction
	n, err := r.Exhaust([]*rewrite.Direction{d}, nil, func(m *search.Match) { fmt.Println("made", m.Direction.Law.Law.Name) })
	fmt.Println(n, err)
	// Output:
	// made one_product
	// 1 <nil>
}
