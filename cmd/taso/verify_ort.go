package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/feed"
)

// runtimeReport is how far two files deviate in ONNX Runtime.
type runtimeReport struct {
	Version string          `json:"onnxruntime"`
	Outputs []runtimeOutput `json:"outputs"`
	Shapes  []string        `json:"shapes,omitempty"` // that differ
	Agree   bool            `json:"agree"`
	Seconds [2]float64      `json:"seconds"` // of one run, each file
	toleranceOf
}

type runtimeOutput struct {
	A string `json:"a"`
	B string `json:"b"`
	deviation
}

// inRuntime runs two files as they are in ONNX Runtime, on the same inputs, which
// make sense for both. A model that was not read from an ONNX file is written to
// one first. The models must have been found to have inputs that correspond.
func (k *verifyFlags) inRuntime(ctx context.Context, names [2]string) (*runtimeReport, error) {
	rt, err := ort.Find(ctx)
	if err != nil {
		return nil, err
	}
	k.opt.Progress.Stage("ONNX Runtime", progress.Unknown)
	defer k.opt.Progress.Close()
	a, b := feed.Inputs(k.opt.A.Graph), feed.Inputs(k.opt.B.Graph)
	places := feed.Pair(a, b)
	for i, j := range places {
		a[i] = a[i].Both(b[j])
	}
	var fed [2][]feed.Tensor
	if fed[0], err = feed.Make(a, nil, k.opt.Seed); err != nil {
		return nil, err
	}
	fed[1] = make([]feed.Tensor, len(b))
	for i, j := range places {
		fed[1][j] = fed[0][i]
		fed[1][j].Name = b[j].Name
	}
	rep := &runtimeReport{Version: rt.Version, Agree: true}
	var jobs []ort.Job
	for i, m := range []*model.Model{k.opt.A, k.opt.B} {
		path, done, err := ortFile(names[i], m, k.reports[i])
		if err != nil {
			return nil, err
		}
		defer done()
		in, err := ortInputs(fed[i], k.reports[i])
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, ort.Job{Model: path, Inputs: in, Options: ort.Options{Repeat: 3}})
	}
	res, err := rt.RunAll(ctx, jobs)
	if err != nil {
		return nil, err
	}
	for i := range res {
		if err := res[i].Err; err != nil {
			return nil, err
		}
		rep.Seconds[i] = slices.Min(res[i].Seconds)
	}
	within := k.opt.Tolerance
	if within == 0 {
		within, rep.Narrowest = tolerance(k.opt.A.Graph, k.opt.B.Graph)
		rep.Tolerance = within
	}
	outs := [2][]ort.Tensor{res[0].Outputs, res[1].Outputs}
	if len(outs[0]) != len(outs[1]) {
		return nil, fmt.Errorf("ONNX Runtime: %s has %d outputs, %s has %d", names[0], len(outs[0]), names[1], len(outs[1]))
	}
	for i, a := range outs[0] {
		b := outs[1][i]
		if !slices.Equal(a.Sizes, b.Sizes) {
			rep.Shapes = append(rep.Shapes, fmt.Sprintf("outputs %s and %s have the shapes %v and %v", a.Name, b.Name, a.Sizes, b.Sizes))
			rep.Agree = false
			continue
		}
		x, err := elements(a)
		y, err2 := elements(b)
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		o := runtimeOutput{A: a.Name, B: b.Name, deviation: deviation{Sizes: a.Sizes}}
		o.compare(x, y)
		if p, q := k.opt.A.Graph.Outputs(), k.opt.B.Graph.Outputs(); k.opt.Tolerance == 0 && len(p) == len(outs[0]) && len(q) == len(outs[0]) {
			within, _ = backends.OutputTolerance([]*graph.Graph{k.opt.A.Graph, k.opt.B.Graph}, []graph.Tensor{p[i], q[i]})
		}
		rep.Agree = rep.Agree && o.agrees(within)
		rep.Outputs = append(rep.Outputs, o)
	}
	return rep, nil
}

func (r *runtimeReport) print(w io.Writer) {
	fmt.Fprintf(w, "ONNX Runtime %s, both files unmodified, %.3g ms and %.3g ms per run:\n", r.Version, r.Seconds[0]*1000, r.Seconds[1]*1000)
	r.toleranceOf.print(w)
	for _, text := range r.Shapes {
		fmt.Fprintf(w, "  %s: DIFFERS\n", text)
	}
	for _, o := range r.Outputs {
		fmt.Fprintf(w, "  %s", o.A)
		o.print(w, "one file")
	}
}
