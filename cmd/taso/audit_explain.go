package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/pipeline/audit"
	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/internal/wrap"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/verify/explain"
)

// explainRule prints what an audit found of the rules of an id, name or number.
func explainRule(w io.Writer, reps []*audit.Report, id string) error {
	n := 0
	var names []string
	for _, rep := range reps {
		for _, r := range rep.Rules {
			names = append(names, r.Name, r.ID)
			if !isNamed(r.Index, r.Name, r.ID, id) {
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
		return fmt.Errorf("--explain %s: there is no such rule%s", id, suggest.DidYouMean(id, names))
	}
	return nil
}

// grouped lists the readings under which a rule has convolutions of any number of
// groups.
func grouped(r *audit.Rule) string {
	var names []string
	for _, g := range r.Readings {
		if g.Grouped {
			names = append(names, g.Semantics)
		}
	}
	return strings.Join(names, ", ")
}

// isNamed says whether what --explain asks for is a rule: its number, its name
// or its id.
func isNamed(index int, name, id, asked string) bool {
	return id == asked || name == asked || strconv.Itoa(index) == asked
}

// named are the files with only the rules of a number or name; as they are if
// there is none, since an id is known only when a rule is decided.
func named(files []*peer.File, asked string) []*peer.File {
	var out []*peer.File
	found := false
	for _, f := range files {
		g := *f
		g.Rules = nil
		for _, r := range f.Rules {
			if isNamed(r.Index, r.Name, "", asked) {
				g.Rules = append(g.Rules, r)
				found = true
			}
		}
		out = append(out, &g)
	}
	if !found {
		return files
	}
	return out
}

// footnotes are texts too long for a cell of a table, without repeats.
type footnotes []string

// of is the text, or a number in brackets that stands for it.
func (f *footnotes) of(text string) string {
	if len([]rune(text)) <= 12 {
		return text
	}
	i := slices.Index(*f, text)
	if i < 0 {
		i = len(*f)
		*f = append(*f, text)
	}
	return fmt.Sprintf("[%d]", i+1)
}

func explainOne(w io.Writer, rep *audit.Report, r *audit.Rule) error {
	name := fmt.Sprintf("rule %d", r.Index)
	if hasName(r) {
		name += " (" + r.Name + ")"
	}
	writeLines(w, "%s of %s: %s: %s", name, rep.File, r.Overall(), r.Overall().Doc())
	fmt.Fprintf(w, "  %s\n\n", wrap.Hanging(r.Source, "    ", screenWidth))
	say := func(what string, v audit.Outcome, condition, reason string) {
		if v == "" {
			return
		}
		verdict := what + ": " + string(v)
		if condition != "" {
			verdict += ", if " + condition
		}
		writeLines(w, "%s", verdict)
		if reason != "" && (v != audit.Proved || condition == "") {
			for _, line := range strings.Split(strings.TrimRight(reason, "\n"), "\n") {
				fmt.Fprintf(w, "  %s\n", wrap.Hanging(line, "    ", screenWidth))
			}
		}
	}
	say("left to right", r.Verdict, r.Condition, r.Reason)
	say("right to left", r.VerdictReverse, r.ConditionReverse, r.ReasonReverse)
	if len(r.Readings) > 0 {
		var rows [][]string
		var notes footnotes
		for _, g := range r.Readings {
			ways := []struct {
				name string
				d    audit.Direction
			}{{"left to right", g.Forward}, {"right to left", g.Backward}}
			if g.AnyDegree != nil {
				ways = append(ways, struct {
					name string
					d    audit.Direction
				}{"any degree", *g.AnyDegree})
			}
			for _, w := range ways {
				if d := w.d; d.Verdict != "" {
					rows = append(rows, []string{g.Semantics, w.name, string(d.Verdict), notes.of(d.Condition), notes.of(d.Sizes), notes.of(d.Defined), d.Engine, d.HasCertificate()})
				}
			}
		}
		fmt.Fprintln(w)
		if err := writeTable(w, []column{{"semantics", false}, {"direction", false}, {"verdict", false}, {"condition", false}, {"sizes", false},
			{"defined", false}, {"engine", false}, {"certificate", false}}, rows); err != nil {
			return err
		}
		for i, text := range notes {
			writeLines(w, "[%d] %s", i+1, text)
		}
	}
	for _, g := range r.Readings {
		if g.AnyDegree != nil && g.AnyDegree.Verdict != audit.Proved && g.AnyDegree.Reason != "" {
			fmt.Fprintf(w, "\n%s, any degree: %s\n", g.Semantics, g.AnyDegree.Reason)
		}
	}
	if groups := grouped(r); groups != "" {
		fmt.Fprintf(w, "\nwith any number of groups: %s\n", groups)
	}
	if r.Law != "" {
		fmt.Fprintf(w, "\n%s\n", indent(r.Law))
	}
	if l, err := law.ParseLaw(r.Law); err == nil {
		var b strings.Builder
		if err := audit.Shards(&b, l); err != nil {
			return err
		}
		if b.Len() > 0 {
			fmt.Fprintf(w, "\n%s\n", indent(b.String()))
		}
	}
	if c := r.Counterexample; c != nil {
		fmt.Fprintf(w, "\n%s\n  refutes\n%s\n", indent(c.Witness.String()), indent(c.Law))
	}
	laws := map[string]*law.Law{}
	for _, l := range axioms.Default() {
		laws[l.Name] = l
	}
	for k, g := range r.Goals {
		way := "left to right"
		switch {
		case g == nil || k == 1 && g == r.Goals[0]:
			continue
		case g == r.Goals[1-k]:
			way = "both ways"
		case k == 1:
			way = "right to left"
			fmt.Fprintf(w, "\n%s\n", indent(r.Reverse))
		}
		if g.Proof == nil {
			fmt.Fprintf(w, "\n%s: proved by sums or order, without a certificate\n", way)
			continue
		}
		fmt.Fprintf(w, "\n%s: proof from %s\n", way, proofFrom(g.Proof))
		if err := explain.Text(w, g.Law, g.Proof, laws); err != nil {
			return err
		}
	}
	return nil
}
