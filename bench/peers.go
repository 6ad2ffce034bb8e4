package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/internal/pipeline/runmodel"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

func init() {
	Register(&Benchmark{Name: "onnxruntime-times", What: "whole models on the CPU backend and in ONNX Runtime, its optimizations off and on",
		Takes: "2 min", Packages: []string{"internal/pipeline/runmodel", "backends/cpu", "bench/models", "onnx", "internal/ort"},
		Models: true, Default: []string{"resnet50", "bert", "bert-base-128"}, Repeat: true, Run: runtimeTimes})
}

func runtimeTimes(ctx context.Context, env *Env) (*Record, error) {
	rt, err := ort.Find(ctx)
	if errors.Is(err, ort.ErrAbsent) {
		return nil, &Missing{What: err.Error()}
	}
	if err != nil {
		return nil, err
	}
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	repeat := env.Repeat
	if repeat == 0 {
		repeat = 30
	}
	t := NewTable("", Label("model"), Measured("ours", "ms").Digits(3), Measured("ONNX Runtime "+rt.Version+", optimizations off", "ms").Digits(3),
		Measured("on", "ms").Digits(3))
	stage := env.Progress.Stage("models", int64(len(env.Models)))
	for _, name := range env.Models {
		m, err := env.model(name)
		if err != nil {
			return nil, err
		}
		best, err := besideRuntime(ctx, rt, b, m, repeat)
		if err != nil {
			return nil, err
		}
		t.Add(shown(name), 1e3*best[0], 1e3*best[1], 1e3*best[2])
		stage.Add(1)
	}
	stage.Done()
	return &Record{Tables: []*Table{t}}, nil
}

// besideRuntime is the shortest time in seconds of a model on a backend, and in
// ONNX Runtime without and with its optimizations, one thread each, in three turns;
// where there is no ONNX Runtime, rt is nil and these times 0.
func besideRuntime(ctx context.Context, rt *ort.Runtime, b backends.Backend, m *model.Model, repeat int) (best [3]float64, err error) {
	dir, err := os.MkdirTemp("", "bench-*")
	if err != nil {
		return best, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.onnx")
	if err := onnx.Write(path, m, onnx.WriteOptions{}); err != nil {
		return best, err
	}
	return fileBesideRuntime(ctx, rt, b, m, path, repeat)
}

// fileBesideRuntime is besideRuntime of a file that was read as m.
func fileBesideRuntime(ctx context.Context, rt *ort.Runtime, b backends.Backend, m *model.Model, path string, repeat int) (best [3]float64, err error) {
	var in []ort.Tensor
	for i, id := range m.Inputs() {
		x, err := backends.Random(uint64(i+1), graph.TensorType{Sizes: m.Graph.Sizes(id.Out(0))})
		if err != nil {
			return best, err
		}
		in = append(in, ort.Float32(m.Graph.Name(id), x.Sizes, x.F32))
	}
	const turns = 3
	runs := (repeat + turns - 1) / turns
	for turn := range turns {
		rep, err := runmodel.Run(ctx, runmodel.Options{Backend: b, Model: m, Seed: 1, Repeat: runs})
		if err != nil {
			return best, err
		}
		times := [3]float64{float64(rep.Min)}
		for o := range 2 {
			if rt == nil {
				continue
			}
			res, err := rt.Run(ctx, path, in, ort.Options{Optimize: o, Threads: 1, Repeat: runs})
			if err != nil {
				return best, err
			}
			times[1+o] = slices.Min(res.Seconds)
		}
		for i, x := range times {
			if turn == 0 || x < best[i] {
				best[i] = x
			}
		}
	}
	return best, nil
}
