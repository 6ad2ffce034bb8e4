package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/jax"
	"github.com/taso-go/taso/parallel/export"
	"github.com/taso-go/taso/parallel/plan"
)

// exportFormats lists the formats of plans.
func exportFormats() (names []string) {
	for _, f := range export.Formats() {
		names = append(names, string(f))
	}
	return names
}

// exportTo writes a plan as another format to a file.
func exportTo(path, format string, p *plan.Plan) error {
	if !slices.Contains(exportFormats(), format) {
		return fmt.Errorf("format %q of a plan: want %s", format, strings.Join(exportFormats(), ", "))
	}
	return atomicfile.WriteFile(path, func(w io.Writer) error {
		return export.Write(w, p, export.Options{Format: export.Format(format)})
	})
}

func newPlanExport() *cobra.Command {
	k := &planFlags{}
	var to, out string
	var compare bool
	c := &cobra.Command{
		Use:   "export PLAN",
		Short: "Write a plan for JAX, for PyTorch's DTensor, as flags of Megatron-LM and DeepSpeed",
		Long: `Export writes a plan in a form that others run: jax, a Python program that needs nothing
but JAX, with a mesh and one shard_map over the step (python FILE --check compares it with
the sequential step); dtensor, placements of weights and results, with what they cannot
say; flags, those of Megatron-LM and DeepSpeed, of a plan that is exactly what they mean.

--compare runs the program with JAX on virtual devices (scripts/jax installs it;
$TASO_JAX_PYTHON is the Python) and compares: loss, new weights and state with those of the
sequential step, and what XLA's compiled program sends with what the plan is charged for,
by kind, bytes and count. What XLA combines, removes or says otherwise is named. The exit
status is 1 if anything else differs.
` + planHelp,
		Example: `  taso plan export plan.json --to jax --out step.py
  taso plan export plan.json --to dtensor --out placements.py
  taso plan export plan.json --compare`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if (out == "") != compare {
				return errors.New("want one of --out and --compare")
			}
			if err := checkOutputs(args, output{"--out", out}); err != nil {
				return err
			}
			_, p, err := k.read(c, args[0])
			if err != nil {
				return err
			}
			if !compare {
				if err := exportTo(out, to, p); err != nil {
					return fmt.Errorf("%s: %w", args[0], err)
				}
				fmt.Fprintf(c.ErrOrStderr(), "wrote %s\n", out)
				return nil
			}
			rt, err := jax.Find(c.Context())
			if err != nil {
				return err
			}
			x, err := export.Compare(c.Context(), rt, p)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if k.json {
				err = writeJSON(c.OutOrStdout(), x)
			} else {
				_, err = io.WriteString(c.OutOrStdout(), x.Text())
			}
			if err == nil && !x.Equal() {
				return finding(args[0] + ": JAX does something else")
			}
			return err
		},
	}
	k.add(c)
	f := c.Flags()
	f.StringVar(&to, "to", "jax", "the form: "+strings.Join(exportFormats(), ", "))
	f.StringVar(&out, "out", "", "write to `FILE`")
	f.BoolVar(&compare, "compare", false, "run it with JAX and compare")
	_ = c.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(exportFormats(), cobra.ShellCompDirectiveNoFileComp))
	return c
}
