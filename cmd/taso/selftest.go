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
		Long: `The conformance suite runs every operator in many shapes, and small graphs, and compares each
result with a float64 interpreter. Each MODEL is run and compared as well; above --max-flops it is
compared with the CPU backend in float32. Cases that the backend does not support are listed and
do not count as failures. The exit status is 1 if a case fails or a model deviates too much.
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
	addBackend(c, &k.backend, "cpu", "`backend` to check: "+forms(runners()), runners())
	f.StringVar(&k.only, "only", "", "run only the cases whose names match the regular `EXPRESSION`")
	f.BoolVar(&k.noSuite, "no-suite", false, "check only the models")
	f.IntVar(&k.workers, "workers", 0, "parallel cases (default one per processor)")
	f.Float64Var(&k.maxFLOPs, "max-flops", 1e9, "largest FLOPs of a model for the float64 interpreter")
	f.BoolVar(&k.asJSON, "json", false, "print the report as JSON")
	return c
}

func (k *selftestFlags) run(c *cobra.Command, args []string) error {
	opt := selftest.Options{NoSuite: k.noSuite, Workers: k.workers, Seed: k.model.seed}
	if k.noSuite && len(args) == 0 {
		return errors.New("--no-suite needs a MODEL to check")
	}
	if k.workers < 0 {
		return fmt.Errorf("--workers %d: must be at least 0", k.workers)
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
