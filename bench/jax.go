package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/internal/jax"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/export"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

func init() {
	Register(&Benchmark{Name: "jax", What: "plans run by JAX: outputs and collectives vs the plan",
		Takes: "12 min", Packages: []string{"parallel/export", "parallel/plan", "internal/jax"}, Run: jaxPlans})
}

// jaxPlan is a way to make a plan on a number of devices.
type jaxPlan struct {
	name string
	make func(ctx context.Context, j *plan.Job) (*plan.Plan, error)
}

// jaxPlanner is that of a planner.
func jaxPlanner(name string) jaxPlan {
	return jaxPlan{"`" + name + "`", func(ctx context.Context, j *plan.Job) (*plan.Plan, error) { return plan.Find(ctx, name, j) }}
}

// errJaxSame is the error for a plan that another one is already.
var errJaxSame = errors.New("two axes want four devices")

// jaxMeans is by means along axes: micro-batches if there are some, and two axes, of which
// the second has two devices, if there are two means.
func jaxMeans(name string, micro int, means ...plan.Means) jaxPlan {
	return jaxPlan{name, func(ctx context.Context, j *plan.Job) (*plan.Plan, error) {
		var axes []plan.Axis
		var of []plan.Means
		if micro > 1 {
			axes, of = append(axes, plan.Axis{Degree: micro, Time: true}), append(of, plan.Data)
		}
		rest := j.Devices
		if len(means) == 2 {
			if rest /= 2; rest < 2 {
				return nil, errJaxSame
			}
		}
		for i, m := range means {
			axes, of = append(axes, plan.Axis{Degree: []int{rest, 2}[i]}), append(of, m)
		}
		m, err := plan.NewMeshOf(j.Cluster, nil, axes...)
		if err != nil {
			return nil, err
		}
		return plan.Make(ctx, j.Training, m, plan.Options{Means: of, Strategies: j.Strategies})
	}}
}

// jaxWays are the plans that are compared: those of planners, where they have no stages, which are
// not exported, and means along the axes of meshes. Auto takes one of theirs.
func jaxWays() (out []jaxPlan) {
	for _, name := range []string{"data", "fsdp", "megatron", "soap", "unity", "alpa"} {
		out = append(out, jaxPlanner(name))
	}
	return append(out,
		jaxMeans("data × megatron", 0, plan.Data, plan.Megatron),
		jaxMeans("fsdp × megatron", 0, plan.FSDP, plan.Megatron),
		jaxMeans("fsdp × fsdp", 0, plan.FSDP, plan.FSDP),
		jaxMeans("2 micro-batches, data", 2, plan.Data),
		jaxMeans("2 micro-batches, fsdp × megatron", 2, plan.FSDP, plan.Megatron))
}

// jaxDevices are numbers of virtual devices.
var jaxDevices = []int{2, 4, 8}

// jaxCluster has eight devices in a node.
const jaxCluster = "p3-16xlarge:1"

