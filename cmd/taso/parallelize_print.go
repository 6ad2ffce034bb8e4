package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/taso-go/taso/internal/pipeline/parallelize"
	"github.com/taso-go/taso/parallel/plan"
)

// printParallel prints what is in a plan, and at most top operators; 0: all.
func printParallel(w io.Writer, r *parallelize.Report, top int) error {
	what := "inference"
	if r.Training {
		what = "training step"
	}
	fmt.Fprintf(w, "%s of %s on %s of %s, modelled\n\n", what, r.Model, plural(r.Devices, "device"), r.Machine)
	if err := printPlanners(w, r); err != nil {
		return err
	}
	if list := r.Planners[0].Padded; len(list) > 0 {
		fmt.Fprintln(w)
		printPadded(w, list)
	}
	if len(r.Classes) > 0 {
		fmt.Fprintln(w)
		if err := printClasses(w, r.Classes); err != nil {
			return err
		}
	}
	if m := r.Memory; m != nil {
		fmt.Fprintf(w, "\nIn the order of the graph a device needs %s: weights and state %s, inputs %s; the peak is at %s.\n", megabytes(m.Peak), megabytes(m.Weights), megabytes(m.Inputs), m.At)
		if m.Again+m.Away > 0 {
			fmt.Fprintf(w, "To hold no more, it makes %s results again for the backward pass, and puts %s aside at its host, %s at once.\n", count(m.Again), count(m.Away), megabytes(m.Host))
		}
		fmt.Fprintln(w)
	}
	var rows [][]string
	list := r.Layouts
	if top > 0 && len(list) > top {
		list = list[:top]
	}
	for _, l := range list {
		rows = append(rows, []string{l.Node, l.Op, l.Layout})
	}
	if err := writeTable(w, []column{{"tensor", false}, {"operator", false}, {"layout", false}}, rows); err != nil {
		return err
	}
	if n := len(r.Layouts) - len(list); n > 0 {
		fmt.Fprintf(w, "and %s more (--top 0 lists all)\n", plural(n, "operator"))
	}
	if r.Instances > 0 {
		fmt.Fprintf(w, "\nIt computes the same, the checker says: by %s, %s in all.\n", plural(r.Laws, "law"), plural(r.Instances, "instance"))
	}
	return nil
}

// printPlanners compares what planners found.
func printPlanners(w io.Writer, r *parallelize.Report) error {
	cols := []column{{"planner", false}, {"mesh", false}, {"a step", true}, {"beside", true}}
	if r.Planners[0].PerSecond > 0 {
		cols = append(cols, column{"samples/s", true})
	}
	claim := func(name string) string {
		if r.Claimed {
			return name + "*"
		}
		return name
	}
	cols = append(cols, column{"memory", true}, column{claim("one by one"), true}, column{claim("bound of last axis"), true}, column{claim("stop"), false})
	cols[0].name, cols[1].name = claim(cols[0].name), claim(cols[1].name)
	if !r.Claimed {
		cols = append(cols, column{"found in", true})
	}
	var rows [][]string
	for _, p := range r.Planners {
		if p.Why != "" {
			rows = append(rows, append([]string{p.Planner, "none: " + p.Why}, make([]string, len(cols)-2)...))
			continue
		}
		if len(p.Padded) > 0 {
			p.Mesh += ", padded"
		}
		row := []string{p.Planner, p.Mesh, p.Makespan.String(), fmt.Sprintf("%.3g", p.Beside)}
		if r.Planners[0].PerSecond > 0 {
			row = append(row, fmt.Sprintf("%.4g", p.PerSecond))
		}
		row = append(row, megabytes(p.Memory), p.Time.String(), p.Bound.String(), p.Stop)
		if !r.Claimed {
			row = append(row, seconds(p.Seconds)+" s")
		}
		rows = append(rows, row)
	}
	if err := writeTable(w, cols, rows); err != nil || !r.Claimed {
		return err
	}
	fmt.Fprintln(w, "* claimed by the file: model, batch, planner, means, cost without overlap, bound and why the search ended.\n  taso check derives the rest.")
	return nil
}

// printPadded says which axes are longer than they were, so that devices have equal parts.
func printPadded(w io.Writer, list []plan.PaddedAxis) {
	type change struct{ from, to int }
	var order []change
	names := map[change][]string{}
	for _, x := range list {
		c := change{x.From, x.To}
		if len(names[c]) == 0 {
			order = append(order, c)
		}
		names[c] = append(names[c], fmt.Sprintf("%s axis %d", x.Input, x.Axis))
	}
	for _, c := range order {
		some, more := names[c], ""
		if n := len(some) - 4; n > 1 {
			some, more = some[:4], fmt.Sprintf(" and %d more", n)
		}
		fmt.Fprintf(w, "padded from %s to %s: %s%s\n", count(c.from), count(c.to), strings.Join(some, ", "), more)
	}
}

// printClasses says what the device with most of it does.
func printClasses(w io.Writer, list []plan.ClassTime) error {
	var rows [][]string
	for _, x := range list {
		bytes := "-"
		if x.Bytes > 0 {
			bytes = megabytes(x.Bytes)
		}
		rows = append(rows, []string{x.Class, x.Time.String(), count(x.Count), bytes})
	}
	return writeTable(w, []column{{"what a device does", false}, {"time", true}, {"tasks", true}, {"sent by all", true}}, rows)
}
