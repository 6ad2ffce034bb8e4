package plan

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
