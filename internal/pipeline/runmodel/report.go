package runmodel

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/recorded"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
)

// SettingOf is the setting that a backend's times belong to.
func SettingOf(i backends.Info) cost.Setting { return recorded.SettingOf(i) }

// sum fills in what follows from the runs. times are those of each node in all
// runs.
func (r *Report) sum(g *graph.Graph, order []backends.OpTime, times map[graph.NodeID][]cost.Seconds) {
	r.Time = cost.Sample{Runs: len(r.Runs), Source: cost.Measured}
	r.Time.Seconds, r.Time.MAD = cost.MedianMAD(r.Runs)
	r.Min, r.Max = slices.Min(r.Runs), slices.Max(r.Runs)
	if r.Time.Seconds > 0 {
		r.FLOPRate = float64(r.FLOPs) / float64(r.Time.Seconds)
	}
	r.Nodes, r.Kinds = nil, nil
	kinds := map[string]*Kind{}
	var explained cost.Seconds
	for _, t := range order {
		n := Node{ID: t.Node, Name: t.Name, Op: t.Op, Seconds: cost.Median(times[t.Node])}
		k := kinds[t.Op]
		if k == nil {
			k = &Kind{Op: t.Op}
			kinds[t.Op] = k
		}
		if t.Into != 0 {
			n.Into = g.Name(t.Into)
			k.Fused++
		}
		k.Nodes++
		k.Seconds += n.Seconds
		explained += n.Seconds
		r.Nodes = append(r.Nodes, n)
	}
	for _, k := range kinds {
		r.Kinds = append(r.Kinds, *k)
	}
	slices.SortFunc(r.Kinds, func(a, b Kind) int {
		if c := cmp.Compare(b.Seconds, a.Seconds); c != 0 {
			return c
		}
		return strings.Compare(a.Op, b.Op)
	})
	r.Overhead = max(0, r.Time.Seconds-explained)
}

// disturbedFrom is the part of the time that a report complains about.
const disturbedFrom = 0.05

// Disturbed is the part of the time in which the threads that compute did not
// run, because other work had the processor; 0 where that is not known.
func (r *Report) Disturbed() float64 {
	if r.CPU.Runs == 0 || r.Threads < 1 || r.Time.Seconds <= 0 {
		return 0
	}
	return max(0, 1-float64(r.CPU.Seconds)/float64(r.Threads)/float64(r.Time.Seconds))
}

// WriteText writes the report for people: the times, the operators, and the
// slowest nodes, at most top of them (0: none, negative: all).
func (r *Report) WriteText(w io.Writer, top int) error {
	fmt.Fprintf(w, "%s: %v per run on %s\n", r.Model, r.Time.Seconds, r.Backend)
	fmt.Fprintf(w, "end to end  %v ± %v, %v to %v (median and MAD of %d runs, extremes)\n", r.Time.Seconds, r.Time.MAD, r.Min, r.Max, r.Time.Runs)
	if r.CPU.Runs > 0 {
		fmt.Fprintf(w, "CPU time    %v ± %v\n", r.CPU.Seconds, r.CPU.MAD)
	}
	if d := r.Disturbed(); d > disturbedFrom {
		fmt.Fprintf(w, "            other processes used the CPU for %.0f %% of the time: end to end is too long by as much\n", 100*d)
	}
	fmt.Fprintf(w, "arithmetic  %.4g GFLOP, %.4g GFLOP/s\n", float64(r.FLOPs)/1e9, r.FLOPRate/1e9)
	if r.In != graph.Float32.String() {
		fmt.Fprintf(w, "            in %s\n", r.In)
	}
	fmt.Fprintf(w, "memory      %s at most, %s in the model\n", bytesText(r.PeakBytes), countText(r.Params))
	fmt.Fprintf(w, "compiled in %v\n", r.Compile)
	for _, in := range r.Inputs {
		fmt.Fprintf(w, "input       %s %s%s: %s\n", in.Name, in.Type, graph.Sizes(in.Sizes...), in.How)
	}
	fmt.Fprintln(w)
	part := func(s cost.Seconds) float64 {
		if r.Time.Seconds == 0 {
			return 0
		}
		return 100 * float64(s/r.Time.Seconds)
	}
	rows := [][]string{{"OPERATOR", "NODES", "FUSED", "TIME", "SHARE"}}
	for _, k := range r.Kinds {
		rows = append(rows, []string{k.Op, fmt.Sprint(k.Nodes), fmt.Sprint(k.Fused), k.Seconds.String(), percent(part(k.Seconds))})
	}
	rows = append(rows, []string{"overhead", "", "", r.Overhead.String(), percent(part(r.Overhead))})
	if err := writeRows(w, 1, rows); err != nil {
		return err
	}
	nodes := slices.Clone(r.Nodes)
	slices.SortStableFunc(nodes, func(a, b Node) int { return cmp.Compare(b.Seconds, a.Seconds) })
	if top >= 0 && len(nodes) > top {
		nodes = nodes[:top]
	}
	if len(nodes) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	rows = [][]string{{"NODE", "OPERATOR", "TIME", "SHARE"}}
	for _, n := range nodes {
		op := n.Op
		if n.Into != "" {
			op += " in " + n.Into
		}
		rows = append(rows, []string{n.Name, op, n.Seconds.String(), percent(part(n.Seconds))})
	}
	return writeRows(w, 2, rows)
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", x) }

// widestText is how many columns a name takes at most in a table.
const widestText = 40

// writeRows writes a table whose first columns, left of them, are text and stand
// to the left; the others are numbers.
func writeRows(w io.Writer, left int, rows [][]string) error {
	for _, r := range rows {
		for i := range left {
			if s := []rune(r[i]); len(s) > widestText {
				r[i] = string(s[:widestText-1]) + "…"
			}
		}
	}
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, s := range r {
			width[i] = max(width[i], utf8.RuneCountInString(s))
		}
	}
	for _, r := range rows {
		var b strings.Builder
		for i, s := range r {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(s))
			if i > 0 {
				b.WriteString("  ")
			}
			if i < left {
				b.WriteString(s + pad)
			} else {
				b.WriteString(pad + s)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
}

func countText(n int64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f million parameters", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f thousand parameters", float64(n)/1e3)
	}
	return fmt.Sprintf("%d parameters", n)
}
