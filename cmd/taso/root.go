package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/suggest"
)

// section is a heading of taso --help with its commands.
type section struct {
	id, title string
	commands  []*cobra.Command
}

func sections() []section {
	return []section{
		{"models", "Optimize, compare and run models:", []*cobra.Command{
			newOptimize(), newVerify(), newRun(), newShow(), newImport(), newModels()}},
		{"rules", "Discover, prove and audit rewrite rules:", []*cobra.Command{
			newGenRules(), newAudit(), newRules(), newAxioms(), newCheck()}},
		{"parallel", "Plan training on several devices:", []*cobra.Command{
			newParallelize(), newPlan(), newMachine(), newPCG(), newGrad()}},
		{"system", "Measure and test this installation:", []*cobra.Command{
			newMeasure(), newBench(), newDoctor(), newSelftest(), newVersion()}},
	}
}

// Commands are listed in the order of the sections, the most used first.
func init() { cobra.EnableCommandSorting = false }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "taso",
		Short: "Make ONNX models faster with rewrite rules that are proved",
		Long: `Taso discovers tensor-graph rewrite rules, proves them, audits the rule sets of others, and
optimizes ONNX models with a proof that the result is equivalent. It also plans parallel training.`,
		Example: `  taso optimize model.onnx --out faster.onnx    # a faster model, proved equal
  taso verify model.onnx faster.onnx            # compare two models
  taso gen-rules --max-ops 2 --out my.rules     # discover and prove rewrite rules
  taso audit my.rules                           # check every rule of a rule set`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          subcommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, s := range sections() {
		root.AddGroup(&cobra.Group{ID: s.id, Title: s.title})
		for _, c := range s.commands {
			c.GroupID = s.id
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID("system")
	root.SetCompletionCommandGroupID("system")
	root.SetHelpFunc(help)
	root.SetUsageFunc(usage)
	root.SetFlagErrorFunc(flagError)
	prepare(root)
	return root
}

// prepare makes the errors about arguments of a command and its subcommands name the usage,
// and completes the flags that commands share.
func prepare(c *cobra.Command) {
	for _, sub := range c.Commands() {
		prepare(sub)
	}
	completeFlags(c)
	if check := c.Args; check != nil && !c.HasSubCommands() {
		c.Args = func(c *cobra.Command, args []string) error {
			if check(c, args) == nil {
				return nil
			}
			given := plural(len(args), "argument")
			if len(args) == 0 {
				given = "no argument"
			}
			return fmt.Errorf("%s given; usage: %s", given, c.UseLine())
		}
	}
}

// subcommand refuses arguments of a command that only holds others.
func subcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		names = append(names, sub.Name())
		for _, other := range sub.SuggestFor {
			if other == args[0] {
				return fmt.Errorf("unknown command %q for %q; did you mean %s?", args[0], c.CommandPath(), sub.Name())
			}
		}
	}
	hint := suggest.DidYouMean(args[0], names)
	if hint == "" {
		hint = fmt.Sprintf("; %s --help lists the commands", c.CommandPath())
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
