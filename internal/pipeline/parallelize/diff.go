package parallelize

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/parallel/machine"
)

// Difference is what differs between two plans.
type Difference struct {
	Figures []Figure `json:"figures"`
	// Operators are in both plans; Layouts are those of them whose results lie otherwise.
	Operators  int     `json:"operators"`
	Layouts    []Other `json:"layouts"`
	OnlyFirst  int     `json:"only_first"`
	OnlySecond int     `json:"only_second"`
}

// Figure is a figure of both.
type Figure struct {
	What   string `json:"what"`
	First  string `json:"first"`
	Second string `json:"second"`
}

// Other is an operator whose result lies otherwise.
type Other struct {
	Node   string `json:"node"`
	Op     string `json:"op"`
	First  string `json:"first"`
	Second string `json:"second"`
}

// Same reports whether nothing differs.
func (d *Difference) Same() bool {
	for _, f := range d.Figures {
		if f.First != f.Second {
			return false
		}
	}
	return len(d.Layouts)+d.OnlyFirst+d.OnlySecond == 0
}

// Diff compares two plans, operators by name.
func Diff(a, b *Report) *Difference {
	d := &Difference{}
	x, y := a.Planners[0], b.Planners[0]
	figure := func(what string, first, second any) {
		d.Figures = append(d.Figures, Figure{what, fmt.Sprint(first), fmt.Sprint(second)})
	}
	figure("model", a.Model, b.Model)
	figure("batch", a.Batch, b.Batch)
	figure("machine", a.Machine, b.Machine)
	figure("devices", a.Devices, b.Devices)
	figure("planner, claimed", x.Planner, y.Planner)
	figure("mesh", x.Mesh, y.Mesh)
	figure("padded", paddedText(x), paddedText(y))
	figure("a step", x.Makespan, y.Makespan)
	figure("one by one, claimed", x.Time, y.Time)
	figure("memory, bytes", x.Memory, y.Memory)
	times := map[string][2]machine.Time{}
	var order []string
	for i, r := range []*Report{a, b} {
		for _, c := range r.Classes {
			t, ok := times[c.Class]
			if !ok {
				order = append(order, c.Class)
			}
			t[i] = c.Time
			times[c.Class] = t
		}
	}
	for _, c := range order {
		figure(c, times[c][0], times[c][1])
	}
	second := map[string]Lies{}
	for _, l := range b.Layouts {
		second[l.Node] = l
	}
	for _, l := range a.Layouts {
		m, ok := second[l.Node]
		if !ok || m.Op != l.Op {
			d.OnlyFirst++
			continue
		}
		d.Operators++
		if m.Layout != l.Layout {
			d.Layouts = append(d.Layouts, Other{l.Node, l.Op, l.Layout, m.Layout})
		}
	}
	d.OnlySecond = len(b.Layouts) - d.Operators
	return d
}

// paddedText is which axes of a plan's inputs are longer, and by how much.
func paddedText(r Row) string {
	var parts []string
	for _, x := range r.Padded {
		parts = append(parts, fmt.Sprintf("%s axis %d: %d to %d", x.Input, x.Axis, x.From, x.To))
	}
	return strings.Join(parts, ", ")
}
