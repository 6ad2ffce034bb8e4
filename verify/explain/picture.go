package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/law"
)

// operatorKind groups operators by colour; others are coloured by their name.
var operatorKind = map[string]string{
	"matmul": draw.Kind(0), "conv2d": draw.Kind(0),
	"ewadd": draw.Kind(1), "ewmul": draw.Kind(1), "smul": draw.Kind(1), "relu": draw.Kind(1),
	"concat": draw.Kind(2), "slice": draw.Kind(6), "split": draw.Kind(6),
	"transpose": draw.Kind(4), "enlarge": draw.Kind(4), "broadcast": draw.Kind(4),
	"poolmax": draw.Kind(5), "poolavg": draw.Kind(5),
}

// Picture is terms over the variables of a law, such as one of its sides, as a graph
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
				n.Label, n.Class, n.Tooltip = u.Op.Name, operatorKind[u.Op.Name], id
				n.Sub = strings.Trim(u.Op.FormatAttrs(u.Attrs), "[]")
				if u.Op.In == 0 {
					n.Class = draw.Const
				} else if n.Class == "" {
					n.Class = u.Op.Name
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
