package page

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/showmodel"
	"github.com/taso-go/taso/model"
)

// pictureOf is what runs of a model, with the nodes marked that changed, and only
// those.
func pictureOf(m *model.Model, changed map[graph.NodeID]bool) draw.Graph {
	pic := showmodel.Describe(m, nil).Picture()
	ids := map[string]bool{}
	for id := range changed {
		ids[showmodel.NodeID(id)] = true
	}
	for i := range pic.Nodes {
		n := &pic.Nodes[i]
		class := slices.DeleteFunc(strings.Fields(n.Class), func(c string) bool { return c == draw.Mark })
		if ids[n.ID] {
			class = append(class, draw.Mark)
		}
		n.Class = strings.Join(class, " ")
	}
	return pic
}

// SVG draws the model and the result beside each other, as one picture: what the
// model has and the result does not, or the reverse, has a border in a warning colour.
// Of a result that is the model there is one picture.
func SVG(w io.Writer, m *model.Model, r *optimize.Result) error {
	var both draw.Graph
	title := fmt.Sprintf("%s: nothing cheaper was found", m.Name)
	if len(r.Steps) > 0 {
		both = prefixed("before: ", "a", pictureOf(m, r.Gone))
		title = fmt.Sprintf("%s before and after %d uses of laws; what changed has a border in a warning colour", m.Name, len(r.Steps))
	}
	after := prefixed("after: ", "b", pictureOf(r.Model, r.Made))
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
