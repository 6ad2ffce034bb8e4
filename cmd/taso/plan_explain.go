package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/parallel/plan"
)

func newPlanExplain() *cobra.Command {
	k := &planFlags{}
	c := &cobra.Command{
		Use:   "explain PLAN [OPERATOR...]",
		Short: "Explain why operators are sharded as they are: what alternatives cost",
		Long: `For each operator: its sharding, the second best one, and how much longer a step would take with
that, all else unchanged and nothing overlapped. Named operators list all alternatives. A cheaper
alternative is one that the planner does not consider or did not find. For plans with pipeline
stages or micro-batches, the alternatives are other stage boundaries, schedules and recomputation.
` + planHelp,
		Example: `  taso plan explain plan.json
  taso plan explain plan.json left0_fc_matmul
  taso plan explain plan.json --top 0 --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if k.top < 0 {
				return fmt.Errorf("--top must be at least 0")
			}
			_, p, err := k.read(c, args[0])
			if err != nil {
				return err
			}
			if p.Pipeline != nil && len(args) == 1 {
				return k.alternatives(c, p)
			}
			all, err := p.Explain(c.Context(), args[1:]...)
			if err != nil {
				return err
			}
			if k.json {
				return writeJSON(c.OutOrStdout(), all)
			}
			if len(args) > 1 {
				err = printWays(c.OutOrStdout(), all)
			} else {
				err = printSeconds(c.OutOrStdout(), all, k.top)
			}
			if list := p.PaddedAxes(); err == nil && len(list) > 0 {
				fmt.Fprintln(c.OutOrStdout())
				printPadded(c.OutOrStdout(), list)
			}
			return err
		},
	}
	k.add(c)
	c.Flags().IntVar(&k.top, "top", 24, "number of operators to list; 0: all")
	return c
}

// alternatives says what other choices for a plan's pipeline would cost.
func (k *planFlags) alternatives(c *cobra.Command, p *plan.Plan) error {
	all, err := p.Alternatives(c.Context())
	if err != nil {
		return err
	}
	if k.json {
		return writeJSON(c.OutOrStdout(), all)
	}
	x, faster := p.Pipeline, 0
	for _, a := range all {
		if a.Fits && a.More < 0 {
			faster++
		}
	}
	fmt.Fprintf(c.OutOrStdout(), "%d of %s would be faster and fit\n", faster, plural(len(all), "alternative"))
	writeLines(c.OutOrStdout(), "the plan: step time %s, modelled; %s, micro-batches: %s, schedule %s", x.Makespan, plural(len(x.Stages), "stage"), count(p.Mesh.MicroBatches()), x.Schedule)
	fmt.Fprintln(c.OutOrStdout())
	var rows [][]string
	for i, a := range all {
		if k.top > 0 && i == k.top {
			break
		}
		fits := "yes"
		if !a.Fits {
			fits = "no"
		}
		rows = append(rows, []string{a.What, a.More.String(), inMB(a.Peak), fits})
	}
	if err := writeTable(c.OutOrStdout(), []column{{"alternative", false}, {"extra step time", true}, {"memory (MB)", true}, {"fits", false}}, rows); err != nil {
		return err
	}
	if n := len(all) - len(rows); n > 0 {
		fmt.Fprintf(c.OutOrStdout(), "and %s more (--top 0 lists all)\n", plural(n, "alternative"))
	}
	return nil
}

// wayText is a way as text.
func wayText(w *plan.Way) string {
	in := make([]string, len(w.In))
	for i, x := range w.In {
		in[i] = "(" + x + ")"
	}
	out := make([]string, len(w.Out))
	for i, x := range w.Out {
		out[i] = "(" + x + ")"
	}
	return strings.Join(in, " ") + " -> " + strings.Join(out, " ")
}

func printSeconds(w io.Writer, all []*plan.Explanation, top int) error {
	cheaper := 0
	for _, e := range all {
		if s := e.Second(); s != nil && s.More < 0 {
			cheaper++
		}
	}
	if cheaper == 0 {
		fmt.Fprintf(w, "%s: no other computation of one would make the step faster, modelled\n\n", plural(len(all), "operator"))
	} else {
		fmt.Fprintf(w, "%d of %s: another computation would make the step faster, modelled\n\n", cheaper, plural(len(all), "operator"))
	}
	list := all
	if top > 0 && len(list) > top {
		list = list[:top]
	}
	var rows [][]string
	for _, e := range list {
		row := []string{e.Node, e.Op}
		for i := range e.Ways {
			if e.Ways[i].Chosen {
				row = append(row, wayText(&e.Ways[i]), e.Ways[i].Compute.String())
			}
		}
		if s := e.Second(); s != nil {
			row = append(row, wayText(s), s.More.String())
		} else {
			row = append(row, "-", "-")
		}
		rows = append(rows, row)
	}
	if err := writeTable(w, []column{{"tensor", false}, {"operator", false}, {"computation", false}, {"time", true}, {"second best", false}, {"extra time", true}}, rows); err != nil {
		return err
	}
	if n := len(all) - len(list); n > 0 {
		fmt.Fprintf(w, "and %s more (--top 0 lists all)\n", plural(n, "operator"))
	}
	return nil
}

func printWays(w io.Writer, all []*plan.Explanation) error {
	for i, e := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s, %s\n", e.Node, e.Op)
		var rows [][]string
		for k := range e.Ways {
			x := &e.Ways[k]
			is := ""
			if x.Chosen {
				is = "chosen"
			}
			rows = append(rows, []string{wayText(x), x.Compute.String(), x.More.String(), is})
		}
		if err := writeTable(w, []column{{"computation", false}, {"time", true}, {"extra step time", true}, {"choice", false}}, rows); err != nil {
			return err
		}
	}
	return nil
}
