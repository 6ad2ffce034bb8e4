package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/model"
)

// verifyFlags are the flags of verify.
type verifyFlags struct {
	model   modelFlags
	opt     verifymodels.Options
	backend string
	runtime bool
	json    bool
}

func newVerify() *cobra.Command {
	k := &verifyFlags{}
	c := &cobra.Command{
		Use:   "verify MODEL_A MODEL_B",
		Short: "Compare two models: exactly modulo a prime, and in numbers",
		Long: `Verify asks whether two models compute the same. They are evaluated modulo
2^61 - 1 on random inputs, where the operators allow it, and in floating point,
with the largest deviation of each output.

The exit status is 1 if an output deviates by more than --tolerance, relative to
its largest element.
` + modelHelp,
		Example: `  taso verify model.onnx optimized.onnx
  taso verify model.onnx optimized.onnx --onnxruntime
  taso verify resnet50-tiny exported.onnx --tolerance 1e-5 --json`,
		Args: cobra.ExactArgs(2),
		RunE: k.run,
	}
	k.model.add(c)
	f := c.Flags()
	f.StringVar(&k.backend, "backend", "", "compute numbers on a backend, cpu, in float32 (default: reference evaluator in float64)")
	f.IntVar(&k.opt.Runs, "runs", 1, "sets of random inputs")
	f.Float64Var(&k.opt.Tolerance, "tolerance", 1e-4, "relative deviation that still agrees")
	f.BoolVar(&k.opt.NoExact, "no-exact", false, "leave out the exact comparison")
	f.BoolVar(&k.runtime, "onnxruntime", false, "also run both files as they are in ONNX Runtime, if it is installed (python3 -m pip install onnxruntime)")
	f.BoolVar(&k.json, "json", false, "print as JSON")
	return c
}

func (k *verifyFlags) run(c *cobra.Command, args []string) (err error) {
	if k.opt.A, _, err = k.model.read(args[0]); err != nil {
		return err
	}
	if k.opt.B, _, err = k.model.read(args[1]); err != nil {
		return err
	}
	if k.backend != "" {
		b, err := openRunner(k.backend)
		if err != nil {
			return err
		}
		defer b.Close()
		k.opt.Backend = b
	}
	k.opt.Seed = k.model.seed
	if c.ErrOrStderr() == io.Writer(os.Stderr) {
		k.opt.Progress = progress.New(os.Stderr, progress.Options{})
	}
	rep, err := verifymodels.Run(c.Context(), k.opt)
	k.opt.Progress.Close()
	if err != nil {
		return err
	}
	var peer *runtimeReport
	if k.runtime {
		if peer, err = inRuntime(c.Context(), [2]string(args), [2]*model.Model{k.opt.A, k.opt.B}, k.opt.Seed, k.opt.Tolerance); err != nil {
			return err
		}
	}
	if k.json {
		err = writeJSON(c.OutOrStdout(), struct {
			*verifymodels.Report
			Runtime *runtimeReport `json:"runtime,omitempty"`
		}{rep, peer})
	} else if _, err = fmt.Fprintln(c.OutOrStdout(), rep); peer != nil {
		peer.print(c.OutOrStdout())
	}
	if err == nil && (!rep.Agree || peer != nil && !peer.Agree) {
		err = finding("the models do not agree")
	}
	return err
}
