// Package pagetest checks pages, for the tests of what writes them.
package pagetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/internal/page"
)

// Element is an element of a page, with the text directly and indirectly in it.
type Element struct {
	Name     string
	Attrs    map[string]string
	Text     string
	Own      string     // the text directly in it
	Inside   []*Element // the elements around it
	Children int
}

// Has reports whether the element has a class.
func (e *Element) Has(class string) bool {
	return slices.Contains(strings.Fields(e.Attrs["class"]), class)
}

// In reports whether an element of that name is around it.
func (e *Element) In(name string) bool {
	return slices.ContainsFunc(e.Inside, func(o *Element) bool { return o.Name == name })
}

var scriptText = regexp.MustCompile(`(?s)(<script[^>]*>)(.*?)</script>`)

// Elements reads a page as XML, which is stricter than a browser is: every tag is closed,
// every attribute quoted. The texts of scripts are left out.
func Elements(t testing.TB, doc string) []*Element {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(scriptText.ReplaceAllString(doc, "$1</script>")))
	var all, stack []*Element
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch x := tok.(type) {
		case xml.StartElement:
			e := &Element{Name: x.Name.Local, Attrs: map[string]string{}, Inside: slices.Clone(stack)}
			for _, a := range x.Attr {
				e.Attrs[a.Name.Local] = a.Value
			}
			if len(stack) > 0 {
				stack[len(stack)-1].Children++
			}
			all, stack = append(all, e), append(stack, e)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			for _, o := range stack {
				o.Text += string(x)
			}
			if len(stack) > 0 {
				stack[len(stack)-1].Own += string(x)
			}
		}
	}
}

// known are the elements that pages consist of.
var known = strings.Fields(`html head meta title style body header main section nav article aside script noscript
	h1 h2 h3 h4 p a b em strong code pre span ul li dl dt dd div details summary figure figcaption
	table caption thead tbody tr th td form fieldset legend label select option input button output
	svg g path rect circle text`)

// Check reports what is wrong with a page: that it is not well-formed, lacks title, language
// or viewport, has not the shared style sheet and script and these alone, loads something or
// lets other scripts run, has a link that leads nowhere, a row of a table that is longer than
// its head, or a drawing with a label that reaches beyond it. It returns the elements.
func Check(t testing.TB, doc string) []*Element {
	t.Helper()
	all := Elements(t, doc)
	var empty bytes.Buffer
	if err := (&page.Page{Title: "empty"}).Write(&empty); err != nil {
		t.Fatal(err)
	}
	shared := func(from, to string) string {
		_, s, _ := strings.Cut(empty.String(), from)
		s, _, _ = strings.Cut(s, to)
		return from + s + to
	}
	style, script := shared("<style>", "</style>"), shared("<script>", "</script>")
	if strings.Count(doc, "<style") != 1 || !strings.Contains(doc, style) {
		t.Error("the page has not the shared style sheet, once")
	}
	if strings.Count(doc, "<script>") != 1 || !strings.Contains(doc, script) {
		t.Error("the page has not the shared script, once")
	}
	if n := strings.Count(doc, "<script"); n > 2 || n == 2 && !strings.Contains(doc, `<script type="application/json" id="data">`) {
		t.Errorf("the page has %d scripts", n)
	}
	sum := sha256.Sum256([]byte(strings.TrimSuffix(strings.TrimPrefix(script, "<script>"), "</script>")))
	policy := "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	ids, found := map[string]bool{}, map[string]string{}
	var links []string
	for _, e := range all {
		if !slices.Contains(known, e.Name) {
			t.Errorf("the page has an element %s", e.Name)
		}
		switch {
		case e.Name == "html":
			found["lang"] = e.Attrs["lang"]
		case e.Name == "title" && !e.In("svg"):
			found["title"] += e.Text
		case e.Name == "meta":
			found[e.Attrs["name"]+e.Attrs["http-equiv"]] = e.Attrs["content"]
		}
		for name, value := range e.Attrs {
			switch {
			case name == "id":
				if ids[value] {
					t.Errorf("two elements have the id %s", value)
				}
				ids[value] = true
			case name == "href":
				if !strings.HasPrefix(value, "#") {
					t.Errorf("a link to %q leads out of the page", value)
				}
				links = append(links, strings.TrimPrefix(value, "#"))
			case slices.Contains([]string{"src", "srcset", "action", "formaction", "data", "poster", "background"}, name), strings.HasPrefix(name, "on"):
				t.Errorf("%s has %s=%q", e.Name, name, value)
			}
		}
	}
	if found["lang"] != "en" || found["title"] == "" || !strings.Contains(found["viewport"], "width=device-width") || found["Content-Security-Policy"] != policy {
		t.Errorf("the head of the page is %q", found)
	}
	for _, l := range links {
		if !ids[l] {
			t.Errorf("a link leads to %s, which is no place of the page", l)
		}
	}
	checkTables(t, all)
	for _, c := range Clipped(all) {
		t.Errorf("the label %q reaches beyond its drawing", c)
	}
	return all
}

// checkTables compares rows with heads.
func checkTables(t testing.TB, all []*Element) {
	t.Helper()
	columns, cells := map[*Element]int{}, map[*Element]int{}
	for _, e := range all {
		if e.Name != "th" && e.Name != "td" {
			continue
		}
		var table, row *Element
		for _, o := range e.Inside {
			switch o.Name {
			case "table":
				table = o
			case "tr":
				row = o
			}
		}
		span := max(1, number(e.Attrs["colspan"]))
		if e.Name == "th" {
			columns[table] += int(span)
		} else if cells[row] += int(span); table.Has("t") && cells[row] > columns[table] {
			t.Errorf("a row of a table has %d cells under %d heads: %q", cells[row], columns[table], row.Text)
		}
	}
}

// Clipped lists the labels of drawings that reach beyond their viewBox, by estimated widths.
func Clipped(all []*Element) (out []string) {
	for _, e := range all {
		if e.Name != "text" {
			continue
		}
		svg := e.Inside[slices.IndexFunc(e.Inside, func(o *Element) bool { return o.Name == "svg" })]
		box := strings.Fields(svg.Attrs["viewBox"])
		size, anchor := 13.0, e.Attrs["text-anchor"]
		if svg.Has("plot") {
			size = 12
		}
		switch {
		case e.Has("t"):
			size = 14
		case e.Has("s"):
			size = 11
		case e.Has("l"):
			size = 10
		case e.Has("p"):
			size, anchor = 10, "start"
		}
		if _, a, ok := strings.Cut(e.Attrs["style"], "text-anchor:"); ok {
			anchor = a
		}
		x, y, w := number(e.Attrs["x"]), number(e.Attrs["y"]), draw.TextWidth(e.Own, size)
		left, top := x, y-0.8*size
		switch anchor {
		case "end":
			left -= w
		case "middle", "":
			left -= w / 2
		}
		right, bottom := left+w, y+0.25*size
		if strings.HasPrefix(e.Attrs["transform"], "rotate(-90") { // its middle stays
			left, top, right, bottom = x-0.8*size, y-w/2, x+0.25*size, y+w/2
		}
		if left < -1 || top < -1 || right > number(box[2])+1 || bottom > number(box[3])+1 {
			out = append(out, e.Own)
		}
	}
	return out
}

func number(s string) float64 {
	x, _ := strconv.ParseFloat(s, 64)
	return x
}
