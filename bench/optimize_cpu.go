package bench

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/taso-go/taso/internal/pipeline/optimize"
)

func init() {
	Register(&Benchmark{Name: "optimize-cpu", What: "models before and after optimize: ours and ONNX Runtime",
		Takes: "20 min", Packages: []string{"internal/pipeline/optimize", "internal/pipeline/measure", "backends/cpu", "bench/models", "onnx", "internal/ort"},
		Models: true, Default: papers, Repeat: true, Run: optimizeCPU})
}

// optimizeCPU fits a machine to the operators of each model, optimizes the model
// for it, and runs both.
func optimizeCPU(ctx context.Context, env *Env) (*Record, error) {
	e, err := openEngines(ctx, false)
	if err != nil {
		return nil, err
	}
	defer e.close()
	repeat := env.repeats()
	t := NewTable("", Label("model"), Modelled("cost before", "ms").Digits(3), Modelled("cost after", "ms").Digits(3), Counted("steps"),
		Measured("search", "s").Digits(2), Measured("ours before", "ms").Digits(3), Measured("ours after", "ms").Digits(3),
		Measured("ONNX Runtime, optimizations off, before", "ms").Digits(3), Measured("ONNX Runtime, optimizations off, after", "ms").Digits(3),
		Measured("ONNX Runtime, optimizations on, before", "ms").Digits(3), Measured("ONNX Runtime, optimizations on, after", "ms").Digits(3),
		Measured("largest relative deviation", ""))
	p := NewPlot("Cost over time, for the CPU backend", Axis{Name: "time", Unit: "s", Log: true}, Axis{Name: "cost relative to the model"})
	for _, name := range env.Models {
		m, err := env.model(name)
		if err != nil {
			return nil, err
		}
		fail := func(err error) (*Record, error) { return nil, fmt.Errorf("%s: %w", name, err) }
		on, called, err := fitted(ctx, env, e.ours, m)
		if err != nil {
			return fail(err)
		}
		o := optimize.Options{Model: m, Cost: on, CostName: called, Target: e.ours.Target(), Runner: e.ours,
			Measure: true, Repeat: repeat, Seed: 1, Workers: env.Workers, Progress: env.Progress}
		res, curve, err := watched(ctx, o)
		if err != nil {
			return fail(err)
		}
		both, err := e.timeModels(ctx, repeat, m, res.Model)
		if err != nil {
			return fail(err)
		}
		row := []any{shown(name), 1e3 * float64(res.CostBefore), 1e3 * float64(res.CostAfter), res.StepCount, res.SearchSeconds}
		for engine := range 3 {
			for i := range both {
				if e.ort == nil && engine > 0 {
					row = append(row, nil)
				} else {
					row = append(row, 1e3*both[i].best[engine])
				}
			}
		}
		t.Add(append(row, fmt.Sprintf("%.1e", res.MaxRelError))...)
		if len(p.Curves) < maxCurves {
			curve.Name = filepath.Base(name)
			p.Curves = append(p.Curves, curve)
		}
	}
	rec := &Record{Tables: []*Table{t}, Plots: []*Plot{p}, Notes: []string{
		fmt.Sprintf("Costs are those of the formula of `%s` fitted to the times of the model's operators, taken in this run; times of whole models are the best of %d interleaved runs, one thread each. The original was kept unless a result was faster, or simpler and not slower.", formula, repeat), curvesNote}}
	if e.ort != nil {
		rec.Notes = append(rec.Notes, "ONNX Runtime "+e.ort.Version+".")
	}
	return rec, nil
}
