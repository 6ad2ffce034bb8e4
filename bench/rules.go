package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taso-go/taso/internal/pipeline/genrules"
)

// generator is the package whose code benchmarks of generated rules speak of.
var generator = []string{"internal/pipeline/genrules"}

func init() {
	Register(&Benchmark{Name: "funnel", What: "from graphs of 1 to 3 operators to rules, step by step",
		Takes: "30 s", Packages: generator, Run: funnel})
	Register(&Benchmark{Name: "growth", What: "laws of products, sums and transposes to 5 operators",
		Takes: "10 s", Packages: generator, Run: growth})
	Register(&Benchmark{Name: "presets", What: "rules over the operators of BERT, CNNs and Llama",
		Takes: "1 min", Packages: generator, Run: presets})
	Register(&Benchmark{Name: "provers", What: "quantified axioms vs e-graph on rules of 3 operators",
		Takes: "2 min", Packages: generator, Run: provers})
	Register(&Benchmark{Name: "generation", What: "all rules of 3 and 4 operators vs TASO's",
		Takes: "20 min", Packages: generator, Run: generation})
}

// generate runs the generator to its end.
func generate(ctx context.Context, env *Env, o genrules.Options) (*genrules.Report, error) {
	o.Workers, o.Progress = env.Workers, env.Progress
	o.Seed = 1 // that of taso gen-rules
	rep, err := genrules.Run(ctx, o)
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case rep.Stopped != "":
		return nil, errors.New("stopped before the end: " + rep.Stopped)
	}
	return rep, nil
}

// levelStages are the counts of stages of one level, by name, and the names in
// their order.
func levelStages(rep *genrules.Report, level int) (names []string, counts map[string]int64) {
	counts = map[string]int64{}
	for _, s := range rep.Stages {
		if name, ok := strings.CutPrefix(s.Name, fmt.Sprintf("level %d: ", level)); ok {
			names = append(names, name)
			counts[name] = s.Count
		}
	}
	return names, counts
}

func funnel(ctx context.Context, env *Env) (*Record, error) {
	const levels = 3
	rep, err := generate(ctx, env, genrules.Options{MaxOps: levels})
	if err != nil {
		return nil, err
	}
	names, _ := levelStages(rep, levels)
	t := NewTable("", Label("operators"))
	t.Across = true
	for _, n := range names {
		t.Columns = append(t.Columns, Counted(n))
	}
	for level := 1; level <= levels; level++ {
		_, counts := levelStages(rep, level)
		row := []any{fmt.Sprint(level)}
		for _, n := range names {
			if c, ok := counts[n]; ok {
				row = append(row, c)
			} else {
				row = append(row, nil)
			}
		}
		t.Add(row...)
	}
	sum := NewTable("All levels together:", Counted("rules proved"), Counted("derivable"), Counted("kept"),
		Counted("refuted, with a counterexample"), Counted("unknown"))
	r := rep.Rules
	sum.Add(r.Proved, r.Derivable, r.Kept, r.Refuted, r.Unknown)
	return &Record{Tables: []*Table{t, sum}}, nil
}

func growth(ctx context.Context, env *Env) (*Record, error) {
	const levels = 5
	rep, err := generate(ctx, env, genrules.Options{MaxOps: levels, Ops: []string{"matmul", "ewadd", "transpose"}})
	if err != nil {
		return nil, err
	}
	t := NewTable("", Counted("operators"), Counted("graphs"), Counted("laws proved"))
	p := NewPlot("Graphs of products, sums and transposes", Axis{Name: "operators"}, Axis{Name: "number", Log: true})
	graphs, laws := p.Curve("graphs", FromCount), p.Curve("laws proved", FromCount)
	for level := 1; level <= levels; level++ {
		_, counts := levelStages(rep, level)
		t.Add(level, counts["graphs"], counts["proved"])
		graphs.Add(float64(level), float64(counts["graphs"]))
		if n := counts["proved"]; n > 0 {
			laws.Add(float64(level), float64(n))
		}
	}
	return &Record{Tables: []*Table{t}, Plots: []*Plot{p},
		Notes: []string{fmt.Sprintf("%s rules are kept.", thousands(fmt.Sprint(rep.Rules.Kept)))}}, nil
}

func presets(ctx context.Context, env *Env) (*Record, error) {
	t := NewTable("", Label("preset"), Counted("operators"), Counted("graphs, last level"), Counted("candidates, last level"),
		Counted("proved"), Counted("kept"), Counted("refuted"), Counted("unknown"),
		Measured("time", "s").Decimals(1), Measured("CPU", "s").Decimals(1))
	for _, preset := range []string{"bert", "cnn", "llama"} {
		for ops := 2; ops <= 3; ops++ {
			rep, err := generate(ctx, env, genrules.Options{MaxOps: ops, Ops: []string{preset}})
			if err != nil {
				return nil, fmt.Errorf("%s, %d operators: %w", preset, ops, err)
			}
			_, counts := levelStages(rep, ops)
			r := rep.Rules
			t.Add("`"+preset+"`", ops, counts["graphs"], counts["candidates after renaming and generalizing"],
				r.Proved, r.Kept, r.Refuted, r.Unknown, rep.Seconds, rep.CPUSeconds)
		}
	}
	return &Record{Tables: []*Table{t}}, nil
}

