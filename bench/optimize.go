package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/backends/analytic"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/optimize"
)

func init() {
	Register(&Benchmark{Name: "optimize-v100", What: "the papers' models optimized by each search for the modelled V100, beside the gains of TASO and Tensat",
		Takes: "20 min", Packages: []string{"internal/pipeline/optimize", "backends/analytic", "bench/models"},
		Models: true, Default: papers, Run: optimizeV100})
}

// gains are those that Tensat's paper reports (Yang et al., MLSys 2021, table 1),
// on a T4: speedups in percent, and seconds of the optimizers.
var gains = map[string]struct{ taso, tensat, tasoSeconds, tensatSeconds float64 }{
	"bert":        {8.5, 9.2, 13.6, 1.4},
	"resnext50":   {5.5, 8.8, 25.3, 0.7},
	"nasneta":     {1.9, 7.3, 1226, 10.6},
	"nasrnn":      {45.4, 68.9, 177.3, 0.5},
	"inceptionv3": {6.3, 10.0, 68.6, 5.1},
	"squeezenet":  {6.7, 24.5, 16.4, 0.3},
	"vgg19":       {8.9, 8.9, 8.9, 0.4},
}

func optimizeV100(ctx context.Context, env *Env) (*Record, error) {
	m, err := cost.FindMachine("v100")
	if err != nil {
		return nil, err
	}
	b, err := analytic.New(m)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return optimized(ctx, env, optimize.Options{Cost: b.Machine(), CostName: "analytic:v100", Target: b.Target()})
}

// optimized optimizes models by every search: a table of costs and seconds, and
// for each search a plot of the cost over time.
func optimized(ctx context.Context, env *Env, o optimize.Options) (*Record, error) {
	t := NewTable("", Label("model"), Counted("operators"), Modelled("cost", "ms").Digits(4))
	plots := map[string]*Plot{}
	rec := &Record{Tables: []*Table{t}}
	for _, method := range optimize.Methods() {
		t.Columns = append(t.Columns, Modelled(method+": faster by", "%").Decimals(1), Counted("steps"), Measured("search", "s").Digits(2))
		plots[method] = NewPlot("Cost over time, search "+method, Axis{Name: "time", Unit: "s", Log: true}, Axis{Name: "cost beside the model's"})
		rec.Plots = append(rec.Plots, plots[method])
	}
	t.Columns = append(t.Columns, Recorded("TASO: faster by", "%"), Recorded("TASO's search", "s"),
		Recorded("Tensat: faster by", "%"), Recorded("Tensat's search", "s"))
	for _, name := range env.Models {
		m, err := models.Build(name, 1)
		if err != nil {
			return nil, err
		}
		row := []any{"`" + name + "`", nil, nil}
		for _, method := range optimize.Methods() {
			run := o
			run.Model, run.Method, run.Seed, run.Progress = m, optimize.Method(method), 1, env.Progress
			steps := &Curve{Name: name, Source: FromModel, Steps: true}
			var best [][2]float64
			run.Improved = func(seconds float64, c cost.Seconds) {
				// Below a millisecond the clock says little.
				best = append(best, [2]float64{max(seconds, 1e-3), float64(c)})
			}
			res, err := optimize.Run(ctx, run)
			switch {
			case err != nil:
			case ctx.Err() != nil: // a search that was interrupted has a result, too
				err = ctx.Err()
			case !res.ProofChecked:
				err = errors.New("the proof was not checked")
			}
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", name, method, err)
			}
			row[1], row[2] = res.NodesBefore, 1e3*float64(res.CostBefore)
			row = append(row, 100*(float64(res.CostBefore/res.CostAfter)-1), res.StepCount, res.SearchSeconds)
			steps.Add(1e-3, 1)
			for _, q := range best {
				steps.Add(q[0], q[1]/float64(res.CostBefore))
			}
			steps.Add(max(res.SearchSeconds, 1e-3), float64(res.CostAfter/res.CostBefore))
			p := plots[method]
			if len(p.Curves) < maxCurves {
				p.Curves = append(p.Curves, steps)
			}
		}
		if g, ok := gains[name]; ok {
			row = append(row, g.taso, g.tasoSeconds, g.tensat, g.tensatSeconds)
		} else {
			row = append(row, nil, nil, nil, nil)
		}
		t.Add(row...)
	}
	rec.Notes = []string{"A search is over when it has tried a million moves, or finds nothing more. Every result has a proof that the checker accepts, and both models were run and agree."}
	return rec, nil
}
