package graph

import (
	"fmt"
	"strings"
)

// DOT is the graph in the language of Graphviz: inputs as ellipses, weights
// dashed, operators as boxes with their attributes, opaque nodes as octagons, edges labelled with shapes, outputs as
// double circles. Nodes and edges come in the graph's order.
func (g *Graph) DOT() string { return g.DOTWith(nil) }

// DOTWith is DOT with a further line in the labels of edges and a colour of them, both
// left out where they are empty: what more says of a tensor.
func (g *Graph) DOTWith(more func(Tensor) (label, colour string)) string {
	var b strings.Builder
	b.WriteString("digraph {\n  rankdir=TB;\n  node [shape=box, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n")
	for id := range g.Nodes() {
		if op := g.op[id]; op == nil {
			t := id.Out(0)
			style := ""
			if g.weight[id] {
				style = ", style=dashed"
			}
			fmt.Fprintf(&b, "  n%d [shape=ellipse%s, label=%s];\n", id, style, dotQuote(g.name[id]+"\n"+g.Type(t).String()))
		} else if o := g.opaque[id]; o != nil {
			fmt.Fprintf(&b, "  n%d [shape=octagon, label=%s];\n", id, dotQuote(g.name[id]+"\n"+o.kind))
		} else {
			fmt.Fprintf(&b, "  n%d [label=%s];\n", id, dotQuote(g.name[id]+"\n"+op.Name+op.FormatAttrs(g.attrs[id])))
		}
		for _, t := range g.Operands(id) {
			g.dotEdge(&b, more, t, fmt.Sprintf("n%d", id))
		}
	}
	for i, t := range g.outputs {
		fmt.Fprintf(&b, "  out%d [shape=doublecircle, label=\"%d\"];\n", i, i)
		g.dotEdge(&b, more, t, fmt.Sprintf("out%d", i))
	}
	b.WriteString("}\n")
	return b.String()
}

func (g *Graph) dotEdge(b *strings.Builder, more func(Tensor) (label, colour string), t Tensor, to string) {
	label := Sizes(g.Sizes(t)...).String()
	if g.NumOut(t.Node) > 1 {
		label = fmt.Sprintf(".%d %s", t.Out, label)
	}
	style := ""
	if more != nil {
		line, colour := more(t)
		if line != "" {
			label += "\n" + line
		}
		if colour != "" {
			style = ", penwidth=2, color=" + dotQuote(colour)
		}
	}
	fmt.Fprintf(b, "  n%d -> %s [label=%s%s];\n", t.Node, to, dotQuote(label), style)
}

// dotQuote is a DOT string; line breaks become \n.
func dotQuote(s string) string {
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", " ", "\x00", " ")
	return `"` + r.Replace(s) + `"`
}
