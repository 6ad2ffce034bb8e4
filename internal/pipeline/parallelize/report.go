package parallelize

import (
	"context"
	"fmt"
	"strings"

	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

// Report says what was planned, and what beside it.
type Report struct {
	Model    string `json:"model"`
	Batch    int    `json:"batch,omitempty"`
	Training bool   `json:"training"`
	Machine  string `json:"machine"`
	Devices  int    `json:"devices"`
	// Claimed: the plan was read from a file. Planner, means, Time, Bound and Stop are what the
	// file claims, and so is Batch.
	Claimed bool `json:"claimed,omitempty"`
	// Planners are what each found, the one asked for first. Times are modelled.
	Planners []Row `json:"planners"`
	// Classes are what the time of the plan goes to, on the device with most of it.
	Classes []plan.ClassTime `json:"classes"`
	// Computing are the operators by class, if the device has fitted rates: which of these
	// times are extrapolated.
	Computing []plan.Computing `json:"computing,omitempty"`
	// Memory is what the worst device needs in the order of the graph.
	Memory *plan.Memory `json:"memory,omitempty"`
	// Layouts say how the results of operators lie, in the order of the graph.
	Layouts []Lies `json:"layouts"`
	// Laws is how many laws the certificate uses, Instances how often.
	Laws      int `json:"laws"`
	Instances int `json:"instances"`
}

// Row is what a planner found.
type Row struct {
	Planner string `json:"planner"`
	// Mesh is the mesh as text, Means those along each axis.
	Mesh string `json:"mesh,omitempty"`
	// Padded are axes of inputs that are longer than they were.
	Padded []plan.PaddedAxis `json:"padded,omitempty"`
	// Time is that of a step on a device, one thing after the other, which planners make
	// small; Bound says that no layout along the last axis costs less, given those before.
	Time  machine.Time `json:"time_ps,omitempty"`
	Bound machine.Time `json:"bound_ps,omitempty"`
	Stop  string       `json:"stop,omitempty"`
	// Makespan is the time of a step as it is simulated, sending beside computing; Memory is
	// what the worst device holds then, or in the order of the graph.
	Makespan machine.Time `json:"makespan_ps,omitempty"`
	Memory   int64        `json:"memory,omitempty"`
	// PerSecond is samples in a second, by the simulation; 0: the batch is not known.
	PerSecond float64 `json:"samples_per_second,omitempty"`
	// Beside is how many times longer a step takes than with the plan asked for.
	Beside float64 `json:"beside,omitempty"`
	// Seconds is how long the planner took.
	Seconds float64 `json:"seconds,omitempty"`
	Why     string  `json:"why,omitempty"` // there is none
}

// Lies is how the result of an operator lies.
type Lies struct {
	Node   string `json:"node"`
	Op     string `json:"op"`
	Layout string `json:"layout"`
}

// Report says what a result is; simulated on its cluster.
func (r *Result) Report(ctx context.Context) (*Report, error) {
	out, err := Describe(ctx, r.File, r.Plan)
	if err != nil {
		return nil, err
	}
	out.Claimed = false
	out.Planners[0].Seconds = r.Seconds
	out.Laws, out.Instances = r.Checked.Axioms+r.Checked.Lemmas, r.Checked.Steps
	for _, b := range r.Beside {
		x := Row{Planner: b.Planner, Why: b.Why}
		if b.Plan != nil {
			if x, _, err = row(ctx, b.Planner, b.Plan, r.File.Model.Batch); err != nil {
				return nil, err
			}
			if t := out.Planners[0].Makespan; t > 0 {
				x.Beside = float64(x.Makespan) / float64(t)
			}
		}
		x.Seconds = b.Seconds
		out.Planners = append(out.Planners, x)
	}
	return out, nil
}

// Describe says what a plan is that was read from a file.
func Describe(ctx context.Context, f *plan.File, p *plan.Plan) (*Report, error) {
	out := &Report{Claimed: true, Model: f.Model.Name, Batch: f.Model.Batch, Training: f.Training != nil,
		Machine: f.Machine.Name, Devices: p.Mesh.Devices(), Layouts: layouts(p)}
	x, s, err := row(ctx, p.Planner, p, f.Model.Batch)
	if err != nil {
		return nil, err
	}
	x.Beside = 1
	out.Planners = []Row{x}
	if s != nil {
		out.Classes = s.Classes
	}
	if len(p.Mesh.Cluster.Device.Fitted) > 0 {
		if out.Computing, err = p.Computing(); err != nil {
			return nil, err
		}
	}
	if p.Pipeline == nil {
		if out.Memory, err = p.Memory(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func row(ctx context.Context, name string, p *plan.Plan, batch int) (x Row, s *plan.Simulation, err error) {
	x = Row{Planner: name, Mesh: MeshText(p), Padded: p.PaddedAxes(), Time: p.Time()}
	if n := len(p.Passes); n > 0 {
		x.Bound, x.Stop = p.Passes[n-1].Bound, string(p.Passes[n-1].Stop)
	}
	if l := p.Pipeline; l != nil {
		x.Makespan, x.Memory, x.Bound, x.Stop = l.Makespan, l.Peak, l.Bound, string(l.Stop)
		if batch > 0 && l.Makespan > 0 {
			x.PerSecond = float64(batch) / float64(l.Makespan.Seconds())
		}
		return x, nil, nil
	}
	m, err := p.Memory()
	if err != nil {
		return x, nil, err
	}
	if s, err = p.Simulate(ctx, plan.SimulateOptions{Samples: batch}); err != nil {
		return x, nil, err
	}
	x.Makespan, x.PerSecond, x.Memory = s.Makespan, s.PerSecond, max(m.Peak, s.Peak)
	return x, s, nil
}

// MeshText is the mesh of a plan as text: "4 data × 8 megatron", "2 in time × 4 all".
func MeshText(p *plan.Plan) string {
	var parts []string
	for i, a := range p.Mesh.Axes {
		s := fmt.Sprint(a.Degree)
		if a.Time {
			s += " in time"
		} else if i < len(p.Passes) {
			s += " " + string(p.Passes[i].Means)
		}
		if a.Stage > 0 {
			s += fmt.Sprintf(" of stage %d", a.Stage)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " × ")
}

// layouts are those of the results of operators, but for layout operators.
func layouts(p *plan.Plan) (out []Lies) {
	g := p.Laying.Graph()
	for id := range g.Nodes() {
		op := g.Op(id)
		if op == nil || p.Laying.Origin(id).Converts {
			continue
		}
		if one, _, _ := op.Member(g.Attrs(id)); one != nil {
			op = one
		}
		var parts []string
		for _, s := range p.Laying.Layout(id.Out(0)) {
			parts = append(parts, fmt.Sprintf("%d %s", p.Mesh.Degrees[s.Axis], s.Role))
		}
		out = append(out, Lies{g.Name(id), op.Name, strings.Join(parts, ", ")})
	}
	return out
}
