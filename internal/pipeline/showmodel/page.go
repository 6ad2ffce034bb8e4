package showmodel

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/draw"
)

var (
	//go:embed page.tmpl
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string

	pageTemplate = sync.OnceValues(func() (*template.Template, error) {
		return draw.PageTemplate("page", pageText)
	})
)

// page is what the template reads.
type page struct {
	draw.Page
	Contents  *Contents
	Cards     []card
	Operators []operatorRow
	Opaque    []Opaque
	Timed     string // where the times come from, "" without times
	Picture   template.HTML
	Ends      []end
	Nodes     []pageNode
}

// end is an input or an output.
type end struct{ Kind, Name, Type string }

// card is a number of the summary.
type card struct{ Name, Value string }

// operatorRow is a row of the table of operators.
type operatorRow struct {
	Op, Class, Nodes, Params, FLOPs, Time string
	Percent                               int // of all time, or of all FLOPs
}

// pageNode is what the script knows of a node; inputs are nodes, too.
type pageNode struct {
	ID     string      `json:"id"`
	Name   string      `json:"name"`
	Op     string      `json:"op"`
	Attrs  string      `json:"attrs,omitempty"`
	In     []pageValue `json:"in,omitempty"`
	Out    []pageValue `json:"out"`
	Params string      `json:"params,omitempty"`
	FLOPs  string      `json:"flops,omitempty"`
	Bytes  string      `json:"bytes,omitempty"`
	Time   string      `json:"time,omitempty"`
	Layout string      `json:"layout,omitempty"`
	Sends  string      `json:"sends,omitempty"`
	Opaque string      `json:"opaque,omitempty"`
	Output bool        `json:"output,omitempty"` // of the model
}

// pageValue is an operand or a result.
type pageValue struct {
	Name string `json:"name"`
	Type string `json:"type"`
	// ID is the node that computes it, if that is drawn; Fixed, if it does not
	// change from run to run.
	ID    string `json:"id,omitempty"`
	Fixed bool   `json:"fixed,omitempty"`
}

// WriteHTML writes the contents as one page that needs nothing else: the graph,
// to be moved, zoomed and searched, what is known of each node, and the table of
// operators. All text is escaped, and the page's policy lets no script run but
// its own. timed says where the times come from, if there are any.
func (c *Contents) WriteHTML(w io.Writer, timed string) error {
	t, err := pageTemplate()
	if err != nil {
		return fmt.Errorf("page of model %s: %w", c.Name, err)
	}
	var svg strings.Builder
	if err := draw.SVG(&svg, c.Picture(), draw.Options{Title: c.Name, Inline: true, IDs: true}); err != nil {
		return fmt.Errorf("page of model %s: %w", c.Name, err)
	}
	p := page{
		Page:     draw.NewPage(c.Name, pageStyle, pageScript),
		Contents: c, Opaque: c.Opaque, Timed: timed,
		Picture: template.HTML(svg.String()), // escaped by package draw
		Nodes:   c.pageNodes(),
	}
	total, rest, missing := c.time()
	p.Cards = []card{{"nodes", strconv.Itoa(len(c.Nodes))}, {"parameters", Figure(float64(c.Params))}, {"FLOPs a run", Figure(float64(c.FLOPs))}}
	if total > 0 {
		value := total.String()
		if missing > 0 {
			value = "≥ " + value
		}
		p.Cards = append(p.Cards, card{"sum of operators", value})
	} else {
		p.Timed = ""
	}
	if rest > 0 {
		p.Cards = append(p.Cards, card{"before the first run", rest.String()})
	}
	if c.Devices > 0 {
		p.Cards = append(p.Cards, card{"devices", strconv.Itoa(c.Devices)})
	}
	if len(c.Findings) > 0 {
		p.Cards = append(p.Cards, card{"roles that do not fit", strconv.Itoa(len(c.Findings))})
	}
	if len(c.Opaque) > 0 {
		p.Cards = append(p.Cards, card{"kept as they are", strconv.Itoa(len(c.Opaque))})
	}
	for _, t := range c.Inputs {
		p.Ends = append(p.Ends, end{"in", t.Name, t.Type + " " + sizesText(t.Sizes)})
	}
	for _, t := range c.Outputs {
		p.Ends = append(p.Ends, end{"out", t.Name, t.Type + " " + sizesText(t.Sizes)})
	}
	colours := c.colours()
	for _, o := range c.Operators {
		r := operatorRow{Op: o.Op, Class: colours[o.Op], Nodes: strconv.Itoa(o.Nodes), Params: Figure(float64(o.Params)), FLOPs: Figure(float64(o.FLOPs))}
		switch {
		case total > 0:
			r.Percent = int(100*o.Seconds/total + 0.5)
		case c.FLOPs > 0:
			r.Percent = int(100*float64(o.FLOPs)/float64(c.FLOPs) + 0.5)
		}
		if o.Timed > 0 {
			r.Time = o.Seconds.String()
		}
		p.Operators = append(p.Operators, r)
	}
	if err := t.Execute(w, p); err != nil {
		return fmt.Errorf("page of model %s: %w", c.Name, err)
	}
	return nil
}

