package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/law"
)

// overOperators says out of which operators graphs are made: "17", "the preset bert".
func overOperators(ops []string) string {
	for _, p := range enumerate.Presets() {
		if len(ops) == 1 && p.Name == ops[0] {
			return "the preset " + p.Name
		}
	}
	if mesh := genrules.MeshPresets(); len(ops) > 1 && slices.Contains(mesh, ops[0]) {
		return "each of " + plural(len(ops), "preset") + " for meshes"
	}
	if len(ops) == 0 {
		ops = enumerate.DefaultNames()
	}
	return count(len(ops))
}

// printPlan says what a run will do, and how long it may take.
func printPlan(w io.Writer, g *genRules) {
	line := func(format string, args ...any) { fmt.Fprintf(w, "%s\n", fmt.Sprintf(format, args...)) }
	line("Enumerating graphs of up to %s out of %s. Graphs that agree", plural(g.opt.MaxOps, "operator"), overOperators(g.opt.Ops))
	line("on random inputs become candidate laws; candidates that are proved become rewrite rules.")
	e, ok := genrules.EstimateOf(g.opt)
	switch {
	case !ok:
		line("Estimate: none; no run like this is recorded.")
	case e.Beyond > 0:
		line("Estimate: at least %s and %s; no run beyond %s is recorded, and each level is larger.", genrules.Duration(e.Seconds), gigabytes(e.PeakRSS), plural(e.Rate.MaxOps, "operator"))
	default:
		line("Estimate: %s and %s of memory (a recorded run took %.0f CPU s, %s, commit %s).",
			genrules.Duration(e.Seconds), gigabytes(e.PeakRSS), e.Rate.CPUSeconds, e.Rate.Date, e.Rate.Commit)
	}
	then := "reports the rules proved so far"
	if g.out != "" {
		then = "writes the rules proved so far to " + g.out
	}
	line("Ctrl-C stops the run and %s.\n", then)
}

func gigabytes(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }

// provedLine is the answer of a run: how many rules were proved, and how they add up.
func provedLine(g *genRules, rep *genrules.Report) string {
	r := rep.Rules
	rules := plural(r.Proved, "rewrite rule") + " proved"
	switch {
	case r.Proved == 0:
		return rules
	case rep.Stopped != "":
		return rules + " before the run was stopped; not yet checked which of them are derivable"
	case g.opt.Minimal:
		return rules + ", none derivable from the others (--minimal left those out)"
	case r.Derivable == 0:
		return rules + ", none derivable from the others"
	}
	return fmt.Sprintf("%s: %s independent + %s derivable from those", rules, count(r.Kept), count(r.Derivable))
}

// foundBesides counts the rules that are of no candidate; "" if there are none.
func foundBesides(rep *genrules.Report) string {
	var ordered, joined int64
	for _, s := range rep.Stages {
		switch {
		case strings.HasSuffix(s.Name, genrules.OrderedStage):
			ordered += s.Count
		case strings.HasSuffix(s.Name, genrules.JoinedStage):
			joined += s.Count
		}
	}
	var parts []string
	if ordered > 0 {
		parts = append(parts, count(ordered)+" from the order of numbers (relu, maximum)")
	}
	if joined > 0 {
		parts = append(parts, count(joined)+" with two outputs, joined from others")
	}
	if len(parts) == 0 {
		return ""
	}
	return "of the rules: " + strings.Join(parts, ", ")
}

// notProved counts the candidates that are no rules.
func notProved(g *genRules, rep *genrules.Report) string {
	r := rep.Rules
	text := fmt.Sprintf("not proved: %s refuted, %s unknown", count(r.Refuted), count(r.Unknown))
	if why := mostOften(rep.Unproved); r.Unknown > 0 && why != "" {
		text += " (mostly " + why + ")"
	}
	switch {
	case r.Unknown > 0 && g.opt.AxiomsOnly:
		text += "; --axioms-only leaves most unknown"
	case r.Refuted+r.Unknown > 0:
		text += ": see --unproved FILE"
	}
	return text
}

// printReport prints a run for people, on one screen.
func printReport(w io.Writer, g *genRules, rep *genrules.Report, wrote []written) error {
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(fit(fmt.Sprintf(format, args...)) + "\n") }
	line("%s", provedLine(g, rep))
	var sum genrules.Level
	for _, l := range rep.Levels {
		sum.Graphs += l.Graphs
		sum.Pairs += l.Pairs
		sum.Candidates += l.Candidates
	}
	line("%s graphs > %s pairs equal on random inputs > %s candidates (one rule may have several)", count(sum.Graphs), count(sum.Pairs), count(sum.Candidates))
	if text := foundBesides(rep); text != "" && !g.opt.Minimal {
		line("%s", text)
	}
	line("%s", notProved(g, rep))
	b.WriteByte('\n')
	if rep.Model != nil {
		b.WriteString(savingsTable(rep))
	} else if len(rep.Useful) == 0 {
		line("No independent rule saves time beyond the laws that are built in.")
	} else {
		line("Independent rules that save most time beyond the built-in laws (modelled: zen5, all sizes 64):")
		line("SAVES  ID            REWRITE")
		for _, u := range rep.Useful {
			line("%3.0f %%  %s  %s: %s -> %s", 100*u.Saves, u.ID, u.Words, u.Before, u.After)
		}
	}
	if rep.Model != nil || len(rep.Useful) < 9 { // the screen has a line to spare
		b.WriteByte('\n')
	}
	for _, f := range wrote {
		line("wrote %s: %s", f.path, f.what)
	}
	line("up to %s out of %s, %s, seed %d: %.1f s, %s, %.1f CPU s, %s", plural(rep.MaxOps, "operator"), overOperators(g.opt.Ops), rep.Mode,
		rep.Seed, rep.Seconds, plural(rep.Workers, "worker"), rep.CPUSeconds, gigabytes(rep.PeakRSS))
	if !g.stages {
		line("More: --stages lists the stages, --html FILE writes a page, taso rules show FILE --id ID a proof")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mostOften is the reason of most unknowns, cut short.
func mostOften(list []genrules.Unproved) string {
	reasons := map[string]int{}
	for _, u := range list {
		if u.Status != law.RefutedWord {
			reasons[firstLine(u.Reason)]++
		}
	}
	if len(reasons) == 0 {
		return ""
	}
	return cut(byCount(reasons)[0], 26)
}
