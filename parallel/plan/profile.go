package plan

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/machine"
)

// part is what a cluster of a training step takes of each device, by a layout: times of one
// micro-batch forward and backward, and what is done once in a step; bytes. What several
// clusters in a row take is about their sum ([sumOf]).
type part struct {
	forward, backward, update machine.Time
	// weights are the bytes of what is trained as it lies, state those of what else is there
	// for the whole step: the optimizer's, added up gradients, gathered weights.
	weights, state int64
	// kept are the bytes of a micro-batch from forward to backward, scratch the most that is there
	// besides while it is in a pass.
	kept, scratch int64
	// inputs are the bytes of a micro-batch that clusters read of others' activations. If a
	// stage computes again, they are kept from forward to backward, and of the rest (inner, of
	// one cluster) with scratch, most is there at once: one cluster is computed after the other.
	inputs, inner, most int64
	// first are the inputs of the first cluster, which a stage of it keeps that computes again.
	first int64
	some  bool // there is a cluster
	// lent are the bytes of state that are made of weights alone, before all micro-batches, such as
	// gathered weights; lentMost the most of them that one cluster reads; more and back are the
	// times to make them anew for each pass forward and backward ([part.lean]).
	lent, lentMost int64
	more, back     machine.Time
}

// lean is what is taken if what is made of weights alone is made anew in each pass, and is there
// for one cluster at a time.
func (x part) lean() part {
	x.state -= x.lent
	x.scratch += x.lentMost
	x.most += x.lentMost
	x.forward += x.more
	x.backward += x.back
	x.lent, x.lentMost, x.more, x.back = 0, 0, 0, 0
	return x
}

// sumOf is what parts in a row take together.
func sumOf(parts []part) (out part) {
	for _, x := range parts {
		if !out.some {
			out.first, out.some = x.first, x.some
		}
		out.forward += x.forward
		out.backward += x.backward
		out.update += x.update
		out.weights += x.weights
		out.state += x.state
		out.kept += x.kept
		out.scratch = max(out.scratch, x.scratch)
		out.inputs += x.inputs
		out.inner = max(out.inner, x.inner)
		out.most = max(out.most, x.most)
		out.lent += x.lent
		out.lentMost = max(out.lentMost, x.lentMost)
		out.more += x.more
		out.back += x.back
	}
	return out
}

// holds is what parts hold of a device with so many micro-batches in flight.
func (x *part) holds(flight int64, again bool) int64 {
	own := x.weights + x.state
	switch {
	case !again:
		return own + x.scratch + flight*x.kept
	case x.segments(flight):
		return own + x.most + flight*x.inputs
	}
	return own + x.scratch + x.kept + flight*x.first
}

// segments reports whether a stage that computes again needs less memory if it keeps the inputs of
// its clusters than if it keeps that of the first one only.
func (x *part) segments(flight int64) bool {
	return x.most+flight*x.inputs < x.scratch+x.kept+flight*x.first
}

// profile says what each of n clusters takes by the layout of a plan without stages; of is
// the cluster, from 1, of each node of the training graph.
func (p *Plan) profile(of []int, n int) ([]part, error) {
	m, err := p.write(true)
	if err != nil {
		return nil, err
	}
	out := make([]part, n)
	at := func(id graph.NodeID) *part { return &out[of[p.Laying.Origin(id).Tensor.Node]-1] }
	slots := m.out.slots
	phase := func(i int) int8 {
		if slots[i].adds || m.time < 0 && slots[i].class != "update" {
			return 1
		}
		if m.time < 0 {
			return 2
		}
		return m.phase[slots[i].node]
	}
	for i, s := range slots {
		x := at(s.node)
		switch {
		case s.adds: // once for each micro-batch
			x.backward += s.time
		case phase(i) != 1:
			x.update += s.time
		case s.class == "forward":
			x.forward += s.time
		default:
			x.backward += s.time
		}
	}
	p.held(m, out, of, phase)
	p.lends(m, out, of, phase)
	for i := range out {
		out[i].most, out[i].first, out[i].some = out[i].inner+out[i].scratch, out[i].inputs, true
	}
	place := map[graph.NodeID]int{}
	for i, id := range p.Training.Graph.Inputs() {
		place[id] = i
	}
	trained := p.Training.trained()
	for _, l := range m.out.lie {
		in := p.Laying.Origin(l.node).Tensor.Node
		for _, c := range p.Training.readers(in, of) {
			switch {
			case trained[place[in]]:
				out[c-1].weights += l.bytes
			case l.weight:
				out[c-1].state += l.bytes
			default: // samples; micro-batches that wait are somewhere else
				out[c-1].state += l.bytes / int64(m.micros)
			}
		}
	}
	return out, nil
}

