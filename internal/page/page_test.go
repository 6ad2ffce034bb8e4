package page_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/internal/page"
	"github.com/taso-go/taso/internal/page/pagetest"
)

// evil is text that would be markup, or run, if it were not escaped.
const evil = `</title></noscript></script><script>alert("x")</script><img src=x onerror='alert(1)'>`

// everything is a page with each part, all of whose texts are the same.
func everything(t testing.TB, text string) *page.Page {
	t.Helper()
	graph, err := page.Graph(draw.Graph{Nodes: []draw.Node{{ID: text, Label: text, Sub: text, Class: text, Tooltip: text}, {ID: "b", Label: "b"}},
		Edges: []draw.Edge{{From: text, To: "b", Label: text, Port: text}}}, text, draw.Options{Title: text, IDs: true})
	if err != nil {
		t.Fatal(err)
	}
	plot, err := page.Plot(&draw.Plot{Title: text, X: draw.Axis{Name: text, Unit: text}, Y: draw.Axis{Name: text, Unit: text},
		Curves: []draw.Curve{{Name: text, Points: [][2]float64{{0, 1}, {1, 2}}}}}, text)
	if err != nil {
		t.Fatal(err)
	}
	timeline, err := page.Timeline(&draw.Timeline{Title: text, End: 1, Format: func(float64) string { return "1 <s>" },
		Lanes: []draw.Lane{{Name: text, Bars: []draw.Bar{{From: 0, To: 1, Name: text, Line: text}}}}}, text)
	if err != nil {
		t.Fatal(err)
	}
	say := page.Say(text, page.Mono(text), page.Soft(text), page.Strong(text), page.Emph(text), page.Plus(text), page.Minus(text),
		page.Badge(page.Good, text), page.Swatch("kind1", text), page.Link("here", text))
	table := &page.Table{Noun: text, Columns: page.Columns(text, "#"+text, text, text), Filters: []page.Filter{
		{Name: text, Buttons: true, Options: []page.Option{{Key: text, Text: say}}}, {Name: text, Options: []page.Option{{Key: text, Text: say}}}}}
	for range 2 {
		table.Rows = append(table.Rows, page.Row{Cells: page.Cells(say, page.Num(text, 1), text, text), Keys: [][]string{{text}, {text}},
			Detail: []page.Part{say, page.Tensors{{Label: text, Term: text, Shape: text, Note: text, Parts: []page.Matrix{{Caption: text, Rows: [][]page.Element{{{Text: text, Hit: true}}}}}}}}})
	}
	table.Rows[0].ID = "row"
	return &page.Page{Title: text, Lead: say, Facts: page.Facts{{Name: text, Value: text, Status: page.Bad}}, Parts: []page.Part{
		say, page.Note(say), page.Head(say), page.Code(text), page.Facts{{Name: text, Value: text}},
		&page.Section{ID: "here", Title: say, Parts: []page.Part{&page.Section{Title: say, Small: true, Parts: []page.Part{table}}}},
		&page.Details{ID: "more", Title: say, Parts: []page.Part{page.Figures{graph, plot, timeline}}},
		page.Steps{{Title: say, Parts: []page.Part{say}, Ref: "more"}},
		&page.Explorer{Figure: graph, Note: say, Nodes: []page.Node{{ID: text, Name: text, Op: text, Facts: []page.NodeFact{{Name: text, Value: text}}}}},
	}}
}

func write(t testing.TB, p *page.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWrite: whatever the texts, the page stands alone, they stay texts, and none is lost.
func TestWrite(t *testing.T) {
	for _, text := range []string{"plain", evil} {
		doc := write(t, everything(t, text))
		seen := 0
		for _, e := range pagetest.Check(t, doc) {
			if e.Children == 0 && strings.Contains(e.Text, text) {
				seen++
			}
		}
		if seen < 100 {
			t.Errorf("%q is shown %d times only", text, seen)
		}
		if strings.Contains(doc, "ZgotmplZ") || strings.Contains(doc, "<img") {
			t.Errorf("%q was refused or became markup", text)
		}
		if doc != write(t, everything(t, text)) {
			t.Error("two pages of the same content differ")
		}
	}
}

// TestShared: style and script load nothing and make no markup of text.
func TestShared(t *testing.T) {
	for _, name := range []string{"page.css", "page.js", "page.tmpl"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"url(", "@import", "http:", "https:", "fetch(", "XMLHttp", "eval(", "innerHTML", "insertAdjacentHTML", "import(", "document.write"} {
			if bytes.Contains(text, []byte(bad)) {
				t.Errorf("%s holds %q", name, bad)
			}
		}
	}
}

