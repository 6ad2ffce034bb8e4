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
		Use:   "measure MODEL...",
		Short: "Time each operator of models and keep the times",
		Long: `Measure times every different operator application of the models and keeps the
times in a table on disk; what is there already is not measured again, so that an
interrupted run goes on where it stopped. With --whole the models are run as well,
and the sum of the times is compared with the time of whole runs, beside what a
machine's formula says (--machine).

Times are measured on cpu and cuda. Without running anything analytic:MACHINE tells those of
a formula, recorded:FILE those of a table; of a table with several settings,
recorded:FILE@TEXT takes the one whose text, which an error lists, contains TEXT.
` + modelHelp + "\n" + modesHelp,
		Example: `  taso measure resnet50
  taso measure resnet50 bert squeezenet --whole --machine laptop
  taso measure model.onnx --store times.jsonl --again
  taso measure resnet50 --backend analytic:v100
  taso measure resnet50 bert --backend cuda --store gpu.costs
  taso measure resnet50 --backend recorded:gpu.costs
  taso measure resnet50 bert vgg19 --machine laptop --fit mine.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: k.run,
	}
	k.model.add(c)
	f := c.Flags()
	addBackend(c, &k.backend, "cpu", "what tells the times: "+forms(families()), families())
	f.StringVar(&k.store, "store", "", "table of times (default in the user's cache folder; none for analytic and recorded)")
	f.BoolVar(&k.again, "again", false, "measure what is in the table, too")
	f.BoolVar(&k.whole, "whole", false, "run the models, too, and compare")
	f.IntVar(&k.repeat, "repeat", 20, "runs of whole models, at least; of fast ones as many as take a second")
	f.StringVar(&k.machine, "machine", "", "a machine description, by name or file, to compare with and to fit")
	f.StringVar(&k.fit, "fit", "", "write the machine fitted to the times to this file (with --machine, to start from)")
	f.DurationVar(&k.opt.Budget, "budget", 100*time.Millisecond, "time to spend on one use of an operator application; one with several uses gets up to ten times as much")
	f.IntVar(&k.top, "top", 20, "operator applications to list")
	f.BoolVar(&k.json, "json", false, "print as JSON")
	return c
}

func (k *measureFlags) run(c *cobra.Command, args []string) error {
	if k.fit != "" && k.machine == "" {
		return errors.New("--fit: which --machine to start from?")
	}
	if k.repeat < 1 {
		return fmt.Errorf("--repeat %d: must be at least 1", k.repeat)
	}
	if k.opt.Budget <= 0 {
		return fmt.Errorf("--budget %v: must be above 0", k.opt.Budget)
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
		return fmt.Errorf("--whole: backend %s runs nothing", k.backend)
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
