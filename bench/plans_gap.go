package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/internal/randplan"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

func init() {
	Register(&Benchmark{Name: "plans-gap", What: "optimality gaps of planners, small and large models",
		Takes: "10 min", Packages: slices.Concat(planned, []string{"internal/randplan"}), Run: plansGap})
}

// gapGraphs is how many small graphs are drawn.
const gapGraphs = 200

// gapModels are large models with the devices that their plans are for.
var gapModels = []struct {
	model, cluster string
	devices, batch int
	optimizer      grad.Optimizer
}{
	{"bert-large-512", "summit:1", 6, 24, grad.SGD},
	{"mlp", "summit:1", 6, 384, grad.SGD},
	{"candle", "summit:1", 6, 384, grad.SGD},
	{"dlrm", "summit:1", 6, 1536, grad.SGD},
	{"xdl", "summit:1", 6, 1536, grad.SGD},
	{"resnext50-full", "summit:1", 6, 96, grad.SGD},
	{"inceptionv3-full", "summit:1", 6, 384, grad.SGD},
	{"gpt-1.3b", "p3-16xlarge:1", 4, 1024, grad.Adam},
	{"moe-1.3b", "p3-16xlarge:1", 4, 1024, grad.Adam},
	{"wrn-1b", "p3-16xlarge:1", 4, 1536, grad.Adam},
}

func plansGap(ctx context.Context, env *Env) (*Record, error) {
	stage := env.Progress.Stage("plan", int64(gapGraphs+len(gapModels)))
	defer stage.Done()
	small, err := gapsOfSmall(ctx, func() { stage.Add(1) })
	if err != nil {
		return nil, err
	}
	large, err := gapsOfLarge(ctx, func() { stage.Add(1) })
	if err != nil {
		return nil, err
	}
	return &Record{Tables: []*Table{small, large}, Notes: []string{
		gapSmallNote,
		gapLargeNote,
		acceptedNote,
	}}, nil
}

// gapsOfSmall compares planners with the best plans of small graphs.
func gapsOfSmall(ctx context.Context, done func()) (*Table, error) {
	type found struct {
		gaps, steps []float64
	}
	names := []string{"data", "fsdp", "megatron", "soap", "auto, least time", "auto"}
	of := map[string]*found{}
	for _, name := range names {
		of[name] = &found{}
	}
	s := parallel.NewStrategies()
	judged := 0
	for seed := range uint64(gapGraphs) {
		draw := rand.New(rand.NewPCG(seed, 10))
		c, err := randplan.Cluster(draw)
		if err != nil {
			return nil, err
		}
		g, how, err := randplan.Graph(draw, c.Devices())
		if err != nil {
			return nil, err
		}
		t := &plan.Training{Graph: g, Next: map[int]int{}}
		if how != nil {
			if t, err = plan.Train(g, *how); err != nil {
				return nil, err
			}
		}
		job := plan.Job{Training: t, Cluster: c, Strategies: s, Seed: 1}
		best, err := plan.Find(ctx, "exhaustive", &job)
		done()
		if errors.Is(err, plan.ErrLarge) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
		judged++
		if err := accepted(ctx, best); err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
		step, err := best.Makespan(ctx)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			j, planner := job, name
			if name[:4] == "auto" {
				// Stages and other networks are not among what exhaustive judges.
				j.Without, planner = []string{"exhaustive", "pipeline", "alpa", "unity"}, "auto"
				j.Serial = name != "auto"
			}
			p, err := plan.Find(ctx, planner, &j)
			if plan.IsNone(err) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("seed %d: %w", seed, err)
			}
			if err := accepted(ctx, p); err != nil {
				return nil, fmt.Errorf("seed %d: %w", seed, err)
			}
			own, err := p.Makespan(ctx)
			if err != nil {
				return nil, err
			}
			if p.Time() < best.Time() {
				return nil, fmt.Errorf("seed %d: %s takes %s, the best %s", seed, name, p.Time(), best.Time())
			}
			f := of[name]
			f.gaps = append(f.gaps, float64(p.Time())/float64(best.Time())-1)
			f.steps = append(f.steps, float64(own)/float64(step))
		}
	}
	t := NewTable(fmt.Sprintf("%d of %d random small graphs and clusters, all of whose plans were enumerated:", judged, gapGraphs), Label("planner"), Counted("plans"),
		Counted("optimal"), Modelled("gap, median", "%").Digits(3), Modelled("gap, 90th percentile", "%").Digits(3), Modelled("gap, maximum", "%").Digits(3),
		Modelled("step over exhaustive's, median", "×").Digits(3), Modelled("step over exhaustive's, maximum", "×").Digits(3))
	for _, name := range names {
		f := of[name]
		if len(f.gaps) == 0 {
			continue
		}
		slices.Sort(f.gaps)
		slices.Sort(f.steps)
		optimal, _ := slices.BinarySearch(f.gaps, 1e-12)
		n := len(f.gaps)
		t.Add(name, n, optimal, 100*f.gaps[n/2], 100*f.gaps[n*9/10], 100*f.gaps[n-1], f.steps[n/2], f.steps[n-1])
	}
	return t, nil
}

// gapsOfLarge compares choices for large models with bounds: layouts along one axis, and stages.
func gapsOfLarge(ctx context.Context, done func()) (*Table, error) {
	t := NewTable("Large models, costs and lower bounds:", Label("model"), Label("cluster"), Counted("devices"),
		Modelled("layout along one axis", "ms").Digits(4), Modelled("bound", "ms").Digits(4), Modelled("gap", "%").Digits(2), Label("search"),
		Modelled("alpa, a step", "ms").Digits(4), Modelled("bound", "ms").Digits(4), Modelled("gap", "%").Digits(2), Label("search"))
	for _, m := range gapModels {
		x, err := newPlanTask(m.model, m.batch, m.cluster, m.devices, grad.Options{Rate: 0.01, Optimizer: m.optimizer})
		if err != nil {
			return nil, err
		}
		s := parallel.NewStrategies()
		roomy, err := machine.Find(m.cluster, machine.Options{}) // a layout along one axis is chosen without regard to memory
		if err != nil {
			return nil, err
		}
		roomy.Memory = 1 << 50
		mesh, err := plan.NewMesh(roomy, m.devices)
		if err != nil {
			return nil, err
		}
		cells := []any{"`" + m.model + "`", m.cluster, m.devices}
		p, err := plan.Make(ctx, x.t, mesh, plan.Options{Strategies: s, Clusters: 16})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.model, err)
		}
		if err := accepted(ctx, p); err != nil {
			return nil, fmt.Errorf("%s: %w", m.model, err)
		}
		one := p.Passes[0]
		cells = append(cells, milliseconds(one.Cost), milliseconds(one.Bound), 100*(float64(one.Cost)/float64(one.Bound)-1), string(one.Stop))
		o, err := x.find(ctx, "alpa", s)
		done()
		if err != nil {
			return nil, err
		}
		if o.why != nil || o.plan.Pipeline == nil {
			t.Add(append(cells, nil, nil, nil, "none fits")...)
			continue
		}
		bound := o.plan.Pipeline.Bound
		t.Add(append(cells, milliseconds(o.step), milliseconds(bound), 100*(float64(o.step)/float64(bound)-1), string(o.plan.Pipeline.Stop))...)
	}
	return t, nil
}
