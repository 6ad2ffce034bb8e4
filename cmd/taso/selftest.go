package main

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/pipeline/selftest"
)

// selftestFlags are the flags of selftest.
type selftestFlags struct {
	model           modelFlags
	backend, only   string
	workers         int
	maxFLOPs        float64
	noSuite, asJSON bool
}

func newSelftest() *cobra.Command {
	k := &selftestFlags{}
	c := &cobra.Command{
		Use:   "selftest [MODEL...]",
		Short: "Check that a backend computes correct results on this machine",
		Long: `Selftest runs the conformance suite of the backends: every operator in many shapes, small
graphs, and the promises of the interface. Each result is compared with the interpreter,
which evaluates the definitions of the operators over float64.

Models that are named are run as well. Their outputs are compared with the interpreter's, or,
above --max-flops, with those of the CPU backend in float32.

The exit status is 1 if a case fails or a model deviates by more than the tolerance that the
report names. A case that the backend does not support is listed and is no failure.

` + modelHelp + "\n" + modesHelp,
		Example: `  taso selftest
  taso selftest --backend cuda
  taso selftest --backend cuda:tf32 bert resnet50 --json
  taso selftest --only 'operators/conv2d'
  taso selftest --no-suite --backend cuda bert-tiny`,
		Args: cobra.ArbitraryArgs,
		RunE: k.run,
	}
	k.model.add(c)
	f := c.Flags()
	addBackend(c, &k.backend, "cpu", "the backend to check: "+forms(runners()), runners())
	f.StringVar(&k.only, "only", "", "run only the cases of the suite whose names match this regular `EXPRESSION`")
	f.BoolVar(&k.noSuite, "no-suite", false, "leave out the suite and check only the models")
	f.IntVar(&k.workers, "workers", 0, "cases that run at a time (default one a processor)")
	f.Float64Var(&k.maxFLOPs, "max-flops", 1e9, "work of a model, in floating-point operations, up to which the interpreter is the reference")
	f.BoolVar(&k.asJSON, "json", false, "print as JSON")
	return c
}

func (k *selftestFlags) run(c *cobra.Command, args []string) error {
	opt := selftest.Options{NoSuite: k.noSuite, Workers: k.workers, Seed: k.model.seed}
	if k.noSuite && len(args) == 0 {
		return errors.New("--no-suite: nothing is left to check; name a model")
	}
	if k.workers < 0 {
		return fmt.Errorf("--workers %d: must not be below 0", k.workers)
	}
	if !(k.maxFLOPs >= 1 && k.maxFLOPs <= 1e15) {
		return fmt.Errorf("--max-flops %g: must be between 1 and 1e15", k.maxFLOPs)
	}
	opt.MaxFLOPs = int64(k.maxFLOPs)
	var err error
	if k.only != "" {
		if opt.Only, err = regexp.Compile(k.only); err != nil {
			return fmt.Errorf("--only: %w", err)
		}
	}
	for _, name := range args {
		m, _, err := k.model.read(name)
		if err != nil {
			return err
		}
		opt.Models = append(opt.Models, m)
	}
	if opt.Backend, err = openRunner(k.backend); err != nil {
		return err
	}
	defer opt.Backend.Close()
	opt.Progress = newProgress(c)
	rep, err := selftest.Run(c.Context(), opt)
	opt.Progress.Close()
	if rep == nil {
		return err
	}
	var printed error
	if k.asJSON {
		printed = writeJSON(c.OutOrStdout(), rep)
	} else {
		printed = rep.WriteText(c.OutOrStdout())
	}
	switch {
	case err != nil && c.Context().Err() != nil:
		return finding(fmt.Sprintf("interrupted after %s", plural(rep.Cases, "case")))
	case err != nil || printed != nil:
		return errors.Join(err, printed)
	case !rep.OK():
		return finding("the backend computes wrong results")
	}
	return nil
}
