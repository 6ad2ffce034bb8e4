package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/plan"
)

// Send is what a plan sends once.
type Send struct {
	Name string        `json:"name"` // in the program
	Kind parallel.Kind `json:"-"`
	Axis string        `json:"axis"` // of the mesh
	// Devices is the number of those that send to each other; Bytes is what each has
	// before, as in [parallel.Collective].
	Devices int      `json:"devices"`
	Bytes   int64    `json:"bytes"`
	Nodes   []string `json:"nodes"` // the layout operators
	// Times is how often it is sent in a step: once, or for each micro-batch.
	Times int `json:"times"`
	// As is what the program says it as, each time.
	As []Message `json:"as"`
	// Why says so where that is not the same.
	Why string `json:"why,omitempty"`

	out      bool   // only outputs are made of it
	constant bool   // it depends on no input
	of       [2]int // what is sent: the class of a node, and which of its outputs
}

// Message is a collective of XLA: kind, as in HLO, and what each device has before.
type Message struct {
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
}

// spec is how a tensor without mesh axes lies: for each axis the mesh axes that deal it
// out, the one with the largest parts first.
type spec struct {
	axes [][]int
	// micro is the axis that is dealt out to micro-batches before: these are an axis in front
	// of the others; -1: none.
	micro int
}

// spmd is a plan's graph as a program of each device.
type spmd struct {
	g     *graph.Graph
	lay   *parallel.Laying
	time  int         // the mesh axis in time, -1: none
	micro int         // micro-batches
	phase []int8      // by node: before micro-batches, in each, behind them
	next  map[int]int // outputs by the input that they become, see plan.Training
	reads []int       // by node: readers among what is needed
	// By node, see classes.
	class    []int
	constant []bool
	need     []bool // by node
	same     map[graph.Tensor]graph.Tensor
	taken    map[graph.NodeID]bool         // what takes a micro-batch of an input, which lies so
	sends    map[graph.NodeID]int          // by the layout operator that ends it
	pair     map[graph.NodeID]graph.NodeID // see partner
	short    map[graph.NodeID][][2]int     // members that are parts until their partner comes: axis, degree
	list     []Send
	ins      []spec // by input
	outs     []spec
	last     []graph.Tensor // by output: what the program gives
}

// layoutOf is the layout operator of a node, its attributes, and over how many mesh axes
// in front it is applied to each member; nil of another node.
func layoutOf(g *graph.Graph, id graph.NodeID) (o *graph.Op, attrs graph.Attrs, over int) {
	if o = g.Op(id); o == nil {
		return nil, nil, 0
	}
	attrs = g.Attrs(id)
	if one, own, axes := o.Member(attrs); one != nil {
		o, attrs, over = one, own, len(axes)
	}
	if o.Layout == graph.LayoutNone {
		return nil, nil, 0
	}
	return o, attrs, over
}

// move is what a layout operator does: with which mesh axis, along which axis of a member
// without any.
type move struct {
	op     *graph.Op
	axis   int // in Laying.Degrees
	at     int // the place of the mesh axis among those of the result, or of the operand where it ends
	along  int
	before int
	after  int
}

func (s *spmd) move(id graph.NodeID) (*move, error) {
	o, attrs, over := layoutOf(s.g, id)
	if o == nil {
		return nil, nil
	}
	m := &move{op: o, at: over, along: -1}
	mesh := s.lay.Mesh(s.g.Operands(id)[0])
	behind := len(mesh) - over // mesh axes that the operator takes for axes of a member
	switch o.Layout {
	case graph.LayoutMakes:
		mesh = s.lay.Mesh(id.Out(0))
	case graph.LayoutEnds:
		behind--
	case graph.LayoutKeeps:
		if o != op.Halo {
			return nil, fmt.Errorf("operator %s is not written out", o.Name)
		}
		behind--
	}
	if over >= len(mesh) {
		return nil, fmt.Errorf("operator %s: no mesh axis %d", o.Name, over)
	}
	m.axis = mesh[over]
	number := func(name string) int {
		d, _ := attrs[o.ParamIndex(name)].Dim()
		n, _ := d.Const()
		return int(n)
	}
	if o.ParamIndex("axis") >= 0 {
		if m.along = number("axis") - behind; m.along < 0 {
			return nil, fmt.Errorf("operator %s is along a mesh axis, which programs of each device do not have", o.Name)
		}
	}
	if o == op.Halo {
		m.before, m.after = number("before"), number("after")
	}
	return m, nil
}

// timed reports whether a tensor is of a micro-batch.
func (s *spmd) timed(t graph.Tensor) bool {
	return s.time >= 0 && slices.Contains(s.lay.Mesh(t), s.time)
}

