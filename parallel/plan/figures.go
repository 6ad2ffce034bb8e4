package plan

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/taso-go/taso/parallel/machine"
)

// Figures are what a step of a plan takes, modelled: the makespan, what the fullest device
// holds, in that time or in the order of the program, and what the first device is busy with.
type Figures struct {
	Makespan machine.Time `json:"makespan_ps"`
	Memory   int64        `json:"memory"` // in bytes
	Classes  []Share      `json:"classes"`
}

// Share is what one class of work takes of a step, computing or sending.
type Share struct {
	Class string       `json:"class"`
	Time  machine.Time `json:"time_ps"`
}

// Figures simulates a step on the first device, which is never busier with less than another, or
// the stages of a pipeline.
func (p *Plan) Figures(ctx context.Context) (*Figures, error) {
	f, _, err := p.figures(ctx)
	return f, err
}

// figures are those, and the node at which memory is fullest.
func (p *Plan) figures(ctx context.Context) (f *Figures, at string, err error) {
	m, err := p.Memory()
	if err != nil {
		return nil, "", err
	}
	s, err := p.Simulate(ctx, SimulateOptions{first: true})
	if err != nil {
		return nil, "", err
	}
	out := &Figures{Makespan: s.Makespan, Memory: max(m.Peak, s.Peak)}
	for _, c := range s.Classes {
		out.Classes = append(out.Classes, Share{c.Class, c.Time})
	}
	return out, m.At, nil
}

// Honest checks what a file says of its plan beside the graphs, on the cluster on which it
// was planned, and says what a step takes: figures are derived again, a device must hold what
// the step needs, and stages must take what they are said to. What is not derived is listed by
// [File.Claims]. p is what [File.Plan] made of the file.
func (f *File) Honest(ctx context.Context, p *Plan) (*Figures, error) {
	if n := p.Mesh.Devices(); f.Machine.Devices != n {
		return nil, fmt.Errorf("machine: %d devices, the mesh has %d", f.Machine.Devices, n)
	}
	if have := p.Mesh.Cluster.Memory; f.Machine.Memory < 1 || f.Machine.Memory > have {
		return nil, fmt.Errorf("machine: a device may hold %d bytes, it has %d", f.Machine.Memory, have)
	}
	if wires := p.Mesh.Cluster.Wires(); f.Machine.Links != nil && !slices.Equal(f.Machine.Links, wires) {
		return nil, fmt.Errorf("machine: links %v, those of the plan's cluster are %v", f.Machine.Links, wires)
	}
	if f.Pipeline != nil && !reflect.DeepEqual(f.Pipeline.derived(), p.Pipeline.derived()) {
		return nil, fmt.Errorf("pipeline: a step takes %s and %d bytes in stage %d; told are %s and %d in stage %d, or stages take something else",
			p.Pipeline.Makespan, p.Pipeline.Peak, p.Pipeline.Fullest, f.Pipeline.Makespan, f.Pipeline.Peak, f.Pipeline.Fullest)
	}
	if f.Time != p.Time() {
		return nil, fmt.Errorf("time_ps: %d is told, the plan says %d", f.Time, p.Time())
	}
	step, at, err := p.figures(ctx)
	if err != nil {
		return nil, err
	}
	if step.Memory > f.Machine.Memory {
		return nil, &MemoryError{Need: step.Memory, Have: f.Machine.Memory, At: at}
	}
	if f.Step == nil {
		return nil, fmt.Errorf("step: what a step takes is not told")
	}
	if !reflect.DeepEqual(f.Step, step) {
		return nil, fmt.Errorf("step: it takes %s and %d bytes, %v; told are %s and %d, %v",
			step.Makespan, step.Memory, step.Classes, f.Step.Makespan, f.Step.Memory, f.Step.Classes)
	}
	return step, nil
}

// derived is what of a pipeline follows from the graph and its stages.
func (x *Pipeline) derived() Pipeline {
	y := *x
	y.Bound, y.Looked, y.Simulated, y.Stop = 0, 0, 0, ""
	return y
}
