package sim

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/taso-go/taso/internal/draw"
)

//go:embed gantt.tmpl
var ganttText string

var ganttTemplate = sync.OnceValues(func() (*template.Template, error) {
	return draw.PageTemplate("gantt", ganttText)
})

// Sizes of the chart, in pixels. A device has two rows: computing, and sending below it.
const (
	ganttLeft  = 90
	ganttWidth = 1200
	ganttRow   = 18
	ganttSend  = 8
	ganttAxis  = 24
)

const ganttStyle = `body{font:15px/1.4 Helvetica,Arial,sans-serif;margin:1em}
table{border-collapse:collapse;font-size:14px}th,td{padding:.1em .7em;text-align:right;border-bottom:1px solid #8886}
th:first-child,td:first-child{text-align:left}.wide{overflow-x:auto}.key span{padding:0 .6em;margin-right:.6em}
.over{font-weight:bold}
`

// classColours is how many classes have a colour of their own.
const classColours = 6

type ganttPage struct {
	draw.Page
	Makespan string
	Classes  []ganttClass
	Width    int
	Height   int
	Left     int
	Rows     []ganttRowOf
	Ticks    []ganttTick
	Table    []ganttLine
	Steps    []ganttStep
}

type ganttClass struct {
	Name string
	Line template.CSS
}

type ganttRowOf struct {
	Name  string
	Y     int
	Bars  []ganttBar
	Text  int // where the name stands
	Right int
}

type ganttBar struct {
	X, Y, Width, Height string
	Fill                template.CSS
	Title               string
}

type ganttTick struct {
	X    string
	Text string
}

type ganttLine struct {
	Name                         string
	Compute, Send, Exposed, Idle string
	Reserved, Peak, At, Limit    string
	Over                         bool
}

type ganttStep struct{ From, To, Name, Class, Why string }

// WriteHTML writes a page with a Gantt chart of the run, one file that loads nothing: for
// each device what it computes and below it what it sends, in a colour for each class of
// tasks, the breakdown of its time, its memory, and the critical path. Bars that would be
// thinner than half a pixel are joined with those beside them.
func (g *Graph) WriteHTML(w io.Writer, title string) error {
	t, err := ganttTemplate()
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	n := g.cluster.Devices()
	p := ganttPage{Page: draw.NewPage(title, ganttStyle, ""), Makespan: g.Makespan().String(),
		Left: ganttLeft, Width: ganttLeft + ganttWidth + 20, Height: ganttAxis + n*(ganttRow+ganttSend+6) + 6}
	var classes []string
	for _, id := range g.IDs() {
		if c := g.tasks[id].Class; !slices.Contains(classes, c) {
			classes = append(classes, c)
		}
	}
	slices.Sort(classes)
	fill := func(class string) template.CSS {
		i := slices.Index(classes, class)
		return template.CSS("fill:var(--draw-line" + strconv.Itoa(i%classColours+1) + ")")
	}
	for _, c := range classes {
		p.Classes = append(p.Classes, ganttClass{c, "background:" + template.CSS(strings.TrimPrefix(string(fill(c)), "fill:"))})
	}
	bars := make([][2][]ID, n) // by device: computing, sending
	for _, id := range g.IDs() {
		l := &g.loads[id]
		for _, d := range l.by {
			k := 0
			if l.sends {
				k = 1
			}
			bars[d][k] = append(bars[d][k], id)
		}
	}
	for d := range n {
		y := ganttAxis + d*(ganttRow+ganttSend+6)
		row := ganttRowOf{Name: g.cluster.Vertices[d].Name, Y: y, Text: y + ganttRow - 4, Right: ganttLeft - 6}
		row.Bars = append(g.bars(bars[d][0], y, ganttRow, fill), g.bars(bars[d][1], y+ganttRow, ganttSend, fill)...)
		p.Rows = append(p.Rows, row)
	}
	for i := range 11 {
		at := g.Makespan() / 10 * Time(i)
		p.Ticks = append(p.Ticks, ganttTick{g.x(at), at.String()})
	}
	memory := g.Memory()
	for d, u := range g.Usage() {
		m := memory[d]
		p.Table = append(p.Table, ganttLine{g.cluster.Vertices[d].Name, u.Compute.String(), u.Send.String(), u.Exposed.String(), u.Idle.String(),
			mib(m.Reserved), mib(m.Peak), m.At.String(), mib(m.Limit), m.Over() > 0})
	}
	for _, s := range g.Critical() {
		if len(p.Steps) == 200 {
			break
		}
		why := "is waited for"
		if s.Queue {
			why = "holds a resource"
		}
		t := g.tasks[s.Task]
		p.Steps = append(p.Steps, ganttStep{s.From.String(), s.To.String(), t.Name, t.Class, why})
	}
	if err := t.Execute(w, p); err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	return nil
}

// x is where a time stands.
func (g *Graph) x(t Time) string { return pixel(ganttLeft + g.pixels(t)) }

func (g *Graph) pixels(t Time) float64 {
	if g.Makespan() == 0 {
		return 0
	}
	return float64(t) / float64(g.Makespan()) * ganttWidth
}

func pixel(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

// bars draws tasks in the order of their starts.
func (g *Graph) bars(ids []ID, y, height int, fill func(string) template.CSS) []ganttBar {
	slices.SortStableFunc(ids, func(a, b ID) int {
		return compare(key{ready: g.spans[a].Start, id: a}, key{ready: g.spans[b].Start, id: b})
	})
	var out []ganttBar
	for i := 0; i < len(ids); {
		s := g.spans[ids[i]]
		first, count := g.tasks[ids[i]], 1
		for i++; i < len(ids) && g.pixels(s.End-s.Start) < 0.5 && g.pixels(g.spans[ids[i]].End-s.Start) < 0.5; i++ {
			s.End = max(s.End, g.spans[ids[i]].End)
			count++
		}
		if s.Start == s.End {
			continue
		}
		title := fmt.Sprintf("%s: %s to %s", first.Name, s.Start, s.End)
		if count > 1 {
			title = fmt.Sprintf("%s and %d more: %s to %s", first.Name, count-1, s.Start, s.End)
		}
		out = append(out, ganttBar{g.x(s.Start), strconv.Itoa(y), pixel(max(0.5, g.pixels(s.End-s.Start))), strconv.Itoa(height), fill(first.Class), title})
	}
	return out
}

func mib(n int64) string { return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) }
