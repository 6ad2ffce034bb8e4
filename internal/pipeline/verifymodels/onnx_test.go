package verifymodels

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// export writes a model into a file of the test.
func export(t testing.TB, m *model.Model) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), m.Name+".onnx")
	if err := onnx.Write(path, m, onnx.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// onBackend runs a model once.
func onBackend(ctx context.Context, b backends.Backend, m *model.Model, in []interp.Tensor[float64]) (_ []interp.Tensor[float64], err error) {
	plan, err := b.Compile(ctx, m, backends.CompileOptions{})
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	return onPlan(ctx, plan, m, in)
}

// Every listed model comes back from ONNX as the same graph with the same
// numbers.
func TestListedModelsInONNX(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range slices.Concat(models.Names(), models.Further()) {
		m, err := models.Build(name+"-tiny", 1)
		if err != nil {
			t.Fatal(err)
		}
		if key := m.Graph.String(); seen[key] {
			continue // the sizes of a family share their small variant
		} else {
			seen[key] = true
		}
		back, report, err := onnx.Read(export(t, m), onnx.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, want := back.Graph.Hash(), m.Graph.Hash(); got != want {
			t.Errorf("%s: another graph comes back:\n%s\nwas\n%s", name, back.Graph, m.Graph)
		}
		if len(report.Opaque) > 0 {
			t.Errorf("%s: opaque nodes %v", name, report.Opaque)
		}
		r, err := Run(context.Background(), Options{A: m, B: back, NoNumbers: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if r.Exact.Verdict != Equal {
			t.Errorf("%s: %s", name, r)
		}
	}
}

// compareWithRuntime runs a model's file with ONNX Runtime, its optimizations
// off, and the model by the reference evaluator.
func compareWithRuntime(t testing.TB, rt *ort.Runtime, m *model.Model, reference func(in []interp.Tensor[float64]) ([]interp.Tensor[float64], error)) Numbers {
	t.Helper()
	ins, err := pair(m, m)
	if err != nil {
		t.Fatal(err)
	}
	in, _ := fill(ins, func(in input, i int) float64 { return unit(draw(1, 0, in, i)) })
	want, err := reference(in)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := onRuntime(t, rt, export(t, m), ins, in)
	if len(got) != len(want) {
		t.Fatalf("%s: %d outputs, want %d", m.Name, len(got), len(want))
	}
	n := Numbers{}
	for i, o := range m.Graph.Outputs() {
		n.Outputs = append(n.Outputs, Output{Sizes: m.Graph.Sizes(o)})
		if len(got[i].Data) != len(want[i].Data) {
			t.Fatalf("%s: output %d has sizes %v, want %v", m.Name, i, got[i].Sizes, want[i].Sizes)
		}
	}
	n.compare(want, got)
	return n
}

// ONNX Runtime loads every listed model and computes what the reference
// computes. With TASO_FULL_MODELS=1 the models have their full sizes and the
// processor's backend takes the place of the reference; that takes minutes.
func TestListedModelsOnRuntime(t *testing.T) {
	rt := ort.ForTest(t)
	suffix := "-tiny"
	if os.Getenv("TASO_FULL_MODELS") != "" {
		suffix = ""
	} else if testing.Short() {
		t.Skip("a process for each model: not with -short")
	}
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	seen := map[string]bool{}
	for _, name := range models.Names() {
		if suffix != "" && strings.HasSuffix(name, "-full") && name != "mobilenetv2-full" {
			continue // of the papers' graph there is one
		}
		m, err := models.Build(name+suffix, 1)
		if err != nil {
			t.Fatal(err)
		}
		if key := m.Graph.String(); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		n := compareWithRuntime(t, rt, m, func(in []interp.Tensor[float64]) ([]interp.Tensor[float64], error) {
			if suffix == "" {
				return onBackend(context.Background(), b, m, in)
			}
			return reference(context.Background(), m, in)
		})
		for i, o := range n.Outputs {
			if suffix == "" {
				t.Logf("%s: output %d deviates by %.2g of its largest element %.4g", m.Name, i, o.Relative, o.Largest)
			}
			if o.NaNs > 0 || o.Relative > 1e-4 || o.Largest == 0 {
				t.Errorf("%s: output %d: %+v", m.Name, i, o)
			}
		}
	}
}
