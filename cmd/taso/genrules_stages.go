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
	var rows [][]string
	for _, s := range rep.Stages {
		rows = append(rows, []string{s.Name, count(s.Count), seconds(s.Seconds), inMB(s.PeakRSS)})
	}
	if err := writeTable(w, []column{{"stage", false}, {"count", true}, {"time (s)", true}, {"peak memory (MB)", true}}, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	writeLines(w, "operators: %s", rep.Universe)
	fmt.Fprintf(w, "enumeration: %s graphs, %s graphs/CPU s, %.0f bytes of peak memory/graph\n", count(rep.Graphs), count(int64(rep.GraphsPerCPUSecond)), rep.BytesPerGraph)
	if p := rep.Provers; p != nil {
		fmt.Fprintf(w, "provers on %s: e-graph proves %d in %.2f s, quantified axioms prove %d in %.2f s\n",
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
		fmt.Fprintf(w, "\nrefuted candidate:\n%s\n", indent(u.Law))
		if u.Witness != nil {
			fmt.Fprintf(w, "%s\n", indent(u.Witness.String()))
		}
	}
	if refuted > shownRefuted {
		fmt.Fprintf(w, "\nand %d more refuted candidates (--unproved FILE writes all)\n", refuted-shownRefuted)
	}
	for i, reason := range byCount(reasons) {
		if i == 0 {
			fmt.Fprintln(w, "\nunknown candidates, by reason:")
		}
		fmt.Fprintf(w, "  %6s  %s\n", count(reasons[reason]), reason)
	}
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}
