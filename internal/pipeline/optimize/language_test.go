package optimize

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/model"
)

// A layer of a language model as PyTorch writes it: queries, keys and values become one
// product, with their biases, scales go into tables or weights, keys and values that
// several queries share are not repeated, gains go into weights. What comes out is proved
// and computes the same. On a GPU, which takes long to start a kernel, that is worth a
// quarter of the modelled time and more.
func TestLanguageModels(t *testing.T) {
	machine, err := cost.FindMachine("v100")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file  string
		most  float64        // of the modelled cost that is left
		uses  []string       // laws of the result
		count map[string]int // operators of the result
	}{
		{"llama.graph", 0.8, []string{"share_keys_joined", "share_values", "sign_into_table", "merge_shared_products", "gain_into_weights"},
			map[string]int{"neg": 0, "smul": 1}},
		{"gpt2.graph", 0.8, []string{"matmul_smul"}, map[string]int{"matmul": 6}},
		{"gpt2-apart.graph", 0.75, []string{"merge_shared_products", "lift_addends"}, map[string]int{"matmul": 6}},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		g, err := graph.ParseText(c.file, string(text))
		if err != nil {
			t.Fatal(err)
		}
		m := &model.Model{Name: c.file, Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
		for _, id := range g.Inputs() {
			if g.IsWeight(id) {
				m.Weights[id] = model.Uniform(model.Seed(1, g.Name(id)), g.Sizes(id.Out(0)), 0.5, 1)
			}
		}
		res, err := Run(context.Background(), Options{Model: m, Cost: machine, Tries: sweep.Size(8000, 20000)})
		if err != nil {
			t.Fatal(err)
		}
		if !res.ProofChecked || res.Exact != "equal" || res.Numbers != "agree" {
			t.Errorf("%s: proof checked: %t, %s %s", c.file, res.ProofChecked, res.Exact, res.Numbers)
		}
		if left := float64(res.CostAfter / res.CostBefore); left > c.most {
			t.Errorf("%s: %.2f of the cost is left, want at most %.2f", c.file, left, c.most)
		} else {
			t.Logf("%s: %.2f of the cost is left", c.file, left)
		}
		used := map[string]int{}
		for _, s := range res.Steps {
			used[s.Law]++
		}
		for _, law := range c.uses {
			if used[law] == 0 {
				t.Errorf("%s: law %s is not used: %v", c.file, law, used)
			}
		}
		out := res.Model.Graph
		ops := map[string]int{}
		for id := range out.Nodes() {
			if op := out.Op(id); op != nil {
				ops[op.Name]++
			}
		}
		for op, n := range c.count {
			if ops[op] != n {
				t.Errorf("%s: %d operators %s, want %d", c.file, ops[op], op, n)
			}
		}
		if before := len(slices.Collect(g.Nodes())); len(slices.Collect(out.Nodes())) >= before {
			t.Errorf("%s: no fewer nodes than %d", c.file, before)
		}
	}
}
