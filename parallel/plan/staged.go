package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/schedule"
	"github.com/taso-go/taso/parallel/sim"
)

// staging is clusters in stages on submeshes, with what each stage takes.
type staging struct {
	of        []int // stage, from 1, of each node of the training graph
	parts     []part
	after     [][]int // by stage: which it reads; nil: about each the one before it
	row       bool    // each waits for the one before it, whether it reads that or not
	submeshes []Submesh
	micro     int
	kind      schedule.Kind
	recompute []bool
	lean      []bool // the parts are so ([part.lean])
}

// build makes the stages of a schedule. A stage reads those of which activations come to
// it; what is sent once in a step, such as a weight of two stages and its gradient, is added
// to the update of the stage to which it goes, which waits for a gradient until it is there.
func (x *staging) build(t *Training, c *machine.Cluster) (*schedule.Pipeline, error) {
	p := &schedule.Pipeline{MicroBatches: x.micro, Schedule: x.kind}
	for i, w := range x.parts {
		s := schedule.Stage{Name: fmt.Sprintf("stage %d", i+1), Forward: w.forward, Backward: w.backward, Update: w.update,
			Kept: w.kept, Weights: w.weights, State: w.state + w.scratch, Recompute: x.recompute[i]}
		if s.Recompute && w.segments(x.flight(i)) { // what is there beside scratch in the cluster that has most
			s.Segment = max(1, w.most-w.scratch)
		}
		for d := range x.submeshes[i].Devices {
			s.Devices = append(s.Devices, x.submeshes[i].First+d)
		}
		p.Stages = append(p.Stages, s)
	}
	each, once := t.crossing(x.of, x.micro)
	for k, bytes := range each {
		if a, b := k[0], k[1]; a < b { // forward, and about as much back
			s := &p.Stages[b-1]
			s.After = append(s.After, a-1)
			p.Stages[a-1].Out = max(p.Stages[a-1].Out, bytes, each[[2]int{b, a}])
		} else if each[[2]int{b, a}] == 0 {
			once[k] += bytes * int64(x.micro)
			p.Stages[b-1].Joins = append(p.Stages[b-1].Joins, a-1)
		}
	}
	for i := range p.Stages {
		s := &p.Stages[i]
		if x.row && i > 0 && !slices.Contains(s.After, i-1) {
			s.After = append(s.After, i-1)
		}
		slices.Sort(s.After)
		slices.Sort(s.Joins)
		if s.Segment == 0 {
			continue
		}
		s.Inputs = x.parts[i].inputs
		for _, a := range s.After { // package schedule keeps what is received
			n := int64(len(s.Devices))
			s.Inputs = max(0, s.Inputs-(p.Stages[a].Out+n-1)/n)
		}
	}
	for _, k := range pairs(once) {
		time, err := messageTime(c, x.submeshes[k[0]-1].First, x.submeshes[k[1]-1].First, once[k])
		if err != nil {
			return nil, err
		}
		p.Stages[k[1]-1].Update += time
	}
	return p, nil
}

// inRow reports whether each stage reads the one before it and no other, as the schedule
// interleaved wants it.
func (x *staging) inRow(t *Training) bool {
	each, _ := t.crossing(x.of, x.micro)
	next := 0
	for k := range each {
		switch k[1] - k[0] {
		case 1:
			next++
		case -1:
		default:
			return false
		}
	}
	return next == len(x.parts)-1
}

// pairs are the keys in order.
func pairs(m map[[2]int]int64) [][2]int {
	var out [][2]int
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return out
}

// judged is a pipeline that has been simulated.
type judged struct {
	*staging
	pipeline *schedule.Pipeline
	makespan machine.Time
	peak     int64
	fullest  int // the stage, from 1, whose device has the peak
}

// judge simulates a step.
func (x *staging) judge(t *Training, c *machine.Cluster) (*judged, error) {
	p, err := x.build(t, c)
	if err != nil {
		return nil, err
	}
	run, err := runOf(p, c)
	if err != nil {
		return nil, err
	}
	out := &judged{staging: x, pipeline: p, makespan: run.Makespan()}
	out.peak, out.fullest = peakOf(p, run)
	return out, nil
}

// peakOf is the most bytes of a device in a run, and its stage, from 1.
func peakOf(p *schedule.Pipeline, run *sim.Graph) (peak int64, stage int) {
	peaks := run.Memory()
	for i, s := range p.Stages {
		for _, d := range s.Devices {
			if m := peaks[d].Peak; m > peak || stage == 0 {
				peak, stage = m, i+1
			}
		}
	}
	return peak, stage
}

func runOf(p *schedule.Pipeline, c *machine.Cluster) (*sim.Graph, error) {
	r, err := p.Build(c)
	if err != nil {
		return nil, err
	}
	return r.Graph, r.Graph.Run()
}

