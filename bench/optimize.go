package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/taso-go/taso/backends/analytic"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/internal/pipeline/measure"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

func init() {
	Register(&Benchmark{Name: "optimize-v100", What: "models optimized for a modelled V100 with fused kernels",
		Takes: "20 min", Packages: []string{"internal/pipeline/optimize", "backends/analytic", "bench/models"},
		Models: true, Default: papers, Run: func(ctx context.Context, env *Env) (*Record, error) { return optimizeV100(ctx, env, lower.CPU()) }})
	Register(&Benchmark{Name: "optimize-kernels", What: "the same with one kernel per operator, as TASO and Tensat",
		Takes: "15 min", Packages: []string{"internal/pipeline/optimize", "backends/analytic", "bench/models"},
		Models: true, Default: papers, Run: func(ctx context.Context, env *Env) (*Record, error) { return optimizeV100(ctx, env, lower.Separate()) }})
	Register(&Benchmark{Name: "optimize-searches-cpu", What: "the same for operator times measured on the CPU backend",
		Takes: "15 min", Packages: []string{"internal/pipeline/optimize", "internal/pipeline/measure", "backends/cpu", "bench/models"},
		Models: true, Default: papers, Run: optimizeSearchesCPU})
}

// gains are those that Tensat's paper reports (Yang et al., MLSys 2021, table 1),
// on a T4: speedups in percent, and seconds of the optimizers.
var gains = map[string]struct{ taso, tasoSeconds, tensat, tensatSeconds float64 }{
	"bert":        {8.5, 13.6, 9.2, 1.4},
	"resnext50":   {5.5, 25.3, 8.8, 0.7},
	"nasneta":     {1.9, 1226, 7.3, 10.6},
	"nasrnn":      {45.4, 177.3, 68.9, 0.5},
	"inceptionv3": {6.3, 68.6, 10.0, 5.1},
	"squeezenet":  {6.7, 16.4, 24.5, 0.3},
	"vgg19":       {8.9, 8.9, 8.9, 0.4},
}

// v100 is the modelled V100.
func v100() (*analytic.Backend, error) {
	m, err := cost.FindMachine("v100")
	if err != nil {
		return nil, err
	}
	return analytic.New(m)
}

func optimizeV100(ctx context.Context, env *Env, target *lower.Target) (*Record, error) {
	b, err := v100()
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return optimized(ctx, env, target.Name == lower.CPU().Name, func(*model.Model) (optimize.Options, error) {
		return optimize.Options{Cost: b.Machine(), CostName: "analytic:v100", Target: target}, nil
	})
}

// optimizeSearchesCPU optimizes for the times of the model's own operators on this
// machine: a formula that is fitted to them.
func optimizeSearchesCPU(ctx context.Context, env *Env) (*Record, error) {
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return optimized(ctx, env, false, func(m *model.Model) (optimize.Options, error) {
		on, name, err := fitted(ctx, env, b, m)
		return optimize.Options{Cost: on, CostName: name, Target: b.Target()}, err
	})
}

// fitted is the formula of a machine, fitted to the times that the operators of a model
// take here if there are enough of them.
func fitted(ctx context.Context, env *Env, b *cpu.Backend, m *model.Model) (*cost.Machine, string, error) {
	start, err := cost.FindMachine(formula)
	if err != nil {
		return nil, "", err
	}
	timed, err := measure.Run(ctx, measure.Options{Backend: b, Models: []*model.Model{m}, Machine: start, Progress: env.Progress})
	switch {
	case err != nil:
		return nil, "", err
	case timed.Fit == nil:
		return start, "the formula of " + formula, nil
	}
	return timed.Fit.Machine, "that formula, fitted", nil
}

// longer is how many times the seconds of auto backtracking gets by itself.
const longer = 10

// way is a way to search, as the tables call it.
type way struct {
	name    string
	method  optimize.Method
	extract extract.Method
}

// ways are the searches, and saturation with extractions that are by themselves: greedy
// as in most e-graph optimizers, and exact, which is optimal where it comes to the bound.
func ways() []way {
	var ws []way
	for _, m := range optimize.Methods() {
		ws = append(ws, way{name: m, method: optimize.Method(m)})
	}
	return append(ws, way{"saturate, greedy", optimize.Saturate, extract.Greedy}, way{"saturate, exact", optimize.Saturate, extract.Exact})
}

