package parallel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
)

// Kind is a kind of collective.
type Kind uint8

const (
	// None: nothing is sent, members stay, are forgotten or are zeros.
	None Kind = iota
	// Scatter deals the parts of a tensor out from place 0 of a mesh axis.
	Scatter
	// Broadcast copies a tensor from there.
	Broadcast
	// Gather puts parts together there.
	Gather
	// ReduceTo adds members up there.
	ReduceTo
	// AllReduce adds members up everywhere: replicate of reduce.
	AllReduce
	// ReduceScatter adds members up and leaves each device a part: partition of reduce.
	ReduceScatter
	// AllGather puts parts together everywhere: replicate of combine.
	AllGather
	// AllToAll deals parts along one axis out along another one: partition of combine.
	AllToAll
	// SendReceive takes the places at the borders of neighbouring parts: halo.
	SendReceive
	// Permute moves whole members to where another mesh has them.
	Permute

	numKinds
)

var kindNames = [numKinds]string{
	"none", "scatter", "broadcast", "gather", "reduce", "all-reduce", "reduce-scatter", "all-gather", "all-to-all", "send-receive", "permute",
}

// String is the kind's name, such as all-reduce.
func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Kinds lists the kinds of collectives.
func Kinds() []Kind {
	out := make([]Kind, numKinds)
	for i := range out {
		out[i] = Kind(i)
	}
	return out
}

// Collective is what one layout operator sends, or two of which one ends a mesh axis and
// the other makes one along the same dimensions of what nobody else reads.
type Collective struct {
	Kind Kind
	// Nodes are the layout operators, operands first.
	Nodes []graph.NodeID
	// Degree is the number of devices of a group, Groups that of the groups.
	Degree, Groups int
	// Bytes are those of what each device has before, in bytes of a member; of a scatter
	// and a broadcast those of the tensor at place 0.
	Bytes int64
	// Total is the number of bytes that are sent by all devices together.
	Total int64
	// Busiest is the larger of the bytes that one device sends and that one receives, at most.
	Busiest int64
	// Input: what is sent is an input of the graph, a weight perhaps, or a part or a copy of
	// one, which could lie where it is needed before the run.
	Input bool
}

// text names the collective with its nodes.
func (c Collective) text(g *graph.Graph) string {
	var names []string
	for _, id := range c.Nodes {
		names = append(names, g.Name(id))
	}
	return fmt.Sprintf("%s %s", c.Kind, strings.Join(names, "+"))
}

// step is what all devices do next: a collective, or a node by itself.
type step struct {
	node       graph.NodeID // whose result is made
	collective int          // in Collectives; -1: the devices work on their members
}

// schedule finds the collectives and the order in which nodes run.
func (p *PCG) schedule() {
	g := p.Graph
	readers := interp.Readers(g)
	paired := map[graph.NodeID]bool{} // nodes that end an axis and are done with their reader
	pair := map[graph.NodeID]graph.NodeID{}
	for id := range g.Nodes() {
		if b := p.acts[id]; b.kind == actMake && (b.op == op.Partition || b.op == op.Replicate) {
			t := g.Operands(id)[0]
			a := p.acts[t.Node]
			if a.kind != actEnd || a.op == op.Drop || readers[t.Node] != 1 {
				continue
			}
			ended, made := p.Layout(g.Operands(t.Node)[0])[a.at].Axis, p.layouts[id][0][b.at].Axis
			if slices.Equal(p.Axes[ended].Along, p.Axes[made].Along) {
				paired[t.Node], pair[id] = true, t.Node
			}
		}
	}
	for id := range g.Nodes() {
		if readers[id] == 0 || p.acts[id].kind == actNone || paired[id] {
			continue
		}
		s := step{node: id, collective: -1}
		if p.acts[id].kind != actLocal {
			s.collective = len(p.Collectives)
			nodes := []graph.NodeID{id}
			if first, ok := pair[id]; ok {
				nodes = []graph.NodeID{first, id}
			}
			p.Collectives = append(p.Collectives, p.collective(nodes))
		}
		p.steps = append(p.steps, s)
	}
}

