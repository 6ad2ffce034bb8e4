package optimize_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/model"
)

// A product of weights is free if it can be computed ahead, by each search; one that is
// too much work for that is not made to save work in the run, since who runs the file
// would make it.
func TestHeavyProducts(t *testing.T) {
	on := machine(t)
	for _, c := range []struct {
		n     int
		saves bool
	}{{256, true}, {1024, false}} {
		g, err := graph.ParseText("model", fmt.Sprintf("x : float32[4, %d]\nv : weight float32[%[1]d, %[1]d]\nw : weight float32[%[1]d, %[1]d]\ny = matmul(x, v)\nz = matmul(y, w)\nreturn z", c.n))
		if err != nil {
			t.Fatal(err)
		}
		m := &model.Model{Name: "chain", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
		for i, name := range []string{"v", "w"} {
			id, _ := g.Find(name)
			m.Weights[id] = model.Random(uint64(i), []int{c.n, c.n}, 0.1)
		}
		for i, method := range optimize.Methods() {
			res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: on, CostName: "modelled", Method: optimize.Method(method), Tries: 2000, Alpha: 1.2,
				NoVerify: i >= sweep.Size(1, 9) && !c.saves})
			if err != nil {
				t.Fatalf("%d, %s: %v", c.n, method, err)
			}
			if got := res.Folded == 1 && res.NodesAfter == 1 && res.CostAfter < res.CostBefore; got != c.saves {
				t.Errorf("%d, %s: %d operators, %d weights computed ahead, cost %g -> %g", c.n, method, res.NodesAfter, res.Folded, res.CostBefore, res.CostAfter)
			}
			if res.After.FLOPs > res.Before.FLOPs {
				t.Errorf("%d, %s: %d operations, before %d", c.n, method, res.After.FLOPs, res.Before.FLOPs)
			}
		}
	}
}
