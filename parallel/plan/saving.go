package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// Saving is what a plan without stages does to hold less at once. It changes when things are
// done and where they lie meanwhile, not what is computed, so that no certificate speaks of it.
//
// Computing again what the forward pass made is gradient checkpointing (Chen et al., Training
// deep nets with sublinear memory cost, 2016); a gathered weight that is gathered again is that
// of ZeRO-3 (Rajbhandari et al., SC 2020); to put results at the host is vDNN's (Rhu et al.,
// MICRO 2016).
type Saving struct {
	// Again are nodes of the forward pass, of the graph as it is laid out, whose results are not kept
	// for the backward pass: they are computed, or sent, again when that reads them.
	Again []graph.NodeID
	// Away are such nodes whose results are at the hosts of the devices until they are read.
	Away []graph.NodeID
}

// aside says what a slot has to do with a host.
type aside int8

const (
	here  aside = iota // nothing
	away               // it sends what it reads to the host
	fetch              // it brings that back
)

// sends reports whether a slot is a collective, or a message to or from a host.
func (s *slot) sends() bool { return s.kind != parallel.None || s.host != here }

// saveable reports whether results of a slot may be made again or put aside.
func (s *slot) saveable() bool {
	return s.class == "forward" && s.output > 0 && !s.kept && !s.adds && !s.inPlace && !s.result && s.host == here
}

// saver rewrites a program.
type saver struct {
	*programmer
	old         []slot
	slots       []slot
	again, away []bool // by node
	// By old slot: where its result is to be had, whether it was made there for the backward
	// pass, and where it was put aside.
	at     []int
	back   []bool
	parked []int
	// written are the inputs over which something was written so far.
	written map[int]bool
	extra   machine.Time
}

// save makes a program do what a saving says: a result is made again, or fetched, when the step
// turns to or from going backward and something reads it.
//
// It gives the program, and the time of what it does more.
func (m *programmer) save(s *Saving) (*program, machine.Time, error) {
	x := &saver{programmer: m, old: m.out.slots, written: map[int]bool{},
		at: make([]int, len(m.out.slots)), back: make([]bool, len(m.out.slots)), parked: slices.Repeat([]int{-1}, len(m.out.slots))}
	var err error
	if x.again, err = x.marked(s.Again); err != nil {
		return nil, 0, err
	}
	if x.away, err = x.marked(s.Away); err != nil {
		return nil, 0, err
	}
	for _, id := range s.Away {
		if x.again[id] {
			return nil, 0, fmt.Errorf("saving: node %s is made again and put aside", m.g.Name(id))
		}
	}
	for i, s := range x.old {
		reads, err := x.reads(i, s.class != "forward")
		if err != nil {
			return nil, 0, err
		}
		s.reads = reads
		x.at[i], x.back[i] = x.add(s), s.class != "forward"
		if in, ok := m.over[s.node]; ok && s.inPlace {
			x.written[in] = true
		}
		if x.away[s.node] && s.saveable() {
			if x.parked[i], err = x.message(i, away, x.at[i]); err != nil {
				return nil, 0, err
			}
		}
	}
	out := m.out
	out.slots = x.slots
	return &out, x.extra, nil
}

// marked says of each node whether it is in a list of nodes of the forward pass.
func (x *saver) marked(list []graph.NodeID) ([]bool, error) {
	out := make([]bool, x.g.Len()+1)
	makes := make([]bool, x.g.Len()+1)
	for i := range x.old {
		makes[x.old[i].node] = makes[x.old[i].node] || x.old[i].saveable()
	}
	for _, id := range list {
		if id < 1 || int(id) > x.g.Len() {
			return nil, fmt.Errorf("saving: there is no node %d", id)
		}
		if out[id] {
			return nil, fmt.Errorf("saving: node %s is there twice", x.g.Name(id))
		}
		out[id] = true
		if !makes[id] {
			return nil, fmt.Errorf("saving: node %s makes nothing in the forward pass that could be made again or put aside", x.g.Name(id))
		}
	}
	return out, nil
}

func (x *saver) add(s slot) int {
	x.slots = append(x.slots, s)
	return len(x.slots) - 1
}

