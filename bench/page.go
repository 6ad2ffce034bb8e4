package bench

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/taso-go/taso/internal/page"
)

// WritePage writes a page with all records, in the order of All. state says how each stands
// to the code. The error is that of w, or names the record whose plot cannot be drawn.
func WritePage(w io.Writer, records map[string]*Record, state func(*Benchmark, *Record) State) error {
	index := &page.Table{Noun: "benchmarks", Columns: page.Columns("benchmark", "subject", "state", "reason")}
	p := &page.Page{Title: "Results", Parts: []page.Part{index}}
	stale := 0
	for _, b := range All() {
		rec := records[b.Name]
		if rec == nil {
			continue
		}
		s := state(b, rec)
		if s.Age == Older {
			stale++
		}
		_, why, _ := strings.Cut(s.String(), ": ")
		index.Rows = append(index.Rows, page.Row{Cells: page.Cells(page.Link(b.Name, b.Name), b.What, page.Badge(ages[s.Age], s.Mark()), why)})
		section := &page.Section{ID: b.Name, Title: page.Say(b.Name), Parts: []page.Part{page.Say(b.What)}}
		add := func(x page.Part) { section.Parts = append(section.Parts, x) }
		var figures page.Figures
		for _, plot := range rec.Plots {
			if err := plot.check(); err != nil {
				return fmt.Errorf("record %s: plot: %w", b.Name, err)
			}
			f, err := page.Plot(plot.drawn(), "")
			if err != nil {
				return fmt.Errorf("record %s: %w", b.Name, err)
			}
			figures = append(figures, f)
		}
		if figures != nil {
			add(figures)
		}
		for _, t := range rec.Tables {
			if t.Title != "" {
				add(inline(t.Title))
			}
			add(t.page())
		}
		for _, n := range rec.Notes {
			add(inline(n))
		}
		add(page.Note(inline(strings.Trim(rec.origin(), "*"))))
		p.Parts = append(p.Parts, section)
	}
	p.Lead = page.Say(fmt.Sprintf("%d of %s stale: the code has changed since.", stale, page.Count(len(index.Rows), "record")))
	if err := p.Write(w); err != nil {
		return fmt.Errorf("page of the records: %w", err)
	}
	return nil
}

// ages are the colours of ages.
var ages = map[Age]page.Status{Fresh: page.Good, Older: page.Partial, Dated: page.Open, None: page.Open}

// page is the table of a page.
func (t *Table) page() *page.Table {
	head, rows, numbers := t.Grid()
	out := &page.Table{Grid: true}
	for i, h := range head {
		out.Columns = append(out.Columns, page.Column{Name: h, Number: numbers[i]})
	}
	for _, r := range rows {
		row := page.Row{}
		for _, c := range r {
			row.Cells = append(row.Cells, page.Cell{Text: inline(c)})
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// inlineForm is code, strong and emphasized words of Markdown.
var inlineForm = regexp.MustCompile("`([^`]*)`" + `|\*\*([^*]+)\*\*|\*([^*]+)\*`)

// inline reads code, strong and emphasized words of Markdown; all else is text.
func inline(s string) (t page.Text) {
	for {
		m := inlineForm.FindStringSubmatchIndex(s)
		if m == nil {
			return page.Say(t, s)
		}
		t = page.Say(t, s[:m[0]])
		for i, span := range []func(string) page.Span{page.Mono, page.Strong, page.Emph} {
			if k := 2 * (i + 1); m[k] >= 0 {
				t = page.Say(t, span(s[m[k]:m[k+1]]))
			}
		}
		s = s[m[1]:]
	}
}