type failWriter struct{ err error }

func (f failWriter) Write([]byte) (int, error) { return 0, f.err }

func TestErrors(t *testing.T) {
	full := errors.New("disk full")
	if err := (&page.Page{Title: "t"}).Write(failWriter{full}); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
	if _, err := page.Graph(draw.Graph{Edges: []draw.Edge{{From: "a", To: "b"}}}, "", draw.Options{}); err == nil {
		t.Error("an edge between no nodes was drawn")
	}
}

// TestCheck: the checks of pages can fail.
func TestCheck(t *testing.T) {
	good := write(t, everything(t, "plain"))
	for what, change := range map[string]func(string) string{
		"the language":     func(s string) string { return strings.Replace(s, `lang="en"`, "", 1) },
		"the title":        func(s string) string { return strings.Replace(s, "<title>plain</title>", "<title></title>", 1) },
		"the viewport":     func(s string) string { return strings.Replace(s, `name="viewport"`, `name="other"`, 1) },
		"the style":        func(s string) string { return strings.Replace(s, "box-sizing", "box", 1) },
		"the script":       func(s string) string { return strings.Replace(s, "use strict", "use", 1) },
		"another script":   func(s string) string { return strings.Replace(s, "<main>", "<main><script>x()</script>", 1) },
		"a link out":       func(s string) string { return strings.Replace(s, `href="#here"`, `href="//x"`, 1) },
		"a dead link":      func(s string) string { return strings.Replace(s, `href="#here"`, `href="#nowhere"`, 1) },
		"an image":         func(s string) string { return strings.Replace(s, "<main>", `<main><img src="x"/>`, 1) },
		"a handler":        func(s string) string { return strings.Replace(s, "<main>", `<main onclick="x()">`, 1) },
		"an ID twice":      func(s string) string { return strings.Replace(s, "<main>", `<main id="here">`, 1) },
		"a long row":       func(s string) string { return strings.Replace(s, `</td></tr>`, `</td><td></td></tr>`, 1) },
		"a clipped label":  func(s string) string { return strings.Replace(s, `<text x="`, `<text x="9`, 1) },
		"another clipping": func(s string) string { return strings.Replace(s, `viewBox="0 0 `, `viewBox="0 0 0.`, 1) },
	} {
		bad := change(good)
		if bad == good {
			t.Errorf("%s: nothing was changed", what)
		}
		r := &recorder{TB: t}
		pagetest.Check(r, bad)
		if r.errors == 0 {
			t.Errorf("%s: the change is not found", what)
		}
	}
}

// recorder counts errors.
type recorder struct {
	testing.TB
	errors int
}

func (r *recorder) Helper()               {}
func (r *recorder) Error(...any)          { r.errors++ }
func (r *recorder) Errorf(string, ...any) { r.errors++ }

func ExamplePage_Write() {
	p := &page.Page{Title: "Audit of my.rules", Lead: page.Say("1 of 2 rules is refuted."), Parts: []page.Part{
		&page.Section{ID: "rules", Title: page.Say("Rules"), Parts: []page.Part{&page.Table{Noun: "rules", Columns: page.Columns("rule", "verdict", "#time, ms"), Rows: []page.Row{
			{ID: "r1", Cells: page.Cells(page.Mono("relu(relu(X)) => relu(X)"), page.Badge(page.Good, "✓ proved"), "0.4"), Detail: []page.Part{page.Say("Axiom: ", page.Mono("relu_relu"))}},
			{ID: "r2", Cells: page.Cells(page.Mono("relu(X) => X"), page.Badge(page.Bad, "✗ refuted"), "0.2")},
		}}}}}}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Count(b.String(), "<tbody"), "rows")
	// Output: 2 rows
}
