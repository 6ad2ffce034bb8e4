package parallelize

import (
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/randplan"
	"github.com/taso-go/taso/parallel/plan"
)

// Every planner's plan of a random training step on a random machine is accepted as it is in
// its file: nothing that is so is taken for a lie. TASO_RANDOM_PLANS says how many are drawn.
func TestRandomPlans(t *testing.T) {
	n := 2
	if s := os.Getenv("TASO_RANDOM_PLANS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	made := 0
	for seed := range n {
		draw := rand.New(rand.NewPCG(uint64(seed), 14))
		c, err := randplan.Cluster(draw)
		if err != nil {
			t.Fatal(err)
		}
		g, _, err := randplan.Graph(draw, c.Devices())
		if err != nil {
			t.Fatal(err)
		}
		for _, pl := range plan.Planners() {
			if pl.Name == "auto" || pl.Name == "exhaustive" { // theirs are of the others' kinds
				continue
			}
			r, err := Make(ctx, Options{Name: "random", Graph: g, Machine: "random", Cluster: c, Planner: pl.Name, Steps: 1 << 14, Recipe: recipe(g)})
			if plan.IsNone(err) || errors.Is(err, plan.ErrLarge) {
				continue
			}
			if err != nil {
				t.Errorf("%d: %s: %v\n%s", seed, pl.Name, err, g)
				continue
			}
			if _, err := Check(ctx, copied(t, r.File), "plan.json", c, g, false); err != nil {
				t.Errorf("%d: %s: %v", seed, pl.Name, err)
			}
			made++
		}
	}
	if made < 2*n {
		t.Errorf("%d plans of %d training steps", made, n)
	}
}

// recipe trains what has weights.
func recipe(g *graph.Graph) *plan.Recipe {
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			return &plan.Recipe{Loss: "meansquare", Optimizer: "adam", Rate: 0.01}
		}
	}
	return nil
}
