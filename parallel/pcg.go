package parallel

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/graph"
)

// PCG is a graph with the layout of each of its tensors. It does not change after [New]
// and may be read by any number of goroutines.
type PCG struct {
	Graph *graph.Graph
	Mesh  []Dimension
	Axes  []Axis
	// Collectives are the messages of the graph, in the order in which they are sent.
	// Pairs of layout operators between which nothing is sent are among them.
	Collectives []Collective
	// Findings are the places where roles do not fit, in the order of the graph.
	Findings []Finding

	layouts [][]Layout // by node and output
	acts    []act      // by node
	steps   []step
}

// Finding is a place where roles do not fit. The graph computes what it says all the same.
type Finding struct {
	Node graph.NodeID
	Text string // names the node, the mesh axis and the roles
}

// New is the PCG of a graph, or why devices cannot run it as it is laid out: the node and
// the cause. Dead operators are not looked at. Of a graph in which layout operators have
// the names of collectives ([graph.Op.Chain]), the PCG's is that in which they are written
// out.
func New(ctx context.Context, g *graph.Graph) (*PCG, error) {
	g, err := writtenOut(g)
	if err != nil {
		return nil, fmt.Errorf("layout of the graph: %w", err)
	}
	in := &inference{g: g, acts: make([]act, g.Len()+1), of: make([][][]int, g.Len()+1)}
	if err := in.run(); err != nil {
		return nil, fmt.Errorf("layout of the graph: %w", err)
	}
	p := &PCG{Graph: g, acts: in.acts}
	if err := in.place(p); err != nil {
		return nil, fmt.Errorf("layout of the graph: %w", err)
	}
	p.layouts = make([][]Layout, g.Len()+1)
	for id := range g.Nodes() {
		p.layouts[id] = make([]Layout, len(in.of[id]))
		for i, axes := range in.of[id] {
			p.layouts[id][i] = make(Layout, len(axes))
			for j, a := range axes {
				p.layouts[id][i][j].Axis = in.number[in.find(a)]
			}
		}
	}
	if err := p.roles(ctx); err != nil {
		return nil, err
	}
	p.schedule()
	return p, nil
}

// LaidOut reports whether a graph has layout operators.
func LaidOut(g *graph.Graph) bool {
	for id := range g.Nodes() {
		if op := g.Op(id); op != nil {
			if o, _, _ := memberOf(op, g.Attrs(id)); layoutOp(o) != actLocal {
				return true
			}
		}
	}
	return false
}

// Layout is the layout of a tensor of the graph, nil where no output depends on it. The
// caller must not write to it.
func (p *PCG) Layout(t graph.Tensor) Layout {
	if int(t.Out) >= len(p.layouts[t.Node]) {
		return nil
	}
	return p.layouts[t.Node][t.Out]
}

// Devices is the number of devices of the mesh.
func (p *PCG) Devices() int {
	n := 1
	for _, d := range p.Mesh {
		n *= d.Size
	}
	return n
}

// memberSizes are the sizes of a member of a tensor.
func (p *PCG) memberSizes(t graph.Tensor) []int { return p.Graph.Sizes(t)[len(p.Layout(t)):] }

// tensorName is the name of a tensor for messages.
func tensorName(g *graph.Graph, t graph.Tensor) string {
	if g.NumOut(t.Node) > 1 {
		return fmt.Sprintf("%s.%d", g.Name(t.Node), t.Out)
	}
	return g.Name(t.Node)
}
