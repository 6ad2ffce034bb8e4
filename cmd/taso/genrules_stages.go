package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/law"
)

// shownRefuted is how many counterexamples are printed.
const shownRefuted = 3

// printStages prints what each stage of a run came to, and what was not proved.
func printStages(w io.Writer, rep *genrules.Report) error {
	fmt.Fprintf(w, "universe: %s\nup to %s, %s, seed %d, %s\n\n", rep.Universe, plural(rep.MaxOps, "operator"), rep.Mode,
		rep.Seed, plural(rep.Workers, "worker"))
	var rows [][]string
	for _, s := range rep.Stages {
		rows = append(rows, []string{s.Name, count(s.Count), seconds(s.Seconds), megabytes(s.PeakRSS)})
	}
	if err := writeTable(w, []column{{"stage", false}, {"count", true}, {"seconds", true}, {"peak memory", true}}, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	r := rep.Rules
	if err := writeTable(w, []column{{"proved", true}, {"derivable", true}, {"kept", true}, {"refuted", true}, {"unknown", true}},
		[][]string{{count(r.Proved), count(r.Derivable), count(r.Kept), count(r.Refuted), count(r.Unknown)}}); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s graphs, %.0f a CPU second, %.0f bytes each; %.1f s, %.1f CPU seconds, peak %s\n",
		count(rep.Graphs), rep.GraphsPerCPUSecond, rep.BytesPerGraph, rep.Seconds, rep.CPUSeconds, megabytes(rep.PeakRSS))
	if p := rep.Provers; p != nil {
		fmt.Fprintf(w, "provers on %s: e-graph %d in %.2f s, quantified axioms %d in %.2f s\n",
			plural(p.Goals, "rule"), p.EGraphProved, p.EGraphSeconds, p.QuantifiedProved, p.QuantifiedSeconds)
	}
	if e := rep.Exhaustive; e != nil {
		fmt.Fprintf(w, "graphs of any number of outputs: %s\n", count(int64(e.Graphs)))
	}
	printUnproved(w, rep.Unproved)
	return nil
}

// printUnproved prints the reasons of unknowns with how often they occur, and
// the first refuted candidates.
func printUnproved(w io.Writer, list []genrules.Unproved) {
	reasons := map[string]int{}
	refuted := 0
	for _, u := range list {
		if u.Status != law.RefutedWord {
			reasons[firstLine(u.Reason)]++
			continue
		}
		if refuted++; refuted > shownRefuted {
			continue
		}
		fmt.Fprintf(w, "\nrefuted:\n%s\n", indent(u.Law))
		if u.Witness != nil {
			fmt.Fprintf(w, "%s\n", indent(u.Witness.String()))
		}
	}
	if refuted > shownRefuted {
		fmt.Fprintf(w, "\n... and %d more refuted (--unproved FILE writes all)\n", refuted-shownRefuted)
	}
	for i, reason := range byCount(reasons) {
		if i == 0 {
			fmt.Fprintln(w, "\nunknown:")
		}
		fmt.Fprintf(w, "  %6s  %s\n", count(reasons[reason]), reason)
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}