// pipeline is what a plan says of the pipeline that was chosen.
func (x *judged) pipelineOf() *Pipeline {
	return &Pipeline{Of: x.of, Schedule: x.kind, Row: x.row, Stages: x.pipeline.Stages, Makespan: x.makespan, Peak: x.peak, Fullest: x.fullest, Remade: x.remade()}
}

// remade are the stages that are lean, none if no stage is.
func (x *staging) remade() []bool {
	if slices.Contains(x.lean, true) {
		return x.lean
	}
	return nil
}

// simulateStages is the step of a pipeline over time.
func (p *Plan) simulateStages(opt SimulateOptions) (*Simulation, error) {
	run, err := runOf(&schedule.Pipeline{Stages: p.Pipeline.Stages, MicroBatches: p.Mesh.MicroBatches(), Schedule: p.Pipeline.Schedule}, p.Mesh.Cluster)
	if err != nil {
		return nil, fmt.Errorf("simulate the plan: %w", err)
	}
	out := &Simulation{Run: run, Makespan: run.Makespan(), Critical: run.Critical(), Devices: run.Usage()[:p.Mesh.Devices()]}
	if opt.Samples > 0 && out.Makespan > 0 {
		out.PerSecond = float64(opt.Samples) / float64(out.Makespan.Seconds())
	}
	at := map[string]int{}
	busy := map[string]map[int]machine.Time{}
	for _, id := range run.IDs() {
		task, _ := run.Task(id)
		i, ok := at[task.Class]
		if !ok {
			i = len(out.Classes)
			at[task.Class], busy[task.Class] = i, map[int]machine.Time{}
			out.Classes = append(out.Classes, ClassTime{Class: task.Class})
		}
		c := &out.Classes[i]
		c.Count++
		span := run.Span(id)
		switch w := task.Work.(type) {
		case sim.Compute:
			b := busy[task.Class]
			b[w.Device] += span.End - span.Start
			c.Time = max(c.Time, b[w.Device])
		case sim.Messages:
			c.Time += span.End - span.Start
			for _, f := range w {
				c.Bytes += f.Bytes
			}
		}
	}
	return out, nil
}

// stagesMemory is that of the stage that needs most.
func (p *Plan) stagesMemory() *Memory {
	x := p.Pipeline
	s := x.Stages[x.Fullest-1]
	weights, state := int64(0), int64(0)
	for _, o := range x.Stages { // a device may have several
		if slices.Equal(o.Devices, s.Devices) {
			weights, state = weights+o.Weights, state+o.State
		}
	}
	return &Memory{Weights: weights + state, Peak: x.Peak, At: s.Name,
		Alive: []Alive{{s.Name, weights, "weight"}, {s.Name, state, "gradient"}, {s.Name, x.Peak - weights - state, "activation"}}}
}

// groups is the number of submeshes that differ.
func groups(list []Submesh) int {
	n := 0
	for i, s := range list {
		if slices.Index(list, s) == i {
			n++
		}
	}
	return n
}

// need is about what a stage needs of a device's memory, with other stages on it.
func (x *staging) need(i int) int64 {
	one := x.parts[i]
	if n := groups(x.submeshes); x.kind == schedule.Interleaved {
		for k, p := range x.parts {
			if k != i && k%n == i%n {
				one.weights, one.state, one.scratch = one.weights+p.weights, one.state+p.state, max(one.scratch, p.scratch)
				one.most = max(one.most, p.most)
			}
		}
	}
	return one.holds(x.flight(i), x.recompute != nil && x.recompute[i])
}

// flight is how many micro-batches a stage has in flight at most, or chunks of them.
func (x *staging) flight(i int) int64 {
	switch x.kind {
	case schedule.GPipe:
		return int64(x.micro)
	case schedule.Interleaved: // as many passes ahead as package schedule has it
		n := groups(x.submeshes)
		return int64(min((n-i%n-1)*2+(len(x.parts)/n-1)*n+1, x.micro*len(x.parts)/n))
	}
	if x.after == nil {
		return int64(min(x.micro, len(x.parts)-i))
	}
	return int64(min(x.micro, depths(x.after)[i]))
}

// spares has a stage compute again, or make again what is made of weights alone, where it needs more
// than a device has, and reports whether there was one. fullest is the stage, from 1, of the device
// that has most.
func (x *staging) spares(memory int64, fullest int) (more bool) {
	for i := range x.parts {
		if x.need(i) <= memory && i != fullest-1 {
			continue
		}
		switch {
		case !x.recompute[i]:
			x.recompute[i], more = true, true
		case !x.lean[i] && x.parts[i].lent > 0:
			x.parts[i], x.lean[i], more = x.parts[i].lean(), true, true
		}
	}
	return more
}
