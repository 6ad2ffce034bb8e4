package parallelize

import (
	"fmt"
	"io"

	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/internal/page"
	"github.com/taso-go/taso/parallel/machine"
)

// mostAlive is the number of tensors at the peak that the page lists.
const mostAlive = 20

// WriteHTML writes a report as a page: what the planners found, the time of a step and the
// memory of a device by their causes, and the shardings of the operators' results. The error
// is that of w.
func (r *Report) WriteHTML(w io.Writer) error {
	p := &page.Page{Title: fmt.Sprintf("%s on %d devices of %s", r.Model, r.Devices, r.Machine), Lead: page.Say(r.answer())}
	add := func(id, title string, parts ...page.Part) {
		p.Parts = append(p.Parts, &page.Section{ID: id, Title: page.Say(title), Parts: parts})
	}
	add("planners", "Planners", r.planners())
	if len(r.Classes) > 0 {
		var total machine.Time
		for _, c := range r.Classes {
			total += c.Time
		}
		t := &page.Table{Columns: page.Columns("activity", "#time", "#share, %")}
		for _, c := range r.Classes {
			share := 100 * float64(c.Time) / max(float64(total), 1)
			bar := page.Cell{Text: page.Say(fmt.Sprintf("%.1f", share)), Percent: int(share)}
			t.Rows = append(t.Rows, page.Row{Cells: page.Cells(page.Swatch(draw.Activity(c.Class), c.Class), timeCell(c.Time), bar)})
		}
		add("time", "Time of the busiest device", t)
	}
	if m := r.Memory; m != nil {
		says := fmt.Sprintf("%s at %s: weights and state %s, inputs %s.", mb(m.Peak), m.At, mb(m.Weights), mb(m.Inputs))
		if m.Again > 0 || m.Away > 0 {
			says += fmt.Sprintf(" %s rematerialized for the backward pass, %s offloaded to the host, which holds at most %s.", page.Count(m.Again, "result"), page.Count(m.Away, "result"), mb(m.Host))
		}
		t := &page.Table{Columns: page.Columns("tensor at the peak", "kind", "#memory, MB")}
		for _, a := range m.Alive[:min(len(m.Alive), mostAlive)] {
			t.Rows = append(t.Rows, page.Row{Cells: page.Cells(a.Node, a.What, page.Num(megabytes(a.Bytes), float64(a.Bytes)))})
		}
		add("memory", "Memory of the fullest device", page.Say(says), t)
	}
	add("shardings", "Shardings", r.shardings())
	if r.Instances > 0 {
		p.Parts = append(p.Parts, page.Say(fmt.Sprintf("The checker accepted the proof that the plan computes the same as the model: %s, %s.", page.Count(r.Laws, "law"), page.Count(r.Instances, "instance"))))
	}
	if err := p.Write(w); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

// answer is the result in a sentence.
func (r *Report) answer() string {
	what := "Inference"
	if r.Training {
		what = "A training step"
	}
	if r.Batch > 0 {
		what += " of " + page.Count(r.Batch, "sample")
	}
	if len(r.Planners) > 0 && r.Planners[0].Why == "" {
		b := r.Planners[0]
		what += fmt.Sprintf(" takes %s and %s per device (planner %s)", b.Makespan, mb(b.Memory), b.Planner)
	}
	return what + ". Times and memory are modelled."
}

// planners compares what they found.
func (r *Report) planners() *page.Table {
	t := &page.Table{Grid: true, Columns: page.Columns("planner", "mesh", "#step time", "#vs first", "#samples/s", "#memory, MB", "#without overlap", "#lower bound, last axis", "search ended by")}
	for _, x := range r.Planners {
		if x.Why != "" {
			t.Rows = append(t.Rows, page.Row{Cells: []page.Cell{{Text: page.Say(x.Planner)}, {Text: page.Say("no plan: " + x.Why), Span: len(t.Columns) - 1}}})
			continue
		}
		mesh, rate := x.Mesh, ""
		if len(x.Padded) > 0 {
			mesh += ", padded"
		}
		if x.PerSecond > 0 {
			rate = fmt.Sprintf("%.4g", x.PerSecond)
		}
		t.Rows = append(t.Rows, page.Row{Cells: page.Cells(x.Planner, mesh, timeCell(x.Makespan), fmt.Sprintf("%.3g", x.Beside), rate,
			megabytes(x.Memory), timeCell(x.Time), timeCell(x.Bound), x.Stop)})
	}
	return t
}

// shardings are those of the operators' results, neighbours with the same one in a row.
func (r *Report) shardings() *page.Table {
	t := &page.Table{Noun: "rows", Columns: page.Columns("operators", "#number", "sharding of results")}
	for i := 0; i < len(r.Layouts); {
		first := r.Layouts[i]
		names := first.Node
		n := 0
		for ; i < len(r.Layouts) && r.Layouts[i].Layout == first.Layout; i++ {
			n++
		}
		if n > 1 {
			names += " … " + r.Layouts[i-1].Node
		}
		layout := first.Layout
		if layout == "" {
			layout = "whole"
		}
		t.Rows = append(t.Rows, page.Row{Cells: page.Cells(names, n, layout)})
	}
	return t
}

func timeCell(t machine.Time) page.Cell { return page.Num(t.String(), float64(t)) }

func mb(n int64) string { return megabytes(n) + " MB" }

func megabytes(n int64) string {
	if n < 1e7 {
		return fmt.Sprintf("%.4f", float64(n)/1e6)
	}
	return fmt.Sprintf("%.0f", float64(n)/1e6)
}
