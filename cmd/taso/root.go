package main

import (
	"github.com/spf13/cobra"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "taso",
		Short: "Generate, prove and check substitutions of tensor graphs",
		Long: `Taso enumerates small graphs of tensor operators, finds those that compute the
same, proves them equal from a page of readable axioms, and writes a rule set
with a certificate for each rule. It audits the rule sets of others.

Exit status: 0 all is well; 1 something was found (a certificate rejected, a rule
not proved, a run stopped early, rules that a format cannot hold); 2 usage or unreadable input.`,
		Example: `  taso gen-rules --max-ops 3 --out my.rules
  taso check my.cert
  taso audit graph_subst.pb
  taso rules show my.rules
  taso axioms list`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.AddCommand(newGenRules(), newAxioms(), newRules(), newAudit(), newCheck(),
		newModels(), newImport(), newShow(), newRun(), newMeasure(), newVerify(), newVersion())
	return root
}

// group is a command that only holds others.
func group(use, short, example string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:     use,
		Short:   short,
		Example: example,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(subs...)
	return c
}
