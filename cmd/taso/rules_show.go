package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/rules"
)

// showFlags are the flags of rules show.
type showFlags struct {
	src  source
	id   string
	json bool
}

func newRulesShow() *cobra.Command {
	k := &showFlags{src: source{unproved: true}}
	c := &cobra.Command{
		Use:   "show FILE",
		Short: "Show a rule set, or one rule with its proof",
		Long: `The table has, for each rule, the directions in which it can be used (<->, -> or <-), the number
of axiom instances in its proof, its equation and its conditions. Rules that would read alike are
printed with the shapes of their tensors. --id prints one rule and its proof as a chain of
equations. FILE is a .rules, .json or .pb file, a rule set that ships with taso (@bert), or "-" for
standard input (with --from).`,
		Example: `  taso rules show my.rules
  taso rules show my.rules --id r_07d72c7d56
  taso rules show @bert
  taso rules show graph_subst.pb
  taso rules show --from json --json - < my.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			k.src.path = args[0]
			return k.run(c)
		},
	}
	f := c.Flags()
	f.StringVar(&k.id, "id", "", "show the rule with this `ID`, and its proof")
	f.BoolVar(&k.json, "json", false, "print as JSON")
	f.StringVar(&k.src.format, "from", "", "`format` of FILE: rules, json or pb (default by extension)")
	return c
}

func (k *showFlags) run(c *cobra.Command) error {
	in, err := k.src.load(c)
	if err != nil {
		return err
	}
	w, set := c.OutOrStdout(), in.set
	for _, s := range in.skipped {
		fmt.Fprintf(c.ErrOrStderr(), "%s: left out: %s\n", c.CommandPath(), s)
	}
	if k.id != "" {
		r, ok := set.Find(k.id)
		if !ok {
			var ids []string
			for _, r := range set.Rules {
				ids = append(ids, r.ID())
			}
			return fmt.Errorf("%s: there is no rule %s%s", k.src.path, k.id, suggest.DidYouMean(k.id, ids))
		}
		if !k.json {
			return printRule(w, set, r)
		}
		one := *set
		one.Rules = []*rules.Rule{r}
		set = &one
	}
	if k.json {
		return rules.WriteJSON(w, set)
	}
	return printSet(w, set)
}

var arrows = map[[2]bool]string{{true, true}: "<->", {true, false}: "->", {false, true}: "<-", {false, false}: "-"}

func printSet(w io.Writer, set *rules.Set) error {
	n := set.Count()
	fmt.Fprintf(w, "%s: %d proved (%d independent + %d derivable from those), %d unknown, %d refuted\n\n", plural(set.Len(), "rule"),
		n.Proved, n.Kept, n.Derivable, n.Unknown, n.Refuted)
	var rows [][]string
	titles := set.Titles()
	for _, r := range set.Rules {
		status, steps := r.Status.String(), "-"
		if r.Derivable {
			status += ", derivable"
		}
		if r.Proof != nil {
			if steps = count(len(r.Proof.Instances)); r.Proof.Meaning != nil {
				steps = "semantics"
			}
		}
		rows = append(rows, []string{r.ID(), status, arrows[[2]bool{r.Forward, r.Backward}], steps, titles[r.ID()]})
	}
	return writeTable(w, []column{{"id", false}, {"status", false}, {"use", false}, {"instances", true}, {"equation", false}}, rows)
}
