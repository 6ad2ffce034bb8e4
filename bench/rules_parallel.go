package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/law"
)

func init() {
	Register(&Benchmark{Name: "parallel-rules", What: "rules about tensors on device meshes vs Unity's",
		Takes: "2 min", Packages: generator, Run: parallelRules})
}

// parallelRules generates the rules over each preset for meshes.
func parallelRules(ctx context.Context, env *Env) (*Record, error) {
	t := NewTable("", Label("preset, 4 operators"), Counted("graphs"), Counted("candidates"), Counted("proved"),
		Counted("about meshes"), Counted("kept"), Counted("refuted"), Counted("unknown"),
		Measured("time", "s").Decimals(1), Measured("CPU", "s").Decimals(1))
	t.AddFrom(FromBefore, "Unity, paper: about parallelization", nil, 651, nil, nil, nil, nil, nil, "30 min with 743 others", nil)
	seen := map[string]bool{}
	var all []*law.Law
	sum := [6]int{}
	var seconds, cpu float64
	for _, preset := range genrules.MeshPresets() {
		rep, err := generate(ctx, env, genrules.Options{MaxOps: 4, Ops: []string{preset}})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", preset, err)
		}
		about, candidates := 0, 0
		for _, l := range rep.Levels {
			candidates += int(l.Candidates)
		}
		for _, r := range rep.Set.Rules {
			if len(layoutsOf(r.Law)) == 0 {
				continue
			}
			about++
			if !seen[r.ID()] {
				seen[r.ID()] = true
				all = append(all, r.Law)
			}
		}
		c := rep.Rules
		t.Add("`"+preset+"`", rep.Graphs, candidates, c.Proved, about, c.Kept, c.Refuted, c.Unknown, rep.Seconds, rep.CPUSeconds)
		for i, n := range []int{int(rep.Graphs), candidates, c.Proved, c.Kept, c.Refuted, c.Unknown} {
			sum[i] += n
		}
		seconds, cpu = seconds+rep.Seconds, cpu+rep.CPUSeconds
	}
	t.Add("all; rules about meshes once", sum[0], sum[1], sum[2], len(all), sum[3], sum[4], sum[5], seconds, cpu)
	return &Record{Tables: []*Table{t, layoutTable(all)}}, nil
}

// layoutsOf are the operators about meshes of a law, and lifted ones, by name.
func layoutsOf(l *law.Law) map[string]bool {
	out := map[string]bool{}
	l.EachTerm(func(u *law.Term) {
		if u.Op == nil {
			return
		}
		one, _, _ := u.Op.Member(u.Attrs)
		switch {
		case one != nil && one.Layout != graph.LayoutNone:
			out[one.Name] = true
		case one != nil:
			out["operators on each member"] = true
		case u.Op.Layout != graph.LayoutNone:
			out[u.Op.Name] = true
		}
	})
	return out
}

// layoutTable counts laws by operator and kind.
func layoutTable(laws []*law.Law) *Table {
	t := NewTable("By operator and kind (a rule may count several times):", Label("rules with"), Counted("rules"))
	by := map[string]int{}
	structure, any, two := 0, 0, 0
	for _, l := range laws {
		for name := range layoutsOf(l) {
			by[name]++
		}
		only, degree := true, true
		axes := map[graph.Dim]bool{}
		l.EachTerm(func(u *law.Term) {
			if u.Op == nil {
				only = only && u.Fn == ""
				return
			}
			one, own, _ := u.Op.Member(u.Attrs)
			if one == nil {
				one, own = u.Op, u.Attrs
			}
			only = only && one.Layout != graph.LayoutNone
			if i := one.ParamIndex("on"); i >= 0 {
				d, _ := own[i].Dim()
				_, literal := d.Const()
				degree = degree && !literal
				axes[d] = true
			}
		})
		if only {
			structure++
		}
		if degree {
			any++
		}
		if len(axes) > 1 {
			two++
		}
	}
	names := make([]string, 0, len(by))
	for name := range by {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.Add(name, by[name])
	}
	t.Add("layouts only: the structure of meshes", structure)
	t.Add("layouts and other operators", len(laws)-structure)
	t.Add("axes of different sizes", two)
	t.Add("a variable for the number of members", any)
	return t
}
