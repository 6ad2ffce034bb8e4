package parallelize

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
	"github.com/taso-go/taso/search"
)

// Options say what is planned.
type Options struct {
	// Name and Batch say which model Graph is.
	Name  string
	Batch int
	Graph *graph.Graph
	// Recipe says how it is trained; nil: it is run, not trained.
	Recipe *plan.Recipe
	// Machine is the name of the cluster.
	Machine string
	Cluster *machine.Cluster
	// Planner finds the plan; Beside are others, which it is compared with.
	Planner string
	Beside  []string
	// Devices, Memory, Steps, Workers and Seed are those of [plan.Job].
	Devices int
	Memory  int64
	Steps   int64
	Workers int
	Seed    uint64
	// Even: no axis is padded.
	Even bool
	// Progress is told what is being done; nil: nobody.
	Progress func(what string)

	strategies *parallel.Strategies // nil: new ones
}

// Result is what was planned.
type Result struct {
	Plan *plan.Plan
	File *plan.File
	// Checked is what the checker says of the plan.
	Checked *Checked
	// Seconds is how long the planner took.
	Seconds float64
	// Beside are the plans of other planners.
	Beside []Beside
}

// Beside is what another planner finds.
type Beside struct {
	Planner string
	// Plan is nil if it finds none, for the reason Why.
	Plan    *plan.Plan
	Why     string
	Seconds float64
}

// Training is what is planned of a graph: a training step, or the graph itself.
func Training(g *graph.Graph, r *plan.Recipe) (*plan.Training, error) {
	if r == nil {
		return &plan.Training{Graph: g, Next: map[int]int{}}, nil
	}
	loss, err := grad.ParseLoss(r.Loss)
	if err != nil {
		return nil, fmt.Errorf("loss: %w", err)
	}
	optimizer, err := grad.ParseOptimizer(r.Optimizer)
	if err != nil {
		return nil, fmt.Errorf("optimizer: %w", err)
	}
	return plan.Train(g, grad.Options{Loss: loss, Axis: r.Axis, Optimizer: optimizer, Rate: r.Rate, Momentum: r.Momentum, Group: r.Group})
}

// Make plans, and writes the certificate.
func Make(ctx context.Context, o Options) (*Result, error) {
	tell := o.Progress
	if tell == nil {
		tell = func(string) {}
	}
	tell("training step")
	t, err := Training(o.Graph, o.Recipe)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	job := &plan.Job{Training: t, Cluster: o.Cluster, Devices: o.Devices, Memory: o.Memory, Steps: o.Steps, Workers: o.Workers, Seed: o.Seed, Even: o.Even, Progress: tell,
		Strategies: cmp.Or(o.strategies, parallel.NewStrategies())}
	tell("planner " + o.Planner)
	start := time.Now()
	p, err := plan.Find(ctx, o.Planner, job)
	if err != nil {
		return nil, fmt.Errorf("%s on %s: %w", o.Name, o.Cluster.Name, err)
	}
	r := &Result{Plan: p, Seconds: time.Since(start).Seconds()}
	for _, other := range o.Beside {
		if other == o.Planner || ctx.Err() != nil {
			continue
		}
		tell("planner " + other)
		start := time.Now()
		q, err := plan.Find(ctx, other, job)
		if err != nil && !plan.IsNone(err) && !errors.Is(err, plan.ErrLarge) && !errors.Is(err, context.Canceled) {
			return nil, fmt.Errorf("%s on %s: %w", o.Name, o.Cluster.Name, err)
		}
		b := Beside{Planner: other, Plan: q, Seconds: time.Since(start).Seconds()}
		if err != nil {
			b.Why = err.Error()
		}
		r.Beside = append(r.Beside, b)
	}
	tell("certificate")
	f, err := Certified(context.WithoutCancel(ctx), p)
	if err != nil {
		return nil, err
	}
	f.Model = plan.ModelRef{Name: o.Name, Batch: o.Batch, Hash: o.Graph.Hash().String()}
	f.Training = o.Recipe
	f.Machine.Name = o.Machine
	if o.Memory > 0 {
		f.Machine.Memory = o.Memory
	}
	tell("check")
	if r.Checked, err = Check(context.WithoutCancel(ctx), f, "plan", o.Cluster, o.Graph, false); err != nil {
		return nil, fmt.Errorf("the plan of planner %s is not accepted, which is a mistake in the program: %w", o.Planner, err)
	}
	r.File = f
	return r, nil
}

// Certified is the file of a plan with its figures and its certificate, without the model's name and
// the recipe.
func Certified(ctx context.Context, p *plan.Plan) (*plan.File, error) {
	f := p.File()
	var err error
	if f.Step, err = p.Figures(ctx); err != nil {
		return nil, err
	}
	cert, err := Certificate(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	f.Certificate = string(cert)
	return f, nil
}

// Certificate is that of a plan, with the proofs of the laws that it uses.
func Certificate(ctx context.Context, p *plan.Plan) ([]byte, error) {
	s := p.Shown()
	d := &search.Derivation{Equation: s.Equation, Proof: s.Proof, Laws: s.Laws}
	var b bytes.Buffer
	if err := optimize.WriteProof(ctx, &b, d, s.Evidence); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
