package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/internal/pipeline/runmodel"
)

// runFlags are the flags of run.
type runFlags struct {
	model   modelFlags
	backend string
	repeat  int
	top     int
	noFuse  bool
	json    bool
}

func newRun() *cobra.Command {
	k := &runFlags{}
	c := &cobra.Command{
		Use:   "run MODEL",
		Short: "Execute a model and time it, whole and operator by operator",
		Long: `Run compiles a model for a backend, runs it on random inputs, and says how long
it takes: the median of the runs and its spread, the time of each operator, and
the memory.
` + modelHelp + "\n" + modesHelp,
		Example: `  taso run resnet50 --repeat 20
  taso run model.onnx --shape input=1,3,224,224 --top 10
  taso run bert --backend cuda:tf32
  taso run bert --json`,
		Args: cobra.ExactArgs(1),
		RunE: k.run,
	}
	k.model.add(c)
	f := c.Flags()
	addBackend(c, &k.backend, "cpu", "what runs it: "+forms(runners()), runners())
	f.IntVar(&k.repeat, "repeat", 20, "timed runs")
	f.IntVar(&k.top, "top", 10, "slowest nodes to list")
	f.BoolVar(&k.noFuse, "no-fuse", false, "give each operator a kernel of its own")
	f.BoolVar(&k.json, "json", false, "print as JSON")
	return c
}

func (k *runFlags) run(c *cobra.Command, args []string) error {
	if k.repeat < 1 {
		return fmt.Errorf("--repeat %d: must be at least 1", k.repeat)
	}
	m, _, err := k.model.read(args[0])
	if err != nil {
		return err
	}
	b, err := openRunner(k.backend)
	if err != nil {
		return err
	}
	defer b.Close()
	opt := runmodel.Options{Backend: b, Model: m, Seed: k.model.seed, Repeat: k.repeat,
		Compile: backends.CompileOptions{NoFuse: k.noFuse}}
	opt.Progress = newProgress(c)
	rep, err := runmodel.Run(c.Context(), opt)
	opt.Progress.Close()
	if rep == nil {
		return err
	}
	var printed error
	if k.json {
		printed = writeJSON(c.OutOrStdout(), rep)
	} else {
		printed = rep.WriteText(c.OutOrStdout(), k.top)
	}
	if err != nil && printed == nil {
		return finding(fmt.Sprintf("interrupted after %d of %s", rep.Time.Runs, plural(k.repeat, "run")))
	}
	return errors.Join(err, printed)
}
