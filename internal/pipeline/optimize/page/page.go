package page

import (
	"fmt"
	"io"
	"strings"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/internal/page"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/rulepage"
	"github.com/taso-go/taso/internal/pipeline/showmodel"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
)

// Write writes a page of what was done to a model: figures before and after, the
// cost after each step, each step with its law, what it removed and added, and both
// graphs with what changed marked. The error is that of w, or names what cannot be
// drawn.
func Write(w io.Writer, m *model.Model, r *optimize.Result) error {
	p, err := content(m, r)
	if err == nil {
		err = p.Write(w)
	}
	if err != nil {
		return fmt.Errorf("page of the optimization of %s: %w", m.Name, err)
	}
	return nil
}

func content(m *model.Model, r *optimize.Result) (*page.Page, error) {
	p := &page.Page{Title: m.Name + ", optimized", Lead: page.Say(answer(&r.Report)), Parts: []page.Part{figures(&r.Report), page.Say(proofOf(&r.Report))}}
	add := func(x page.Part) { p.Parts = append(p.Parts, x) }
	if r.Slower {
		add(page.Say(fmt.Sprintf("A cheaper network was slower when measured, %s, and was not kept.", r.Dropped)))
	}
	if len(r.Steps) > 0 {
		steps, laws, err := stepsOf(&r.Report)
		if err != nil {
			return nil, err
		}
		add(steps)
		add(laws)
	}
	before, err := page.Graph(pictureOf(m, r.Gone, draw.Removed), "the model", draw.Options{Title: "the model"})
	if err != nil {
		return nil, err
	}
	after, err := page.Graph(pictureOf(r.Model, r.Made, draw.Added), "the result", draw.Options{Title: "the result"})
	if err != nil {
		return nil, err
	}
	add(&page.Section{ID: "graphs", Title: page.Say("Before and after"), Parts: []page.Part{
		page.Note(page.Say("Removed nodes have a red border, added nodes a green one. Weights, and nodes that depend on weights only, are not drawn.")), page.Figures{before, after}}})
	return p, nil
}

// answer is the result in a sentence.
func answer(r *optimize.Report) string {
	if len(r.Steps) == 0 {
		return "No improvement found; model unchanged."
	}
	return fmt.Sprintf("%s lower the cost from %s to %s (%s).", page.Count(len(r.Steps), "step"), r.CostBefore, r.CostAfter, r.CostSource)
}

// figures are those before and after.
func figures(r *optimize.Report) page.Part {
	t := &page.Table{Grid: true, Columns: page.Columns("", "#before", "#after", "#speedup, %")}
	row := func(name, before, after string, a, b cost.Seconds) {
		gain := ""
		if b > 0 {
			gain = fmt.Sprintf("%.1f", 100*(float64(a/b)-1))
		}
		t.Rows = append(t.Rows, page.Row{Cells: page.Cells(name, before, after, gain)})
	}
	row("operators", fmt.Sprint(r.Before.Operators), fmt.Sprint(r.After.Operators), 0, 0)
	row("FLOPs per run", showmodel.Figure(float64(r.Before.FLOPs)), showmodel.Figure(float64(r.After.FLOPs)), 0, 0)
	row("bytes of weights", showmodel.Figure(float64(r.Before.Bytes)), showmodel.Figure(float64(r.After.Bytes)), 0, 0)
	row("cost, "+r.CostSource+": "+r.CostModel, r.CostBefore.String(), r.CostAfter.String(), r.CostBefore, r.CostAfter)
	if r.MeasuredBefore > 0 {
		row("time, measured", r.MeasuredBefore.String(), r.MeasuredAfter.String(), r.MeasuredBefore, r.MeasuredAfter)
	}
	if d := r.Judged; d != nil && d.Winner > 0 {
		on := d.Candidates[d.Winner-1].On
		a, b := cost.Seconds(on.Original), cost.Seconds(on.Candidate)
		row("time in ONNX Runtime "+d.Version, a.String(), b.String(), a, b)
	}
	return t
}

