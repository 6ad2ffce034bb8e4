package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
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

// printAudit prints reports for people: the answer, the counts, the rules, those that are
// not proved first, and what concerns the set; summary: the answer and the counts only.
func printAudit(w io.Writer, reps []*audit.Report, summary bool) error {
	for i, rep := range reps {
		if i > 0 {
			fmt.Fprintln(w)
		}
		writeLines(w, "%s (%s): %s", rep.File, rep.Format, rep.Answer())
		fmt.Fprintln(w)
		if err := printOutcomes(w, rep); err != nil {
			return err
		}
		if err := printReadings(w, rep); err != nil {
			return err
		}
		if err := printConditions(w, rep); err != nil {
			return err
		}
		if p := rep.Provers; p != nil {
			fmt.Fprintln(w)
			writeLines(w, "%s proved again by one worker: e-graph, Z3 and checker prove %d in %.2f s; quantified axioms, one solver per law, prove %d in %.2f s",
				plural(p.Goals, "law"), p.Proved, p.Seconds, p.QuantifiedProved, p.QuantifiedSeconds)
		}
		if summary {
			continue
		}
		fmt.Fprintln(w)
		if err := printVerdicts(w, rep); err != nil {
			return err
		}
		if err := printSetPart(w, rep); err != nil {
			return err
		}
		fmt.Fprintln(w, "More: --explain RULE prints a proof or counterexample, --html FILE writes a page")
	}
	return nil
}

// printOutcomes prints how many rules have each verdict.
func printOutcomes(w io.Writer, rep *audit.Report) error {
	s := rep.Summary
	var rows [][]string
	for _, o := range audit.Outcomes {
		if n := s.Verdicts[o]; n > 0 {
			rows = append(rows, []string{string(o), count(n), o.Doc()})
		}
	}
	rows = append(rows, []string{"total", count(s.Rules), ""})
	if err := writeTable(w, []column{{"verdict", false}, {"rules", true}, {"meaning", false}}, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\ncertified: %s; duplicates: %s; derivable from other rules: %s; time: %s s\n",
		count(s.Certified), count(s.Duplicates), count(s.Derivable), seconds(s.Seconds))
	return err
}

// printReadings prints the counts by reading, if there are several and not all rules are
// proved in all. A reading may be about some of the rules only.
func printReadings(w io.Writer, rep *audit.Report) error {
	var rows [][]string
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
			add(c.Semantics+", any degree", c.AnyDegree)
		}
	}
	if len(rows) < 2 || rep.Summary.Verdicts[audit.Proved] == rep.Summary.Rules {
		return nil
	}
	cols := []column{{"semantics", false}}
	for _, o := range audit.Outcomes {
		cols = append(cols, column{string(o), true})
	}
	fmt.Fprintln(w)
	return writeTable(w, cols, rows)
}

// shownConditions bounds the conditions that are counted.
const shownConditions = 10

// printConditions counts the rules that are true under a condition by what it says, if several
// have one condition.
func printConditions(w io.Writer, rep *audit.Report) error {
	rules := map[string]int{}
	for _, r := range rep.Rules {
		if r.Condition != "" {
			rules[r.Condition]++
		}
	}
	list := byCount(rules)
	if len(list) == 0 || rules[list[0]] < 2 {
		return nil
	}
	var rows [][]string
	for _, c := range list[:min(len(list), shownConditions)] {
		rows = append(rows, []string{count(rules[c]), c})
	}
	fmt.Fprintln(w)
	if err := writeTable(w, []column{{"rules", true}, {"condition", false}}, rows); err != nil {
		return err
	}
	if n := len(list) - len(rows); n > 0 {
		fmt.Fprintf(w, "and %s\n", plural(n, "other condition"))
	}
	return nil
}

// severity is the order in which rules are listed: what is wrong comes first.
var severity = []audit.Outcome{audit.Refuted, audit.Conditional, audit.UpTo, audit.Unknown, audit.IllFormed, audit.Unsupported, audit.Proved}

// maxName bounds the names of rules in tables.
const maxName = 20

