package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/law"
)

// colours are those of operators, by [graph.Op.Class].
var colours = map[string]string{
	"matmul": draw.Kind(0), "conv": draw.Kind(0),
	"pointwise": draw.Kind(1),
	"copy":      draw.Kind(2),
	"gather":    draw.Kind(3),
	"transpose": draw.Kind(4), "view": draw.Kind(4),
	"pool": draw.Kind(5), "reduce": draw.Kind(5),
	"normalize": draw.Kind(6), "softmax": draw.Kind(6),
}

// Colour is the class of the boxes of an operator ([draw.Node].Class), the same in all
// drawings: products and convolutions, functions of elements, copies, gathers, changes of
// layout, sums and pools, normalizations, and all others have a colour each.
func Colour(op *graph.Op) string {
	if op.Class == "" && op.Pointwise {
		return colours["pointwise"]
	}
	if c, ok := colours[op.Class]; ok {
		return c
	}
	return draw.Kind(7)
}

// Picture returns terms over the variables of a law, such as one of its sides, as a graph
// to draw: equal subterms are one node, the outputs of one application are its ports,
// several outputs are numbered. Nodes show the attributes that differ from their
// default, and shapes where the law has them.
func Picture(l *law.Law, outs []*law.Term) draw.Graph {
	var g draw.Graph
	shapes := map[*law.Term]graph.Shape{}
	given := l.VarShapes()
	for _, t := range outs {
		// A side that has no shape is drawn without; the verdict says why.
		var facts graph.Unifier
		_, _ = law.TypeOf(&facts, t, given, shapes)
	}
	at := map[string]int{}
	port := func(t *law.Term) string {
		if t.Op != nil && t.Op.Out > 1 {
			return fmt.Sprintf(".%d", t.Out)
		}
		return ""
	}
	for _, t := range outs {
		t.Walk(func(u *law.Term) {
			id := u.AppString()
			if _, seen := at[id]; seen {
				return
			}
			at[id] = len(g.Nodes)
			n := draw.Node{ID: id, Label: u.Var, Class: draw.Input, Tooltip: u.Var}
			switch {
			case u.Fn != "":
				n.Label, n.Class, n.Tooltip = u.Fn, draw.Kind(1), id
			case u.Op != nil:
				n.Label, n.Class, n.Tooltip = u.Op.Name, Colour(u.Op), id
				n.Sub = strings.Trim(u.Op.FormatAttrs(u.Attrs), "[]")
				if u.Op.In == 0 {
					n.Class = draw.Const
				}
			}
			if s, ok := shapes[u]; ok && port(u) == "" {
				n.Sub = strings.TrimPrefix(n.Sub+"\n"+s.String(), "\n")
			}
			g.Nodes = append(g.Nodes, n)
			for _, a := range u.Args {
				g.Edges = append(g.Edges, draw.Edge{From: a.AppString(), To: id, Port: port(a)})
			}
		})
	}
	for i, t := range outs {
		n := &g.Nodes[at[t.AppString()]]
		if len(outs) > 1 {
			id := fmt.Sprintf("output %d", i)
			g.Nodes = append(g.Nodes, draw.Node{ID: id, Label: id, Class: draw.Const})
			g.Edges = append(g.Edges, draw.Edge{From: t.AppString(), To: id, Port: port(t)})
		} else if !slices.Contains(strings.Fields(n.Class), draw.Output) {
			n.Class += " " + draw.Output
		}
	}
	return g
}