// phases divides the nodes that are needed: those of micro-batches, what these read, and
// what reads what all of them make. An operator that ends the axis in time is of the third.
func (s *spmd) phases() error {
	s.phase = make([]int8, s.g.Len()+1)
	for id := range s.g.Nodes() {
		if !s.need[id] {
			continue
		}
		in := s.timed(id.Out(0))
		if in {
			s.phase[id] = 1
		}
		for _, t := range s.operands(id) {
			behind := s.phase[t.Node] == 2 || s.timed(t) && !in
			if in && behind {
				return fmt.Errorf("node %s of a micro-batch needs what all of them make", s.g.Name(id))
			}
			if behind {
				s.phase[id] = 2
			}
		}
	}
	return nil
}

// axisName is the name of a mesh axis: a, b, ...
func axisName(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return fmt.Sprintf("%c%d", 'a'+i%26, i/26)
}

// newSPMD finds specs and sends.
func newSPMD(p *plan.Plan) (*spmd, error) {
	s := &spmd{g: p.Laying.Graph(), lay: p.Laying, time: -1, micro: 1, next: p.Training.Next,
		same: map[graph.Tensor]graph.Tensor{}, short: map[graph.NodeID][][2]int{}, taken: map[graph.NodeID]bool{}, sends: map[graph.NodeID]int{}}
	if n := len(p.Mesh.Stages); n > 1 {
		return nil, fmt.Errorf("the plan is a pipeline of %d stages, which have devices of their own: a program of each device has no stages", n)
	} else if p.Pipeline != nil && len(p.Pipeline.Stages) == 1 && p.Pipeline.Stages[0].Recompute {
		return nil, errors.New("the plan goes forward twice with each micro-batch: such a program is not written")
	}
	for i, a := range p.Mesh.Axes {
		if a.Time && s.time >= 0 {
			return nil, fmt.Errorf("mesh axes %s and %s are in time: want one at most", axisName(s.time), axisName(i))
		}
		if a.Time {
			s.time, s.micro = i, a.Degree
		}
	}
	for id := range s.g.Nodes() {
		if kind, _, opaque := s.g.Opaque(id); opaque {
			return nil, fmt.Errorf("node %s: opaque (%s)", s.g.Name(id), kind)
		}
		if _, err := s.move(id); err != nil {
			return nil, fmt.Errorf("node %s: %w", s.g.Name(id), err)
		}
	}
	s.pairs()
	for _, t := range s.g.Outputs() {
		s.leave(t)
	}
	s.needs()
	if err := s.phases(); err != nil {
		return nil, err
	}
	s.enter()
	s.classes()
	for id := range s.g.Nodes() {
		if s.need[id] {
			s.send(id)
		}
	}
	return s, nil
}

// must is move of a node of which there is one.
func (s *spmd) must(id graph.NodeID) *move {
	m, err := s.move(id)
	if err != nil {
		panic(err) // newSPMD has asked about all nodes
	}
	return m
}

// copied reports whether members along a mesh axis are copies of the tensor.
func (s *spmd) copied(t graph.Tensor, at int) bool {
	l := s.lay.Layout(t)
	return at < len(l) && l[at].Role.Kind == parallel.Copy
}

// leave finds how an output lies: what is put together last stays in parts.
func (s *spmd) leave(t graph.Tensor) {
	out := spec{make([][]int, len(s.g.Sizes(t))), -1}
	for {
		m := s.must(t.Node)
		if m == nil || m.axis == s.time || m.op != op.Combine && !(m.op == op.Drop && s.copied(s.g.Operands(t.Node)[0], m.at)) {
			break
		}
		if m.op == op.Combine { // the last one has the largest parts
			out.axes[m.along] = append(out.axes[m.along], m.axis)
		}
		t = s.g.Operands(t.Node)[0]
	}
	s.outs, s.last = append(s.outs, out), append(s.last, t)
}

// partner is the operator that ends the mesh axis which a node makes again: both send
// together.
func (s *spmd) partner(id graph.NodeID) (graph.NodeID, *move) {
	if end := s.pair[id]; end != 0 {
		return end, s.must(end)
	}
	return 0, nil
}

