package onnx_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/onnx"
)

// TestBenchModels: the benchmark models, made small, come back as they were;
// ONNX Runtime computes from the files what the interpreter computes from the
// graphs.
func TestBenchModels(t *testing.T) {
	t.Parallel()
	var jobs []ort.Job
	var want [][]interp.Tensor[float64]
	var names []string
	dir := t.TempDir()
	for _, info := range models.List() {
		m, err := models.Build(info.Name+"-tiny", 1)
		if err != nil {
			t.Fatal(err)
		}
		job := ort.Job{Model: filepath.Join(dir, info.Name+".onnx")}
		if err := onnx.Write(job.Model, m, onnx.WriteOptions{External: len(jobs)%2 == 1}); err != nil {
			t.Error(err)
			continue
		}
		back, r, err := onnx.Read(job.Model, onnx.ReadOptions{})
		if err != nil {
			t.Error(err)
			continue
		}
		if len(r.Opaque) > 0 || back.Graph.Hash() != m.Graph.Hash() {
			t.Errorf("%s: another graph comes back", info.Name)
		}
		var args []interp.Tensor[float64]
		for _, id := range m.Graph.Inputs() {
			x := interp.Tensor[float64]{Sizes: m.Graph.Sizes(id.Out(0))}
			var xs []float32
			if w := back.Weights[findInput(back.Graph, m.Graph.Name(id))]; w != nil {
				if xs, err = w.Float32s(); err != nil {
					t.Fatal(err)
				}
			} else {
				for i := range graph.NumElements(x.Sizes) {
					xs = append(xs, float32(i*7919%1000)/1000-0.5)
				}
				job.Inputs = append(job.Inputs, ort.Float32(m.Graph.Name(id), x.Sizes, xs))
			}
			for _, v := range xs {
				x.Data = append(x.Data, float64(v))
			}
			args = append(args, x)
		}
		out, err := interp.EvalGraph(context.Background(), interp.Float{}, m.Graph, args)
		if err != nil {
			t.Errorf("%s: %v", info.Name, err)
			continue
		}
		jobs, want, names = append(jobs, job), append(want, out), append(names, info.Name)
	}
	res, err := ort.ForTest(t).RunAll(context.Background(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for n, name := range names {
		if res[n].Err != nil {
			t.Error(res[n].Err)
			continue
		}
		for i, o := range res[n].Outputs {
			if err := near(o, want[n][i]); err != nil {
				t.Errorf("%s: output %s: %v", name, o.Name, err)
			}
		}
	}
}

func findInput(g *graph.Graph, name string) graph.NodeID {
	id, _ := g.Find(name)
	return id
}

// near requires a deviation of at most 1e-4 of the largest magnitude.
func near(got ort.Tensor, want interp.Tensor[float64]) error {
	xs, err := got.Float32s()
	if err != nil {
		return err
	}
	if !slices.Equal(got.Sizes, want.Sizes) {
		return fmt.Errorf("sizes %v, want %v", got.Sizes, want.Sizes)
	}
	size, most := 1e-30, 0.0
	for i, x := range xs {
		size = math.Max(size, math.Abs(want.Data[i]))
		most = math.Max(most, math.Abs(float64(x)-want.Data[i]))
	}
	if !(most <= 1e-4*size) {
		return fmt.Errorf("deviation %g of %g", most, size)
	}
	return nil
}
