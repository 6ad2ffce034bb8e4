package optimize_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/search"
)

// products is a model with the sum of two products of one input.
func products() (*model.Model, error) {
	g, err := graph.ParseText("products", `
x : float32[4, 8]
v : weight float32[8, 16]
w : weight float32[8, 16]
q = matmul(x, v)
k = matmul(x, w)
y = ewadd(q, k)
return y
`)
	if err != nil {
		return nil, err
	}
	m := &model.Model{Name: "products", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			m.Weights[id] = model.Random(model.Seed(1, g.Name(id)), g.Sizes(id.Out(0)), 1)
		}
	}
	return m, nil
}

func ExampleRun() {
	m, err := products()
	if err != nil {
		fmt.Println(err)
		return
	}
	v100, err := cost.FindMachine("v100")
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: v100, Method: optimize.Descend})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range res.Steps {
		fmt.Println(s.Law, "-", s.Why)
		fmt.Println(s.Removed, "->", s.Added)
	}
	fmt.Println("cheaper:", res.CostAfter < res.CostBefore, "proved:", res.ProofChecked, "run:", res.Exact, res.Numbers)

	// Anybody can check the proof again.
	checked, err := optimize.CheckProof(context.Background(), bytes.NewReader(res.Proof), "products.proof", m, res.Model, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("instances:", checked.Steps)
	_, err = optimize.CheckProof(context.Background(), bytes.NewReader(res.Proof), "products.proof", res.Model, m, false)
	fmt.Println(err != nil)
	// Output:
	// merge_products - Two matrix products with the same left operand are one product with the right operands concatenated, split along columns.
	// [k: matmul q: matmul] -> [concat[axis=1] k: slice[axis=1, lo=16, hi=32] matmul q: slice[axis=1, lo=0, hi=16]]
	// cheaper: true proved: true run: equal agree
	// instances: 1
	// true
}

func ExampleSelect() {
	laws, err := optimize.DefaultLaws(false)
	if err != nil {
		fmt.Println(err)
		return
	}
	one, err := optimize.Select(laws, []string{"matmul_assoc"}, nil)
	fmt.Println(len(one), err)
	less, err := optimize.Select(laws, nil, []string{"matmul_assoc"})
	fmt.Println(len(laws)-len(less), err)
	_, err = optimize.Select(laws, []string{"matmul_comm"}, nil)
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// 1 <nil>
	// there is no law matmul_comm; did you mean ewmul_comm or smul_comm?
}

func ExampleBelieved() {
	ctx := context.Background()
	fmt.Println(optimize.Believed(ctx, axioms.ByKind(law.Axiom)[0]))
	for _, text := range []string{
		"rule twice given X : [n] then ewadd(X, ewadd(X, X)) == ewadd(ewadd(X, X), X)",
		"rule wrong given X : [n] then ewadd(X, X) == X",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(l.Name, optimize.Believed(ctx, l) == nil)
	}
	// Output:
	// <nil>
	// twice true
	// wrong false
}

func ExampleMethods() {
	fmt.Println(optimize.Methods())
	// Output: [auto backtrack descend saturate]
}

func ExampleProve() {
	a, err := products()
	if err != nil {
		fmt.Println(err)
		return
	}
	// The same, by somebody else.
	g, err := graph.ParseText("other", `
x : float32[4, 8]
w : weight float32[8, 16]
v : weight float32[8, 16]
s = ewadd(w, v)
y = matmul(x, s)
return y
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := &model.Model{Name: "other", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			b.Weights[id] = model.Random(model.Seed(1, g.Name(id)), g.Sizes(id.Out(0)), 1)
		}
	}
	p, err := optimize.Prove(context.Background(), a, b, optimize.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Equal, p.Same, "of", p.Outputs, p.Why)
	// Output:
	// true 1 of 1
}

func ExampleWriteProof() {
	m, err := products()
	if err != nil {
		fmt.Println(err)
		return
	}
	// A network that is not rewritten follows from nothing.
	n, err := search.NewNetwork(m.Graph, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := n.Derivation()
	if err != nil {
		fmt.Println(err)
		return
	}
	var cert bytes.Buffer
	if err := optimize.WriteProof(context.Background(), &cert, d, nil); err != nil {
		fmt.Println(err)
		return
	}
	checked, err := optimize.CheckProof(context.Background(), &cert, "no.proof", m, m, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(checked.Steps, checked.Axioms)
	// Output: 0 0
}