// time sums the times of what runs and of what is computed before, and counts
// the nodes without one.
func (c *Contents) time() (run, before cost.Seconds, missing int) {
	for _, n := range c.Nodes {
		switch {
		case n.Source == "":
			missing++
		case n.Fixed:
			before += n.Seconds
		default:
			run += n.Seconds
		}
	}
	return run, before, missing
}

// pageNodes are the nodes that are drawn, in the order of the graph.
func (c *Contents) pageNodes() []pageNode {
	g := c.model.Graph
	out := []pageNode{}
	isOut := map[string]bool{}
	for _, t := range g.Outputs() {
		isOut[NodeID(t.Node)] = true
	}
	value := func(t Tensor) pageValue { return pageValue{Name: t.Name, Type: t.Type + " " + sizesText(t.Sizes)} }
	for id := range g.Nodes() {
		if !c.drawn(id) {
			continue
		}
		p := pageNode{ID: NodeID(id), Name: g.Name(id), Op: "input", Output: isOut[NodeID(id)]}
		i, ok := c.index[id]
		if !ok {
			if c.fixed[id] {
				p.Op = "weight"
			}
			p.Out = []pageValue{value(c.tensor(id.Out(0)))}
			out = append(out, p)
			continue
		}
		n := &c.Nodes[i]
		p.Op, p.Attrs, p.Opaque = n.Op, strings.Trim(n.Attrs, "[]"), n.Opaque
		p.Params, p.FLOPs, p.Bytes = Figure(float64(n.Params)), Figure(float64(n.FLOPs)), Figure(float64(n.Bytes))
		p.Layout, p.Sends = c.layout(id.Out(0)), c.sends(id)
		if n.Source != "" {
			p.Time = n.Seconds.String() + ", " + n.Source
		}
		for k, t := range g.Operands(id) {
			v := value(n.In[k])
			v.Fixed = c.fixed[t.Node]
			if j, ok := c.index[t.Node]; ok && v.Fixed {
				v.Name += " (" + c.Nodes[j].Op + " of weights)"
			}
			if c.drawn(t.Node) {
				v.ID = NodeID(t.Node)
			}
			p.In = append(p.In, v)
		}
		for _, t := range n.Out {
			p.Out = append(p.Out, value(t))
		}
		out = append(out, p)
	}
	return out
}

// Figure writes 25557032 as "25.56 M", as tables and pages do.
func Figure(n float64) string {
	for _, u := range []struct {
		f    float64
		unit string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= u.f {
			return strconv.FormatFloat(n/u.f, 'f', 2, 64) + " " + u.unit
		}
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}
