package showmodel

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/verify/explain"
)

// maxWeightLines bounds the weights whose sizes are written in a box.
const maxWeightLines = 2

// drawn reports whether a node is in the picture: not if it is fixed, unless it
// is an output.
func (c *Contents) drawn(id graph.NodeID) bool {
	if !c.fixed[id] {
		return true
	}
	for _, t := range c.model.Graph.Outputs() {
		if t.Node == id {
			return true
		}
	}
	return false
}

// NodeID is the name of a node in pictures and pages.
func NodeID(id graph.NodeID) string { return fmt.Sprintf("n%d", id) }

// Picture is the graph to draw: the operators that run, with the sizes of their
// results and of the weights they read, and the inputs. Groups of operators have a
// colour each; opaque nodes are marked. With layouts, results have theirs, and the lines
// behind what sends have a colour for each collective.
func (c *Contents) Picture() draw.Graph {
	g := c.model.Graph
	var pic draw.Graph
	colours := c.colours()
	isOut := map[graph.NodeID]bool{}
	for _, t := range g.Outputs() {
		isOut[t.Node] = true
	}
	for id := range g.Nodes() {
		if !c.drawn(id) {
			continue
		}
		box := draw.Node{ID: NodeID(id), Label: g.Name(id), Sub: c.tensor(id.Out(0)).SizesText(), Class: draw.Input, Tooltip: g.Name(id)}
		if c.fixed[id] {
			box.Class = draw.Const
		}
		if i, ok := c.index[id]; ok {
			n := &c.Nodes[i]
			box.Label, box.Tooltip = n.Op, strings.TrimSpace(n.Name+" "+n.Attrs)
			box.Class, box.Sub, box.Line = colours[n.Op], c.subtext(n), c.line(id)
			if s := c.sends(id); s != "" {
				box.Tooltip += "\n" + s
			}
			if n.Opaque != "" {
				box.Label = strings.TrimPrefix(n.Op, "opaque ")
				box.Class = strings.TrimSpace(box.Class + " " + draw.Mark)
				box.Tooltip += "\nkept as it is: " + n.Opaque
			}
		}
		if isOut[id] {
			box.Class = strings.TrimSpace(box.Class + " " + draw.Output)
		}
		pic.Nodes = append(pic.Nodes, box)
		for _, t := range g.Operands(id) {
			if !c.drawn(t.Node) {
				continue
			}
			e := draw.Edge{From: NodeID(t.Node), To: NodeID(id)}
			if g.NumOut(t.Node) > 1 {
				e.Port = fmt.Sprint(t.Out)
			}
			pic.Edges = append(pic.Edges, e)
		}
	}
	return pic
}

// subtext is the sizes of a node's results, and of its weights.
func (c *Contents) subtext(n *Node) string {
	var lines []string
	for i, t := range n.Out {
		if i == maxWeightLines && len(n.Out) > i+1 {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, t.SizesText())
		if l := c.layout(n.ID.Out(i)); l != "" {
			lines = append(lines, l)
		}
	}
	if s := c.sends(n.ID); s != "" {
		lines = append(lines, s)
	}
	weights := 0
	for i, t := range c.model.Graph.Operands(n.ID) {
		if !c.fixed[t.Node] {
			continue
		}
		if weights++; weights > maxWeightLines {
			lines[len(lines)-1] += " …"
			break
		}
		lines = append(lines, "weights "+n.In[i].SizesText())
	}
	return strings.Join(lines, "\n")
}

// colours are those of the operators that are drawn; nodes that are kept as they are have
// none.
func (c *Contents) colours() map[string]string {
	out := map[string]string{}
	for _, n := range c.Nodes {
		if n.Opaque == "" && c.drawn(n.ID) {
			out[n.Op] = explain.Colour(c.model.Graph.Op(n.ID))
		}
	}
	return out
}
