package plan

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// maxSlots bounds nodes times micro-batches.
const maxSlots = 1 << 24

// program is what each device of a plan does, one slot after the other, in the order of the
// graph but for what is sent early; with micro-batches first what all need, then one of
// these after the other, then what is done once for all. All devices do the same, but for
// tensors that are on the first place of an axis only.
type program struct {
	slots []slot
	// weights and inputs are what lies on a device before the step, in bytes: weights and
	// state as they are resident, and the device's share of the other inputs.
	weights, inputs int64
	// lie are the inputs by node, with the bytes of a device.
	lie []lying
}

type lying struct {
	node   graph.NodeID
	bytes  int64
	weight bool
}

// slot is an operator on members, or a collective.
type slot struct {
	node graph.NodeID
	// kind is that of a collective along a mesh axis, of which each device has sent bytes
	// before; None of an operator.
	kind parallel.Kind
	axis int
	sent int64
	// on are the mesh axes along all of which devices take part; of others the first place.
	on    []int
	time  machine.Time
	class string
	// reads are the slots of which it waits for the results, their memory with it.
	reads []int
	// output is how many bytes its results take; kept: to the end of the step.
	output int64
	kept   bool
	// host: it sends to a host, or brings back from it.
	host aside
	// result: it puts an output together that becomes no weight.
	result bool
	// adds: it adds what a micro-batch made to what those before did.
	adds bool
	// inPlace: it writes over a weight.
	inPlace bool
	// enlarges: a collective after which there is more than before.
	enlarges bool
}

// value is where a tensor of the graph is to be had.
type value struct {
	slots []int // what makes it, and what it is a view of; none of what lies there before
	axes  []int // along which there are members
	ends  []int // of these, along which they are done with: nobody looked at the others yet
	how   map[int]*graph.Op
	along map[int]int // by ended axis along which members were put together: the tensor's axis
	bytes int64       // of a member
	given bool        // an input, or members made of one
}

// turn is a tensor in a micro-batch, 0 of what there is once.
type turn struct {
	graph.Tensor
	micro int
}

// programmer makes a program.
type programmer struct {
	*prices
	p        *Plan
	g        *graph.Graph
	out      program
	of       map[turn]*value
	time     int // the axis in time, -1: none
	micros   int
	once     bool   // one micro-batch is written
	micro    int    // the micro-batch that is written
	phase    []int8 // by node: before micro-batches, with each, after them
	needed   []bool
	settled  []bool
	forward  []bool
	updating map[graph.NodeID]bool
	inputs   map[graph.Tensor]int // inputs, and what is a part or a view of one, by its place
	over     map[graph.NodeID]int // what is written over an input, by its place
}

// turnsOf is how often a phase is gone through.
func (m *programmer) turnsOf(phase int8) int {
	if phase == 1 && !m.once {
		return m.micros
	}
	return 1
}

// phases divides nodes: those of micro-batches, what these need, and what needs all of them.
func (m *programmer) phases() error {
	m.phase = make([]int8, m.g.Len()+1)
	for id := range m.g.Nodes() {
		in := m.timed(id.Out(0))
		for _, t := range m.g.Operands(id) {
			in = in || m.timed(t)
		}
		if in {
			m.phase[id] = 1
		}
		for _, t := range m.g.Operands(id) {
			after := m.phase[t.Node] == 2 || m.phase[t.Node] == 1 && !m.timed(t)
			if in && after {
				return fmt.Errorf("node %s of a micro-batch needs what all of them make", m.g.Name(id))
			}
			if after {
				m.phase[id] = 2
			}
		}
	}
	first := slices.Repeat([]int8{3}, m.g.Len()+1) // phase of those that read it
	for id := graph.NodeID(m.g.Len()); id > 0; id-- {
		if m.phase[id] == 0 && first[id] == 2 && m.g.Op(id) != nil && !m.settled[id] {
			m.phase[id] = 2 // nothing of it need be there while micro-batches are
		}
		if m.needed[id] {
			for _, t := range m.g.Operands(id) {
				first[t.Node] = min(first[t.Node], m.phase[id])
			}
		}
	}
	return nil
}

// timed reports whether there is a member of a tensor for each micro-batch.
func (m *programmer) timed(t graph.Tensor) bool {
	return m.time >= 0 && slices.Contains(m.lay.Mesh(t), m.time)
}

// at is the tensor in the micro-batch that is written.
func (m *programmer) at(t graph.Tensor) turn {
	if m.timed(t) {
		return turn{t, m.micro}
	}
	return turn{t, 0}
}

// classes tells the loss with all before it (forward) from the rest of a training step, and
// in that what only works element by element on the way to what becomes an input (update).
func (m *programmer) classes() {
	m.updating = map[graph.NodeID]bool{}
	if len(m.p.Training.Next) == 0 {
		m.forward = m.needed
		return
	}
	var first, next []graph.Tensor
	for i, t := range m.g.Outputs() {
		if _, ok := m.p.Training.Next[i]; ok {
			next = append(next, t)
		} else {
			first = append(first, t)
		}
	}
	m.forward = reached(m.g, first)
	for len(next) > 0 {
		t := next[len(next)-1]
		next = next[:len(next)-1]
		o := member(m.g, t.Node)
		if o == nil || m.forward[t.Node] || m.updating[t.Node] {
			continue
		}
		if o.Layout != graph.LayoutNone || o.Pointwise || o.Elementwise {
			m.updating[t.Node] = true
			next = append(next, m.g.Operands(t.Node)...)
		}
	}
}

func (m *programmer) class(id graph.NodeID) string {
	switch {
	case m.forward[id]:
		return "forward"
	case m.updating[id]:
		return "update"
	}
	return "backward"
}

// space are the axes along which members of a tensor lie on devices.
func (m *programmer) space(t graph.Tensor) (out []int) {
	for _, a := range m.lay.Mesh(t) {
		if a != m.time {
			out = append(out, a)
		}
	}
	return out
}

// lives is the last slot at which the result of each is there.
func (p *program) lives() []int {
	last := make([]int, len(p.slots))
	for i, s := range p.slots {
		last[i] = max(last[i], i)
		for _, r := range s.reads {
			last[r] = max(last[r], i)
		}
		if s.kept {
			last[i] = len(p.slots)
		}
	}
	return last
}

// peak is the most that is taken at once, and the slot at which, -1 before all; last is
// that of [program.lives].
func (p *program) peak(last []int) (at int, peak int64) {
	dies := make([]int64, len(p.slots)+1) // what is free from the slot behind on
	at, peak = -1, p.weights+p.inputs
	now, free := peak, int64(0)
	for i, s := range p.slots {
		now += s.output
		dies[last[i]] += s.output
		if s.time > 0 { // what takes no time is never seen
			now -= free
			free = 0
			if now > peak {
				peak, at = now, i
			}
		}
		free += dies[i]
	}
	return at, peak
}
