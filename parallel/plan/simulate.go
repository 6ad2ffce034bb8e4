package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/sim"
)

// SimulateOptions say how a step is simulated.
type SimulateOptions struct {
	// Serial: a device does one thing after the other, collectives too. This is what
	// [Plan.Time] adds up; else collectives go on beside computing.
	Serial bool
	// Ahead is how many collectives after which there is more than before, such as gathering
	// a weight, may be under way or over before what reads them first; 0: 2. The others begin when
	// what they send is there. Frameworks limit the same (forward prefetch).
	Ahead int
	// Samples is the number of samples of a step, if it is known.
	Samples int
	// MaxTasks bounds the tasks; 0: 2^22.
	MaxTasks int
	// first: only the first device of the mesh computes. No device does more or other things
	// than that one, and collectives are of all groups at once, so that nothing is over later.
	first bool
	// makespan: nothing else is asked for.
	makespan bool
}

// Simulation is a step of a plan on its devices over time. Times are modelled.
type Simulation struct {
	// Run has the tasks and their times, the memory of each device over time, and writes
	// traces and charts.
	Run *sim.Graph
	// Makespan is the time of a step.
	Makespan machine.Time
	// Devices says what each device of the mesh does in it.
	Devices []sim.Usage
	// Classes are the times of what is done on the busiest device: forward, backward, update
	// and the kinds of collectives, in the order of their first tasks.
	Classes []ClassTime
	// Critical is a path of tasks for which the step waits.
	Critical []sim.Step
	// Peak is the most bytes that the first device holds at once, which holds most. That is no more
	// than a device may hold, if that is enough in the order of the program. Of a pipeline
	// see [Pipeline].
	Peak int64
	// PerSecond is the samples in a second; 0: their number is not known.
	PerSecond float64
}

// ClassTime is what one class of work takes.
type ClassTime struct {
	Class string `json:"class"`
	// Time is how long the device with most of it is busy with it, Count how many tasks there are.
	Time  machine.Time `json:"time_ps"`
	Count int          `json:"tasks"`
	// Bytes are those that all devices send together.
	Bytes int64 `json:"bytes"`
}