// pairs finds partners. Between the two there may be operators of other axes, of what
// nobody else reads, that may as well come before both: then what ends the axis is put off.
// One that deals out the axis along which members are put together may not.
func (s *spmd) pairs() {
	s.pair = map[graph.NodeID]graph.NodeID{}
	readers := interp.Readers(s.g)
	for id := range s.g.Nodes() {
		m := s.must(id)
		if m == nil || m.axis == s.time || m.op.Layout != graph.LayoutMakes {
			continue
		}
		var between []graph.NodeID
		for n := s.g.Operands(id)[0].Node; ; n = s.g.Operands(n)[0].Node {
			e := s.must(n)
			if e == nil || e.op == op.Halo || e.axis == s.time || e.axis == m.axis && e.op != op.Reduce && e.op != op.Combine {
				break
			}
			if e.axis == m.axis {
				if s.commute(e, between) && (len(between) == 0 || readers[n] == 1) {
					s.putOff(id, n, e, between, readers[n] == 1)
				}
				break
			}
			if readers[n] != 1 {
				break
			}
			between = append(between, n)
		}
	}
}

// commute reports whether an operator that ends an axis may come behind others.
func (s *spmd) commute(e *move, others []graph.NodeID) bool {
	for _, n := range others {
		if m := s.must(n); m.op == op.Lift || e.op == op.Combine && m.along == e.along {
			return false
		}
	}
	return true
}

// putOff notes partners; alone: nobody else reads what the first one makes.
func (s *spmd) putOff(id, end graph.NodeID, e *move, between []graph.NodeID, alone bool) {
	s.pair[id] = end
	if !alone {
		return
	}
	s.same[end.Out(0)] = s.g.Operands(end)[0]
	if e.op == op.Combine {
		for _, n := range append(between, end) {
			s.short[n] = append(s.short[n], [2]int{e.along, s.lay.Degrees()[e.axis]})
		}
	}
}

// operands are what a node reads in the program.
func (s *spmd) operands(id graph.NodeID) []graph.Tensor {
	if end, _ := s.partner(id); end != 0 && s.g.Operands(id)[0].Node == end {
		return s.g.Operands(end)
	}
	return s.g.Operands(id)
}

// needs finds what the program computes, and how often it is read.
func (s *spmd) needs() {
	s.need, s.reads = make([]bool, s.g.Len()+1), make([]int, s.g.Len()+1)
	var visit func(t graph.Tensor)
	visit = func(t graph.Tensor) {
		s.reads[t.Node]++
		if s.need[t.Node] {
			return
		}
		s.need[t.Node] = true
		for _, x := range s.operands(t.Node) {
			visit(x)
		}
	}
	for _, t := range s.last {
		visit(t)
	}
}

// enter finds how inputs lie: what is made of them first, and of nothing else, is done
// before the step.
func (s *spmd) enter() {
	readers := interp.Readers(s.g)
	only := map[graph.NodeID]graph.NodeID{} // of nodes that one node reads
	for id := range s.g.Nodes() {
		if s.need[id] {
			for _, t := range s.operands(id) {
				only[t.Node] = id
			}
		}
	}
	for _, in := range s.g.Inputs() {
		lies, t := spec{make([][]int, len(s.g.Sizes(in.Out(0)))), -1}, in.Out(0)
		for readers[in] > 0 && s.reads[t.Node] == 1 && only[t.Node] != 0 {
			id := only[t.Node]
			m := s.must(id)
			if m == nil || s.pair[id] != 0 || m.op != op.Partition && m.op != op.Replicate {
				break
			}
			if m.axis == s.time && m.op == op.Partition {
				if t.Node != in {
					break
				}
				lies.micro = m.along
				s.taken[id] = true
				t = id.Out(0)
				continue
			}
			if m.op == op.Partition { // the first one makes the largest parts
				lies.axes[m.along] = append(lies.axes[m.along], m.axis)
			}
			s.same[id.Out(0)] = t
			t = id.Out(0)
		}
		s.ins = append(s.ins, lies)
	}
}

// resolved is the tensor that another one is in the program.
func (s *spmd) resolved(t graph.Tensor) graph.Tensor {
	for {
		x, ok := s.same[t]
		if !ok {
			return t
		}
		t = x
	}
}

// memberSizes are the sizes of a member.
func (s *spmd) memberSizes(t graph.Tensor) []int {
	sizes := slices.Clone(s.g.Sizes(t)[len(s.lay.Mesh(t)):])
	for _, x := range s.short[t.Node] {
		sizes[x[0]] /= x[1]
	}
	return sizes
}

// bytes are those of a member.
func (s *spmd) bytes(t graph.Tensor) int64 {
	return graph.Product(s.memberSizes(t)...) * int64(s.g.DType(t).Bytes())
}

