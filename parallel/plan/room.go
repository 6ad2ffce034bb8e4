package plan

import (
	"cmp"
	"context"
	"slices"

	"github.com/taso-go/taso/parallel/machine"
)

// roomTries is how often a step is simulated anew, with more of it in the order of the program, until
// a device has room for it.
const roomTries = 8

// within is a plan for devices that may hold so many bytes; 0: what they have.
func (p *Plan) within(memory int64) *Plan {
	if memory >= p.Mesh.Cluster.Memory {
		memory = 0
	}
	if memory == p.memory {
		return p
	}
	q := *p
	q.memory, q.makespan, q.fitted = memory, 0, 0
	return &q
}

// room is how many bytes a device may hold in a step, but never less than it needs where all is done
// in the order of the program.
func (p *Plan) room(inOrder int64) int64 {
	have := p.Mesh.Cluster.Memory
	if p.memory > 0 {
		have = min(have, p.memory)
	}
	return max(have, inOrder)
}

// levels is how many bytes a device holds at each slot in the order of the program.
func (p *program) levels(last []int) []int64 {
	out, dies := make([]int64, len(p.slots)), make([]int64, len(p.slots)+1)
	now := p.weights + p.inputs
	for i, s := range p.slots {
		now += s.output
		dies[last[i]] += s.output
		out[i] = now
		now -= dies[i]
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