// printVerdicts prints a line for each rule.
func printVerdicts(w io.Writer, rep *audit.Report) error {
	list := slices.Clone(rep.Rules)
	slices.SortStableFunc(list, func(a, b *audit.Rule) int {
		return cmp.Compare(slices.Index(severity, a.Overall()), slices.Index(severity, b.Overall()))
	})
	named, reverse := false, false
	for _, r := range list {
		named = named || hasName(r)
		reverse = reverse || r.VerdictReverse != "" && r.VerdictReverse != r.Verdict
	}
	cols := []column{{"rule", true}, {"id", false}, {"verdict", false}}
	if named {
		cols[1].name = "name"
	}
	if reverse {
		cols = append(cols, column{"reverse", false})
	}
	cols = append(cols, column{"condition or reason", false}, column{"as written", false})
	var rows [][]string
	for _, r := range list {
		name := r.ID
		if named && hasName(r) {
			name = cut(r.Name, maxName)
		}
		row := []string{strconv.Itoa(r.Index), cmp.Or(name, "-"), string(r.Verdict)}
		if reverse {
			row = append(row, cmp.Or(string(r.VerdictReverse), "-"))
		}
		// The last column takes what the others leave.
		rows = append(rows, append(row, cut(cmp.Or(r.Condition, r.Reason), maxNote), ""))
	}
	room := screenWidth - columnGap*(len(cols)-1)
	for i := range cols[:len(cols)-1] {
		n := len(cols[i].name)
		for _, row := range rows {
			n = max(n, len([]rune(row[i])))
		}
		room -= n
	}
	if last := len(cols) - 1; room >= leastSource {
		for i, r := range list {
			rows[i][last] = cut(r.Source, room)
		}
	} else {
		cols = cols[:last]
		for i, r := range list {
			rows[i] = rows[i][:last]
			rows[i][last-1] = cut(cmp.Or(r.Condition, r.Reason), maxNote+columnGap+room)
		}
	}
	err := writeTable(w, cols, rows)
	fmt.Fprintln(w)
	if err != nil {
		return err
	}
	printReasons(w, rep)
	return nil
}

// maxNote bounds conditions and reasons in tables. A rule is printed as written only where it
// has leastSource columns.
const (
	maxNote     = 36
	leastSource = 24
)

// hasName reports whether the file names a rule: else it is named after its number.
func hasName(r *audit.Rule) bool { return r.Name != "" && r.Name != fmt.Sprintf("rule %d", r.Index) }

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
		label := strconv.Itoa(r.Index)
		if hasName(r) {
			label += " (" + cut(r.Name, maxName) + ")"
		}
		note(r.Verdict, r.Reason, label)
		if r.VerdictReverse != r.Verdict || r.ReasonReverse != r.Reason {
			note(r.VerdictReverse, r.ReasonReverse, label+" right to left")
		}
	}
	for _, g := range order {
		what := "rule "
		if len(rules[g]) > 1 {
			what = "rules "
		}
		writeLines(w, "%s, %s%s: %s", g.verdict, what, strings.Join(rules[g], ", "), g.reason)
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

// printSetPart prints what an audit found of the rules of a set together.
func printSetPart(w io.Writer, rep *audit.Report) error {
	set := rep.Set
	var twins []string
	for _, r := range rep.Rules {
		if r.DuplicateOf >= 0 {
			twins = append(twins, fmt.Sprintf("%d=%d", r.Index, r.DuplicateOf))
		}
	}
	printed := false
	line := func(format string, args ...any) {
		writeLines(w, format, args...)
		printed = true
	}
	if len(twins) > 0 {
		line("duplicates (rule=earlier rule): %s", list(twins, func(s string) string { return s }))
	}
	if len(set.Minimal) > 0 {
		line("minimal subset: %s, from which all %s follow: %s", plural(len(set.Minimal), "rule"), plural(set.Classes, "distinct true rule"),
			list(set.Minimal, strconv.Itoa))
	}
	if len(set.Looping) > 0 {
		line("rules that undo each other: %s", list(set.Looping, func(p []int) string {
			return strings.Trim(strings.ReplaceAll(fmt.Sprint(p), " ", "-"), "[]")
		}))
	}
	if len(set.AxiomUse) > 0 {
		line("axioms used, with the number of rules: %s", list(set.AxiomUse, func(u audit.Use) string {
			return fmt.Sprintf("%s %d", u.Name, u.Rules)
		}))
		line("axioms not used: %d", len(set.Unused))
	}
	if printed {
		fmt.Fprintln(w)
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
	cols := []column{{"operator", false}}
	for _, o := range audit.Outcomes {
		cols = append(cols, column{string(o), true})
	}
	err := writeTable(w, cols, rows)
	fmt.Fprintln(w)
	return err
}
