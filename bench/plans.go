package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/internal/collector"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

// planned are packages of which the tables of plans speak.
var planned = []string{"parallel/plan"}

func init() {
	Register(&Benchmark{Name: "plans-flexflow", What: "plans of FlexFlow's six models vs data parallelism",
		Takes: "10 min", Packages: planned, Run: plansFlexFlow})
}

// planTask is a training step on so many devices.
type planTask struct {
	network *models.Network
	t       *plan.Training
	cluster *machine.Cluster
	devices int
	batch   int
	// flops are those of products and convolutions of a step.
	flops int64
	// Of planners pipeline, unity and auto, see [plan.Job].
	row        bool
	stages     int
	sequential bool
	found      func(name string, p *plan.Plan, why error)
}

// newPlanTask makes the training step of a model at a batch.
func newPlanTask(model string, batch int, cluster string, devices int, opt grad.Options) (*planTask, error) {
	c, err := machine.Find(cluster, machine.Options{})
	if err != nil {
		return nil, err
	}
	n, err := models.BuildNetwork(model, models.Options{Batch: batch, Seed: 1})
	if err != nil {
		return nil, err
	}
	opt.Loss, opt.Axis = grad.MeanSquare, 0
	g := n.Model.Graph
	if out := g.Sizes(g.Outputs()[0]); len(g.Outputs()) == 1 && len(out) == 2 && out[1] > 1 {
		opt.Loss, opt.Axis = grad.CrossEntropy, 1 // scores of classes
	}
	t, err := plan.Train(g, opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", model, err)
	}
	x := &planTask{network: n, t: t, cluster: c, devices: devices, batch: batch}
	for id := range t.Graph.Nodes() {
		if op := t.Graph.Op(id); op != nil && (op.Class == "matmul" || op.Class == "conv") {
			x.flops += t.Graph.WorkOf(id).FLOPs
		}
	}
	return x, nil
}

// planOutcome is what a planner found.
type planOutcome struct {
	plan    *plan.Plan
	step    machine.Time
	seconds float64
	why     error // there is no plan
}

// find asks a planner.
func (x *planTask) find(ctx context.Context, name string, s *parallel.Strategies) (o planOutcome, err error) {
	defer collector.Lazily(collector.Plans, 0)() // as taso parallelize does
	start := time.Now()
	o.plan, o.why = plan.Find(ctx, name, &plan.Job{Training: x.t, Cluster: x.cluster, Devices: x.devices, Strategies: s, Seed: 1, Row: x.row, Stages: x.stages,
		Sequential: x.sequential, Found: x.found})
	o.seconds = time.Since(start).Seconds()
	if o.why != nil {
		if !plan.IsNone(o.why) {
			return o, fmt.Errorf("%s on %d devices of %s: %w", x.network.Model.Name, x.devices, x.cluster.Name, o.why)
		}
		return o, nil
	}
	return o, x.judge(ctx, &o)
}

// judge has a plan checked, and says what its step takes.
func (x *planTask) judge(ctx context.Context, o *planOutcome) (err error) {
	if o.step, err = o.plan.Makespan(ctx); err != nil {
		return err
	}
	if err := accepted(ctx, o.plan); err != nil {
		return fmt.Errorf("%s on %d devices of %s: %w", x.network.Model.Name, x.devices, x.cluster.Name, err)
	}
	return nil
}

// perSecond is how many samples a step does in a second, nil where there is no plan.
func (x *planTask) perSecond(o planOutcome) any {
	if o.why != nil {
		return nil
	}
	return float64(x.batch) / float64(o.step.Seconds())
}

// times is how many times faster b is than a, nil where one of them is no plan.
func timesFaster(a, b planOutcome) any {
	if a.why != nil || b.why != nil {
		return nil
	}
	return float64(a.step) / float64(b.step)
}

// suite is the runs of a paper.
func suite(paper string) []models.Run {
	for _, s := range models.Suites() {
		if len(s.Paper) >= len(paper) && s.Paper[:len(paper)] == paper {
			return s.Runs
		}
	}
	return nil
}

// errNotAsked is why there is no plan of a planner that is too slow for a table.
var errNotAsked = errors.New("the planner is not asked")

// besides plans each model on each number of devices with planners, data parallelism among them:
// samples a second of that, and how many times faster the others are. ask says which are asked; nil:
// all.
func besides(ctx context.Context, env *Env, t *Table, names []string, runs []models.Run, cluster string, devices []int, ask func(x *planTask, name string) bool, more func(x *planTask, of map[string]planOutcome) []any) error {
	stage := env.Progress.Stage("plan", int64(len(runs)*len(devices)*len(names)))
	defer stage.Done()
	for _, r := range runs {
		s := parallel.NewStrategies()
		for _, n := range devices {
			x, err := newPlanTask(r.Model, r.Batch*n, cluster, n, grad.Options{Rate: 0.01})
			if err != nil {
				return err
			}
			of := map[string]planOutcome{}
			for _, name := range names {
				if ask != nil && !ask(x, name) {
					of[name] = planOutcome{why: errNotAsked}
					stage.Add(1)
					continue
				}
				o, err := x.find(ctx, name, s)
				if err != nil {
					return err
				}
				o.plan = nil // they are large
				of[name] = o
				stage.Add(1)
			}
			cells := []any{"`" + r.Model + "`", n, x.batch, x.perSecond(of["data"])}
			for _, name := range names {
				if name != "data" {
					cells = append(cells, timesFaster(of["data"], of[name]))
				}
			}
			t.Add(append(cells, more(x, of)...)...)
		}
	}
	return nil
}

// besidesColumns are the columns of besides.
func besidesColumns(names []string, more ...Column) []Column {
	cols := []Column{Label("model"), Counted("devices"), Counted("batch"), Modelled("data parallel", "samples/s").Digits(4)}
	for _, name := range names {
		if name != "data" {
			cols = append(cols, Modelled(name, "× data").Digits(3))
		}
	}
	return append(cols, more...)
}

// byFlexFlow is what the paper reports of one model on so many devices: Inception-v3 on 4 P100 takes
// 12 % less time than by data parallelism.
var byFlexFlow = map[string]map[int]float64{"inceptionv3-full": {4: 1 / (1 - 0.12)}}

// flexFlowSmall are planners that take minutes for the larger training steps, and are not asked
// about more than so many nodes.
var flexFlowSmall, flexFlowNodes = []string{"megatron", "pipeline", "alpa", "auto"}, 1000

func plansFlexFlow(ctx context.Context, env *Env) (*Record, error) {
	names := append([]string{"data", "fsdp", "soap"}, flexFlowSmall...)
	t := NewTable("", append(besidesColumns(names), Recorded("FlexFlow, paper", "× data").Digits(3), Measured("soap", "s").Digits(2))...)
	err := besides(ctx, env, t, names, suite("FlexFlow"), "p3-16xlarge:2", []int{4, 16}, func(x *planTask, name string) bool {
		return x.t.Graph.Len() <= flexFlowNodes || !slices.Contains(flexFlowSmall, name)
	}, func(x *planTask, of map[string]planOutcome) []any {
		var paper any
		if p, ok := byFlexFlow[x.network.Model.Name][x.devices]; ok {
			paper = p
		}
		return []any{paper, of["soap"].seconds}
	})
	return &Record{Tables: []*Table{t}, Notes: []string{
		flexFlowReported + " " +
			fmt.Sprintf("Planners %s are skipped for training steps of more than %d nodes, where they take minutes. ", strings.Join(flexFlowSmall, ", "), flexFlowNodes) +
			emptyNote + " " + acceptedNote,
	}}, err
}