// reads are where an old slot finds what it reads.
func (x *saver) reads(i int, back bool) ([]int, error) {
	var out []int
	for _, r := range x.old[i].reads {
		at, err := x.get(r, back)
		if err != nil {
			return nil, err
		}
		out = append(out, at)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// get is where the result of an old slot is for who reads it now.
func (x *saver) get(i int, back bool) (int, error) {
	s := x.old[i]
	if x.back[i] == back || !s.saveable() || !x.again[s.node] && !x.away[s.node] {
		return x.at[i], nil
	}
	var err error
	if x.away[s.node] {
		x.at[i], err = x.message(i, fetch, x.parked[i])
	} else {
		for _, t := range x.g.Operands(s.node) {
			if in, ok := x.inputs[t]; ok && x.written[in] {
				return 0, fmt.Errorf("saving: node %s would be made again of an input that was written over", x.g.Name(s.node))
			}
		}
		if s.reads, err = x.reads(i, back); err != nil {
			return 0, err
		}
		s.class = "again"
		x.extra += s.time
		x.at[i] = x.add(s)
	}
	x.back[i] = back
	return x.at[i], err
}

// message sends the result of an old slot to the host, or back; it reads a new slot.
func (x *saver) message(i int, way aside, read int) (int, error) {
	s := x.old[i]
	m := slot{node: s.node, host: way, sent: s.output, on: s.on, class: "offload", reads: []int{read}}
	if way == fetch {
		m.output, m.enlarges = s.output, true
	}
	var err error
	if m.time, err = x.mesh.aside(way, s.on, s.output); err != nil {
		return 0, fmt.Errorf("saving: node %s: %w", x.g.Name(s.node), err)
	}
	x.extra += m.time
	return x.add(m), nil
}

// errNoHost says that devices reach no host.
var errNoHost = errors.New("no host is reached")

// flows are the messages of all devices that take part between them and their hosts.
func (m *Mesh) flows(way aside, on []int, bytes int64) (out []machine.Flow, err error) {
	for d := range m.Devices() {
		if !m.first(d, on) {
			continue
		}
		h, ok := m.Cluster.Host(d)
		if !ok {
			return nil, fmt.Errorf("device %d: %w", d, errNoHost)
		}
		f := machine.Flow{From: d, To: h, Bytes: bytes}
		if way == fetch {
			f.From, f.To = h, d
		}
		out = append(out, f)
	}
	return out, nil
}

// aside is the time of the messages of all devices between them and their hosts.
func (m *Mesh) aside(way aside, on []int, bytes int64) (machine.Time, error) {
	key := parking{way, fmt.Sprint(on), bytes}
	m.lock.Lock()
	defer m.lock.Unlock()
	if t, ok := m.parked[key]; ok {
		return t, nil
	}
	flows, err := m.flows(way, on, bytes)
	if err != nil {
		return 0, err
	}
	c, err := m.Cluster.Charge([]machine.Round{{Times: 1, Flows: flows}})
	if err == nil {
		m.parked[key] = c.Time
	}
	return c.Time, err
}

// parking is a message to or from hosts of which the time is known.
type parking struct {
	way   aside
	on    string
	bytes int64
}

// beside is the most that lies at hosts at once for each device of a program, in bytes.
func (p *program) beside() (most int64) {
	last := p.lives()
	free := make([]int64, len(p.slots)+1)
	var now int64
	for i, s := range p.slots {
		if s.host == away {
			now += s.sent
			free[last[i]] += s.sent
		}
		most = max(most, now)
		now -= free[i]
	}
	return most
}

// hosts checks that hosts have room for so many bytes of each device.
func (m *Mesh) hosts(bytes int64) error {
	if bytes == 0 {
		return nil
	}
	need := map[int]int64{}
	for d := range m.Devices() {
		h, ok := m.Cluster.Host(d)
		if !ok {
			return fmt.Errorf("device %d: %w", d, errNoHost)
		}
		if need[h] += bytes; need[h] > m.Cluster.Vertices[h].Memory {
			return &MemoryError{Need: need[h], Have: m.Cluster.Vertices[h].Memory, At: m.Cluster.Vertices[h].Name}
		}
	}
	return nil
}

// With is the plan with a saving in place of its own; nil: none. A plan of several stages has none.
func (p *Plan) With(s *Saving) (*Plan, error) {
	q := *p
	q.Saving, q.makespan, q.fitted, q.extra = nil, 0, 0, 0
	if s == nil || len(s.Again)+len(s.Away) == 0 {
		return &q, nil
	}
	m, err := q.write(false)
	if err != nil {
		return nil, err
	}
	var prog *program
	if prog, q.extra, err = m.save(s); err != nil {
		return nil, err
	}
	if err := p.Mesh.hosts(prog.beside()); err != nil {
		return nil, err
	}
	q.Saving = s
	return &q, nil
}

// program is the program of a plan with at most one stage.
func (p *Plan) program() (*program, error) {
	if p.Pipeline != nil && (len(p.Pipeline.Stages) > 1 || p.Pipeline.Stages[0].Recompute) {
		return nil, fmt.Errorf("program of the plan: a pipeline has one for each stage")
	}
	m, err := p.write(false)
	if err != nil {
		return nil, err
	}
	if p.Saving != nil {
		out, _, err := m.save(p.Saving)
		return out, err
	}
	return &m.out, nil
}
