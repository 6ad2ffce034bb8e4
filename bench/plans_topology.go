package bench

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

func init() {
	Register(&Benchmark{Name: "plans-topology", What: "links chosen with the plan vs fat tree and fixed rings",
		Takes: "1 min", Packages: append([]string{"parallel/machine"}, planned...), Run: plansTopology})
}

// linked is the cluster whose links are set.
const linked = "topoopt:16"

// likeCost is a fat tree that costs what the four interfaces of 25 Gbit/s of a server do with their
// optical switch: TopoOpt's paper has a switch without oversubscription cost 3.2 times as much as
// its own network at equal bandwidth, averaged over sizes, and a fat tree of like cost has as many
// times less of it: 100 Gbit/s over 3.2. Two links have the latency of one that is direct.
const likeCost = `
name: fat-tree
device: a100
memory: 40GiB
nodes: 16
classes:
  ethernet: {latency: 2.5us, bandwidth: 31.25Gbit/s}
  pcie: {latency: 1us, bandwidth: 25GB/s}
node:
  devices: 1
  hosts: {cpu: 128GiB}
  links:
    - {class: pcie, pair: [0, cpu]}
network: {topology: fat-tree, class: ethernet, ports: [cpu], leaf: 16}
`

// topologyRuns are models of the paper, with samples for each device. Of ResNet-50 that without
// batch norms: statistics of all samples, as ours are, would be sent for each.
var topologyRuns = []struct {
	model   string
	samples int
}{{"dlrm", 1024}, {"candle", 256}, {"bert-large-512", 4}, {"resnet50-taso", 64}}

// byTopoOpt is the most that the paper reports over a fat tree of like cost.
const byTopoOpt = 3.4

func plansTopology(ctx context.Context, env *Env) (*Record, error) {
	t := NewTable("", Label("model"), Counted("devices"), Counted("batch"), Modelled("fat tree of like cost", "ms per step").Digits(3), Label("plan"),
		Modelled("rings of strides 1 and -1, 2 and -2", "ms per step").Digits(3), Label("plan"), Modelled("topology", "ms per step").Digits(3), Label("plan"),
		Label("strides"), Modelled("over the fat tree", "×").Digits(3), Modelled("over fixed rings", "×").Digits(3),
		Recorded("TopoOpt, paper, over the fat tree, at most", "×").Digits(2), Measured("topology", "s").Digits(2))
	tree, err := machine.Parse("fat-tree.yaml", []byte(likeCost), machine.Options{})
	if err != nil {
		return nil, err
	}
	stage := env.Progress.Stage("plan", int64(3*len(topologyRuns)))
	defer stage.Done()
	for _, r := range topologyRuns {
		n := tree.Devices()
		x, err := newPlanTask(r.model, r.samples*n, linked, n, grad.Options{Rate: 0.01})
		if err != nil {
			return nil, err
		}
		s := parallel.NewStrategies()
		var steps []machine.Time
		cells := []any{"`" + r.model + "`", n, x.batch}
		for _, c := range []*machine.Cluster{tree, x.cluster} {
			p, step, err := alongOne(ctx, x.t, c, s)
			if err != nil {
				return nil, fmt.Errorf("%s on %s: %w", r.model, c.Name, err)
			}
			if err := accepted(ctx, p); err != nil {
				return nil, fmt.Errorf("%s on %s: %w", r.model, c.Name, err)
			}
			steps, cells = append(steps, step), append(cells, milliseconds(step), string(p.Passes[0].Means))
			stage.Add(1)
		}
		start := time.Now()
		p, err := plan.Find(ctx, "topology", &plan.Job{Training: x.t, Cluster: x.cluster, Strategies: s})
		if err != nil {
			return nil, err
		}
		took := time.Since(start).Seconds()
		if err := accepted(ctx, p); err != nil {
			return nil, fmt.Errorf("%s: %w", r.model, err)
		}
		step, err := p.Makespan(ctx)
		if err != nil {
			return nil, err
		}
		stage.Add(1)
		t.Add(append(cells, milliseconds(step), string(p.Passes[0].Means), strides(p), float64(steps[0])/float64(step), float64(steps[1])/float64(step),
			byTopoOpt, took)...)
	}
	return &Record{Tables: []*Table{t}, Notes: []string{
		topologyTree + " " + topologyPlans + " " + topologyLinks + " " + acceptedNote,
	}}, nil
}

// alongOne is the best plan along one axis of all devices, as the planner of links looks for it.
func alongOne(ctx context.Context, t *plan.Training, c *machine.Cluster, s *parallel.Strategies) (best *plan.Plan, least machine.Time, err error) {
	m, err := plan.NewMesh(c, c.Devices())
	if err != nil {
		return nil, 0, err
	}
	for _, means := range plan.AllMeans() {
		p, err := plan.Make(ctx, t, m, plan.Options{Means: []plan.Means{means}, Strategies: s, Clusters: 16})
		if plan.IsNone(err) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		memory, err := p.Memory()
		if err != nil {
			return nil, 0, err
		}
		step, err := p.Makespan(ctx)
		if err != nil {
			return nil, 0, err
		}
		if memory.Peak <= c.Memory && (best == nil || step < least) {
			best, least = p, step
		}
	}
	if best == nil {
		return nil, 0, fmt.Errorf("no plan: %w", plan.ErrMeans)
	}
	return best, least, nil
}

// strides are to which servers the links of the first one lead.
func strides(p *plan.Plan) string {
	var out []string
	for _, l := range p.Mesh.Cluster.Wires() {
		if l[0] == 0 {
			out = append(out, fmt.Sprint(l[1]))
		}
	}
	return strings.Join(out, ", ")
}

func milliseconds(t machine.Time) float64 { return float64(t.Seconds()) * 1e3 }
