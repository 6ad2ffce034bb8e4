package schedule

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/sim"
)

// Run is the task graph of a pipeline, and which tasks are its passes.
type Run struct {
	Graph *sim.Graph
	// Forward and Backward are by stage, micro-batch (through all batches) and device of
	// the stage.
	Forward, Backward [][][]sim.ID
	// Updates are by stage, batch and device.
	Updates [][][]sim.ID
}

// Build makes the task graph; it is not simulated yet. Errors name the stage: devices that
// the cluster has not, negative times, stages on one device that the schedule does not
// allow, micro-batches that it cannot divide.
func (p *Pipeline) Build(c *machine.Cluster) (*Run, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	workers, err := p.programs()
	if err != nil {
		return nil, err
	}
	n, all := len(p.Stages), p.MicroBatches*max(1, p.Batches)
	b := &builder{Pipeline: p, c: c, g: sim.New(c), readers: make([][]int, n), done: make([]int, n), over: make([][][]sim.ID, n), inputs: map[[3]int]sim.ID{}}
	b.run = &Run{Graph: b.g, Forward: make([][][]sim.ID, n), Backward: make([][][]sim.ID, n), Updates: make([][][]sim.ID, n)}
	for i, s := range p.Stages {
		b.run.Forward[i], b.run.Backward[i] = make([][]sim.ID, all), make([][]sim.ID, all)
		for _, a := range s.After {
			b.readers[a] = append(b.readers[a], i)
		}
		if err := b.reserve(s); err != nil {
			return nil, fmt.Errorf("pipeline: stage %d (%s): %w", i, s.Name, err)
		}
	}
	// Workers in turns: each adds what it can, since a task is added after those that it
	// waits for.
	at := make([]int, len(workers))
	last := make([][]sim.ID, len(workers))   // the pass before, by device
	before := make([][]sim.ID, len(workers)) // and the one before that
	for left := true; left; {
		left = false
		moved := false
		for w := range workers {
			for at[w] < len(workers[w].program) {
				x := workers[w].program[at[w]]
				if !b.ready(x) {
					left = true
					break
				}
				ids, err := b.pass(x, last[w], before[w])
				if err != nil {
					return nil, fmt.Errorf("pipeline: stage %d (%s): %w", x.stage, p.Stages[x.stage].Name, err)
				}
				before[w], last[w] = last[w], ids
				at[w]++
				moved = true
			}
		}
		if left && !moved {
			return nil, fmt.Errorf("pipeline: schedule %s: stages wait for each other", p.Schedule)
		}
	}
	return b.run, nil
}

type builder struct {
	*Pipeline
	c       *machine.Cluster
	g       *sim.Graph
	run     *Run
	readers [][]int
	done    []int        // micro-batches that a stage has been through backward
	over    [][][]sim.ID // the last backward pass of a batch, by stage, batch and device
	held    map[int]int64
	inputs  map[[3]int]sim.ID // what segments read, by stage, micro-batch and device of the stage
}

// reserve takes the memory of weights and state.
func (b *builder) reserve(s Stage) error {
	versions := int64(1)
	if b.Schedule == TwoBW {
		versions = 2
	}
	if b.held == nil {
		b.held = map[int]int64{}
	}
	for _, d := range s.Devices {
		if d < 0 || d >= b.c.Devices() {
			return fmt.Errorf("%d is none of the devices 0 to %d", d, b.c.Devices()-1)
		}
		b.held[d] += versions*s.Weights + s.State
		if err := b.g.Reserve(d, b.held[d]); err != nil {
			return err
		}
	}
	return nil
}

// ready reports whether the tasks that a pass waits for are there.
func (b *builder) ready(x pass) bool {
	if x.back {
		if b.run.Forward[x.stage][x.micro] == nil {
			return false
		}
		for _, r := range b.readers[x.stage] {
			if b.run.Backward[r][x.micro] == nil {
				return false
			}
		}
		return true
	}
	for _, a := range b.Stages[x.stage].After {
		if b.run.Forward[a][x.micro] == nil {
			return false
		}
	}
	// The weights must be there, but for the first batches.
	return len(b.run.Updates[x.stage]) >= x.micro/b.MicroBatches-b.stale()
}

// stale is how many updates behind the weights of a batch may be.
func (b *builder) stale() int {
	if b.Schedule == TwoBW {
		return 1
	}
	return 0
}

