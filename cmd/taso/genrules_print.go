package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/taso"
)

// written is a file that a run wrote, and what is in it.
type written struct{ path, what string }

// write writes the files asked for, certificates before rules.
func (g *genRules) write(rep *genrules.Report) ([]written, error) {
	var done []written
	if g.out != "" {
		if err := rules.Save(g.out, rep.Set); err != nil {
			return nil, err
		}
		done = append(done, written{g.out, plural(rep.Set.Len(), "rule")})
		if cert := certOf(g.out); cert != "" {
			done = append(done, written{cert, fmt.Sprintf("%s, %s", plural(rep.Rules.Proved, "certificate"), plural(len(rep.Set.Lemmas), "lemma"))})
		}
	}
	if g.pb != "" {
		pb, err := savePB(g.pb, rep.Set, taso.Reading{})
		if err != nil {
			return nil, err
		}
		done = append(done, written{g.pb, pb.summary()})
	}
	if g.unproved != "" {
		list := rep.Unproved
		if list == nil {
			list = []genrules.Unproved{}
		}
		if err := atomicfile.WriteFile(g.unproved, func(w io.Writer) error { return writeJSON(w, list) }); err != nil {
			return nil, fmt.Errorf("write unproved: %w", err)
		}
		done = append(done, written{g.unproved, plural(len(list), "candidate") + " not proved"})
	}
	return done, nil
}

// shownRefuted is how many counterexamples are printed.
const shownRefuted = 3

// printReport prints a run for people.
func printReport(w io.Writer, rep *genrules.Report, wrote []written) error {
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
	for i, f := range wrote {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "wrote %s: %s\n", f.path, f.what)
	}
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