// readers are the clusters whose nodes read an input, in order.
func (t *Training) readers(in graph.NodeID, of []int) (out []int) {
	for id := range t.Graph.Nodes() {
		for _, x := range t.Graph.Operands(id) {
			if x.Node == in {
				out = append(out, of[id])
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// held adds what clusters hold: for the whole step what micro-batches add to or all read, of a
// micro-batch what is read when it goes backward, what of other clusters is read, and what is
// there for less long.
func (p *Plan) held(m *programmer, out []part, of []int, phase func(int) int8) {
	slots := m.out.slots
	cluster := func(i int) int { return of[p.Laying.Origin(slots[i].node).Tensor.Node] }
	long := make([]bool, len(slots)) // kept, or there for the whole step
	last := make([]int, len(slots))  // who reads it last in a pass of the same kind
	kept, read := map[[2]int]bool{}, map[[2]int]bool{}
	for j, s := range slots {
		last[j] = max(last[j], j)
		for _, i := range s.reads {
			x := &slots[i]
			last[i] = max(last[i], j)
			if k := [2]int{i, cluster(j)}; x.output > 0 && x.class == "forward" && phase(i) == 1 && phase(j) == 1 && !x.adds && cluster(i) != cluster(j) && !read[k] {
				read[k] = true
				out[cluster(j)-1].inputs += x.output
			}
			switch {
			case x.output == 0:
			case phase(i) != phase(j) || x.adds:
				if !long[i] && phase(i) < 2 {
					out[cluster(i)-1].state += x.output
				}
				long[i] = true
			case phase(i) == 1 && x.class == "forward" && s.class != "forward":
				if k := [2]int{i, cluster(j)}; !kept[k] {
					kept[k] = true
					out[cluster(j)-1].kept += x.output
					if cluster(i) == cluster(j) {
						out[cluster(j)-1].inner += x.output
					}
				}
				long[i] = true
			}
		}
	}
	now := make([]int64, len(out))
	free := make([][]int, len(slots)+1)
	for i, s := range slots {
		c := cluster(i) - 1
		if !long[i] && s.output > 0 {
			now[c] += s.output
			free[last[i]] = append(free[last[i]], i)
		}
		out[c].scratch = max(out[c].scratch, now[c])
		for _, k := range free[i] {
			now[cluster(k)-1] -= slots[k].output
		}
	}
}

// lends adds what is made of weights alone before micro-batches and only read in these, and the time
// to make it in each pass.
func (p *Plan) lends(m *programmer, out []part, of []int, phase func(int) int8) {
	slots := m.out.slots
	cluster := func(i int) int { return of[p.Laying.Origin(slots[i].node).Tensor.Node] }
	after := make([]bool, len(slots)) // read behind the micro-batches, too
	for j, s := range slots {
		for _, i := range s.reads {
			after[i] = after[i] || phase(j) == 2
		}
	}
	type use struct {
		slot, cluster int
		forward       bool
	}
	lent, read, made := map[int]bool{}, map[[2]int]bool{}, map[use]bool{}
	var remake func(u use)
	remake = func(u use) {
		if made[u] {
			return
		}
		made[u] = true
		x := &out[u.cluster-1]
		if u.forward {
			x.more += slots[u.slot].time
		} else {
			x.back += slots[u.slot].time
		}
		for _, i := range slots[u.slot].reads {
			if phase(i) == 0 {
				remake(use{i, u.cluster, u.forward})
			}
		}
	}
	for j, s := range slots {
		if phase(j) != 1 {
			continue
		}
		for _, i := range s.reads {
			if phase(i) != 0 || after[i] || slots[i].output == 0 || slots[i].kept {
				continue
			}
			if !lent[i] {
				lent[i] = true
				out[cluster(i)-1].lent += slots[i].output
			}
			if k := [2]int{i, cluster(j)}; !read[k] {
				read[k] = true
				out[cluster(j)-1].lentMost += slots[i].output
			}
			remake(use{i, cluster(j), s.class == "forward"})
		}
	}
}

// crossing are the bytes that pass from stage to stage, of the whole step as it comes or of
// one micro-batch: of each tensor once to each stage that reads it. There is an entry for
// what activations bring forward, and one, with the stages the other way round, for what
// derivatives bring back. Constants are made where they are read.
func (t *Training) crossing(of []int, micro int) (each, once map[[2]int]int64) {
	each, once = map[[2]int]int64{}, map[[2]int]int64{}
	fresh, constant, g := t.fresh(), t.constants(), t.Graph
	seen := map[graph.Tensor]map[int]bool{}
	for id := range g.Nodes() {
		for _, x := range g.Operands(id) {
			a, b := of[x.Node], of[id]
			if a == b || seen[x][b] || constant[x.Node] || g.Op(x.Node) == nil && fresh[x.Node] {
				continue
			}
			if seen[x] == nil {
				seen[x] = map[int]bool{}
			}
			seen[x][b] = true
			if fresh[x.Node] {
				each[[2]int{a, b}] += g.Type(x).Bytes() / int64(micro)
			} else {
				once[[2]int{a, b}] += g.Type(x).Bytes()
			}
		}
	}
	return each, once
}

// constants says by node what depends on no input.
func (t *Training) constants() []bool {
	out := make([]bool, t.Graph.Len()+1)
	for id := range t.Graph.Nodes() {
		out[id] = t.Graph.Op(id) != nil
		for _, x := range t.Graph.Operands(id) {
			out[id] = out[id] && out[x.Node]
		}
	}
	return out
}

// messageTime is the time of one message between devices.
func messageTime(c *machine.Cluster, from, to int, bytes int64) (machine.Time, error) {
	if bytes == 0 {
		return 0, nil
	}
	charge, err := c.Charge([]machine.Round{{Times: 1, Flows: []machine.Flow{{From: from, To: to, Bytes: bytes}}}})
	return charge.Time, err
}