// pass adds a pass; it comes after the one before on the same devices.
func (b *builder) pass(x pass, last, before []sim.ID) ([]sim.ID, error) {
	if x.back {
		return b.backward(x, last, before)
	}
	s := b.Stages[x.stage]
	var input []sim.ID
	for _, a := range s.After {
		id, err := b.send(a, x.stage, a, x.micro, b.run.Forward[a][x.micro], "send")
		if err != nil {
			return nil, err
		}
		input = append(input, id)
	}
	var update []sim.ID
	if batch := x.micro/b.MicroBatches - 1 - b.stale(); batch >= 0 {
		update = b.run.Updates[x.stage][batch]
	}
	var ids []sim.ID
	for i, d := range s.Devices {
		// What segments read is there from here to the end of the backward pass, which reads
		// this task; it takes no time.
		after := append(nth(last, i), nth(update, i)...)
		if s.Inputs > 0 {
			id, err := b.g.Add(sim.Task{Name: fmt.Sprintf("%s inputs %d", s.Name, x.micro), Class: "recompute",
				Work: sim.Compute{Device: d}, After: append(slices.Clone(input), after...), Output: s.Inputs})
			if err != nil {
				return nil, err
			}
			b.inputs[[3]int{x.stage, x.micro, i}] = id
			after = append(after, id)
		}
		t := sim.Task{Name: fmt.Sprintf("%s forward %d", s.Name, x.micro), Class: "forward",
			Work: sim.Compute{Device: d, Time: s.Forward}, Reads: input, Output: s.Kept}
		if s.Recompute {
			t.Output = b.share(x.stage)
		}
		t.After = after
		id, err := b.g.Add(t)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	b.run.Forward[x.stage][x.micro] = ids
	return ids, nil
}

// nth is the i-th of a list as a list, empty where there is none.
func nth(ids []sim.ID, i int) []sim.ID {
	if i >= len(ids) {
		return nil
	}
	return []sim.ID{ids[i]}
}

// share is the part of a stage's output that a device has.
func (b *builder) share(stage int) int64 {
	n := int64(len(b.Stages[stage].Devices))
	if len(b.readers[stage]) == 0 {
		return 0
	}
	return (b.Stages[stage].Out + n - 1) / n
}

// send adds the messages that bring the output of stage out, or its gradient, from one
// stage to another. Each device has an equal part and gets one.
func (b *builder) send(from, to, out, micro int, reads []sim.ID, class string) (sim.ID, error) {
	src, dst, bytes := b.Stages[from].Devices, b.Stages[to].Devices, b.Stages[out].Out
	var flows sim.Messages
	for i, x := range src {
		lo, hi := part(bytes, i, len(src)), part(bytes, i+1, len(src))
		for j, y := range dst {
			l, h := max(lo, part(bytes, j, len(dst))), min(hi, part(bytes, j+1, len(dst)))
			if l < h || bytes == 0 && i == 0 {
				flows = append(flows, machine.Flow{From: x, To: y, Bytes: max(0, h-l)})
			}
		}
	}
	n := int64(len(dst))
	return b.g.Add(sim.Task{Name: fmt.Sprintf("%s to %s %d", b.Stages[from].Name, b.Stages[to].Name, micro), Class: class,
		Work: flows, Reads: reads, Output: (bytes + n - 1) / n})
}

// part is where the i-th of n equal parts begins.
func part(bytes int64, i, n int) int64 {
	k, rest := bytes/int64(n), bytes%int64(n)
	return k*int64(i) + min(int64(i), rest)
}

func (b *builder) backward(x pass, last, before []sim.ID) ([]sim.ID, error) {
	s := b.Stages[x.stage]
	var gradient []sim.ID
	for _, r := range b.readers[x.stage] {
		id, err := b.send(r, x.stage, x.stage, x.micro, b.run.Backward[r][x.micro], "send back")
		if err != nil {
			return nil, err
		}
		gradient = append(gradient, id)
	}
	// What goes back to the stages that it read.
	out := int64(0)
	for _, a := range s.After {
		n := int64(len(s.Devices))
		out += (b.Stages[a].Out + n - 1) / n
	}
	var ids []sim.ID
	for i, d := range s.Devices {
		forward := b.run.Forward[x.stage][x.micro][i]
		kept, err := b.kept(x, i, forward, nth(last, i), nth(before, i))
		if err != nil {
			return nil, err
		}
		reads := append([]sim.ID{kept}, gradient...)
		if id, ok := b.inputs[[3]int{x.stage, x.micro, i}]; ok {
			reads = append(reads, id)
		}
		id, err := b.g.Add(sim.Task{Name: fmt.Sprintf("%s backward %d", s.Name, x.micro), Class: "backward",
			Work: sim.Compute{Device: d, Time: s.Backward}, Reads: reads, After: nth(last, i), Output: out})
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	b.run.Backward[x.stage][x.micro] = ids
	if b.done[x.stage]++; b.done[x.stage]%b.MicroBatches > 0 {
		return ids, nil
	}
	b.over[x.stage] = append(b.over[x.stage], ids)
	for stage := range b.Stages {
		for b.joined(stage) {
			if err := b.update(stage); err != nil {
				return nil, err
			}
		}
	}
	return ids, nil
}

// joined reports whether all are there that the next update of a stage waits for.
func (b *builder) joined(stage int) bool {
	batch := len(b.run.Updates[stage])
	for _, j := range append([]int{stage}, b.Stages[stage].Joins...) {
		if len(b.over[j]) <= batch {
			return false
		}
	}
	return true
}

// kept is the task that has what a backward pass needs of the forward pass.
func (b *builder) kept(x pass, i int, forward sim.ID, last, before []sim.ID) (sim.ID, error) {
	s := b.Stages[x.stage]
	switch {
	case s.Recompute:
		first, _ := b.g.Task(forward)
		// It reads the input that the forward pass read, which is kept for that.
		return b.g.Add(sim.Task{Name: fmt.Sprintf("%s again %d", s.Name, x.micro), Class: "recompute",
			Work: sim.Compute{Device: s.Devices[i], Time: s.Forward}, Reads: first.Reads, After: append([]sim.ID{forward}, last...), Output: segment(s)})
	case s.Offload:
		host, ok := b.c.Host(s.Devices[i])
		if !ok {
			return 0, fmt.Errorf("offload: device %d reaches no host", s.Devices[i])
		}
		away, err := b.g.Add(sim.Task{Name: fmt.Sprintf("%s offload %d", s.Name, x.micro), Class: "offload",
			Work: sim.Transfer{From: s.Devices[i], To: host, Bytes: s.Kept}, Reads: []sim.ID{forward}, Output: s.Kept})
		if err != nil {
			return 0, err
		}
		return b.g.Add(sim.Task{Name: fmt.Sprintf("%s fetch %d", s.Name, x.micro), Class: "offload",
			Work: sim.Transfer{From: host, To: s.Devices[i], Bytes: s.Kept}, Reads: []sim.ID{away}, After: before, Output: s.Kept})
	}
	return forward, nil
}

// segment is what a stage that computes again keeps at once while it goes backward.
func segment(s Stage) int64 {
	if s.Segment > 0 {
		return s.Segment
	}
	return s.Kept
}

// update adds the gradients up among the devices of a stage, and takes the step.
func (b *builder) update(stage int) error {
	s := b.Stages[stage]
	batch := len(b.run.Updates[stage])
	last := b.over[stage][batch]
	var joins []sim.ID
	for _, j := range s.Joins {
		joins = append(joins, b.over[j][batch]...)
	}
	if s.Gradients > 0 && len(s.Devices) > 1 {
		sync := s.Sync
		if sync == "" {
			sync = machine.Ring
		}
		id, err := b.g.Add(sim.Task{Name: fmt.Sprintf("%s gradients %d", s.Name, batch), Class: "all-reduce", After: last,
			Work: sim.Collective{Kind: parallel.AllReduce, Algorithm: sync, Group: s.Devices, Bytes: s.Gradients}})
		if err != nil {
			return err
		}
		last = []sim.ID{id}
	}
	var ids []sim.ID
	for i, d := range s.Devices {
		after := last
		if len(last) == len(s.Devices) {
			after = nth(last, i)
		}
		id, err := b.g.Add(sim.Task{Name: fmt.Sprintf("%s update %d", s.Name, batch), Class: "update",
			Work: sim.Compute{Device: d, Time: s.Update}, After: append(slices.Clone(after), joins...)})
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	b.run.Updates[stage] = append(b.run.Updates[stage], ids)
	return nil
}
