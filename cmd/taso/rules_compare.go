package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/pipeline/compare"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/rules"
)

// compareFlags are the flags of rules compare.
type compareFlags struct {
	src     [2]source
	workers int
	json    bool
}

func newRulesCompare() *cobra.Command {
	k := &compareFlags{src: [2]source{{unproved: true}, {unproved: true}}}
	c := &cobra.Command{
		Use:   "compare FIRST SECOND",
		Short: "Find the rules of one set that do not follow from another",
		Long: `Each rule of one set is looked up in the other: it is there, it is derived from the rules there
(by equality saturation), or it is missing. "Missing" means not derived within the limits of the
search. Axioms that follow from a set may be used to derive others.

The exit status is 0 if nothing is missing on either side, else 1.`,
		Example: `  taso rules compare before.rules after.rules
  taso rules compare --json before.rules after.rules`,
		Args: cobra.ExactArgs(2),
		RunE: k.run,
	}
	f := c.Flags()
	f.IntVar(&k.workers, "workers", 0, "parallel workers (default one per processor)")
	f.BoolVar(&k.json, "json", false, "print the report as JSON")
	return c
}

func (k *compareFlags) run(c *cobra.Command, args []string) error {
	var sets [2]*rules.Set
	n := 0
	for i := range sets {
		k.src[i].path = args[i]
		in, err := k.src[i].load(c)
		if err != nil {
			return err
		}
		for _, s := range in.skipped {
			fmt.Fprintf(c.ErrOrStderr(), "%s: %s: left out: %s\n", c.CommandPath(), args[i], s)
		}
		sets[i] = in.set
		n += in.set.Len()
	}
	step := func() {}
	if c.ErrOrStderr() == io.Writer(os.Stderr) {
		bar := progress.New(os.Stderr, progress.Options{})
		defer bar.Close()
		stage := bar.Stage("compare", int64(n))
		defer stage.Done()
		step = func() { stage.Add(1) }
	}
	r, err := compare.Sets(c.Context(), sets[0], sets[1], k.workers, step)
	if err != nil {
		return err
	}
	w := c.OutOrStdout()
	if k.json {
		if err := writeJSON(w, r); err != nil {
			return err
		}
	} else {
		if a, b := len(r.First.Missing), len(r.Second.Missing); a+b == 0 {
			fmt.Fprint(w, "each set derives all rules of the other\n\n")
		} else {
			writeLines(w, "%s does not derive %s of %s; %s does not derive %s of %s", args[1], plural(a, "rule"), args[0], args[0], plural(b, "rule"), args[1])
			fmt.Fprintln(w)
		}
		var rows [][]string
		for i, s := range []compare.Side{r.First, r.Second} {
			rows = append(rows, []string{args[i], args[1-i], count(s.Rules), count(s.Same), count(s.Derived), count(len(s.Missing))})
		}
		err := writeTable(w, []column{{"set", false}, {"other set", false}, {"rules", true}, {"in the other", true}, {"derived", true}, {"missing", true}}, rows)
		if err != nil {
			return err
		}
		for i, s := range []compare.Side{r.First, r.Second} {
			titles := sets[i].Titles()
			for _, id := range s.Missing {
				fmt.Fprintf(w, "\n%s: not in %s: %s\n  %s\n", args[i], args[1-i], id, titles[id])
			}
		}
	}
	if n := len(r.First.Missing) + len(r.Second.Missing); n > 0 {
		return finding(plural(n, "rule") + " of one set not derived from the other")
	}
	return nil
}
