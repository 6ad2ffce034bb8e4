package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify/explain"
)

// printRule prints a rule and its proof, a chain of equations.
func printRule(w io.Writer, set *rules.Set, r *rules.Rule) error {
	fmt.Fprint(w, law.Format(r.Law))
	fmt.Fprintf(w, "\n%s, use %s, found at %s", r.Status, arrows[[2]bool{r.Forward, r.Backward}], plural(r.Level, "operator"))
	if r.Conditional {
		fmt.Fprint(w, ", conditional: not true of all values of its attributes")
	}
	if r.Derivable {
		fmt.Fprintf(w, "\nderivable from %s", strings.Join(r.DerivableFrom, ", "))
	}
	fmt.Fprintln(w)
	if r.Proof == nil {
		if r.Reason != "" {
			fmt.Fprintf(w, "%s\n", indent(r.Reason))
		}
		return nil
	}
	lib, err := set.Library()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nproof from %s\n", proofFrom(r.Proof))
	return explain.Text(w, r.Law, r.Proof, lib)
}

// proofFrom says what a proof rests on.
func proofFrom(p *law.Proof) string {
	if p.Meaning != nil {
		return "what its operators compute"
	}
	return plural(len(p.Instances), "instance")
}
