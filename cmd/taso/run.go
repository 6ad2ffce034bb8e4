package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/internal/pipeline/runmodel"
	"github.com/taso-go/taso/model/feed"
)

// runFlags are the flags of run.
type runFlags struct {
	model   modelFlags
	backend string
	repeat  int
	top     int
	noFuse  bool
	json    bool

	inputs    []string
	output    string
	runtime   bool
	tolerance float64
}

func newRun() *cobra.Command {
	k := &runFlags{}
	c := &cobra.Command{
		Use:   "run MODEL",
		Short: "Run a model and report its latency, in total and per operator",
		Long: `The report has the median latency with its spread, the slowest operators, and the memory.

--input fills inputs from NumPy files or with ones, zeros or 0, 1, 2, ... Others are random: from
-1 to 1, valid row numbers where an integer input indexes a table, else 0 and 1. --output writes
the outputs as NumPy files. --onnxruntime runs the same file on the same inputs in ONNX Runtime
and compares outputs and times; the exit status is 1 if an output deviates by more than
--tolerance.
` + modelHelp + "\n" + modesHelp,
		Example: `  taso run resnet50 --repeat 20
  taso run model.onnx --shape input=1,3,224,224 --top 10
  taso run model.onnx --input ids=tokens.npy --input mask=ones --output results
  taso run model.onnx --onnxruntime
  taso run bert --backend cuda:tf32`,
		Args: cobra.ExactArgs(1),
		RunE: k.run,
	}
	k.model.add(c)
	f := c.Flags()
	addBackend(c, &k.backend, "cpu", "`backend` that runs the model: "+forms(runners()), runners())
	f.IntVar(&k.repeat, "repeat", 20, "timed runs")
	f.IntVar(&k.top, "top", 10, "number of slowest operators to list")
	f.BoolVar(&k.noFuse, "no-fuse", false, "run each operator as its own kernel")
	f.StringArrayVar(&k.inputs, "input", nil, "`NAME=SOURCE`: fill an input from FILE.npy, random, ones, zeros or range; repeatable")
	f.StringVar(&k.output, "output", "", "write the outputs of the last run as .npy files to the folder `DIR`")
	f.BoolVar(&k.runtime, "onnxruntime", false, "also run in ONNX Runtime and compare (pip install onnxruntime)")
	f.Float64Var(&k.tolerance, "tolerance", 1e-4, "largest relative deviation that agrees (float16 and narrower: 16 roundings)")
	f.BoolVar(&k.json, "json", false, "print the report as JSON")
	return c
}

func (k *runFlags) run(c *cobra.Command, args []string) error {
	if k.repeat < 1 {
		return fmt.Errorf("--repeat %d: must be at least 1", k.repeat)
	}
	if !(k.tolerance >= 0) {
		return fmt.Errorf("--tolerance %g: must be at least 0", k.tolerance)
	}
	if !c.Flags().Changed("tolerance") {
		k.tolerance = -1 // that of the types
	}
	sources, err := feed.ParseSources(k.inputs)
	if err != nil {
		return fmt.Errorf("--input %w", err)
	}
	if k.runtime { // before the work
		if _, err := ort.Find(c.Context()); err != nil {
			return ortMissing(err)
		}
	}
	m, read, err := k.model.read(args[0])
	if err != nil {
		return err
	}
	b, err := openRunner(k.backend)
	if err != nil {
		return err
	}
	defer b.Close()
	fed, err := feed.Make(feed.Of(m), sources, k.model.seed)
	if err != nil {
		return fmt.Errorf("--input: %w", err)
	}
	names := outputNames(m, read)
	files, err := k.files(sources, names)
	if err != nil {
		return err
	}
	opt := runmodel.Options{Backend: b, Model: m, Feed: fed, Seed: k.model.seed, Repeat: k.repeat,
		Compile: backends.CompileOptions{NoFuse: k.noFuse}}
	opt.Progress = newProgress(c)
	rep, err := runmodel.Run(c.Context(), opt)
	opt.Progress.Close()
	if rep == nil {
		return err
	}
	// What fails now must not take the finished report with it.
	var failed []error
	var peer *besideReport
	var written []writtenOutput
	if err == nil && k.output != "" {
		if written, err = writeOutputs(names, files, rep.Outputs, c.ErrOrStderr()); err != nil {
			failed, err = append(failed, err), nil
		}
	}
	if err == nil && k.runtime {
		if peer, err = k.beside(c.Context(), args[0], m, read, fed, rep.Outputs, b.Info().Threads); err != nil {
			failed, err = append(failed, err), nil
		}
	}
	var printed error
	out := c.OutOrStdout()
	if k.json {
		printed = writeJSON(out, struct {
			*runmodel.Report
			Written []writtenOutput `json:"written,omitempty"`
			Beside  *besideReport   `json:"runtime,omitempty"`
			Failed  []string        `json:"failed,omitempty"` // of what was asked for beside
		}{rep, written, peer, texts(failed)})
	} else if printed = rep.WriteText(out, k.top); peer != nil {
		fmt.Fprintln(out)
		peer.print(out, rep.Time.Seconds)
	}
	switch {
	case err != nil && printed == nil:
		return finding(fmt.Sprintf("interrupted after %d of %s", rep.Time.Runs, plural(k.repeat, "run")))
	case peer != nil && !peer.Agree:
		failed = append(failed, finding("the outputs differ from those of ONNX Runtime"))
	}
	return errors.Join(append(failed, err, printed)...)
}

// files are those to which the outputs are written; none of them may be one that is
// read.
func (k *runFlags) files(sources map[string]feed.Source, names []string) ([]string, error) {
	if k.output == "" {
		return nil, nil
	}
	if err := outputFolder(k.output); err != nil {
		return nil, err
	}
	read := slices.Clone(k.model.inputs)
	for _, s := range sources {
		if s.IsFile() {
			read = append(read, string(s))
		}
	}
	files := outputFiles(k.output, names)
	var outs []output
	for _, path := range files {
		outs = append(outs, output{"--output", path})
	}
	return files, checkOutputs(read, outs...)
}
