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
		Short: "Report what works on this machine: CPU kernels, Z3, ONNX Runtime, CUDA",
		Long: `For CUDA the report lists each library path that was tried, the versions found, what is missing
and what is used instead, and the devices. Each device runs a small model, which is compared with
the CPU. TASO_LIBCUDA names the driver library, and TASO_CUDA_LIBDIR the folders of the other CUDA
libraries, separated by ':'; where they are set, nowhere else is searched.

The exit status is 0 if CUDA works or this machine has no GPU, and 1 if CUDA is present but
broken, or TASO_LIBCUDA is set and there is no driver. docs/cuda.md has more.`,
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
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return c
}
