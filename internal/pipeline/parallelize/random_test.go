package parallelize

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/randplan"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/pad"
	"github.com/taso-go/taso/parallel/plan"
)

// Every planner's plan of a random training step on a random machine is accepted as it is in
// its file: nothing that is so is taken for a lie. TASO_RANDOM_PLANS says how many are drawn.
func TestRandomPlans(t *testing.T) {
	n := sweep.Size(1, 2)
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
		tr, err := Training(g, recipe(g))
		if err != nil {
			t.Fatal(err)
		}
		for _, pl := range plan.Planners() {
			if pl.Name == "auto" || pl.Name == "exhaustive" { // theirs are of the others' kinds
				continue
			}
			p, err := plan.Find(ctx, pl.Name, &plan.Job{Training: tr, Cluster: c, Steps: 1 << 14, Strategies: strategies})
			if plan.IsNone(err) || errors.Is(err, plan.ErrLarge) {
				continue
			}
			if err != nil {
				t.Errorf("%d: %s: %v\n%s", seed, pl.Name, err, g)
				continue
			}
			f, err := Certified(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			f.Model.Hash, f.Training = g.Hash().String(), recipe(g)
			if _, err := Check(ctx, copied(t, f), "plan.json", c, g, false); err != nil {
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

// Random training steps with a random axis of an input some cells longer: where that is proved
// the checker says that it is so, and so do numbers. TASO_RANDOM_PADS says how many are drawn.
func TestRandomPadded(t *testing.T) {
	n := sweep.Size(6, 12)
	if s := os.Getenv("TASO_RANDOM_PADS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	made := 0
	for seed := range n {
		draw := rand.New(rand.NewPCG(uint64(seed), 15))
		g, _, err := randplan.Graph(draw, 1+draw.IntN(4))
		if err != nil {
			t.Fatal(err)
		}
		tr, err := Training(g, recipe(g))
		if err != nil {
			t.Fatal(err)
		}
		in := draw.IntN(len(tr.Graph.Inputs()))
		sizes := tr.Graph.Sizes(tr.Graph.Inputs()[in].Out(0))
		if len(sizes) == 0 {
			continue
		}
		cells := make([]int, len(sizes))
		cells[draw.IntN(len(cells))] = 1 + draw.IntN(3)
		long, err := tr.Pad(ctx, pad.Cells{in: cells})
		if errors.Is(err, pad.ErrNone) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		made++
		p := &plan.Plan{Training: long, Laying: parallel.NewLaying(long.Graph, strategies)}
		before, after, err := p.Ends()
		if err != nil {
			t.Fatal(err)
		}
		cert, err := Certificate(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		a, err := open("before", before)
		if err != nil {
			t.Fatal(err)
		}
		b, err := open("after", after)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := optimize.CheckProofWhereDefined(ctx, bytes.NewReader(cert), "padded", a, b, false); err != nil {
			t.Errorf("%d: %v\n%s", seed, err, long.Graph)
		}
		if before.Work().FLOPs > 1<<26 {
			continue
		}
		want, err := computes(t, before.String())
		if err != nil {
			t.Fatal(err)
		}
		got, err := computes(t, after.String())
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !slices.Equal(got[i].Data, want[i].Data) {
				t.Errorf("%d: output %d is another one\n%s", seed, i, long.Graph)
			}
		}
	}
	t.Logf("%d of %d padded", made, n)
	if made < n/2 {
		t.Errorf("%d of %d are padded", made, n)
	}
}