// jaxPlans compares plans with what JAX makes of them.
func jaxPlans(ctx context.Context, env *Env) (*Record, error) {
	rt, err := jax.Find(ctx)
	if err != nil {
		return nil, err
	}
	c, err := machine.Find(jaxCluster, machine.Options{})
	if err != nil {
		return nil, err
	}
	run, err := rt.Start(ctx, slices.Max(jaxDevices))
	if err != nil {
		return nil, err
	}
	defer run.Close() // what it says in the end is no matter: each program has had its answer
	t := NewTable("", Label("network"), Label("plan"), Label("devices"), Counted("outputs"), Measured("largest difference", "1e-7").Digits(2),
		Counted("collectives, plan"), Counted("collectives, XLA"), Counted("kB per device").Digits(3), Counted("explained differences"), Counted("unexplained differences"), Label("collectives of the plan"))
	ways := jaxWays()
	said, staged := map[string]int{}, map[string]int{}
	var without []string
	plans, equal := 0, 0
	stage := env.Progress.Stage("run", int64(len(jaxNetworks)*len(ways)*len(jaxDevices)))
	for _, n := range jaxNetworks {
		tr, err := n.training()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.name, err)
		}
		strategies := parallel.NewStrategies()
		for _, w := range ways {
			for _, devices := range jaxDevices {
				stage.Add(1)
				p, err := w.make(ctx, &plan.Job{Training: tr, Cluster: c, Devices: devices, Strategies: strategies})
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				if errors.Is(err, errJaxSame) {
					continue
				}
				if err != nil { // such as a planner for small graphs only
					without = append(without, fmt.Sprintf("%s, %s, %d devices: %v", n.name, w.name, devices, err))
					continue
				}
				if n := len(p.Mesh.Stages); n > 1 {
					staged[fmt.Sprintf("%s on %d devices", w.name, devices)]++
					continue
				}
				if err := accepted(ctx, p); err != nil {
					return nil, fmt.Errorf("%s, %s, %d devices: %w", n.name, w.name, devices, err)
				}
				r, err := export.Compare(ctx, run, p)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", n.name, w.name, err)
				}
				plans++
				if r.Equal() {
					equal++
				}
				charged, xla, bytes := 0, 0, int64(0)
				for _, l := range r.Lines {
					charged, xla, bytes = charged+l.Charged, xla+l.XLA, bytes+int64(l.Charged)*l.Bytes
				}
				t.Add(n.name, w.name, fmt.Sprint(devices), len(r.Outputs), 1e7*r.Worst, charged, xla, float64(bytes)/1e3, len(r.Named), len(r.Wrong), jaxKinds(r))
				for _, s := range r.Named {
					said[jaxForm(s)]++
				}
				for _, s := range r.Wrong {
					said["wrong: "+s]++
				}
			}
		}
	}
	stage.Done()
	names := NewTable("Explained differences, over all plans:", Label("what"), Counted("times"))
	for _, s := range slices.Sorted(maps.Keys(said)) {
		names.Add(s, said[s])
	}
	notes := []string{acceptedNote, fmt.Sprintf("%d plans, %d equal. JAX %s. "+jaxNote, plans, equal, rt.Version)}
	for _, w := range slices.Sorted(maps.Keys(staged)) {
		without = append(without, fmt.Sprintf("%s of %d networks: a pipeline with separate devices per stage", w, staged[w]))
	}
	if len(without) > 0 {
		notes = append(notes, "Not exported: "+strings.Join(without, "; ")+".")
	}
	return &Record{Tables: []*Table{t, names}, Notes: notes}, nil
}

// jaxKinds counts what is charged by kind.
func jaxKinds(c *export.Comparison) string {
	count := map[string]int{}
	for _, l := range c.Lines {
		count[l.Kind] += l.Charged
	}
	var out []string
	for _, k := range slices.Sorted(maps.Keys(count)) {
		if count[k] > 0 {
			out = append(out, fmt.Sprintf("%s %d", k, count[k]))
		}
	}
	return strings.Join(out, ", ")
}

// Sentences of the second table.
const (
	jaxAssembles  = "a collective that assembles an output, not in the plan's cost"
	jaxRounding   = "an output differs by more than 1e-5 from rounding, not in float64"
	jaxCombined   = "XLA combined several collectives into one"
	jaxRemoved    = "XLA removed one of two equal collectives"
	jaxEverywhere = ": the result is on all devices, not on one"
)

// jaxForm is a sentence of a comparison without names and numbers of the one plan.
func jaxForm(s string) string {
	if strings.Contains(s, "puts an output together") {
		return jaxAssembles
	}
	if strings.HasPrefix(s, "output ") && strings.Contains(s, " by rounding: in float64 ") {
		return jaxRounding
	}
	for _, f := range []string{"XLA has combined", "XLA has removed", "XLA has made", "XLA has folded", "once and not in each", "is charged and not sent", "lies as", "is said as all-reduce", "is said as all-gather"} {
		if i := strings.Index(s, f); i >= 0 {
			switch {
			case f == "XLA has combined":
				return jaxCombined
			case f == "XLA has removed":
				return jaxRemoved
			case f == "XLA has made":
				return "XLA made an all-reduce and a slice of a reduce-scatter"
			case f == "XLA has folded":
				return "XLA folded constants"
			case f == "once and not in each":
				return "XLA sends once, not in each micro-batch"
			case f == "lies as":
				return "a weight is sharded differently after the step"
			case f == "is charged and not sent":
				return "in the plan's cost, not sent: all devices have it"
			}
			return "run as " + strings.TrimPrefix(f, "is said as ") + jaxEverywhere
		}
	}
	return s
}
