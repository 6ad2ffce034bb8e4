package optimize

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/internal/sweep"
)

// The models and their forms, in small, optimized: the proof is accepted, the result
// computes the same modulo the prime and in float32, whatever is fed. Two runs of a form,
// with one worker and with two, give the same bytes. TASO_ALL_MODELS=1, as in make sweeps, takes
// all models and forms, each twice, and 20 seeds.
func TestModels(t *testing.T) {
	machine, err := cost.FindMachine("v100")
	if err != nil {
		t.Fatal(err)
	}
	runner, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	names, twice, seeds, tries := []string{"squeezenet+split-tiny", "bert-tiny", "nasneta-tiny", "resnet50-tiny"}[:sweep.Size(2, 4)], sweep.Size(1, 2), uint64(2), sweep.Size(1000, 2000)
	if os.Getenv("TASO_ALL_MODELS") != "" {
		names, seeds, tries = nil, 20, 6000
		for _, n := range models.Names() {
			names = append(names, n+"-tiny")
			for _, v := range models.Variants(n + "-tiny") {
				names = append(names, v.Name)
			}
		}
		twice = len(names)
	}
	gained := 0
	for i, name := range names {
		m, err := models.Build(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		run := func(workers int) *Result {
			r, err := Run(context.Background(), Options{Model: m, Cost: machine, CostName: "v100", Tries: tries, Workers: workers, Runner: runner, Seed: 1})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return r
		}
		r := run(1)
		if i < twice {
			if again := run(2); !bytes.Equal(again.Proof, r.Proof) || again.CostAfter != r.CostAfter || again.Model.Graph.String() != r.Model.Graph.String() {
				t.Errorf("%s: two workers find something else than one", name)
			}
		}
		if r.StepCount > 0 {
			gained++
		}
		if r.CostAfter > r.CostBefore || !r.ProofChecked {
			t.Errorf("%s: %+v", name, r.Report)
		}
		for seed := range seeds {
			exact, err := verifymodels.Run(context.Background(), verifymodels.Options{A: m, B: r.Unfolded, Seed: seed, NoNumbers: true})
			if err != nil {
				t.Fatal(err)
			}
			if exact.Exact.Verdict != verifymodels.Equal {
				t.Errorf("%s, seed %d: modulo the prime %s: %s", name, seed, exact.Exact.Verdict, exact.Exact.Why)
			}
			numbers, err := verifymodels.Run(context.Background(), verifymodels.Options{A: m, B: r.Model, Seed: seed, NoExact: true, Backend: runner})
			if err != nil {
				t.Fatal(err)
			}
			if !numbers.Agree {
				t.Errorf("%s, seed %d:\n%s", name, seed, numbers)
			}
		}
	}
	if gained == 0 {
		t.Error("nothing was optimized")
	}
	t.Logf("%d networks, %d of them cheaper afterwards, %d seeds", len(names), gained, seeds)
}
