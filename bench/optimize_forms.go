package bench

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/lower"
)

func init() {
	Register(&Benchmark{Name: "optimize-forms", What: "rewritten forms of the models, optimized beside the models themselves: forms are each other's rewrites",
		Takes: "10 min", Packages: []string{"internal/pipeline/optimize", "bench/models"}, Models: true, Default: papers, Run: optimizeForms})
}

// optimizeForms optimizes each model and its forms for the modelled V100.
func optimizeForms(ctx context.Context, env *Env) (*Record, error) {
	m, err := cost.FindMachine("v100")
	if err != nil {
		return nil, err
	}
	t := NewTable("", Label("form"), Modelled("cost", "ms").Digits(4), Modelled("optimized", "ms").Digits(4),
		Modelled("the model, optimized", "ms").Digits(4), Modelled("dearer by", "%").Decimals(2), Measured("search", "s").Digits(2))
	forms, reached := 0, 0
	for _, name := range env.Models {
		after := map[string]cost.Seconds{}
		names := []string{name}
		for _, v := range models.Variants(name) {
			names = append(names, v.Name)
		}
		for _, n := range names {
			x, err := env.model(n)
			if err != nil {
				return nil, err
			}
			res, _, err := watched(ctx, optimize.Options{Model: x, Cost: m, CostName: "analytic:v100", Target: lower.CPU(),
				Seed: 1, Progress: env.Progress, NoVerify: true})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", n, err)
			}
			after[n] = res.CostAfter
			if n == name {
				continue
			}
			forms++
			more := 100 * (float64(res.CostAfter/after[name]) - 1)
			if more < 0.005 {
				reached++
			}
			t.Add(shown(n), 1e3*float64(res.CostBefore), 1e3*float64(res.CostAfter), 1e3*float64(after[name]), more, res.SearchSeconds)
		}
	}
	return &Record{Tables: []*Table{t}, Notes: []string{
		fmt.Sprintf("%d of %d forms end at most as dear as their model. Every result has a proof that the checker accepts.", reached, forms)}}, nil
}
