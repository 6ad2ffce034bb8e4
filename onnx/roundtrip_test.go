package onnx

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/internal/roundtrip"
	"github.com/taso-go/taso/model"
)

// reread writes a model and reads it again.
func reread(t *testing.T, m *model.Model, opt WriteOptions) (string, *model.Model) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := Write(path, m, opt); err != nil {
		t.Fatal(err)
	}
	back, _, err := Read(path, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return path, back
}

// rereadAt writes a model to path, without an external data file, and reads it again. Many models are
// written faster so, since nothing waits for the disk.
func rereadAt(t *testing.T, path string, m *model.Model) *model.Model {
	t.Helper()
	raw, err := encode(m, WriteOptions{}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	back, _, err := Read(path, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return back
}

func sameGraph(t *testing.T, got, want *graph.Graph) {
	t.Helper()
	if got.Hash() != want.Hash() {
		t.Errorf("another graph comes back:\n%s\nwas\n%s", got, want)
	}
}

// again writes a model and reads it again; the same graph has to come back.
func again(t *testing.T, name string, m *model.Model) *roundtrip.File {
	t.Helper()
	f, err := roundtrip.Format{
		Write: func(path string, m *model.Model) error { return Write(path, m, WriteOptions{}) },
		Read: func(path string) (*model.Model, error) {
			m, _, err := Read(path, ReadOptions{})
			return m, err
		},
	}.Of(t.TempDir(), m)
	if err != nil && f == nil {
		t.Fatalf("%s: %v", name, err)
	} else if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return f
}

// defined is a model and the file that was written of it.
type defined struct {
	name string
	m    *model.Model
	path string
}

// asDefined compares what ONNX Runtime computes from files, with and without its
// optimizations, with the definitions of the models' graphs, on random inputs.
func asDefined(t *testing.T, files []defined) {
	t.Helper()
	var jobs []ort.Job
	var wants [][]interp.Tensor[float64]
	for _, f := range files {
		in := feeds(f.m, -1, 1)
		byName := map[string]*constant{}
		for _, x := range in {
			k, err := constantOf(x)
			if err != nil {
				t.Fatal(err)
			}
			byName[x.Name] = k
		}
		want, err := evaluate(f.m, byName)
		if err != nil {
			t.Fatal(err)
		}
		wants = append(wants, want)
		jobs = append(jobs, ort.Job{Model: f.path, Inputs: in}, ort.Job{Model: f.path, Inputs: in, Options: ort.Options{Level: ort.All}})
	}
	res, err := ort.ForTest(t).RunAll(context.Background(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range res {
		name := fmt.Sprintf("%s, optimizations %s", files[i/2].name, jobs[i].Level)
		if r.Err != nil {
			t.Errorf("%s: %v", name, r.Err)
			continue
		}
		for k, want := range wants[i/2] {
			got, err := constantOf(r.Outputs[k])
			if err == nil {
				err = agree(want, got)
			}
			if err != nil {
				t.Errorf("%s: output %d: %v", name, k, err)
			}
		}
	}
}

// changedOperators are models with opaque nodes of operators that have another
// form in the operator sets that we write.
var changedOperators = []string{"test_loop11", "test_scan_sum"}

// TestConformanceRoundTrip: what is read from ONNX's own tests is the same
// after it was written and read again.
func TestConformanceRoundTrip(t *testing.T) {
	t.Parallel()
	n, path := 0, filepath.Join(t.TempDir(), "model.onnx")
	for _, c := range conformanceTests(t) {
		m, _, err := c.best()
		if err != nil {
			continue
		}
		if slices.Contains(changedOperators, c.name) {
			_, err := encode(m, WriteOptions{}, nil, "")
			if err == nil || !strings.Contains(err.Error(), "has another form") {
				t.Errorf("%s: got %v", c.name, err)
			}
			continue
		}
		n++
		t.Run(c.name, func(t *testing.T) {
			sameGraph(t, rereadAt(t, path, m).Graph, m.Graph)
		})
	}
	if n < 900 {
		t.Errorf("only %d models were read", n)
	}
}
