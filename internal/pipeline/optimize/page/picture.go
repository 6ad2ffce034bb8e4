package page

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/internal/page"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/showmodel"
	"github.com/taso-go/taso/model"
)

// pictureOf is the part of a model that runs. Only the nodes that changed are marked, by a
// class.
func pictureOf(m *model.Model, changed map[graph.NodeID]bool, mark string) draw.Graph {
	pic := showmodel.Describe(m, nil).Picture()
	ids := map[string]bool{}
	for id := range changed {
		ids[showmodel.NodeID(id)] = true
	}
	for i := range pic.Nodes {
		n := &pic.Nodes[i]
		class := slices.DeleteFunc(strings.Fields(n.Class), func(c string) bool { return c == draw.Mark })
		if ids[n.ID] {
			class = append(class, mark)
		}
		n.Class = strings.Join(class, " ")
	}
	return pic
}

// SVG draws the model and the result beside each other, as one picture: removed nodes have a
// red border, added ones a green one. A result that is the model is drawn once.
func SVG(w io.Writer, m *model.Model, r *optimize.Result) error {
	var both draw.Graph
	title := fmt.Sprintf("%s: no improvement found", m.Name)
	if len(r.Steps) > 0 {
		both = prefixed("before: ", "a", pictureOf(m, r.Gone, draw.Removed))
		title = fmt.Sprintf("%s before and after %s; removed nodes have a red border, added nodes a green one", m.Name, page.Count(len(r.Steps), "step"))
	}
	after := prefixed("after: ", "b", pictureOf(r.Model, r.Made, draw.Added))
	both.Nodes, both.Edges = append(both.Nodes, after.Nodes...), append(both.Edges, after.Edges...)
	if err := draw.SVG(w, both, draw.Options{Title: title}); err != nil {
		return fmt.Errorf("picture of model %s: %w", m.Name, err)
	}
	return nil
}

// prefixed names the nodes of a picture apart from those of others, and says at the
// inputs which picture it is.
func prefixed(says, id string, g draw.Graph) draw.Graph {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if slices.Contains(strings.Fields(n.Class), draw.Input) {
			n.Label = says + n.Label
		}
		n.ID = id + n.ID
	}
	for i := range g.Edges {
		g.Edges[i].From, g.Edges[i].To = id+g.Edges[i].From, id+g.Edges[i].To
	}
	return g
}