func provers(ctx context.Context, env *Env) (*Record, error) { return proversTo(ctx, env, 3) }

// proversTo compares the provers on the rules of up to so many operators.
func proversTo(ctx context.Context, env *Env, ops int) (*Record, error) {
	rep, err := generate(ctx, env, genrules.Options{MaxOps: ops, Quantified: true})
	if err != nil {
		return nil, err
	}
	p := rep.Provers
	if p == nil {
		return nil, errors.New("the provers were not compared")
	}
	t := NewTable("", Label("prover"), Counted("goals"), Counted("proved"), Measured("CPU of one worker", "s").Digits(3))
	t.Add("(a) quantified axioms, E-matching, guarded by shapes", p.Goals, p.QuantifiedProved, p.QuantifiedSeconds)
	t.Add("(b) e-graph", p.Goals, p.EGraphProved, p.EGraphSeconds)
	return &Record{Tables: []*Table{t}}, nil
}

// The figures of TASO beside ours. Those at 3 operators were measured with its
// public sources (commit f11782c) on a machine with 2 cores, and are of its
// enumerator alone; the paper's are in Jia et al., SOSP 2019, sections 2 and 3.
func generation(ctx context.Context, env *Env) (*Record, error) {
	t := NewTable("", Label("run"), Counted("graphs"), Counted("candidates, after renaming and generalizing"), Counted("rules proved"),
		Counted("kept (not derivable)"), Counted("refuted, with a counterexample"), Counted("unknown"),
		Measured("CPU of enumeration and fingerprints", "s").Decimals(1), Measured("total, with proofs", "s").Digits(2),
		Measured("CPU, total", "s").Digits(2), Measured("graphs per CPU second", "").Digits(3),
		Measured("bytes per graph (peak memory over graphs)", "").Digits(3), Measured("peak memory, proofs included", "GB").Digits(3))
	t.Across = true
	t.AddFrom(FromBefore, "TASO, 3 operators", 16_405_411, 619, nil, nil, nil, nil, 101, nil, nil, "163 k", 482, 7.1)
	t.AddFrom(FromBefore, "TASO, paper (4 operators)", "66 M", 28_744, 743, nil, nil, nil, nil, "< 300, and 600 proving", nil, nil, nil, nil)
	rec := &Record{Tables: []*Table{t}}
	for _, run := range []struct {
		name string
		o    genrules.Options
	}{
		{"ours, 3, exhaustive", genrules.Options{MaxOps: 3, Exhaustive: true}},
		{"ours, 3", genrules.Options{MaxOps: 3}},
		{"ours, 4", genrules.Options{MaxOps: 4}},
	} {
		rep, err := generate(ctx, env, run.o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", run.name, err)
		}
		var candidates int64
		for level := 1; level <= run.o.MaxOps; level++ {
			_, counts := levelStages(rep, level)
			candidates += counts["candidates after renaming and generalizing"]
		}
		r := rep.Rules
		var enumerating any
		if rep.GraphsPerCPUSecond > 0 {
			enumerating = float64(rep.Graphs) / rep.GraphsPerCPUSecond
		}
		t.Add(run.name, rep.Graphs, candidates, r.Proved, r.Kept, r.Refuted, r.Unknown, enumerating, rep.Seconds, rep.CPUSeconds,
			rep.GraphsPerCPUSecond, rep.BytesPerGraph, float64(rep.PeakRSS)/1e9)
		if !run.o.Exhaustive {
			rec.Tables = append(rec.Tables, stageTable(rep))
		}
	}
	return rec, nil
}

// stageTable lists the stages of the last level, and those of no level.
func stageTable(rep *genrules.Report) *Table {
	t := NewTable(fmt.Sprintf("Stages, %d operators:", rep.MaxOps), Label("stage"), Counted("count"),
		Measured("time", "s").Decimals(2), Measured("peak memory", "MB").Digits(2))
	last := fmt.Sprintf("level %d: ", rep.MaxOps)
	for _, s := range rep.Stages {
		if strings.HasPrefix(s.Name, "level ") && !strings.HasPrefix(s.Name, last) {
			continue
		}
		t.Add(s.Name, s.Count, s.Seconds, float64(s.PeakRSS)/1e6)
	}
	return t
}
