package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/taso-go/taso/internal/pipeline/genrules"
)

// shownSavings is how many rules a report of --for lists.
const shownSavings = 10

// printChosen says which operators of a model are enumerated, and why others are not.
func printChosen(w io.Writer, f *genrules.ForModel, ops []string) {
	var names, further []string
	nodes := map[string]int{}
	for _, o := range f.Operators {
		if o.Enumerated != "" {
			nodes[o.Enumerated] += o.Nodes
		}
	}
	for _, name := range ops {
		if n := nodes[name]; n > 0 {
			names = append(names, fmt.Sprintf("%s (%s)", name, plural(n, "node")))
		} else {
			further = append(further, name)
		}
	}
	writeLines(w, "Operators of %s: %s", f.Name, strings.Join(names, ", "))
	if len(further) > 0 {
		writeLines(w, "Operators that rules write in their place: %s", strings.Join(further, ", "))
	}
	for _, o := range f.NotEnumerated() {
		writeLines(w, "not enumerated: %s (%s): %s", o.Operator, plural(o.Nodes, "node"), o.Reason)
	}
}

// savingsTable lists what the rules save in a model.
func savingsTable(rep *genrules.Report) string {
	var b strings.Builder
	f := rep.Model
	line := func(format string, args ...any) { b.WriteString(fit(fmt.Sprintf(format, args...)) + "\n") }
	save, match, nowhere := f.Counts()
	if rep.Stopped != "" && len(f.Rules) == 0 {
		line("The rules were not ranked by what they save in %s.", f.Name)
		return b.String()
	}
	line("%s: %s cost, %d match and save nothing alone, %d match nowhere here", f.Name, save1(save), match, nowhere)
	if n := len(f.NotEnumerated()); n > 0 {
		line("not enumerated: %s (--json lists them)", notEnumerated(f))
	}
	list := f.Saving()
	if len(list) == 0 {
		return b.String()
	}
	b.WriteByte('\n')
	line("What each rule alone saves of the modelled cost, %.4g ms (%s, fused kernels):", 1e3*f.Cost, f.Machine)
	line("MODELLED  PLACES  PER PLACE (us)  ID            REWRITE")
	for _, s := range list[:min(len(list), shownSavings)] {
		line("%6.2f %%  %6d  %14.2f  %s  %s: %s -> %s", 100*s.Part, s.Places, 1e6*s.Saves/float64(s.Places), s.ID, s.Words, s.Before, s.After)
	}
	if n := len(list) - shownSavings; n > 0 {
		line("and %d more of other kinds: --json lists all rules", n)
	}
	return b.String()
}

// save1 says how many rules save.
func save1(n int) string {
	if n == 1 {
		return "1 rule saves"
	}
	return fmt.Sprintf("%d rules save", n)
}

// notEnumerated names the operators that are not enumerated, each once, with their nodes.
func notEnumerated(f *genrules.ForModel) string {
	nodes := map[string]int{}
	var names []string
	for _, o := range f.NotEnumerated() {
		name, _, _ := strings.Cut(o.Operator, "[")
		if nodes[name] += o.Nodes; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%s)", name, plural(nodes[name], "node"))
	}
	return strings.Join(names, ", ")
}
