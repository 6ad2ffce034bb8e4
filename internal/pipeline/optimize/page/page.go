package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/showmodel"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/verify/explain"
)

var (
	//go:embed page.tmpl
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string

	pageTemplate = sync.OnceValues(func() (*template.Template, error) {
		return draw.PageTemplate("optimize", pageText)
	})
)

// content is what the template reads.
type content struct {
	draw.Page
	Report        *optimize.Report
	Rows          []row
	Together      int // steps of a saturation
	Steps         []step
	Laws          []*rule
	Curve         template.HTML
	Before, After template.HTML
	Proof         string
}

// row is a figure before and after.
type row struct{ Name, Before, After, Gain string }

// step is a use of a law.
type step struct {
	optimize.Step
	N    int
	Law  *rule
	Cost string
}

// rule is a law that was used.
type rule struct {
	N           int
	Name        string
	Why, Text   string
	Left, Right template.HTML
	Kept        int
	Paid        string
}

// Write writes a page of what was done to a model: figures before and after, the
// cost after each step, each step with its law, what it removed and added, and both
// graphs with what changed marked. The error is that of w, or names what cannot be
// drawn.
func Write(w io.Writer, m *model.Model, r *optimize.Result) error {
	t, err := pageTemplate()
	if err != nil {
		return fmt.Errorf("page of the optimization of %s: %w", m.Name, err)
	}
	c := &content{
		Page:   draw.NewPage(m.Name+", optimized", pageStyle, pageScript),
		Report: &r.Report,
		Rows:   rowsOf(&r.Report),
		Proof:  proofOf(&r.Report),
	}
	if err := c.steps(&r.Report); err != nil {
		return fmt.Errorf("page of the optimization of %s: %w", m.Name, err)
	}
	c.Curve = curve(r.Steps)
	for _, p := range []struct {
		to    *template.HTML
		g     draw.Graph
		title string
	}{{&c.Before, pictureOf(m, r.Gone), "the model"}, {&c.After, pictureOf(r.Model, r.Made), "the result"}} {
		if *p.to, err = svg(p.g, p.title); err != nil {
			return fmt.Errorf("page of the optimization of %s: %w", m.Name, err)
		}
	}
	if err := t.Execute(w, c); err != nil {
		return fmt.Errorf("page of the optimization of %s: %w", m.Name, err)
	}
	return nil
}

// svg draws a graph; package draw escapes all text.
func svg(g draw.Graph, title string) (template.HTML, error) {
	var b strings.Builder
	err := draw.SVG(&b, g, draw.Options{Title: title, Inline: true})
	return template.HTML(b.String()), err
}

// steps fills in steps and laws.
func (c *content) steps(r *optimize.Report) error {
	paid := map[string]optimize.LawUse{}
	for _, u := range r.Laws {
		paid[u.Law] = u
	}
	laws := map[*law.Law]*rule{}
	for i, s := range r.Steps {
		l := laws[s.Rule]
		if l == nil {
			l = &rule{N: len(c.Laws) + 1, Name: s.Law, Why: s.Why, Text: s.Text, Kept: paid[s.Law].Kept, Paid: paid[s.Law].Paid.String()}
			if u := paid[s.Law]; u.Kept == u.Together {
				l.Paid = "found together"
			}
			for _, side := range []struct {
				to    *template.HTML
				terms []*law.Term
				title string
			}{{&l.Left, s.Rule.LHS, "left side"}, {&l.Right, s.Rule.RHS, "right side"}} {
				var err error
				if *side.to, err = svg(explain.Picture(s.Rule, side.terms), side.title); err != nil {
					return fmt.Errorf("law %s: %w", s.Law, err)
				}
			}
			laws[s.Rule] = l
			c.Laws = append(c.Laws, l)
		}
		one := step{Step: s, N: i + 1, Law: l, Cost: fmt.Sprintf("cost %s → %s", s.Before, s.After)}
		if s.Together {
			c.Together++
			one.Cost = "found together with others by saturation: it has no cost of its own"
		}
		c.Steps = append(c.Steps, one)
	}
	return nil
}

func rowsOf(r *optimize.Report) []row {
	gain := func(a, b cost.Seconds) string { return fmt.Sprintf("%.1f %%", 100*(float64(a/b)-1)) }
	rows := []row{
		{"operators", fmt.Sprint(r.Before.Operators), fmt.Sprint(r.After.Operators), ""},
		{"FLOPs a run", showmodel.Figure(float64(r.Before.FLOPs)), showmodel.Figure(float64(r.After.FLOPs)), ""},
		{"bytes of weights", showmodel.Figure(float64(r.Before.Bytes)), showmodel.Figure(float64(r.After.Bytes)), ""},
		{"cost, " + r.CostSource + ": " + r.CostModel, r.CostBefore.String(), r.CostAfter.String(), gain(r.CostBefore, r.CostAfter)},
	}
	if r.MeasuredBefore > 0 {
		rows = append(rows, row{"measured", r.MeasuredBefore.String(), r.MeasuredAfter.String(), gain(r.MeasuredBefore, r.MeasuredAfter)})
	}
	if d := r.Judged; d != nil && d.Winner > 0 {
		on := d.Candidates[d.Winner-1].On
		a, b := cost.Seconds(on.Original), cost.Seconds(on.Candidate)
		rows = append(rows, row{"time in ONNX Runtime " + d.Version, a.String(), b.String(), gain(a, b)})
	}
	return rows
}

func proofOf(r *optimize.Report) string {
	s := "The checker accepted the proof. "
	if !r.ProofChecked {
		s = "There is no proof: the result uses laws that are not known to be true, " + strings.Join(r.UnprovedUsed, ", ") + ". "
	}
	if r.Exact != "" {
		s += fmt.Sprintf("Both models were run: modulo 2^61 - 1: %s; in floating point: %s, largest relative deviation %.2g.", r.Exact, r.Numbers, r.MaxRelError)
	}
	return s
}
