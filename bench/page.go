package bench

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"sync"
)

//go:embed page.tmpl
var pageText string

var pageTemplate = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page").Parse(pageText)
})

// pageRecord is what the template reads of a record.
type pageRecord struct {
	Name, What, State string
	Old               bool
	Tables            []pageTable
	Plots             []template.HTML
	Notes             []template.HTML
	Origin            template.HTML
}

type pageTable struct {
	Title   template.HTML
	Head    []template.HTML
	Rows    [][]template.HTML
	Numbers []bool
}

// WritePage writes a page with all records, in the order of All: one file of HTML
// that loads nothing. state says how each stands to the code.
func WritePage(w io.Writer, records map[string]*Record, state func(*Benchmark, *Record) State) error {
	var page struct {
		Style   template.CSS
		Records []pageRecord
	}
	page.Style = template.CSS(plotStyle) // a constant
	for _, b := range All() {
		rec := records[b.Name]
		if rec == nil {
			continue
		}
		s := state(b, rec)
		p := pageRecord{Name: b.Name, What: b.What, State: s.String(), Old: s.Age == Older, Origin: inline(rec.origin())}
		for _, t := range rec.Tables {
			head, rows, numbers := t.Grid()
			pt := pageTable{Title: inline(t.Title), Head: inlines(head), Numbers: numbers}
			for _, r := range rows {
				pt.Rows = append(pt.Rows, inlines(r))
			}
			p.Tables = append(p.Tables, pt)
		}
		for _, plot := range rec.Plots {
			var svg bytes.Buffer
			if err := plot.SVG(&svg, true); err != nil {
				return fmt.Errorf("record %s: %w", b.Name, err)
			}
			p.Plots = append(p.Plots, template.HTML(svg.String())) // SVG escapes
		}
		for _, n := range rec.Notes {
			p.Notes = append(p.Notes, inline(n))
		}
		page.Records = append(page.Records, p)
	}
	t, err := pageTemplate()
	if err != nil {
		return err
	}
	return t.Execute(w, page)
}

var (
	codeForm   = regexp.MustCompile("`([^`]*)`")
	strongForm = regexp.MustCompile(`\*\*([^*]+)\*\*`)
	emForm     = regexp.MustCompile(`\*([^*]+)\*`)
)

// inline turns code, strong and emphasized words of Markdown into HTML; all else
// is text.
func inline(s string) template.HTML {
	s = template.HTMLEscapeString(s)
	var code []string
	s = codeForm.ReplaceAllStringFunc(s, func(m string) string {
		code = append(code, "<code>"+strings.Trim(m, "`")+"</code>")
		return "\x00"
	})
	s = strongForm.ReplaceAllString(s, "<strong>$1</strong>")
	s = emForm.ReplaceAllString(s, "<em>$1</em>")
	for _, c := range code {
		s = strings.Replace(s, "\x00", c, 1)
	}
	return template.HTML(s) // escaped above
}

func inlines(ss []string) []template.HTML {
	out := make([]template.HTML, len(ss))
	for i, s := range ss {
		out[i] = inline(s)
	}
	return out
}
