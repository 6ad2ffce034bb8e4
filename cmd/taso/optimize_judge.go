package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/judge"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/feed"
	"github.com/taso-go/taso/onnx"
)

// inRuntime is the backend of optimize with which ONNX Runtime judges the result.
const inRuntime = "onnxruntime"

// judgeFlags say how ONNX Runtime judges results.
type judgeFlags struct {
	level     string
	threads   int
	remeasure bool

	runtime *ort.Runtime // nil: it does not judge
	start   time.Time
	limit   time.Duration // of search and measurement, since start; 0: none
}

// leastMeasuring is the time that measuring has in any case.
const leastMeasuring = 8 * time.Second

func (k *judgeFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&k.level, "ort-level", string(ort.All), "optimization `level` of ONNX Runtime: "+judge.LevelNames())
	f.IntVar(&k.threads, "threads", 1, "threads of ONNX Runtime")
	f.BoolVar(&k.remeasure, "remeasure", false, "time again in ONNX Runtime, even if these files were timed before")
	under(c, "Timing flags", "ort-level", "threads", "remeasure")
}

func (k *judgeFlags) check() error {
	if !slices.Contains(ort.Levels(), ort.Level(k.level)) {
		var names []string
		for _, l := range ort.Levels() {
			names = append(names, string(l))
		}
		return unknownValue("--ort-level", k.level, names)
	}
	if k.threads < 1 {
		return fmt.Errorf("--threads %d: must be at least 1", k.threads)
	}
	return nil
}

// choose finds ONNX Runtime for the backend of that name, and returns the backend that
// searches and compares numbers beside it. Without a name ONNX Runtime judges where it is
// found; if it is not, that is reported to w.
func (k *judgeFlags) choose(ctx context.Context, backend string, measure bool, w io.Writer) (string, error) {
	if backend != "" && backend != inRuntime {
		_, err := find(families(), backend, inRuntime)
		return backend, err
	}
	const beside = "cpu"
	if backend == "" && !measure {
		return beside, nil
	}
	rt, err := ort.Find(ctx)
	switch {
	case err == nil:
		k.runtime = rt
	case ctx.Err() != nil:
		return "", ctx.Err()
	case backend == inRuntime:
		return "", fmt.Errorf("--backend %s: %w", inRuntime, err)
	default:
		fmt.Fprintf(w, "taso optimize: using --backend %s: %v\n", beside, err)
	}
	return beside, nil
}

// judges returns what decides about candidates. The context is that of the command, so that
// a signal ends a measurement.
func (k *judgeFlags) judges(ctx context.Context, name string, fed []feed.Tensor, seed uint64, m *model.Model, rep *onnx.Report, further []judge.Sized) func(context.Context, []optimize.Candidate) (*judge.Decision, error) {
	return func(_ context.Context, candidates []optimize.Candidate) (*judge.Decision, error) {
		d := &judge.Decision{Candidates: []judge.Outcome{}, Version: k.runtime.Version, Level: ort.Level(k.level), Threads: k.threads}
		if len(candidates) == 0 {
			return d, nil
		}
		path, done, err := ortFile(name, m, rep)
		if err != nil {
			d.Failed = err.Error()
			return d, nil
		}
		defer done()
		original := judge.File{Path: path}
		if rep != nil {
			original.Data = rep.Files
		}
		folder, remove, err := atomicfile.Folder("", "taso")
		if err != nil {
			return nil, err
		}
		defer remove()
		var files []judge.File
		for i, c := range candidates {
			f, err := candidateFile(folder, i, c)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
		o := judge.Options{Level: d.Level, Threads: k.threads, Again: k.remeasure, Seed: seed}
		if o.Store, err = judge.DefaultStore(); err != nil {
			o.Store = nil // nowhere to keep decisions
		}
		if o.Inputs, err = ortInputs(fed, rep); err != nil {
			return nil, err
		}
		if k.limit > 0 {
			o.Limit = max(leastMeasuring, k.limit-time.Since(k.start))
		}
		decided, err := judge.RunSizes(ctx, k.runtime, original, files, o, further)
		if err != nil && ctx.Err() != nil {
			d.Failed = "interrupted"
			return d, context.Canceled
		}
		return decided, err
	}
}

// candidateFile is the file of a candidate, written into a folder if it is not there. The
// names of the files of its weights begin with its own.
func candidateFile(folder string, i int, c optimize.Candidate) (judge.File, error) {
	f := judge.File{Path: c.File}
	if f.Path == "" {
		f.Path = filepath.Join(folder, fmt.Sprintf("candidate-%d.onnx", i))
		if err := onnx.Write(f.Path, c.Model, onnx.WriteOptions{}); err != nil {
			return f, err
		}
	}
	var err error
	f.Data, err = filepath.Glob(f.Path + "?*")
	return f, err
}

// printJudged prints how else ONNX Runtime can be used.
func printJudged(w io.Writer, d *judge.Decision) {
	if d.Failed != "" {
		fmt.Fprintln(w, "Another --backend, or --no-measure, decides without ONNX Runtime.")
	}
	if d.Reused {
		fmt.Fprintf(w, "These files were measured on %s; --remeasure measures them again.\n", time.Unix(d.Unix, 0).Format(time.DateOnly))
	}
}