// collective is that of one or two layout operators.
func (p *PCG) collective(nodes []graph.NodeID) Collective {
	g := p.Graph
	last := nodes[len(nodes)-1]
	a, b := p.acts[nodes[0]], p.acts[last]
	t := g.Operands(nodes[0])[0]
	x := p.Layout(t)
	c := Collective{Nodes: nodes, Groups: 1, Degree: 1, Input: p.given(t.Node)}
	c.Bytes = graph.Product(p.memberSizes(t)...) * int64(g.DType(t).Bytes())
	for _, s := range x {
		c.Groups *= p.Axes[s.Axis].Size
	}
	if a.kind == actSplit || a.kind == actMerge {
		return p.permute(c, t, last)
	}
	axis := p.layouts[last][0]
	if a.kind != actMake {
		axis = x
		c.Groups /= p.Axes[x[a.at].Axis].Size
	}
	c.Degree = p.Axes[axis[a.at].Axis].Size
	switch {
	case len(nodes) == 1:
		c.Kind = map[*graph.Op]Kind{op.Partition: Scatter, op.Replicate: Broadcast, op.Combine: Gather, op.Reduce: ReduceTo, op.Halo: SendReceive}[a.op]
	case a.op == op.Reduce && b.op == op.Replicate:
		c.Kind = AllReduce
	case a.op == op.Reduce:
		c.Kind = ReduceScatter
	case b.op == op.Replicate:
		c.Kind = AllGather
	case a.axis != b.axis:
		c.Kind = AllToAll
	}
	if c.Degree == 1 {
		c.Kind = None
	}
	c.volume(p, t, a)
	return c
}

// given reports whether a node is an input, or only distributes one.
func (p *PCG) given(id graph.NodeID) bool {
	for p.Graph.Op(id) != nil {
		if k := p.acts[id].kind; k != actMake && k != actSplit {
			return false
		}
		id = p.Graph.Operands(id)[0].Node
	}
	return true
}

// volume fills in the bytes, by the formulas of the package comment.
func (c *Collective) volume(p *PCG, t graph.Tensor, a act) {
	n, b := int64(c.Degree), c.Bytes
	elements := graph.Product(p.memberSizes(t)...)
	size := int64(p.Graph.DType(t).Bytes())
	// chunk is the largest of g parts of a member.
	chunk := (elements + n - 1) / n * size
	switch c.Kind {
	case Scatter:
		c.Total = (n - 1) * b / n
		c.Busiest = c.Total
	case Broadcast, Gather, ReduceTo:
		c.Total = (n - 1) * b
		c.Busiest = c.Total
	case AllReduce:
		c.Total = 2 * (n - 1) * b
		// It sends all but its own part, and then that to all others.
		c.Busiest = b + (n-2)*chunk
	case ReduceScatter, AllToAll:
		c.Total = (n - 1) * b
		c.Busiest = (n - 1) * b / n
	case AllGather:
		c.Total = n * (n - 1) * b
		c.Busiest = (n - 1) * b
	case SendReceive:
		row := b / int64(p.memberSizes(t)[a.axis])
		c.Total = (n - 1) * int64(a.before+a.after) * row
		c.Busiest = int64(max(a.before, a.after)) * row
		if n > 2 {
			c.Busiest = int64(a.before+a.after) * row
		}
	}
	c.Total *= int64(c.Groups)
}

// permute counts the members that another device has afterwards.
func (p *PCG) permute(c Collective, t graph.Tensor, id graph.NodeID) Collective {
	moved := map[int]int64{} // by device, bytes sent and received
	received := map[int]int64{}
	for from := range p.Devices() {
		if place, ok := p.Member(t, from); ok {
			if to := p.holder(p.layouts[id][0], p.moved(id, place)); to != from {
				c.Kind = Permute
				c.Total += c.Bytes
				moved[from] += c.Bytes
				received[to] += c.Bytes
				c.Busiest = max(c.Busiest, moved[from], received[to])
			}
		}
	}
	c.Degree, c.Groups = c.Groups, 1
	return c
}

// moved is where a member of the operand is in the result of a node that splits or merges
// mesh axes.
func (p *PCG) moved(id graph.NodeID, place []int) []int {
	a := p.acts[id]
	out := slices.Clone(place)
	if a.kind == actSplit {
		inner := p.Axes[p.layouts[id][0][a.axis+1].Axis].Size
		out[a.axis] = place[a.axis] % inner
		return slices.Insert(out, a.at, place[a.axis]/inner)
	}
	x := p.Layout(p.Graph.Operands(id)[0])
	out[a.axis+1] = place[a.at]*p.Axes[x[a.axis+1].Axis].Size + place[a.axis+1]
	return slices.Delete(out, a.at, a.at+1)
}

// cameFrom is the other way round: where a member of the result is in the operand.
func (p *PCG) cameFrom(id graph.NodeID, place []int) []int {
	a := p.acts[id]
	if a.kind == actSplit {
		out := slices.Delete(slices.Clone(place), a.at, a.at+1)
		out[a.axis] = place[a.at]*p.Axes[p.layouts[id][0][a.axis+1].Axis].Size + place[a.axis+1]
		return out
	}
	inner := p.Axes[p.Layout(p.Graph.Operands(id)[0])[a.axis+1].Axis].Size
	out := slices.Clone(place)
	out[a.axis] = place[a.axis] % inner
	return slices.Insert(out, a.at, place[a.axis]/inner)
}
