package parallelize

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/taso-go/taso/internal/draw"
)

//go:embed page.tmpl
var pageText string

var pageTemplate = sync.OnceValues(func() (*template.Template, error) {
	return draw.PageTemplate("plan", pageText)
})

const pageStyle = `body{font:15px/1.4 Helvetica,Arial,sans-serif;margin:1em;max-width:80em}
table{border-collapse:collapse;font-size:14px}th,td{padding:.1em .7em;text-align:left;border-bottom:1px solid #8886}
.n{text-align:right}.wide{overflow-x:auto}.bar{display:flex;height:1.6em;max-width:60em}.bar span{overflow:hidden}.key span{padding:0 .6em;margin-right:.6em}
`

// pageBar is a class of work in a bar: how wide, in percent of the longest.
type pageBar struct {
	Name  string
	Time  string
	Share string
	Fill  template.CSS
}

type pageOf struct {
	draw.Page
	*Report
	Bars []pageBar
	Many []pageLies
}

// pageLies are operators that lie alike, one after the other.
type pageLies struct {
	First, Last, Layout string
	Count               int
}

// WriteHTML writes a report as a page: what planners found, what a step and the memory of a
// device go to, and how the results of operators lie.
func (r *Report) WriteHTML(w io.Writer) error {
	t, err := pageTemplate()
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	p := pageOf{Page: draw.NewPage(fmt.Sprintf("%s on %d devices of %s", r.Model, r.Devices, r.Machine), pageStyle, ""), Report: r}
	total := 0.0
	for _, c := range r.Classes {
		total += float64(c.Time)
	}
	for i, c := range r.Classes {
		p.Bars = append(p.Bars, pageBar{c.Class, c.Time.String(), fmt.Sprintf("%.2f", 100*float64(c.Time)/max(total, 1)),
			template.CSS(fmt.Sprintf("background:var(--draw-line%d)", i%6+1))})
	}
	for _, l := range r.Layouts {
		if n := len(p.Many); n > 0 && p.Many[n-1].Layout == l.Layout {
			p.Many[n-1].Last = l.Node
			p.Many[n-1].Count++
			continue
		}
		p.Many = append(p.Many, pageLies{l.Node, l.Node, l.Layout, 1})
	}
	if err := t.Execute(w, p); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

// MB is bytes as text.
func (p pageOf) MB(n int64) string { return fmt.Sprintf("%.0f MB", float64(n)/1e6) }
