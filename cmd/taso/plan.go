package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/pipeline/parallelize"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

// planFlags are the flags of the commands on plans.
type planFlags struct {
	machine     string
	top         int
	json        bool
	html, trace string
}

func newPlan() *cobra.Command {
	return group("plan", "Show, explain, simulate, compare and export plans of taso parallelize", `  taso plan show plan.json
  taso plan explain plan.json
  taso plan simulate plan.json --html step.html
  taso plan diff plan.json other.json
  taso plan export plan.json --to jax --out step.py`, newPlanShow(), newPlanExplain(), newPlanSimulate(), newPlanDiff(), newPlanExport())
}

const planHelp = `
PLAN is a file from taso parallelize --out. Times and memory are modelled, from the graph of the
plan and the description of its cluster. "taso check PLAN" checks its certificate.
`

func (k *planFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&k.machine, "machine", "", "cluster, by `name` or file (default the one that the plan names)")
	c.Flags().BoolVar(&k.json, "json", false, "print the report as JSON")
	_ = c.RegisterFlagCompletionFunc("machine", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return machine.Names(), cobra.ShellCompDirectiveDefault
	})
}

// read reads a plan on its cluster, or the one that is asked for.
func (k *planFlags) read(c *cobra.Command, path string) (*plan.File, *plan.Plan, error) {
	f, err := readPlan(c, path)
	if err != nil {
		return nil, nil, err
	}
	if k.machine != "" {
		f.Machine.Name = k.machine
	}
	cluster, err := machine.Find(f.Machine.Name, machine.Options{})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: machine: %w", path, err)
	}
	if k.machine != "" && cluster.Degree() == 0 {
		f.Machine.Links = nil // asked for on a cluster that has its own
	}
	p, err := f.Plan(cluster)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, p, nil
}