// Simulate runs a step of a plan on the cluster of its mesh in time. Each operator is a
// task of every device that has members, in the order of the graph; a collective is a task
// of all groups along its axis, by the algorithm that is fastest for them. Links serve one
// task at a time. What lies on the devices before the step costs nothing; results that
// become no weight or state are put together on the first device.
//
// Where sending ahead, or beside computing, would need more memory than a device may hold, less of
// that is done: at the slots of the program at which a device holds most nothing else goes on.
//
// All devices are simulated: groups may be on links of different speed.
//
// Of a pipeline the passes of stages are tasks (package schedule), whose operators and
// collectives are one after the other.
func (p *Plan) Simulate(ctx context.Context, opt SimulateOptions) (*Simulation, error) {
	if p.Pipeline != nil {
		return p.simulateStages(opt)
	}
	prog, err := p.program()
	if err != nil {
		return nil, err
	}
	if opt.Ahead <= 0 {
		opt.Ahead = 2
	}
	if opt.MaxTasks <= 0 {
		opt.MaxTasks = 1 << 22
	}
	if n := len(prog.slots) * p.Mesh.Devices(); n > opt.MaxTasks && !opt.first {
		return nil, fmt.Errorf("simulate the plan: %d operators on %d devices are more than %d tasks", len(prog.slots), p.Mesh.Devices(), opt.MaxTasks)
	}
	s := &simulator{program: prog, p: p, opt: opt}
	first, peak, err := s.inRoom(ctx)
	if err == nil && opt.first {
		s = first
	} else if err == nil {
		s.fences = first.fences
		_, err = s.simulate(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("simulate the plan: %w", err)
	}
	out := &Simulation{Run: s.run, Makespan: s.run.Makespan()}
	if !opt.makespan {
		out = s.report()
	}
	out.Peak = peak
	return out, nil
}

// simulate makes the tasks and runs them, and says what the first device holds.
func (s *simulator) simulate(ctx context.Context) (peak int64, err error) {
	s.run, s.of, s.classes, s.bytes, s.count = sim.New(s.p.Mesh.Cluster), nil, nil, map[string]int64{}, map[string]int{}
	if err := s.tasks(ctx); err != nil {
		return 0, err
	}
	if err := s.run.Run(); err != nil {
		return 0, err
	}
	return s.holds(), nil
}

// simulator makes tasks of a program.
type simulator struct {
	*program
	p       *Plan
	opt     SimulateOptions
	run     *sim.Graph
	of      [][]sim.ID // by slot and device; -1: the device has no part in it
	last    []sim.ID   // by device: what it computed, or, if serial, did last
	fences  []bool     // slots at which nothing else goes on ([simulator.inRoom]); nil: none
	fence   []sim.ID   // by device: the last of these
	since   [][]sim.ID // by device: what it sends since then
	bytes   map[string]int64
	count   map[string]int
	classes []string
}

func (s *simulator) tasks(ctx context.Context) error {
	n := s.p.Mesh.Devices()
	s.last, s.fence, s.since = slices.Repeat([]sim.ID{-1}, n), slices.Repeat([]sim.ID{-1}, n), make([][]sim.ID, n)
	for d := range n {
		if err := s.run.Reserve(d, s.weights+s.inputs); err != nil {
			return err
		}
	}
	held := s.held()
	g := s.p.Laying.Graph()
	for i := range s.slots {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := sim.Task{Name: g.Name(s.slots[i].node), Class: s.slots[i].class, Output: s.slots[i].output, Kept: s.slots[i].kept}
		ids := slices.Repeat([]sim.ID{-1}, n)
		s.of = append(s.of, ids)
		var err error
		switch {
		case s.slots[i].host != here:
			err = s.message(i, t, ids, held[i])
		case s.slots[i].kind == parallel.None:
			err = s.compute(i, t, ids)
		default:
			t.Class = s.slots[i].kind.String()
			err = s.collective(i, t, ids, held[i])
		}
		if err != nil {
			return err
		}
		if !slices.Contains(s.classes, t.Class) {
			s.classes = append(s.classes, t.Class)
		}
	}
	return nil
}

// reads are the tasks of a device whose results a slot reads.
func (s *simulator) reads(i, device int) (out []sim.ID) {
	for _, r := range s.slots[i].reads {
		if id := s.of[r][device]; id >= 0 {
			out = append(out, id)
		}
	}
	return out
}

// after are the tasks of a device that are over before a slot that it does in order.
func (s *simulator) after(i, device int) (out []sim.ID) {
	if id := s.last[device]; id >= 0 {
		out = append(out, id)
	}
	if s.fences != nil && s.fences[i] {
		out = append(out, s.since[device]...)
	}
	return out
}

// sendsAfter are those before a slot that sends, which is held back to when a device is done with
// another one; -1: not at all.
func (s *simulator) sendsAfter(i, device, held int) (out []sim.ID) {
	if s.opt.Serial || s.fences != nil && s.fences[i] {
		return s.after(i, device)
	}
	if held >= 0 && s.of[held][device] >= 0 {
		out = append(out, s.of[held][device])
	}
	if id := s.fence[device]; id >= 0 {
		out = append(out, id)
	}
	return out
}

// did notes the task of a device that is a slot.
func (s *simulator) did(i, device int, id sim.ID) {
	switch {
	case s.fences != nil && s.fences[i]:
		s.last[device], s.fence[device], s.since[device] = id, id, nil
	case s.opt.Serial || !s.slots[i].sends():
		s.last[device] = id
	default:
		s.since[device] = append(s.since[device], id)
	}
}

func (s *simulator) compute(i int, t sim.Task, ids []sim.ID) error {
	for d := range ids {
		if s.opt.first && d > 0 || !s.p.Mesh.first(d, s.slots[i].on) {
			continue
		}
		t.Reads, t.After, t.Work = s.reads(i, d), s.after(i, d), sim.Compute{Device: d, Time: s.slots[i].time}
		id, err := s.run.Add(t)
		if err != nil {
			return err
		}
		s.count[t.Class]++
		s.did(i, d, id)
		ids[d] = id
	}
	return nil
}

// collective adds a task of all groups: what one waits for, so do the others. It is held back
// to when its devices are done with a slot, -1: not at all.
func (s *simulator) collective(i int, t sim.Task, ids []sim.ID, held int) error {
	x := &s.slots[i]
	how, err := s.p.Mesh.fastest(x.kind, x.axis, x.sent)
	if err != nil {
		return err
	}
	t.Reads, t.After = nil, nil
	var groups [][]int
	for _, group := range s.p.Mesh.all(x.axis) {
		if !s.p.Mesh.first(group[0], x.on) {
			continue
		}
		groups = append(groups, group)
		for _, d := range group {
			if s.opt.first && d > 0 {
				continue
			}
			t.Reads = append(t.Reads, s.reads(i, d)...)
			t.After = append(t.After, s.sendsAfter(i, d, held)...)
		}
	}
	t.Work = sim.Collectives{Kind: x.kind, Algorithm: how.by, Groups: groups, Bytes: x.sent}
	id, err := s.run.Add(t)
	if err != nil {
		return err
	}
	s.count[t.Class] += len(groups)
	for _, group := range groups {
		for _, d := range group {
			if s.opt.first && d > 0 {
				continue
			}
			s.did(i, d, id)
			ids[d] = id
		}
	}
	if s.opt.first { // nobody asks for bytes
		return nil
	}
	return s.send(x, how.by, groups, t.Class)
}

// message adds the messages of all devices to or from their hosts as a task, as of a collective.
func (s *simulator) message(i int, t sim.Task, ids []sim.ID, held int) error {
	x := &s.slots[i]
	flows, err := s.p.Mesh.flows(x.host, x.on, x.sent)
	if err != nil {
		return err
	}
	for d := range ids {
		if s.opt.first && d > 0 || !s.p.Mesh.first(d, x.on) {
			continue
		}
		t.Reads = append(t.Reads, s.reads(i, d)...)
		t.After = append(t.After, s.sendsAfter(i, d, held)...)
	}
	t.Work = sim.Messages(flows)
	id, err := s.run.Add(t)
	if err != nil {
		return err
	}
	s.count[t.Class] += len(flows)
	s.bytes[t.Class] += int64(len(flows)) * x.sent
	for d := range ids {
		if s.opt.first && d > 0 || !s.p.Mesh.first(d, x.on) {
			continue
		}
		s.did(i, d, id)
		ids[d] = id
	}
	return nil
}

// send counts the bytes of a collective, group by group: of several at once rounds are as
// often as those of any.
func (s *simulator) send(x *slot, by machine.Algorithm, groups [][]int, class string) error {
	for _, group := range groups {
		rounds, err := s.p.Mesh.Cluster.Together(x.kind, by, [][]int{group}, x.sent)
		if err != nil {
			return err
		}
		for _, r := range rounds {
			for _, f := range r.Flows {
				s.bytes[class] += r.Times * f.Bytes
			}
		}
	}
	return nil
}

// held finds behind which operator each collective that enlarges what it sends is held
// back: that before the first reader of the one so many before it; -1: none.
func (s *simulator) held() []int {
	out := slices.Repeat([]int{-1}, len(s.slots))
	first := s.readers()
	var enlarging []int
	for i, x := range s.slots {
		if x.enlarges {
			enlarging = append(enlarging, i)
		}
	}
	slices.SortStableFunc(enlarging, func(a, b int) int { return first[a] - first[b] })
	for k := s.opt.Ahead; k < len(enlarging); k++ {
		before := enlarging[k-s.opt.Ahead]
		for i := min(first[before], enlarging[k]) - 1; i >= 0; i-- {
			if !s.slots[i].sends() {
				out[enlarging[k]] = i
				break
			}
		}
	}
	return out
}

// readers is the first operator that reads what each slot makes, perhaps by way of
// collectives.
func (s *simulator) readers() []int {
	first := slices.Repeat([]int{len(s.slots)}, len(s.slots))
	for i := len(s.slots) - 1; i >= 0; i-- {
		at := i
		if s.slots[i].sends() {
			at = first[i]
		}
		for _, r := range s.slots[i].reads {
			first[r] = min(first[r], at)
		}
	}
	return first
}

func (s *simulator) report() *Simulation {
	out := &Simulation{Run: s.run, Makespan: s.run.Makespan(), Critical: s.run.Critical(), Devices: s.run.Usage()[:s.p.Mesh.Devices()]}
	if s.opt.Samples > 0 && out.Makespan > 0 {
		out.PerSecond = float64(s.opt.Samples) / float64(out.Makespan.Seconds())
	}
	busy := map[string][]machine.Time{}
	for i, x := range s.slots {
		class := x.class
		if x.kind != parallel.None {
			class = x.kind.String()
		}
		if busy[class] == nil {
			busy[class] = make([]machine.Time, s.p.Mesh.Devices())
		}
		for d, id := range s.of[i] {
			if id >= 0 {
				span := s.run.Span(id)
				busy[class][d] += span.End - span.Start
			}
		}
	}
	for _, c := range s.classes {
		out.Classes = append(out.Classes, ClassTime{c, slices.Max(busy[c]), s.count[c], s.bytes[c]})
	}
	return out
}

// inRoom simulates the first device, which holds most, so that it has room for what it holds. Where it
// has not with all that goes ahead of the order of the program, or is still being sent, nothing
// else goes on at the slots at which it holds more than some bytes in that order.
func (s *simulator) inRoom(ctx context.Context) (first *simulator, peak int64, err error) {
	last := s.lives()
	_, inOrder := s.peak(last)
	room, limit := s.p.room(inOrder), s.p.room(inOrder) // limit is of what is held in order
	levels := s.levels(last)
	x := *s
	x.opt.first = true
	for try := 0; ; try++ {
		peak, err := x.simulate(ctx)
		if err != nil || peak <= room || s.opt.Serial || try > roomTries {
			return &x, peak, err
		}
		limit -= max(peak-room, room>>roomTries<<try) // what is over may be by a little, over and over
		if try == roomTries {
			limit = -1 // all in order
		}
		x.fences = make([]bool, len(s.slots))
		for i := range levels {
			x.fences[i] = levels[i] > limit
		}
	}
}

// holds is the most bytes that the first device holds at once in a run that is over.
func (s *simulator) holds() int64 {
	type change struct {
		at    machine.Time
		bytes int64
	}
	ends := make([]machine.Time, len(s.slots)) // of who reads it last
	for i, x := range s.slots {
		if s.of[i][0] < 0 {
			continue
		}
		end := s.run.Span(s.of[i][0]).End
		ends[i] = max(ends[i], end)
		for _, r := range x.reads {
			ends[r] = max(ends[r], end)
		}
	}
	var changes []change
	for i, x := range s.slots {
		if s.of[i][0] < 0 || x.output == 0 {
			continue
		}
		from := s.run.Span(s.of[i][0]).Start
		if x.kept {
			ends[i] = s.run.Makespan()
		}
		if from < ends[i] {
			changes = append(changes, change{from, x.output}, change{ends[i], -x.output})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	now := s.weights + s.inputs
	most := now
	for i, c := range changes {
		if now += c.bytes; i+1 == len(changes) || changes[i+1].at > c.at { // all changes of a time at once
			most = max(most, now)
		}
	}
	return most
}