// stepsOf are the steps with the cost after each, and the laws that they use.
func stepsOf(r *optimize.Report) (*page.Section, *page.Section, error) {
	uses := map[string]optimize.LawUse{}
	for _, u := range r.Laws {
		uses[u.Law] = u
	}
	ids := map[*law.Law]string{}
	laws := &page.Section{ID: "laws", Title: page.Say("Rules used")}
	var walk page.Steps
	together := 0
	for i, s := range r.Steps {
		if ids[s.Rule] == "" {
			ids[s.Rule] = fmt.Sprintf("law%d", len(laws.Parts)+1)
			sides, err := rulepage.Sides(s.Rule, "law "+s.Law)
			if err != nil {
				return nil, nil, fmt.Errorf("law %s: %w", s.Law, err)
			}
			u := uses[s.Law]
			saved := "saved: " + u.Paid.String()
			if u.Kept == u.Together {
				saved = "found together"
			}
			laws.Parts = append(laws.Parts, &page.Details{ID: ids[s.Rule], Title: page.Say(s.Law+" ", page.Soft(page.Count(u.Kept, "step")+", "+saved)),
				Parts: []page.Part{page.Code(s.Text), sides}})
		}
		title := page.Say(fmt.Sprintf("%d. ", i+1), page.Link(ids[s.Rule], s.Law))
		if s.Backward {
			title = page.Say(title, ", from right to left")
		}
		costs := fmt.Sprintf("cost %s → %s", s.Before, s.After)
		if s.Together {
			together++
			costs = "found together with others by saturation: no cost of its own"
		}
		parts := []page.Part{page.Say(s.Why+" ", page.Soft(costs))}
		if len(s.Where) > 0 {
			parts = append(parts, page.Say("where "+strings.Join(s.Where, ", ")))
		}
		for _, x := range s.Removed {
			parts = append(parts, page.Say(page.Minus(x)))
		}
		for _, x := range s.Added {
			parts = append(parts, page.Say(page.Plus(x)))
		}
		walk = append(walk, page.Step{Title: title, Parts: parts, Ref: ids[s.Rule]})
	}
	steps := &page.Section{ID: "steps", Title: page.Say(page.Count(len(walk), "step"))}
	if together > 0 {
		steps.Parts = append(steps.Parts, page.Note(page.Say(fmt.Sprintf("Steps 1 to %d were found together, by saturation, and have no costs of their own: the curve is straight there.", together))))
	}
	curve, err := costs(r.Steps)
	if err != nil {
		return nil, nil, err
	}
	steps.Parts = append(steps.Parts, curve, walk)
	return steps, laws, nil
}

// costs plots the cost after each step. Steps of a saturation have no costs of their own.
func costs(steps []optimize.Step) (page.Figures, error) {
	unit, scale := "ms", 1e3
	if steps[0].Before < 1e-3 {
		unit, scale = "µs", 1e6
	}
	points := [][2]float64{{0, float64(steps[0].Before) * scale}}
	for i, s := range steps {
		if !s.Together || i+1 == len(steps) || !steps[i+1].Together {
			points = append(points, [2]float64{float64(i + 1), float64(s.After) * scale})
		}
	}
	f, err := page.Plot(&draw.Plot{Title: "Cost after each step", X: draw.Axis{Name: "steps"}, Y: draw.Axis{Name: "cost", Unit: unit}, Curves: []draw.Curve{{Points: points}}}, "")
	return page.Figures{f}, err
}

func proofOf(r *optimize.Report) string {
	s := "The checker accepted the proof. "
	if !r.ProofChecked {
		s = "There is no proof: the result uses laws that are not proved, " + strings.Join(r.UnprovedUsed, ", ") + ". "
	}
	if r.Exact != "" {
		s += fmt.Sprintf("Both models were run: modulo 2^61 - 1: %s; in floating point: %s, largest relative deviation %.2g.", r.Exact, r.Numbers, r.MaxRelError)
	}
	return s
}
