package rulepage

import (
	"bytes"
	_ "embed"
	"html/template"

	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/explain"
)

var (
	//go:embed page.tmpl
	shared string
	// Style is the style of such pages.
	//go:embed page.css
	Style string
	// Script filters, sorts and opens the rows of tables of class "rules", each in a
	// section of class "file" with a form.
	//go:embed page.js
	Script string
)

// Template parses the template of a page, as [draw.PageTemplate] does; three more
// templates are there for it: "verdict" of a [Verdict], "counterexample" of a
// [Counterexample], and "tensor" of a [Tensor].
func Template(name, text string) (*template.Template, error) {
	t, err := draw.PageTemplate(name, shared)
	if err != nil {
		return nil, err
	}
	return t.Parse(text)
}

// Verdict is a word about a rule with a sign, so that nobody depends on colour, and the
// class of its style; Rank is for sorting.
type Verdict struct {
	Word, Class, Sign string
	Rank              int
}

// Pictures draws the sides of a law; name is what they are sides of, for titles.
func Pictures(l *law.Law, name string) (left, right template.HTML, err error) {
	for i, terms := range [][]*law.Term{l.LHS, l.RHS} {
		var b bytes.Buffer
		title := []string{"left", "right"}[i] + " side of " + name
		if err := draw.SVG(&b, explain.Picture(l, terms), draw.Options{Title: title, Inline: true}); err != nil {
			return "", "", err
		}
		// draw escapes all text.
		*[]*template.HTML{&left, &right}[i] = template.HTML(b.String())
	}
	return left, right, nil
}
