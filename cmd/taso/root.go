package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "taso",
		Short: "Generate, prove and check substitutions of tensor graphs",
		Long: `Taso enumerates small graphs of tensor operators, finds those that compute the
same, proves them equal from readable axioms, and writes a rule set
with a certificate for each rule. It audits the rule sets of others. It reads,
shows, runs, measures and compares models in the ONNX format, rewrites them by
proved laws until they cost less, and makes their training steps.

Exit status: 0 all is well; 1 something was found (a certificate rejected, a rule
not proved, models that differ, a run stopped early, rules that a format cannot
hold); 2 usage or unreadable input.`,
		Example: `  taso gen-rules --max-ops 3 --out my.rules
  taso check my.cert
  taso audit graph_subst.pb
  taso rules show my.rules
  taso axioms list
  taso import model.onnx
  taso run resnet50 --repeat 20
  taso doctor
  taso selftest --backend cuda
  taso pcg mlp-2x4.graph --against mlp.graph
  taso machine show summit:32
  taso parallelize mlp --machine dgx-a100:1 --batch 1024 --out plan.json
  taso verify model.onnx optimized.onnx
  taso optimize model.onnx --out faster.onnx`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          subcommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.AddCommand(newGenRules(), newAxioms(), newRules(), newAudit(), newCheck(),
		newModels(), newImport(), newShow(), newRun(), newPCG(), newMachine(), newParallelize(), newPlan(), newMeasure(), newVerify(), newOptimize(), newGrad(), newBench(), newDoctor(), newSelftest(), newVersion())
	explainArgs(root)
	return root
}

// explainArgs makes every command that has the wrong number of arguments say
// which it wants, and completes the flags that commands share.
func explainArgs(c *cobra.Command) {
	for _, sub := range c.Commands() {
		explainArgs(sub)
	}
	completeFlags(c)
	if check := c.Args; check != nil && !c.HasSubCommands() {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return fmt.Errorf("%w: want %s", err, c.UseLine())
			}
			return nil
		}
	}
}

// subcommand refuses arguments of a command that only holds others.
func subcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = ": did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], c.CommandPath(), hint)
}

// group is a command that only holds others.
func group(use, short, example string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:     use,
		Short:   short,
		Example: example,
		Args:    subcommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(subs...)
	return c
}
