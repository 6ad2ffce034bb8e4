package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/feed"
	"github.com/taso-go/taso/onnx"
)

// besideReport is what ONNX Runtime computes and takes for the file and the inputs
// of a run of ours. Times are medians of as many runs, on as many threads.
type besideReport struct {
	Version string `json:"onnxruntime"`
	Threads int    `json:"threads"`
	// Off is the time of the file as it is, On with what ONNX Runtime makes of it.
	Off     cost.Seconds   `json:"seconds"`
	On      cost.Seconds   `json:"optimized_seconds"`
	Outputs []besideOutput `json:"outputs"` // ours compared with those of the file as it is
	Agree   bool           `json:"agree"`
	toleranceOf
}

type besideOutput struct {
	Name string `json:"name"`
	deviation
}

// beside runs a file in ONNX Runtime on what a run of ours was fed, and compares
// the outputs.
func (k *runFlags) beside(ctx context.Context, name string, m *model.Model, rep *onnx.Report, fed []feed.Tensor, ours []backends.Tensor, threads int) (*besideReport, error) {
	rt, err := ort.Find(ctx)
	if err != nil {
		return nil, err
	}
	path, done, err := ortFile(name, m, rep)
	if err != nil {
		return nil, err
	}
	defer done()
	in, err := ortInputs(fed, rep)
	if err != nil {
		return nil, err
	}
	r := &besideReport{Version: rt.Version, Threads: max(threads, 1), Agree: true}
	within := k.tolerance
	if within < 0 {
		within, r.Narrowest = tolerance(m.Graph)
		r.Tolerance = within
	}
	opt := ort.Options{Threads: max(threads, 1), Repeat: k.repeat}
	on := opt
	on.Level = ort.All
	res, err := rt.RunAll(ctx, []ort.Job{{Model: path, Inputs: in, Options: opt}, {Model: path, Inputs: in, Options: on}})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(res[0].Err, res[1].Err); err != nil {
		return nil, err
	}
	r.Off, r.On = median(res[0].Seconds), median(res[1].Seconds)
	if len(res[0].Outputs) != len(ours) {
		return nil, fmt.Errorf("ONNX Runtime: %d outputs, ours are %d", len(res[0].Outputs), len(ours))
	}
	for i, theirs := range res[0].Outputs {
		if !slices.Equal(theirs.Sizes, ours[i].Sizes) {
			return nil, fmt.Errorf("ONNX Runtime: output %s has sizes %v, ours has %v", theirs.Name, theirs.Sizes, ours[i].Sizes)
		}
		xs, err := elements(theirs)
		if err != nil {
			return nil, err
		}
		o := besideOutput{Name: theirs.Name, deviation: deviation{Sizes: theirs.Sizes}}
		o.compare(ours[i].Float64s(), xs)
		r.Agree = r.Agree && o.agrees(within)
		r.Outputs = append(r.Outputs, o)
	}
	return r, nil
}

func median(seconds []float64) cost.Seconds {
	var times []cost.Seconds
	for _, s := range seconds {
		times = append(times, cost.Seconds(s))
	}
	return cost.Median(times)
}

func (r *besideReport) print(w io.Writer, ours cost.Seconds) {
	fmt.Fprintf(w, "ONNX Runtime %s, %s: %v without optimizations, %v with them; taso: %v\n",
		r.Version, plural(r.Threads, "thread"), r.Off, r.On, ours)
	r.toleranceOf.print(w)
	for _, o := range r.Outputs {
		fmt.Fprintf(w, "  %s", o.Name)
		o.print(w, "one of the two")
	}
}
