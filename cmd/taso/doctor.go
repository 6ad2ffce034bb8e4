package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/pipeline/doctor"
	"github.com/taso-go/taso/internal/z3"
)

func newDoctor() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what of this machine can be used: CUDA, with every file that was tried, and the rest",
		Long: `Doctor says what taso can use here: the processor's kernels, Z3, ONNX Runtime, and
CUDA: every path where its libraries were looked for and what came of it, the versions
that were found, what is missing for what and what is done instead, and the devices with
their properties. Each device runs a small model, whose numbers are compared with the
processor's.

TASO_LIBCUDA names the driver's library, or its folder, and TASO_CUDA_LIBDIR the folders of
the others, separated by ':'. What is set is all that is looked at.

The exit status is 0 if CUDA works, or if nothing of a GPU is here, and 1 if something is
here and does not do: a driver that is too old or does not load, no device, no NVRTC, a
library of another major, a device on which the model fails. Where TASO_LIBCUDA is set, no
driver is such a finding, too.`,
		Example: `  taso doctor
  taso doctor --json
  TASO_CUDA_LIBDIR=$HOME/env/lib/python3.12/site-packages/nvidia/cu13/lib taso doctor`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			rep, err := doctor.Run(c.Context(), doctor.Options{Version: version(), Z3: z3.Version()})
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(c.OutOrStdout(), rep)
			} else {
				err = rep.WriteText(c.OutOrStdout())
			}
			if err == nil && len(rep.Findings) > 0 {
				err = finding("CUDA: " + strings.Join(rep.Findings, "\nCUDA: "))
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}
