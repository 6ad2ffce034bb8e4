package rulepage

import (
	"bytes"
	_ "embed"
	"html/template"
	"math"

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

// Template parses the template of a page, as [draw.PageTemplate] does; four more
// templates are there for it: "verdict" of a [Verdict], "coverage" of a [Coverage],
// "counterexample" of a [Counterexample], and "tensor" of a [Tensor].
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

// Coverage is a row of the matrix of operators and verdicts.
type Coverage struct {
	Operator string
	All      int
	Cells    []Share
}

// Share is a count, and as a share of its row.
type Share struct {
	Rules int
	Share float64
}

// CoverageOf is the row of an operator whose rules are counted by verdict.
func CoverageOf(operator string, counts []int) Coverage {
	row := Coverage{Operator: operator}
	for _, n := range counts {
		row.All += n
	}
	for _, n := range counts {
		row.Cells = append(row.Cells, Share{n, math.Round(100*float64(n)/float64(max(1, row.All))) / 100})
	}
	return row
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
