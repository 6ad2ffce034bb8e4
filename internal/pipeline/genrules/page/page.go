package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/pipeline/rulepage"
)

var (
	//go:embed page.tmpl
	pageText string
	//go:embed page.css
	pageStyle string

	pageTemplate = sync.OnceValues(func() (*template.Template, error) {
		return rulepage.Template("gen-rules", pageText)
	})
)

// Write writes the report of a run as one page. Nothing of the report is changed. The
// error is that of w, or names the rule that cannot be shown.
func Write(w io.Writer, rep *genrules.Report) error {
	t, err := pageTemplate()
	if err != nil {
		return fmt.Errorf("gen-rules page: %w", err)
	}
	page := content{Page: draw.NewPage("Generated rules", rulepage.Style+pageStyle, rulepage.Script), Report: rep}
	page.funnel()
	if err := page.rows(); err != nil {
		return fmt.Errorf("gen-rules page: %w", err)
	}
	if err := page.useful(); err != nil {
		return fmt.Errorf("gen-rules page: %w", err)
	}
	page.operators()
	if err := t.ExecuteTemplate(w, "page", page); err != nil {
		return fmt.Errorf("gen-rules page: %w", err)
	}
	return nil
}

// The types below are what the template reads.

// content is the page.
type content struct {
	draw.Page
	Report    *genrules.Report
	Cards     []card
	Verdicts  []rulepage.Verdict
	Funnel    []level
	Useful    []useful
	Operators []string
	Matrix    []rulepage.Coverage
	Rows      []*row
}

// card is a number of the summary.
type card struct{ Name, Class, Value string }

// level is what became of the graphs of one size.
type level struct {
	Operators int
	Seconds   float64
	Steps     []step
}

// step is one count; Percent is the width of its bar, on a logarithmic scale.
type step struct {
	Name    string
	N       int64
	Percent int
}

// useful is a rule that saves time, with pictures of its sides.
type useful struct {
	genrules.Useful
	Percent     int
	Row         string // the row of the rule, "" if it is not there
	Left, Right template.HTML
}

// verdicts are those of rows, by rank.
var verdicts = []rulepage.Verdict{
	{Word: "kept", Class: "proved", Sign: "✓", Rank: 0},
	{Word: "derivable", Class: "upto", Sign: "✓", Rank: 1},
	{Word: "refuted", Class: "refuted", Sign: "✗", Rank: 2},
	{Word: "unknown", Class: "unknown", Sign: "?", Rank: 3},
}

// funnel prepares the counts of the levels.
func (c *content) funnel() {
	c.Verdicts = verdicts
	r := c.Report.Rules
	for i, n := range []int{r.Kept, r.Derivable, r.Refuted, r.Unknown} {
		c.Cards = append(c.Cards, card{verdicts[i].Word, verdicts[i].Class, fmt.Sprint(n)})
	}
	c.Cards = append(c.Cards, card{"graphs", "", fmt.Sprint(c.Report.Graphs)}, card{"seconds", "", fmt.Sprintf("%.1f", c.Report.Seconds)},
		card{"CPU seconds", "", fmt.Sprintf("%.1f", c.Report.CPUSeconds)}, card{"GB", "", fmt.Sprintf("%.2f", float64(c.Report.PeakRSS)/1e9)})
	largest := 1.0
	for _, l := range c.Report.Levels {
		largest = max(largest, float64(l.Graphs))
	}
	for _, l := range c.Report.Levels {
		f := level{Operators: l.Operators, Seconds: l.Seconds}
		kept := int64(0)
		if c.Report.Set != nil {
			for _, r := range c.Report.Set.Rules {
				if r.Level == l.Operators && !r.Derivable {
					kept++
				}
			}
		}
		for _, s := range []step{{"graphs", l.Graphs, 0}, {"classes", l.Classes, 0}, {"pairs that agree", l.Pairs, 0}, {"stated as laws", l.Stated, 0},
			{"candidates", l.Candidates, 0}, {"proved", l.Proved, 0}, {"kept rules", kept, 0}} {
			if s.N > 0 {
				s.Percent = max(1, int(math.Round(100*math.Log1p(float64(s.N))/math.Log1p(largest))))
			}
			f.Steps = append(f.Steps, s)
		}
		c.Funnel = append(c.Funnel, f)
	}
}

// useful draws the rules that save most.
func (c *content) useful() error {
	for _, u := range c.Report.Useful {
		x := useful{Useful: u, Percent: int(math.Round(100 * u.Saves))}
		r, ok := c.Report.Set.Find(u.ID)
		if ok {
			var err error
			if x.Left, x.Right, err = rulepage.Pictures(r.Law, "rule "+u.ID); err != nil {
				return fmt.Errorf("rule %s: %w", u.ID, err)
			}
			x.Row = u.ID
		}
		c.Useful = append(c.Useful, x)
	}
	return nil
}

// operators counts rows by operator and verdict.
func (c *content) operators() {
	counts := map[string][]int{}
	for _, r := range c.Rows {
		for _, op := range r.operators {
			if counts[op] == nil {
				counts[op] = make([]int, len(verdicts))
			}
			counts[op][r.Verdict.Rank]++
		}
	}
	c.Operators = slices.Sorted(maps.Keys(counts))
	for _, op := range c.Operators {
		c.Matrix = append(c.Matrix, rulepage.CoverageOf(op, counts[op]))
	}
}
