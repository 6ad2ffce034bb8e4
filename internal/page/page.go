package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/taso-go/taso/internal/draw"
)

var (
	//go:embed page.tmpl
	markup string
	//go:embed page.css
	style string
	//go:embed page.js
	script string

	parsed = sync.OnceValues(func() (*template.Template, error) {
		return template.New("page").Funcs(template.FuncMap{"kind": Part.kind, "label": label}).Parse(markup)
	})
)

// Page is what a page shows.
type Page struct {
	Title string
	Lead  Text // the answer, in a sentence
	Facts Facts
	Parts []Part
}

// Facts are the numbers of a summary.
type Facts []Fact

// Fact is one of them.
type Fact struct {
	Name, Value string
	Status      Status
}

// Status is what a colour says; the zero value says nothing.
type Status string

// The statuses; doc.go says what they mean.
const (
	Good    Status = "good"
	Partial Status = "partial"
	Bad     Status = "bad"
	Open    Status = "open"
	Invalid Status = "invalid"
)

// Part is a part of a page. The types of this package are its only implementations.
type Part interface{ kind() string }

// Section is a part with a heading, to which a link with its ID leads; Small, within another one.
type Section struct {
	ID    string // "" for none
	Title Text
	Small bool
	Parts []Part
}

// Details is a part that is closed until the reader opens it.
type Details struct {
	ID    string // "" for none
	Title Text
	Parts []Part
}

// Head is a small heading, within a section.
type Head Text

// Note is a paragraph that is less important than the others.
type Note Text

// Code is text with its line breaks, in a monospaced font.
type Code string

// Steps are shown one at a time, and one below the other without the script.
type Steps []Step

// Step is one of them. Below it is shown a copy of what the Details with the ID Ref hold.
type Step struct {
	Title Text
	Parts []Part
	Ref   string
}

// Explorer is a drawing to move, zoom and search in, with the facts of the node that is
// selected beside it.
type Explorer struct {
	Figure Figure
	Note   Text
	Nodes  []Node // of the drawing, by ID
}

// Node is what an [Explorer] knows of a node. Facts are said of it when it is selected.
type Node struct {
	ID    string     `json:"id"`
	Name  string     `json:"name"`
	Op    string     `json:"op"`
	Facts []NodeFact `json:"facts,omitempty"`
}

// NodeFact is a name and a value of a node; From is the ID of the node that the value comes from, if
// it is drawn.
type NodeFact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from,omitempty"`
}

// Tensors are shown element by element.
type Tensors []Tensor

// Tensor is a tensor, cut into matrices.
type Tensor struct {
	Label, Term, Shape, Note string
	Parts                    []Matrix
}

// Matrix is the part of a tensor at fixed leading indices.
type Matrix struct {
	Caption string
	Rows    [][]Element
}

// Element is one element; Hit, if it is the one in question.
type Element struct {
	Text string
	Hit  bool
}

// Figures are drawings beside each other, where there is room.
type Figures []Figure

// Figure is a drawing, made by [Graph], [Plot] or [Timeline].
type Figure struct {
	Caption      string
	wide, narrow template.HTML // package draw escapes all text
}

// Wide and Narrow are the drawing, and its form for a small screen, if it has one.
func (f Figure) Wide() template.HTML   { return f.wide }
func (f Figure) Narrow() template.HTML { return f.narrow }

// Graph draws a graph. The error is that of [draw.SVG].
func Graph(g draw.Graph, caption string, opt draw.Options) (Figure, error) {
	opt.Inline = true
	var b strings.Builder
	err := draw.SVG(&b, g, opt)
	return Figure{caption, template.HTML(b.String()), ""}, err
}

// Plot draws curves.
func Plot(p *draw.Plot, caption string) (Figure, error) {
	return both(caption, func(w io.Writer, narrow bool) error {
		return p.SVG(w, draw.PlotOptions{Inline: true, Narrow: narrow})
	})
}

// Timeline draws a timeline.
func Timeline(t *draw.Timeline, caption string) (Figure, error) { return both(caption, t.SVG) }

func both(caption string, svg func(io.Writer, bool) error) (Figure, error) {
	var wide, narrow strings.Builder
	if err := svg(&wide, false); err != nil {
		return Figure{}, err
	}
	err := svg(&narrow, true)
	return Figure{caption, template.HTML(wide.String()), template.HTML(narrow.String())}, err
}

func (Text) kind() string      { return "text" }
func (Facts) kind() string     { return "facts" }
func (Note) kind() string      { return "note" }
func (Head) kind() string      { return "head" }
func (Code) kind() string      { return "code" }
func (*Section) kind() string  { return "section" }
func (*Details) kind() string  { return "details" }
func (*Table) kind() string    { return "table" }
func (Figures) kind() string   { return "figures" }
func (Tensors) kind() string   { return "tensors" }
func (Steps) kind() string     { return "steps" }
func (*Explorer) kind() string { return "explorer" }

// Write writes the page. The error is that of w.
func (p *Page) Write(w io.Writer) error {
	t, err := parsed()
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	sum := sha256.Sum256([]byte(script))
	all := struct {
		*Page
		Policy string // lets no script run but Script, and nothing be loaded
		Style  template.CSS
		Script template.JS
	}{p, "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		template.CSS(style + draw.Style() + draw.PlotStyle), template.JS(script)}
	if err := t.ExecuteTemplate(w, "page", all); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}
