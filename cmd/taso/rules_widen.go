package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/pipeline/widen"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/rules"
)

// widenFlags are the flags of rules widen.
type widenFlags struct {
	workers int
	json    bool
}

func newRulesWiden() *cobra.Command {
	k := &widenFlags{}
	c := &cobra.Command{
		Use:   "widen IN OUT",
		Short: "State rules for more ranks, permutations and attributes, with proofs",
		Long: `Each rule is stated more generally where the result is proved from operator semantics: a dilation,
stride, padding, activation or border becomes a variable, a slice begins and ends anywhere, sizes
are variables or grow together, axes stand between others, and a transpose has any permutation.
Rules that are then instances of another one are left out. OUT gets certificates of its own.`,
		Example: `  taso rules widen my.rules wide.rules
  taso rules widen --json my.rules wide.rules`,
		Args: cobra.ExactArgs(2),
		RunE: k.run,
	}
	f := c.Flags()
	f.IntVar(&k.workers, "workers", 0, "parallel workers (default one per processor)")
	f.BoolVar(&k.json, "json", false, "print the report as JSON")
	return c
}

func (k *widenFlags) run(c *cobra.Command, args []string) error {
	if k.workers < 0 {
		return fmt.Errorf("--workers %d: must be at least 1", k.workers)
	}
	if f := formatOf(args[1]); f != formatText && f != formatJSON {
		return errors.New(args[1] + ": unknown format; want a name that ends in .rules or .json")
	}
	in, err := (&source{path: args[0]}).load(c)
	if err != nil {
		return err
	}
	opt := widen.Options{Workers: k.workers}
	if c.ErrOrStderr() == io.Writer(os.Stderr) {
		bar := progress.New(os.Stderr, progress.Options{})
		defer bar.Close()
		stage := bar.Stage("widen", int64(in.set.Len()))
		defer stage.Done()
		opt.Step = func() { stage.Add(1) }
	}
	set, rep, err := widen.Rules(c.Context(), in.set, opt)
	if err != nil {
		return err
	}
	if err := rules.Save(args[1], set); err != nil {
		return err
	}
	if k.json {
		return writeJSON(c.OutOrStdout(), rep)
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s stated more generally, %s left out as instances of others\nwrote %s: %s\n",
		plural(rep.Rules, "rule"), count(rep.Widened), count(rep.Instance), args[1], plural(rep.Written, "rule"))
	return err
}
