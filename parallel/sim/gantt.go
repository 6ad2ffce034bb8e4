package sim

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/internal/page"
)

// mostSteps is the number of steps of the critical path that the page lists.
const mostSteps = 200

// WriteHTML writes a page with a timeline of the run: for each device its computation and
// below it its communication, in a colour for each class of tasks, the breakdown of its time,
// its memory, and the critical path. The error is that of w.
func (g *Graph) WriteHTML(w io.Writer, title string) error {
	fig, err := page.Timeline(g.timeline(title), "")
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	p := &page.Page{Title: title, Lead: page.Say(fmt.Sprintf("The simulated run takes %s.", g.Makespan()))}
	var legend page.Text
	for _, c := range g.classes() {
		name := c
		if name == "" {
			name = "other"
		}
		legend = page.Say(legend, page.Swatch(draw.Activity(c), name), " ")
	}
	section := func(id, title string, parts ...page.Part) {
		p.Parts = append(p.Parts, &page.Section{ID: id, Title: page.Say(title), Parts: parts})
	}
	section("timeline", "Timeline", page.Note(page.Say("A device has two rows: computation, and communication below it.")), legend, page.Figures{fig})
	devices := &page.Table{Grid: true, Columns: page.Columns("device", "#compute", "#communication", "#not overlapped", "#idle", "#reserved, MiB", "#peak, MiB", "#peak at", "#limit, MiB")}
	memory := g.Memory()
	for d, u := range g.Usage() {
		m := memory[d]
		devices.Rows = append(devices.Rows, page.Row{Strong: m.Over() > 0, Cells: page.Cells(g.cluster.Vertices[d].Name, timeCell(u.Compute), timeCell(u.Send), timeCell(u.Exposed), timeCell(u.Idle),
			mib(m.Reserved), mib(m.Peak), timeCell(m.At), mib(m.Limit))})
	}
	section("devices", "Devices", devices)
	steps := &page.Table{Noun: "steps", Grid: true, Columns: page.Columns("task", "class", "#from", "#to", "waits for")}
	path := g.Critical()
	for _, s := range path[:min(len(path), mostSteps)] {
		why := "result"
		if s.Queue {
			why = "resource"
		}
		t := g.tasks[s.Task]
		steps.Rows = append(steps.Rows, page.Row{Cells: page.Cells(t.Name, t.Class, timeCell(s.From), timeCell(s.To), why)})
	}
	section("critical", "Critical path", steps)
	note := "The next step waits for the result of the task, or for a resource that it holds."
	if n := len(path); n > mostSteps {
		note += fmt.Sprintf(" %d more steps are not listed.", n-mostSteps)
	}
	p.Parts = append(p.Parts, page.Note(page.Say(note)))
	if err := p.Write(w); err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	return nil
}

// classes are those of the tasks, sorted.
func (g *Graph) classes() (out []string) {
	for _, id := range g.IDs() {
		if c := g.tasks[id].Class; !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return out
}

// timeline has a lane for each device.
func (g *Graph) timeline(title string) *draw.Timeline {
	t := &draw.Timeline{Title: title, End: float64(g.Makespan()), Format: func(x float64) string { return Time(x).String() },
		Lanes: make([]draw.Lane, g.cluster.Devices())}
	for d := range t.Lanes {
		t.Lanes[d].Name = g.cluster.Vertices[d].Name
	}
	ids := g.IDs()
	slices.SortStableFunc(ids, func(a, b ID) int {
		return compare(key{ready: g.spans[a].Start, id: a}, key{ready: g.spans[b].Start, id: b})
	})
	for _, id := range ids {
		s, task := g.spans[id], g.tasks[id]
		bar := draw.Bar{From: float64(s.Start), To: float64(s.End), Name: task.Name, Line: draw.Activity(task.Class)}
		for _, d := range g.loads[id].by {
			if l := &t.Lanes[d]; g.loads[id].sends {
				l.Below = append(l.Below, bar)
			} else {
				l.Bars = append(l.Bars, bar)
			}
		}
	}
	return t
}

func timeCell(t Time) page.Cell { return page.Num(t.String(), float64(t)) }

func mib(n int64) string {
	digits := 1
	if n > 0 && n < 1<<20 {
		digits = 4
	}
	return strconv.FormatFloat(float64(n)/(1<<20), 'f', digits, 64)
}