// optimized optimizes models by every search: a table of costs and seconds, and
// for each search a plot of the cost over time. With patient backtracking gets longer, too.
func optimized(ctx context.Context, env *Env, patient bool, costs func(*model.Model) (optimize.Options, error)) (*Record, error) {
	t := NewTable("", Label("model"), Label("search"), Modelled("cost before", "ms").Digits(4), Modelled("cost after", "ms").Digits(4),
		Modelled("speedup", "%").Decimals(1), Measured("search", "s").Digits(2), Counted("steps"), Counted("operators before"),
		Counted("operators after"), Counted("proof bytes"), Counted("e-nodes"), Modelled("first extraction", "ms").Digits(4), Modelled("lower bound", "ms").Digits(4))
	rec := &Record{Tables: []*Table{t}}
	runner, err := cpu.New(cpu.Options{})
	if err != nil {
		return nil, err
	}
	defer runner.Close()
	for _, method := range optimize.Methods() {
		rec.Plots = append(rec.Plots, NewPlot("Cost over time, search "+method, Axis{Name: "time", Unit: "s", Log: true}, Axis{Name: "cost relative to the model"}))
	}
	for _, name := range env.Models {
		m, err := env.model(name)
		if err != nil {
			return nil, err
		}
		o, err := costs(m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		o.Model, o.Seed, o.Runner, o.Progress = m, 1, runner, env.Progress
		row := func(o optimize.Options, called string) (*optimize.Result, *Curve, error) {
			res, curve, err := watched(ctx, o)
			if err != nil {
				return nil, nil, fmt.Errorf("%s, %s: %w", name, called, err)
			}
			cells := []any{shown(name), called, 1e3 * float64(res.CostBefore), 1e3 * float64(res.CostAfter), 100 * (float64(res.CostBefore/res.CostAfter) - 1),
				res.SearchSeconds, res.StepCount, res.NodesBefore, res.NodesAfter, len(res.Proof)}
			if res.EGraph == nil {
				cells = append(cells, nil, nil, nil)
			} else {
				cells = append(cells, res.EGraph.Nodes, 1e3*res.Extract.Cost, 1e3*res.Extract.Bound)
			}
			t.Add(cells...)
			return res, curve, nil
		}
		autoSeconds := 0.0
		for i, w := range ways() {
			run := o
			run.Method, run.Extract = w.method, w.extract
			run.NoVerify = run.Method != optimize.Auto // the proof of each is checked
			res, curve, err := row(run, w.name)
			if err != nil {
				return nil, err
			}
			if run.Method == optimize.Auto {
				autoSeconds = res.SearchSeconds
			}
			if i < len(rec.Plots) && len(rec.Plots[i].Curves) < maxCurves {
				curve.Name = filepath.Base(name)
				rec.Plots[i].Curves = append(rec.Plots[i].Curves, curve)
			}
		}
		if patient {
			long := o
			long.Method, long.NoVerify = optimize.Backtrack, true
			long.Tries, long.Budget = 1<<30, time.Duration(longer*autoSeconds*float64(time.Second))
			if _, _, err := row(long, fmt.Sprintf("backtrack, %d times as long as auto", longer)); err != nil {
				return nil, err
			}
		}
		reported(t, name)
	}
	rec.Notes = []string{optimizedNote, curvesNote}
	return rec, nil
}

// reported adds what Tensat's paper reports of a model.
func reported(t *Table, name string) {
	if g, ok := gains[name]; ok {
		t.AddFrom(FromBefore, shown(name), "TASO, on a T4", nil, nil, g.taso, g.tasoSeconds, nil, nil, nil, nil, nil, nil, nil)
		t.AddFrom(FromBefore, shown(name), "Tensat, on a T4", nil, nil, g.tensat, g.tensatSeconds, nil, nil, nil, nil, nil, nil, nil)
	}
}

// watched optimizes, and draws the cost of the best so far over time, beside that
// of the model.
func watched(ctx context.Context, o optimize.Options) (*optimize.Result, *Curve, error) {
	// Below a millisecond the clock says little, and 0 is on no logarithmic axis.
	const least = 1e-3
	var best [][2]float64
	o.Improved = func(seconds float64, c cost.Seconds) { best = append(best, [2]float64{seconds, float64(c)}) }
	res, err := optimize.Run(ctx, o)
	switch {
	case err != nil:
		return nil, nil, err
	case ctx.Err() != nil: // a search that was interrupted has a result, too
		return nil, nil, ctx.Err()
	case !res.ProofChecked:
		return nil, nil, errors.New("the proof was not checked")
	}
	c := &Curve{Source: FromModel, Steps: true}
	c.Add(least, 1)
	for _, q := range best {
		c.Add(max(q[0], least), q[1]/float64(res.CostBefore))
	}
	// The plan of the whole may know better than the sum that a search goes by.
	c.Add(max(res.SearchSeconds, least), float64(res.CostAfter/res.CostBefore))
	return res, c, nil
}