// send notes what a layout operator sends.
func (s *spmd) send(id graph.NodeID) {
	m := s.must(id)
	if _, placed := s.same[id.Out(0)]; m == nil || placed {
		return
	}
	end, e := s.partner(id)
	from := s.operands(id)[0]
	degree := s.lay.Degrees()[m.axis]
	c := Send{Axis: axisName(m.axis), Devices: degree, Bytes: s.bytes(from), Times: 1}
	if s.phase[id] == 1 {
		c.Times = s.micro
	}
	say := func(kind string, bytes int64) { c.As = append(c.As, Message{kind, bytes}) }
	everywhere := "the plan has the result on one device, the program on all"
	switch {
	case m.axis == s.time:
		if m.op == op.Replicate {
			s.same[id.Out(0)] = from
		}
		return
	case degree == 1 && m.op != op.Halo, end != 0 && e.op == op.Combine && m.op == op.Partition && e.along == m.along,
		end == 0 && m.op == op.Replicate, m.op == op.Drop && s.copied(from, m.at):
		s.same[id.Out(0)] = from
		return
	case end != 0 && e.op == op.Reduce && m.op != op.Partition: // to be copies, or zeros but on the first
		c.Kind = parallel.AllReduce
		say("all-reduce", c.Bytes)
	case end != 0 && e.op == op.Reduce:
		c.Kind = parallel.ReduceScatter
		say("reduce-scatter", c.Bytes)
	case end != 0 && m.op != op.Partition:
		c.Kind = parallel.AllGather
		say("all-gather", c.Bytes)
	case end != 0:
		c.Kind = parallel.AllToAll
		say("all-to-all", c.Bytes)
	case m.op == op.Reduce:
		c.Kind, c.Why = parallel.ReduceTo, everywhere
		say("all-reduce", c.Bytes)
	case m.op == op.Combine:
		c.Kind, c.Why = parallel.Gather, everywhere
		say("all-gather", c.Bytes)
	case m.op == op.Drop: // of zeros but the first
		c.Why = everywhere
		say("all-reduce", c.Bytes)
	case m.op == op.Halo:
		c.Kind = parallel.SendReceive
		row := c.Bytes / int64(s.memberSizes(from)[m.along])
		for _, rows := range []int{m.before, m.after} {
			if rows > 0 {
				say("collective-permute", row*int64(rows))
			}
		}
	default: // of what all devices have: nothing is sent
		return
	}
	c.out, c.constant, c.of = s.outward(id), s.constant[from.Node], [2]int{s.class[from.Node], int(from.Out)}
	if end != 0 {
		c.Nodes = append(c.Nodes, s.g.Name(end))
	}
	c.Nodes = append(c.Nodes, s.g.Name(id))
	c.Name = fmt.Sprintf("send%d", len(s.list))
	s.sends[id] = len(s.list)
	s.list = append(s.list, c)
}

// classes gives the same number to nodes that compute the same from the same, which XLA does
// once, and finds those that depend on no input, which it does not leave to the step.
func (s *spmd) classes() {
	s.class, s.constant = make([]int, s.g.Len()+1), make([]bool, s.g.Len()+1)
	seen := map[string]int{}
	for id := range s.g.Nodes() {
		o := s.g.Op(id)
		if o == nil {
			s.class[id] = len(seen)
			seen["input "+s.g.Name(id)] = len(seen)
			continue
		}
		key := o.Name + o.FormatAttrs(s.g.Attrs(id))
		s.constant[id] = true
		for _, t := range s.g.Operands(id) {
			key += fmt.Sprintf(" %d.%d", s.class[t.Node], t.Out)
			s.constant[id] = s.constant[id] && s.constant[t.Node]
		}
		if _, ok := seen[key]; !ok {
			seen[key] = len(seen)
		}
		s.class[id] = seen[key]
	}
}

// outward reports whether nothing but outputs is made of a node, by layout operators.
func (s *spmd) outward(id graph.NodeID) bool {
	for r := range s.g.Nodes() {
		if !s.need[r] {
			continue
		}
		for _, t := range s.operands(r) {
			if t.Node == id && (s.must(r) == nil || !s.outward(r)) {
				return false
			}
		}
	}
	return true
}

// text is a spec in Python.
func (p spec) text() string {
	dims := make([]string, len(p.axes))
	last := 0
	for i, axes := range p.axes {
		parts := make([]string, len(axes))
		for k, a := range axes {
			parts[k] = `"` + axisName(a) + `"`
		}
		switch len(parts) {
		case 0:
			dims[i] = "None"
			continue
		case 1:
			dims[i] = parts[0]
		default:
			dims[i] = "(" + strings.Join(parts, ", ") + ")"
		}
		last = i + 1
	}
	dims = dims[:last]
	if p.micro >= 0 && last > 0 {
		dims = slices.Insert(dims, 0, "None")
	}
	return "P(" + strings.Join(dims, ", ") + ")"
}

// equal reports whether tensors lie alike.
func (p spec) equal(q spec) bool {
	return p.micro == q.micro && slices.EqualFunc(p.axes, q.axes, slices.Equal)
}