func newPlanShow() *cobra.Command {
	k := &planFlags{}
	c := &cobra.Command{
		Use:   "show PLAN",
		Short: "Show the step time, memory and shardings of a plan",
		Long: `The report has the time of a step and what it is spent on, the memory of a device, and how the
result of each operator is sharded over the mesh.
` + planHelp,
		Example: `  taso plan show plan.json
  taso plan show plan.json --top 0 --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if k.top < 0 {
				return fmt.Errorf("--top must be at least 0")
			}
			f, p, err := k.read(c, args[0])
			if err != nil {
				return err
			}
			rep, err := parallelize.Describe(c.Context(), f, p)
			if err != nil {
				return err
			}
			if k.json {
				return writeJSON(c.OutOrStdout(), rep)
			}
			return printParallel(c.OutOrStdout(), rep, k.top)
		},
	}
	k.add(c)
	c.Flags().IntVar(&k.top, "top", 24, "number of operators to list; 0: all")
	return c
}

func newPlanSimulate() *cobra.Command {
	k := &planFlags{}
	var opt plan.SimulateOptions
	c := &cobra.Command{
		Use:   "simulate PLAN",
		Short: "Simulate a training step of a plan, device by device",
		Long: `Every operator and every message of each device is simulated over time, with communication
overlapping computation. The report shows what each device does, and the critical path. --trace
writes a Chrome trace for viewers such as Perfetto.
` + planHelp,
		Example: `  taso plan simulate plan.json
  taso plan simulate plan.json --trace step.json --html step.html
  taso plan simulate plan.json --machine dgx-h100:1`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkOutputs(args, output{"--html", k.html}, output{"--trace", k.trace}); err != nil {
				return err
			}
			f, p, err := k.read(c, args[0])
			if err != nil {
				return err
			}
			opt.Samples = f.Model.Batch
			s, err := p.Simulate(c.Context(), opt)
			if err != nil {
				return err
			}
			for _, x := range []struct {
				path  string
				write func(io.Writer) error
			}{
				{k.trace, s.Run.WriteTrace},
				{k.html, func(w io.Writer) error {
					return s.Run.WriteHTML(w, fmt.Sprintf("%s on %s", f.Model.Name, f.Machine.Name))
				}},
			} {
				if x.path == "" {
					continue
				}
				if err := atomicfile.WriteFile(x.path, x.write); err != nil {
					return err
				}
			}
			rep := parallelize.Steps(s)
			if k.json {
				return writeJSON(c.OutOrStdout(), rep)
			}
			return printOverTime(c.OutOrStdout(), rep)
		},
	}
	k.add(c)
	f := c.Flags()
	f.StringVar(&k.html, "html", "", "write a page with a timeline to `FILE`")
	f.StringVar(&k.trace, "trace", "", "write a Chrome trace to `FILE`")
	f.BoolVar(&opt.Serial, "serial", false, "do not overlap communication with computation")
	return c
}

func printOverTime(w io.Writer, r *parallelize.StepReport) error {
	fmt.Fprintf(w, "step time %s", r.Makespan)
	if r.PerSecond > 0 {
		fmt.Fprintf(w, " (%s samples/s)", perSecond(r.PerSecond))
	}
	fmt.Fprint(w, ", modelled\n\n")
	if err := printClasses(w, r.Classes); err != nil {
		return err
	}
	fmt.Fprintln(w)
	var rows [][]string
	for _, d := range r.Devices {
		name := count(d.First)
		if d.Last > d.First {
			name = fmt.Sprintf("%d-%d", d.First, d.Last)
		}
		rows = append(rows, []string{name, d.Compute.String(), d.Send.String(), d.Exposed.String(), d.Idle.String()})
	}
	if err := writeTable(w, []column{{"device", false}, {"compute", true}, {"communication", true}, {"not overlapped", true}, {"idle", true}}, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	rows = nil
	for _, s := range r.Critical {
		rows = append(rows, []string{s.Class, s.Time.String(), count(s.Tasks)})
	}
	return writeTable(w, []column{{"critical path", false}, {"time", true}, {"tasks", true}}, rows)
}

func newPlanDiff() *cobra.Command {
	k := &planFlags{}
	c := &cobra.Command{
		Use:   "diff PLAN OTHER",
		Short: "Compare two plans of a model: step time, memory, shardings",
		Long: `The report has the times of a step, and the operators whose results are sharded differently. The
exit status is 1 if the plans differ.
` + planHelp,
		Example: `  taso plan diff plan.json other.json
  taso plan diff plan.json other.json --top 0 --json`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			if k.top < 0 {
				return fmt.Errorf("--top must be at least 0")
			}
			var reps [2]*parallelize.Report
			for i, path := range args {
				f, p, err := k.read(c, path)
				if err != nil {
					return err
				}
				if reps[i], err = parallelize.Describe(c.Context(), f, p); err != nil {
					return err
				}
			}
			d := parallelize.Diff(reps[0], reps[1])
			var err error
			if k.json {
				err = writeJSON(c.OutOrStdout(), d)
			} else {
				err = printDiff(c.OutOrStdout(), d, k.top)
			}
			if err == nil && !d.Same() {
				return finding(fmt.Sprintf("%s and %s differ", args[0], args[1]))
			}
			return err
		},
	}
	k.add(c)
	c.Flags().IntVar(&k.top, "top", 24, "number of operators to list; 0: all")
	return c
}

// figureNames are the names of figures in tables, where they are not those of the JSON report.
var figureNames = map[string]string{"a step": "step time", "one by one, claimed": "without overlap, claimed"}

func printDiff(w io.Writer, d *parallelize.Difference, top int) error {
	var rows [][]string
	figures := 0
	for _, x := range d.Figures {
		what := cmp.Or(figureNames[x.What], x.What)
		rows = append(rows, []string{what, cmp.Or(x.First, "-"), cmp.Or(x.Second, "-")})
		if x.First != x.Second {
			figures++
		}
	}
	if d.Same() {
		fmt.Fprint(w, "the plans are the same")
	} else {
		fmt.Fprintf(w, "the plans differ in %s and in the placement of %d of %s", plural(figures, "figure"), len(d.Layouts), plural(d.Operators, "operator"))
	}
	if d.OnlyFirst+d.OnlySecond > 0 {
		fmt.Fprintf(w, "; %s only in the first, %d only in the second", plural(d.OnlyFirst, "operator"), d.OnlySecond)
	}
	fmt.Fprint(w, "\n\n")
	if err := writeTable(w, []column{{"figure", false}, {"first", true}, {"second", true}}, rows); err != nil {
		return err
	}
	rows = nil
	list := d.Layouts
	if top > 0 && len(list) > top {
		list = list[:top]
	}
	for _, l := range list {
		rows = append(rows, []string{l.Node, l.Op, cmp.Or(l.First, "-"), cmp.Or(l.Second, "-")})
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	if err := writeTable(w, []column{{"tensor", false}, {"operator", false}, {"first placement", false}, {"second placement", false}}, rows); err != nil {
		return err
	}
	writeLines(w, placements)
	if n := len(d.Layouts) - len(list); n > 0 {
		fmt.Fprintf(w, "and %d more (--top 0 lists all)\n", n)
	}
	return nil
}
