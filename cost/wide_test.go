package cost_test

import (
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// product is a product of two matrices, as a group with a sum of one row behind it.
func product(t *testing.T, d graph.DType) cost.Application {
	t.Helper()
	mm, _ := graph.Lookup("matmul")
	add, _ := graph.Lookup("ewadd")
	of := func(sizes ...int) graph.TensorType { return graph.TensorType{DType: d, Sizes: sizes} }
	return cost.Application{Op: mm, In: []graph.TensorType{of(64, 2000), of(2000, 64)}, Out: []graph.TensorType{of(64, 64)},
		Tail: []cost.Fused{{Op: add, Others: []graph.TensorType{of(64, 64)}}}}
}

// A machine that holds narrow types as wider ones moves and computes those; another one
// has bytes and peaks of the types.
func TestWideMachine(t *testing.T) {
	for _, name := range []string{"zen5", "laptop", "v100"} {
		m, err := cost.FindMachine(name)
		if err != nil {
			t.Fatal(err)
		}
		price := func(d graph.DType) cost.Seconds {
			s, _, err := m.Cost(product(t, d))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		for _, d := range graph.DTypes() {
			if same := price(d) == price(lower.Wide(d)); d != lower.Wide(d) && same != m.Wide {
				t.Errorf("%s: %s costs %v, what holds it %v", name, d, price(d), price(lower.Wide(d)))
			}
		}
	}
}

// What was measured with one element type is nothing of another, also where the device
// holds both alike.
func TestKeyTypes(t *testing.T) {
	s := cost.Setting{Device: "d", Library: "l"}
	seen := map[cost.Key]graph.DType{}
	for _, d := range graph.DTypes() {
		k := cost.KeyOf(s, product(t, d))
		if other, ok := seen[k]; ok {
			t.Errorf("%s and %s have one key", d, other)
		}
		seen[k] = d
		var table cost.Table
		if _, err := table.Put(cost.NewEntry(k, cost.Sample{Seconds: 1, Runs: 1})); err != nil {
			t.Fatal(err)
		}
		for _, e := range graph.DTypes() {
			if _, ok := table.Get(cost.KeyOf(s, product(t, e))); ok != (e == d) {
				t.Errorf("a time of %s is one of %s", d, e)
			}
		}
	}
}
