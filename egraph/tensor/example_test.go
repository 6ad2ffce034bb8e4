package tensor_test

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// Two terms become equal by a law, and the graph says by which instance.
func ExampleGraph_Run() {
	fusion, err := law.ParseLaw(`axiom matmul_concat
	  given A : [m, k], X : [k, p], Y : [k, q]
	  then  matmul(A, concat[axis=1](X, Y)) == concat[axis=1](matmul(A, X), matmul(A, Y))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	goal, err := law.ParseLaw(`rule g
	  given U : [2, n], V : [n, n]
	  then  concat[axis=1](matmul(U, V), matmul(U, V)) == matmul(U, concat[axis=1](V, V))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	table := tensor.NewTable()
	rules, _, err := table.Rules(fusion)
	if err != nil {
		fmt.Println(err)
		return
	}
	g := tensor.NewGraph(table)
	left, err := g.Add(goal.LHS[0], tensor.ScopeOf(goal))
	if err != nil {
		fmt.Println(err)
		return
	}
	right, err := g.Add(goal.RHS[0], tensor.ScopeOf(goal))
	if err != nil {
		fmt.Println(err)
		return
	}
	met := func() bool { return g.E().Same(left, right) }
	stop, _, err := g.Run(context.Background(), rules, tensor.Limits{Nodes: 100, Iters: 10, Level: tensor.Growing}, met)
	if err != nil {
		fmt.Println(err)
		return
	}
	instances, err := g.Explain([]egraph.Pair{{A: left, B: right}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(stop, g.Shape(left))
	for _, in := range instances {
		fmt.Println(in.Law, in.Tensors, in.Dims)
	}
	// Output:
	// done [2, 2*n]
	// matmul_concat map[A:U X:V Y:V] map[k:n m:2 p:n q:n]
}

// The usable directions of a law, and what is wrong with the others.
func ExampleTable_Rules() {
	l, err := law.ParseLaw(`axiom slice_concat
	  given X : [a, n], Y : [b, n]
	  then  slice[axis=0, lo=0, hi=a](concat[axis=0](X, Y)) == X`)
	if err != nil {
		fmt.Println(err)
		return
	}
	rules, unusable, err := tensor.NewTable().Rules(l)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rules {
		fmt.Println(r.Law.Name, r.Level)
	}
	for _, u := range unusable {
		fmt.Println(u)
	}
	// Output:
	// slice_concat shrinking
	// law slice_concat, right to left: the source does not mention Y
}

// A proof is reduced to the instances that it needs.
func ExampleMinimizer_Minimize() {
	comm, err := law.ParseLaw(`axiom ewadd_comm
	  given X : [P..], Y : [P..]
	  then  ewadd(X, Y) == ewadd(Y, X)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	goal, err := law.ParseLaw(`rule g
	  given U : [], V : []
	  then  ewadd(U, V) == ewadd(V, U)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	use := func(x, y string) law.Instance {
		return law.Instance{Law: "ewadd_comm", Tensors: map[string]*law.Term{"X": law.V(x), "Y": law.V(y)}}
	}
	m := tensor.NewMinimizer(tensor.NewTable())
	insts, err := m.Minimize(goal, []law.Instance{use("U", "V"), use("U", "U")}, func(string) *law.Law { return comm })
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, in := range insts {
		fmt.Println(in.Law, in.Tensors)
	}
	// Output:
	// ewadd_comm map[X:U Y:V]
}

// A network is put in node by node; laws are used where a schedule lets them.
func ExampleGraph_Apply() {
	l, err := law.ParseLaw("axiom matmul_assoc\n  given X : [m, k], Y : [k, l], Z : [l, n]\n  then matmul(X, matmul(Y, Z)) == matmul(matmul(X, Y), Z)\n")
	if err != nil {
		panic(err)
	}
	tab := tensor.NewTable()
	rules, _, err := tab.Rules(l)
	if err != nil {
		panic(err)
	}
	g := tensor.NewGraph(tab)
	x, _ := g.Leaf("x", graph.Sizes(1, 8))
	v, _ := g.Leaf("v", graph.Sizes(8, 8))
	w, _ := g.Leaf("w", graph.Sizes(8, 8))
	y, _ := g.Apply(op.MatMul, nil, x, v)
	z, _ := g.Apply(op.MatMul, nil, y, w)
	if _, _, err := g.Run(context.Background(), rules, tensor.Limits{Nodes: 100, Iters: 5, Level: tensor.Growing}, func() bool { return false }); err != nil {
		panic(err)
	}
	for n := range g.E().Class(g.E().Find(z)) {
		fmt.Println(g.Term(n))
	}
	g.EachInstance(func(l *law.Law, _ bool) { fmt.Println("by", l.Name) })
	// Output:
	// matmul(matmul(x, v), w)
	// matmul(x, matmul(v, w))
	// by matmul_assoc
}

// A rule is counted where it applies.
func ExampleRule_Matches() {
	l, err := law.ParseLaw("axiom ewadd_comm\n  given X : [P..], Y : [P..]\n  then ewadd(X, Y) == ewadd(Y, X)\n")
	if err != nil {
		panic(err)
	}
	tab := tensor.NewTable()
	rules, _, err := tab.Rules(l)
	if err != nil {
		panic(err)
	}
	g := tensor.NewGraph(tab)
	x, _ := g.Leaf("x", graph.Sizes(8))
	y, _ := g.Leaf("y", graph.Sizes(8))
	z, _ := g.Apply(op.EWAdd, nil, x, y)
	_, _ = g.Apply(op.EWAdd, nil, z, x)
	fmt.Println(rules[0].Matches(g))
	// Output: 2 <nil>
}
