package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/law"
)

// screenWidth is how many columns a line of the report takes at most.
const screenWidth = 100

// fit cuts a line to the width of the screen.
func fit(line string) string {
	if utf8.RuneCountInString(line) <= screenWidth {
		return line
	}
	return string([]rune(line)[:screenWidth-1]) + "…"
}

// overOperators says which operators a run is about: "17 operators", "the preset bert".
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
	return plural(len(ops), "operator")
}

// printPlan says what a run will do, and how long it may take.
func printPlan(w io.Writer, g *genRules) {
	line := func(format string, args ...any) { fmt.Fprintf(w, "%s\n", fmt.Sprintf(format, args...)) }
	line("All graphs of up to %d of %s are enumerated, evaluated and compared; those that agree", g.opt.MaxOps, overOperators(g.opt.Ops))
	line("are stated as laws, and what is proved of these are the rules.")
	e, ok := genrules.EstimateOf(g.opt)
	switch {
	case !ok:
		line("How long it takes is not known: no run like this is recorded.")
	case e.Beyond > 0:
		line("Estimate: %s and %s or much more: no run of more than %d operators is recorded, and each level grows more than the one before.", genrules.Duration(e.Seconds), gigabytes(e.PeakRSS), e.Rate.MaxOps)
	default:
		line("Estimate: %s and %s of memory (such a run took %.0f CPU seconds on %s at %s).",
			genrules.Duration(e.Seconds), gigabytes(e.PeakRSS), e.Rate.CPUSeconds, e.Rate.Date, e.Rate.Commit)
	}
	then := "the report says what is proved by then"
	if g.out != "" {
		then = "what is proved by then is written to " + g.out
	}
	line("Ctrl-C stops it; %s.\n", then)
}

func gigabytes(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }

// printReport prints a run for people, on one screen.
func printReport(w io.Writer, g *genRules, rep *genrules.Report, wrote []written) error {
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(fit(fmt.Sprintf(format, args...)) + "\n") }
	line("up to %d of %s, %s, seed %d: %.1f s with %s, %.1f CPU seconds, %s", rep.MaxOps, overOperators(g.opt.Ops), rep.Mode,
		rep.Seed, rep.Seconds, plural(rep.Workers, "worker"), rep.CPUSeconds, gigabytes(rep.PeakRSS))
	var sum genrules.Level
	for _, l := range rep.Levels {
		sum.Graphs += l.Graphs
		sum.Pairs += l.Pairs
		sum.Candidates += l.Candidates
	}
	r := rep.Rules
	kept := count(r.Kept) + " kept"
	if rep.Stopped != "" {
		kept = "not known which follow from others"
	}
	line("%s graphs > %s pairs > %s candidates > %s proved > %s", count(sum.Graphs), count(sum.Pairs), count(sum.Candidates),
		count(r.Proved), kept)
	b.WriteByte('\n')
	if len(rep.Useful) == 0 {
		line("No kept rule saves time that a law of the program does not save.")
	} else {
		line("The kept rules that save most time and that no law of the program says, one of each kind (time by")
		line("the formula of zen5, all sizes 64, windows 3x3; what is counted as new is said by --help):")
		for _, u := range rep.Useful {
			line("%3.0f %%  %s  %s: %s -> %s", 100*u.Saves, u.ID, u.Words, u.Before, u.After)
		}
	}
	b.WriteByte('\n')
	line("refuted: %s%s", count(r.Refuted), more(r.Refuted, "each with a counterexample", "--unproved FILE lists them"))
	flag := "--unproved FILE lists them"
	if g.opt.AxiomsOnly {
		flag += "; --axioms-only leaves most of them"
	}
	line("unknown: %s%s", count(r.Unknown), more(r.Unknown, mostOften(rep.Unproved), flag))
	for _, f := range wrote {
		line("wrote %s: %s", f.path, f.what)
	}
	if !g.stages {
		line("(--stages shows every stage, --html FILE writes a page, taso rules show --id ID a proof)")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// more says what there is to say of a number that is not 0, and how to see it.
func more(n int, what, flag string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %s (%s)", what, flag)
}

// mostOften is the reason of most unknowns.
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
	first := []rune(byCount(reasons)[0])
	if len(first) > 26 {
		first = append(first[:25], '…')
	}
	return "mostly " + string(first)
}
