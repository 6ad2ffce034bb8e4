package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/taso-go/taso/internal/pipeline/audit"
	"github.com/taso-go/taso/rules"
)

// saveSet writes rules with their certificates.
func saveSet(path string, set *rules.Set) error {
	if err := setName(path); err != nil {
		return err
	}
	return rules.Save(path, set)
}

// setName says whether a file of rules may have a name.
func setName(path string) error {
	if f := formatOf(path); f != formatText && f != formatJSON {
		return fmt.Errorf("%s: the name must end in .rules or .json", path)
	}
	return nil
}

// printAudit prints reports for people: the rules, then what concerns the set,
// then the counts.
func printAudit(w io.Writer, reps []*audit.Report, quiet bool) error {
	for i, rep := range reps {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s (%s)\n\n", rep.File, rep.Format)
		if !quiet {
			if err := printVerdicts(w, rep); err != nil {
				return err
			}
			if err := printSetPart(w, rep); err != nil {
				return err
			}
		}
		s := rep.Summary
		cols, row := []column{{"rules", true}}, []string{count(s.Rules)}
		for _, o := range audit.Outcomes {
			cols, row = append(cols, column{string(o), true}), append(row, count(s.Verdicts[o]))
		}
		cols = append(cols, column{"certified", true}, column{"duplicates", true}, column{"derivable", true}, column{"seconds", true})
		err := writeTable(w, cols, [][]string{append(row, count(s.Certified), count(s.Duplicates), count(s.Derivable), seconds(s.Seconds))})
		if err != nil {
			return err
		}
		if err := printReadings(w, rep); err != nil {
			return err
		}
		if p := rep.Provers; p != nil {
			fmt.Fprintf(w, "\n%s proved again by one worker: e-graph, Z3 and checker %d in %.2f s; quantified axioms, a solver for each, %d in %.2f s\n",
				plural(p.Goals, "law"), p.Proved, p.Seconds, p.QuantifiedProved, p.QuantifiedSeconds)
		}
	}
	return nil
}

// printReadings prints the counts by reading of a file with parallel operators: each
// reading is about some of the rules only.
func printReadings(w io.Writer, rep *audit.Report) error {
	var rows [][]string
	degrees := false
	add := func(name string, verdicts map[audit.Outcome]int) {
		row := []string{name}
		for _, o := range audit.Outcomes {
			row = append(row, count(verdicts[o]))
		}
		rows = append(rows, row)
	}
	for _, c := range rep.Summary.Readings {
		add(c.Semantics, c.Verdicts)
		if len(c.AnyDegree) > 0 {
			degrees = true
			add(c.Semantics+", any degree", c.AnyDegree)
		}
	}
	if !degrees {
		return nil
	}
	cols := []column{{"reading", false}}
	for _, o := range audit.Outcomes {
		cols = append(cols, column{string(o), true})
	}
	fmt.Fprintln(w)
	return writeTable(w, cols, rows)
}

// cut shortens text for a table.
func cut(s string, n int) string {
	s = firstLine(s)
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func printVerdicts(w io.Writer, rep *audit.Report) error {
	var rows [][]string
	for _, r := range rep.Rules {
		note := r.Condition
		if note == "" {
			note = r.Reason
		}
		reverse := string(r.VerdictReverse)
		if reverse == "" {
			reverse = "-"
		}
		rows = append(rows, []string{strconv.Itoa(r.Index), r.ID, string(r.Verdict), reverse, cut(note, 100), cut(r.Source, 100)})
	}
	err := writeTable(w, []column{{"rule", true}, {"id", false}, {"verdict", false}, {"reverse", false}, {"condition or reason", false},
		{"as written", false}}, rows)
	fmt.Fprintln(w)
	if err != nil {
		return err
	}
	printReasons(w, rep)
	return nil
}

// printReasons prints why rules, or directions of rules, are not decided or no rules: in
// full, which a table is too narrow for, and each reason once.
func printReasons(w io.Writer, rep *audit.Report) {
	type group struct {
		verdict audit.Outcome
		reason  string
	}
	rules := map[group][]string{}
	var order []group
	note := func(verdict audit.Outcome, reason, rule string) {
		if verdict != audit.Unknown && verdict != audit.IllFormed && verdict != audit.Unsupported || reason == "" {
			return
		}
		g := group{verdict, strings.ReplaceAll(reason, "\n", "; ")}
		if rules[g] == nil {
			order = append(order, g)
		}
		rules[g] = append(rules[g], rule)
	}
	for _, r := range rep.Rules {
		note(r.Verdict, r.Reason, strconv.Itoa(r.Index))
		if r.VerdictReverse != r.Verdict || r.ReasonReverse != r.Reason {
			note(r.VerdictReverse, r.ReasonReverse, strconv.Itoa(r.Index)+" right to left")
		}
	}
	for _, g := range order {
		what := "rule "
		if len(rules[g]) > 1 {
			what = "rules "
		}
		fmt.Fprintf(w, "%s, %s%s: %s\n", g.verdict, what, strings.Join(rules[g], ", "), g.reason)
	}
	if len(order) > 0 {
		fmt.Fprintln(w)
	}
}

// shownList bounds the lists that are printed.
const shownList = 40

func list[T any](xs []T, text func(T) string) string {
	var out []string
	for i, x := range xs {
		if i == shownList {
			out = append(out, fmt.Sprintf("and %d more", len(xs)-i))
			break
		}
		out = append(out, text(x))
	}
	return strings.Join(out, " ")
}

func printSetPart(w io.Writer, rep *audit.Report) error {
	set := rep.Set
	for _, r := range rep.Rules {
		if r.DuplicateOf >= 0 {
			fmt.Fprintf(w, "rule %d says the same as rule %d\n", r.Index, r.DuplicateOf)
		}
	}
	if set.Minimal != nil {
		fmt.Fprintf(w, "%s, from which %s follow: %s\n", plural(len(set.Minimal), "rule"), plural(set.Classes, "law"),
			list(set.Minimal, strconv.Itoa))
	}
	if len(set.Looping) > 0 {
		fmt.Fprintf(w, "undo one another: %s\n", list(set.Looping, func(p []int) string {
			return strings.Trim(strings.ReplaceAll(fmt.Sprint(p), " ", "-"), "[]")
		}))
	}
	if len(set.AxiomUse) > 0 {
		fmt.Fprintf(w, "axioms used, by rules: %s\n", list(set.AxiomUse, func(u audit.Use) string {
			return fmt.Sprintf("%s %d", u.Name, u.Rules)
		}))
		fmt.Fprintf(w, "axioms never used: %d\n", len(set.Unused))
	}
	var rows [][]string
	for _, c := range set.Operators {
		row := []string{c.Operator}
		for _, o := range audit.Outcomes {
			row = append(row, count(c.Rules[o]))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	cols := []column{{"operator", false}}
	for _, o := range audit.Outcomes {
		cols = append(cols, column{string(o), true})
	}
	err := writeTable(w, cols, rows)
	fmt.Fprintln(w)
	return err
}
