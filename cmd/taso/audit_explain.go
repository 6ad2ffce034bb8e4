package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/pipeline/audit"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/explain"
)

// explainRule prints what an audit found of the rules of an id, name or number.
func explainRule(w io.Writer, reps []*audit.Report, id string) error {
	n := 0
	for _, rep := range reps {
		for _, r := range rep.Rules {
			if r.ID != id && r.Name != id && strconv.Itoa(r.Index) != id {
				continue
			}
			if n++; n > 1 {
				fmt.Fprintln(w)
			}
			if err := explainOne(w, rep, r); err != nil {
				return err
			}
		}
	}
	if n == 0 {
		return fmt.Errorf("--explain %s: there is no such rule", id)
	}
	return nil
}

func explainOne(w io.Writer, rep *audit.Report, r *audit.Rule) error {
	name := fmt.Sprintf("rule %d", r.Index)
	if r.Name != name {
		name += ", " + r.Name
	}
	fmt.Fprintf(w, "%s, %s\n  %s\n\n", rep.File, name, r.Source)
	say := func(what string, v audit.Outcome, condition, reason string) {
		if v == "" {
			return
		}
		fmt.Fprintf(w, "%s: %s", what, v)
		if condition != "" {
			fmt.Fprintf(w, ", if %s", condition)
		}
		fmt.Fprintln(w)
		if reason != "" && (v != audit.Proved || condition == "") {
			fmt.Fprintln(w, indent(reason))
		}
	}
	say("left to right", r.Verdict, r.Condition, r.Reason)
	say("right to left", r.VerdictReverse, r.ConditionReverse, "")
	if len(r.Readings) > 1 {
		var rows [][]string
		for _, g := range r.Readings {
			rows = append(rows, []string{g.Semantics, string(g.Forward.Verdict), g.Forward.Condition, string(g.Backward.Verdict), g.Backward.Condition})
		}
		fmt.Fprintln(w)
		if err := writeTable(w, []column{{"semantics", false}, {"left to right", false}, {"if", false}, {"right to left", false}, {"if", false}}, rows); err != nil {
			return err
		}
	}
	if r.Law != "" {
		fmt.Fprintf(w, "\n%s\n", indent(r.Law))
	}
	if c := r.Counterexample; c != nil {
		fmt.Fprintf(w, "\n%s\n  of\n%s\n", indent(c.Witness.String()), indent(c.Law))
	}
	if r.Proof == nil {
		return nil
	}
	laws := map[string]*law.Law{}
	for _, l := range axioms.Default() {
		laws[l.Name] = l
	}
	fmt.Fprintf(w, "\nproof from %s\n", plural(len(r.Proof.Instances), "instance"))
	return explain.Text(w, r.Goal, r.Proof, laws)
}
