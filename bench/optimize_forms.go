package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

func init() {
	rewritten := slices.DeleteFunc(models.Names(), func(name string) bool { return len(models.Variants(name)) == 0 })
	Register(&Benchmark{Name: "optimize-forms", What: "rewritten forms optimized, and proofs that they are equal",
		Takes: "10 min", Packages: []string{"internal/pipeline/optimize", "bench/models"}, Models: true, Default: rewritten, Run: optimizeForms})
}

// optimizeForms optimizes each model and its forms for the modelled V100, and looks for
// a proof from the model to the form.
func optimizeForms(ctx context.Context, env *Env) (*Record, error) {
	m, err := cost.FindMachine("v100")
	if err != nil {
		return nil, err
	}
	zero := Counted("zero weights")
	zero.Unit = "%"
	t := NewTable("", Label("form"), Modelled("cost", "ms").Digits(4), Modelled("optimized", "ms").Digits(4),
		Modelled("model, optimized", "ms").Digits(4), Modelled("cost over the model's", "%").Decimals(2), Measured("search", "s").Digits(2),
		zero.Decimals(1), Counted("proof steps, model to form"), Measured("proof", "s").Digits(2))
	forms, reached, blind, proved := 0, 0, 0, 0
	for _, name := range env.Models {
		of, err := env.model(name)
		if err != nil {
			return nil, err
		}
		run := func(x *model.Model) (*optimize.Result, error) {
			res, _, err := watched(ctx, optimize.Options{Model: x, Cost: m, CostName: "analytic:v100", Target: lower.CPU(),
				Seed: 1, Progress: env.Progress, NoVerify: true})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", x.Name, err)
			}
			return res, nil
		}
		base, err := run(of)
		if err != nil {
			return nil, err
		}
		had, err := zeros(of)
		if err != nil {
			return nil, err
		}
		for _, v := range models.Variants(name) {
			x, err := env.model(v.Name)
			if err != nil {
				return nil, err
			}
			res, err := run(x)
			if err != nil {
				return nil, err
			}
			has, err := zeros(x)
			if err != nil {
				return nil, err
			}
			start := time.Now()
			p, err := optimize.Prove(ctx, of, x, optimize.Options{Tries: 1, Progress: env.Progress})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", v.Name, err)
			}
			seconds := time.Since(start).Seconds()
			forms++
			more := 100 * (float64(res.CostAfter/base.CostAfter) - 1)
			switch {
			case more < 0.005:
				reached++
			case has > had:
				blind++
			}
			var steps any
			if p.Equal {
				proved++
				steps = p.Checked.Steps
			}
			t.Add(shown(v.Name), 1e3*float64(res.CostBefore), 1e3*float64(res.CostAfter), 1e3*float64(base.CostAfter), more, res.SearchSeconds,
				100*has, steps, seconds)
		}
	}
	return &Record{Tables: []*Table{t}, Notes: []string{
		fmt.Sprintf("%d of %d forms end at the cost of their model or below; %d "+zerosNote+" Every result has a proof that the checker accepts.", reached, forms, blind),
		fmt.Sprintf("From %d of %d models there is a proof to their form, found by normal forms.", proved, forms)}}, nil
}

// zeros is which part of the numbers of a model's weights with at least two axes are
// zero.
func zeros(m *model.Model) (float64, error) {
	all, none := 0, 0
	for _, id := range m.Graph.Inputs() {
		w := m.Weights[id]
		if w == nil || len(w.Sizes) < 2 {
			continue
		}
		raw, err := w.Read()
		if err != nil {
			return 0, fmt.Errorf("weight %s: %w", m.Graph.Name(id), err)
		}
		size := w.DType.Bytes()
		for i := 0; i < len(raw); i += size {
			all++
			if slices.IndexFunc(raw[i:i+size], func(b byte) bool { return b != 0 }) < 0 {
				none++
			}
		}
	}
	return float64(none) / float64(max(all, 1)), nil
}
