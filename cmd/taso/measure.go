package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/measure"
	"github.com/taso-go/taso/model"
)

// measureFlags are the flags of measure.
type measureFlags struct {
	model                   modelFlags
	backend, store, machine string
	fit                     string
	repeat, top             int
	again, whole, json      bool
	opt                     backends.MeasureOptions
}

func newMeasure() *cobra.Command {
	k := &measureFlags{}
	c := &cobra.Command{
		Use:        "measure MODEL...",
		SuggestFor: []string{"profile"},
		Short:      "Time each operator of models on this machine and keep the times",
		Long: `The times feed the cost models of taso optimize and taso show. Each distinct operator, with its
attributes and shapes, is timed once and stored in a table on disk. An interrupted run continues
where it stopped. --whole also times the models and compares the sum of their operators. --fit
fits a machine description to the times (docs/costs.md).

Backends cpu and cuda measure. analytic:MACHINE prints the times of a cost model, recorded:FILE
those of a table (recorded:FILE@TEXT: those of the setting whose text contains TEXT).
` + modelHelp + "\n" + modesHelp,
		Example: `  taso measure resnet50
  taso measure resnet50 bert squeezenet --whole --machine laptop
  taso measure resnet50 bert --backend cuda --store gpu.costs
  taso measure resnet50 --backend analytic:v100
  taso measure resnet50 bert vgg19 --machine laptop --fit mine.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: k.run,
	}
	k.model.add(c)
	f := c.Flags()
	addBackend(c, &k.backend, "cpu", "`backend` that gives the times: "+forms(families()), families())
	f.StringVar(&k.store, "store", "", "`FILE` with the table of times (default in the user's cache folder; none for analytic, recorded)")
	f.BoolVar(&k.again, "again", false, "time again what is in the table")
	f.BoolVar(&k.whole, "whole", false, "also time whole models and compare")
	f.IntVar(&k.repeat, "repeat", 20, "least number of runs of whole models; fast ones run for 1 s")
	f.StringVar(&k.machine, "machine", "", "machine, by `name` or file, to compare with and to start --fit from")
	f.StringVar(&k.fit, "fit", "", "write the machine fitted to the times to `FILE.json` (needs --machine)")
	f.DurationVar(&k.opt.Budget, "budget", 100*time.Millisecond, "time per operator, up to ten times as much for one that is used often")
	f.IntVar(&k.top, "top", 20, "number of operators to list")
	f.BoolVar(&k.json, "json", false, "print the report as JSON")
	return c
}

func (k *measureFlags) run(c *cobra.Command, args []string) error {
	if k.fit != "" && k.machine == "" {
		return errors.New("--fit needs --machine, the description to start from")
	}
	if k.repeat < 1 {
		return fmt.Errorf("--repeat %d: must be at least 1", k.repeat)
	}
	if k.opt.Budget <= 0 {
		return fmt.Errorf("--budget %v: must be more than 0", k.opt.Budget)
	}
	inputs := append([]string{k.machine, strings.TrimPrefix(k.backend, "analytic:")}, args...)
	if table, _ := recordedFile(k.backend); table != k.backend {
		inputs = append(inputs, table)
	}
	if err := checkOutputs(append(inputs, k.store), output{"--fit", k.fit}); err != nil {
		return err
	}
	var ms []*model.Model
	for _, name := range args {
		m, _, err := k.model.read(name)
		if err != nil {
			return err
		}
		ms = append(ms, m)
	}
	if err := spare(k.model.inputs, output{"--fit", k.fit}, output{"--store", k.store}); err != nil {
		return err
	}
	b, runs, err := openTimer(k.backend, c.ErrOrStderr())
	if err != nil {
		return err
	}
	defer b.Close()
	if k.whole && !runs {
		return fmt.Errorf("--whole: backend %s runs no models; want cpu or cuda", k.backend)
	}
	opt := measure.Options{Backend: b, Models: ms, Again: k.again, Measure: k.opt, EndToEnd: k.whole, Repeat: k.repeat, Least: time.Second}
	if runs || k.store != "" {
		if opt.Store, err = k.openStore(c.ErrOrStderr(), c.CommandPath()); err != nil {
			return err
		}
	}
	if !runs {
		opt.Passes = 1 // the same every time
	}
	if k.machine != "" {
		if opt.Machine, err = cost.FindMachine(k.machine); err != nil {
			return err
		}
	}
	opt.Progress = newProgress(c)
	rep, err := measure.Run(c.Context(), opt)
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
	if err != nil && c.Context().Err() != nil {
		return finding(fmt.Sprintf("interrupted: %d measured, kept in %s", rep.Measured, k.store))
	}
	if err == nil && k.fit != "" {
		if rep.Fit == nil {
			return errors.Join(printed, finding("no machine was fitted: "+rep.FitError))
		}
		m := *rep.Fit.Machine
		m.Name = strings.TrimSuffix(filepath.Base(k.fit), filepath.Ext(k.fit))
		err = m.Write(k.fit)
	}
	return errors.Join(err, printed)
}

func (k *measureFlags) openStore(w io.Writer, command string) (*cost.Store, error) {
	if k.store == "" {
		var err error
		if k.store, err = cost.DefaultPath(); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Dir(k.store), 0o755); err != nil {
			return nil, err
		}
	}
	store, err := cost.OpenStore(k.store)
	if err != nil {
		return nil, err
	}
	for _, d := range store.Damaged {
		fmt.Fprintf(w, "%s: %v\n", command, d)
	}
	return store, nil
}
