package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/taso-go/taso/internal/pipeline/parallelize"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

// printParallel prints what is in a plan, and at most top operators; 0: all.
func printParallel(w io.Writer, r *parallelize.Report, top int) error {
	what := "inference"
	if r.Training {
		what = "training step"
	}
	first := r.Planners[0]
	answer := fmt.Sprintf("step time %s", first.Makespan)
	if first.PerSecond > 0 {
		answer += fmt.Sprintf(" (%s samples/s)", perSecond(first.PerSecond))
	}
	writeLines(w, "%s, modelled: %s of %s on %s of %s, planner %s", answer, what, r.Model, plural(r.Devices, "device"), r.Machine, first.Planner)
	if r.Instances > 0 {
		writeLines(w, "certificate: %s of %s, accepted by the checker: the plan computes what the sequential graph does",
			plural(r.Instances, "instance"), plural(r.Laws, "law"))
	}
	fmt.Fprintln(w)
	if err := printPlanners(w, r); err != nil {
		return err
	}
	if list := first.Padded; len(list) > 0 {
		fmt.Fprintln(w)
		printPadded(w, list)
	}
	if len(r.Classes) > 0 {
		fmt.Fprintln(w)
		if err := printClasses(w, r.Classes); err != nil {
			return err
		}
	}
	printComputing(w, r.Computing)
	if m := r.Memory; m != nil {
		fmt.Fprintln(w)
		writeLines(w, "memory of a device, in the order of the graph: peak %s at %s; weights and optimizer state %s, inputs %s", bytesText(m.Peak), m.At, bytesText(m.Weights), bytesText(m.Inputs))
		if m.Again+m.Away > 0 {
			writeLines(w, "to fit, %s results are recomputed in the backward pass and %s are offloaded to the host (at most %s there)", count(m.Again), count(m.Away), bytesText(m.Host))
		}
	}
	fmt.Fprintln(w)
	var rows [][]string
	list := r.Layouts
	if top > 0 && len(list) > top {
		list = list[:top]
	}
	for _, l := range list {
		rows = append(rows, []string{l.Node, l.Op, cmp.Or(l.Layout, "-")})
	}
	if err := writeTable(w, []column{{"tensor", false}, {"operator", false}, {"placement", false}}, rows); err != nil {
		return err
	}
	if len(list) > 0 {
		writeLines(w, placements)
	}
	if n := len(r.Layouts) - len(list); n > 0 {
		fmt.Fprintf(w, "and %s more (--top 0 lists all)\n", plural(n, "operator"))
	}
	return nil
}

// placements explains the column of that name.
const placements = "shard N: split along axis N; copy: whole on each device; sum: each device has a term of the sum"

// stopNames say why a search ended, where the report has one word.
var stopNames = map[string]string{"optimal": "at an optimum", "steps": "at its step limit", "done": "without a proof of optimality", "cancelled": "when interrupted"}

// printPlanners compares what planners found, and how they searched.
func printPlanners(w io.Writer, r *parallelize.Report) error {
	claim := func(name string) string {
		if r.Claimed {
			return name + "*"
		}
		return name
	}
	rate := r.Planners[0].PerSecond > 0
	plans := []column{{claim("planner"), false}, {claim("mesh"), false}, {"step time", true}, {"vs best", true}}
	if rate {
		plans = append(plans, column{"samples/s", true})
	}
	plans = append(plans, column{"memory (MB)", true})
	searches := []column{{claim("planner"), false}, {claim("without overlap"), true}, {claim("lower bound, last axis"), true}, {claim("search ended"), false}}
	if !r.Claimed {
		searches = append(searches, column{"search time (s)", true})
	}
	var best machine.Time
	for _, p := range r.Planners {
		if p.Why == "" && (best == 0 || p.Makespan < best) {
			best = p.Makespan
		}
	}
	var rows, searched [][]string
	var none []string
	for _, p := range r.Planners {
		if p.Why != "" {
			none = append(none, fmt.Sprintf("planner %s: no plan: %s", p.Planner, strings.TrimPrefix(p.Why, "planner "+p.Planner+": ")))
			continue
		}
		if len(p.Padded) > 0 {
			p.Mesh += ", padded"
		}
		vs := "-"
		if best > 0 {
			vs = fmt.Sprintf("%.2fx", float64(p.Makespan)/float64(best))
		}
		row := []string{p.Planner, cmp.Or(p.Mesh, "-"), p.Makespan.String(), vs}
		if rate {
			row = append(row, perSecond(p.PerSecond))
		}
		rows = append(rows, append(row, inMB(p.Memory)))
		row = []string{p.Planner, p.Time.String(), p.Bound.String(), cmp.Or(stopNames[p.Stop], p.Stop)}
		if !r.Claimed {
			row = append(row, seconds(p.Seconds))
		}
		searched = append(searched, row)
	}
	if err := writeTable(w, plans, rows); err != nil {
		return err
	}
	for _, text := range none {
		writeLines(w, "%s", text)
	}
	fmt.Fprintln(w)
	if err := writeTable(w, searches, searched); err != nil {
		return err
	}
	if r.Claimed {
		fmt.Fprintln(w, "* claimed by the file, and the batch; taso check derives the rest")
	}
	return nil
}

// printPadded says which axes were padded, so that devices have equal shards.
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

// printComputing prints how much of the operators' time is extrapolated, and which.
func printComputing(w io.Writer, list []plan.Computing) {
	var all, extrapolated machine.Time
	var names []string
	for _, x := range list {
		all += x.Time
	}
	share := func(t machine.Time) string { return fmt.Sprintf("%.3g %%", 100*float64(t)/float64(all)) }
	for _, x := range list {
		if x.Extrapolated {
			extrapolated += x.Time
			names = append(names, fmt.Sprintf("%s %s", x.Class, share(x.Time)))
		}
	}
	if all == 0 {
		return
	}
	text := ""
	if len(names) > 0 {
		text = ": " + strings.Join(names, ", ")
	}
	fmt.Fprintln(w)
	writeLines(w, "modelled time of operators: %s by rates that are fitted to published measurements, %s extrapolated%s",
		share(all-extrapolated), share(extrapolated), text)
}

// printClasses says what the busiest device does.
func printClasses(w io.Writer, list []plan.ClassTime) error {
	var rows [][]string
	for _, x := range list {
		bytes := "-"
		if x.Bytes > 0 {
			bytes = bytesText(x.Bytes)
		}
		rows = append(rows, []string{x.Class, x.Time.String(), count(x.Count), bytes})
	}
	return writeTable(w, []column{{"activity", false}, {"time on the busiest device", true}, {"tasks", true}, {"sent by all devices", true}}, rows)
}
