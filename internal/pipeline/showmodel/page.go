package showmodel

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/internal/page"
)

// WriteHTML writes the contents as a page: the graph, to be moved, zoomed and searched, with
// the facts of each node, and tables of operators, inputs and outputs. timed says where the
// times come from, if there are any. The error is that of w.
func (c *Contents) WriteHTML(w io.Writer, timed string) error {
	fig, err := page.Graph(c.Picture(), "", draw.Options{Title: c.Name, IDs: true})
	if err == nil {
		err = c.page(fig, timed).Write(w)
	}
	if err != nil {
		return fmt.Errorf("page of model %s: %w", c.Name, err)
	}
	return nil
}

func (c *Contents) page(fig page.Figure, timed string) *page.Page {
	total, rest, missing := c.time()
	p := &page.Page{Title: c.Name, Facts: page.Facts{{Name: "nodes", Value: strconv.Itoa(len(c.Nodes))},
		{Name: "parameters", Value: Figure(float64(c.Params))}, {Name: "FLOPs per run", Value: Figure(float64(c.FLOPs))}}}
	fact := func(name, value string, s page.Status) {
		p.Facts = append(p.Facts, page.Fact{Name: name, Value: value, Status: s})
	}
	if total > 0 {
		value := total.String()
		if missing > 0 {
			value = "≥ " + value
		}
		fact("sum of operators", value, "")
	}
	if rest > 0 {
		fact("before the first run", rest.String(), "")
	}
	if c.Devices > 0 {
		fact("devices", strconv.Itoa(c.Devices), "")
	}
	if n := len(c.Findings); n > 0 {
		fact("inconsistent shardings", strconv.Itoa(n), page.Bad)
	}
	if n := len(c.Opaque); n > 0 {
		fact("kept as is", strconv.Itoa(n), page.Partial)
	}
	section := func(id, title string, parts ...page.Part) {
		p.Parts = append(p.Parts, &page.Section{ID: id, Title: page.Say(title), Parts: parts})
	}
	if c.Doc != "" {
		p.Parts = append(p.Parts, page.Note(page.Say(c.Doc)))
	}
	if len(c.Findings) > 0 {
		var all []page.Part
		for _, f := range c.Findings {
			all = append(all, page.Say(f))
		}
		section("findings", "Inconsistent shardings", all...)
	}
	note := "Weights, and nodes that depend on weights only, are not drawn: the node that reads them lists them. A thick border marks outputs"
	if len(c.Opaque) > 0 {
		note += ", an amber one nodes that are kept as they are"
	}
	p.Parts = append(p.Parts, &page.Explorer{Figure: fig, Note: page.Say(note + "."), Nodes: c.pageNodes()})
	section("operators", "Operators", c.operators(total, timed)...)
	ends := &page.Table{Columns: page.Columns("", "name", "type")}
	for _, e := range []struct {
		kind string
		all  []Tensor
	}{{"input", c.Inputs}, {"output", c.Outputs}} {
		for _, t := range e.all {
			ends.Rows = append(ends.Rows, page.Row{Cells: page.Cells(e.kind, t.Name, t.Type+" "+t.SizesText())})
		}
	}
	parts := []page.Part{ends}
	for _, o := range c.Open {
		dim := ""
		if o.Dim != "" {
			dim = " (" + o.Dim + ")"
		}
		parts = append(parts, page.Note(page.Say(fmt.Sprintf("%s: dimension %d%s is dynamic; size %d is used.", o.Input, o.Axis, dim, o.Size))))
	}
	section("ends", "Inputs and outputs", parts...)
	if len(c.Opaque) > 0 {
		t := &page.Table{Columns: page.Columns("node", "operator", "reason")}
		for _, o := range c.Opaque {
			t.Rows = append(t.Rows, page.Row{Cells: page.Cells(o.Node, o.Op, o.Reason)})
		}
		section("opaque", "Kept as is", t)
	}
	return p
}

// operators is the table of operators, with a bar for the share of all time, or of all FLOPs.
func (c *Contents) operators(total cost.Seconds, timed string) []page.Part {
	t := &page.Table{Explores: true, Grid: true, Columns: page.Columns("operator", "#nodes", "#parameters", "#FLOPs")}
	if total > 0 {
		t.Columns = append(t.Columns, page.Columns("#time")...)
	}
	colours := c.colours()
	for _, o := range c.Operators {
		row := page.Row{Cells: page.Cells(page.Swatch(colours[o.Op], o.Op), o.Nodes, page.Num(Figure(float64(o.Params)), float64(o.Params)), page.Num(Figure(float64(o.FLOPs)), float64(o.FLOPs)))}
		if total > 0 {
			x := page.Num("", float64(o.Seconds))
			if o.Timed > 0 {
				x.Text = page.Say(o.Seconds.String())
			}
			x.Percent = int(100*o.Seconds/total + 0.5)
			row.Cells = append(row.Cells, x)
		} else if c.FLOPs > 0 {
			row.Cells[3].Percent = int(100*float64(o.FLOPs)/float64(c.FLOPs) + 0.5)
		}
		t.Rows = append(t.Rows, row)
	}
	if total <= 0 || timed == "" {
		return []page.Part{t}
	}
	return []page.Part{t, page.Note(page.Say("Times: " + timed + ". Each operator by itself; a run computes some of them in the kernel of another."))}
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
func (c *Contents) pageNodes() []page.Node {
	g := c.model.Graph
	out := []page.Node{}
	isOut := map[graph.NodeID]bool{}
	for _, t := range g.Outputs() {
		isOut[t.Node] = true
	}
	for id := range g.Nodes() {
		if !c.drawn(id) {
			continue
		}
		p := page.Node{ID: NodeID(id), Name: g.Name(id), Op: "input"}
		fact := func(name, value, from string) {
			if value != "" && value != "0" {
				p.Facts = append(p.Facts, page.NodeFact{Name: name, Value: value, From: from})
			}
		}
		results := func(of ...Tensor) {
			for _, t := range of {
				name := "result"
				if isOut[id] {
					name = "result, output"
				}
				fact(name, t.text(), "")
			}
		}
		i, ok := c.index[id]
		if !ok {
			if c.fixed[id] {
				p.Op = "weight"
			}
			results(c.tensor(id.Out(0)))
			out = append(out, p)
			continue
		}
		n := &c.Nodes[i]
		p.Op = n.Op
		fact("kept as is", n.Opaque, "")
		fact("attributes", strings.Trim(n.Attrs, "[]"), "")
		for k, t := range g.Operands(id) {
			name, value, from := "operand", n.In[k].text(), ""
			if c.fixed[t.Node] {
				name = "weight"
				if j, ok := c.index[t.Node]; ok {
					value += ", " + c.Nodes[j].Op + " of weights"
				}
			}
			if c.drawn(t.Node) {
				from = NodeID(t.Node)
			}
			fact(name, value, from)
		}
		results(n.Out...)
		fact("parameters", Figure(float64(n.Params)), "")
		fact("FLOPs", Figure(float64(n.FLOPs)), "")
		fact("bytes moved", Figure(float64(n.Bytes)), "")
		if n.Source != "" {
			fact("time", n.Seconds.String()+", "+n.Source, "")
		}
		fact("sharding", c.layout(id.Out(0)), "")
		fact("communication", c.sends(id), "")
		out = append(out, p)
	}
	return out
}

// text is the name of a tensor with its type.
func (t Tensor) text() string { return t.Name + ": " + t.Type + " " + t.SizesText() }

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
