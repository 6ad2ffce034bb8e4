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
		return unknownValue("--to", format, exportFormats())
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
		Short: "Export a plan to JAX, PyTorch DTensor, Megatron-LM or DeepSpeed",
		Long: `--to selects the format:

  jax      a Python program with a mesh and one shard_map over the step; it needs JAX only, and
           "python FILE --check" compares it with the sequential step
  dtensor  placements of weights and results for PyTorch, and what they cannot express
  flags    flags of Megatron-LM and DeepSpeed, for a plan that is exactly what they mean

--compare runs the JAX program on virtual devices (scripts/jax installs JAX; TASO_JAX_PYTHON names
the Python). It compares the loss, new weights and state with the sequential step, and the
collectives in the compiled program with those of the plan. The exit status is 1 if they differ.
` + planHelp,
		Example: `  taso plan export plan.json --to jax --out step.py
  taso plan export plan.json --to dtensor --out placements.py
  taso plan export plan.json --compare`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if (out == "") != compare {
				return errors.New("want either --out FILE or --compare")
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
				return finding(args[0] + ": JAX computes or communicates something else")
			}
			return err
		},
	}
	k.add(c)
	f := c.Flags()
	f.StringVar(&to, "to", "jax", "`format`: "+strings.Join(exportFormats(), ", "))
	f.StringVar(&out, "out", "", "write the plan to `FILE`")
	f.BoolVar(&compare, "compare", false, "run the plan with JAX and compare")
	_ = c.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(exportFormats(), cobra.ShellCompDirectiveNoFileComp))
	return c
}
