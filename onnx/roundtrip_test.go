package onnx

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// reread writes a model and reads it again.
func reread(t *testing.T, m *model.Model, opt WriteOptions) (string, *model.Model) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.onnx")
	raw, err := encode(m, opt, nil, "")
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
	return path, back
}

func sameGraph(t *testing.T, got, want *graph.Graph) {
	t.Helper()
	if got.Hash() != want.Hash() {
		t.Errorf("another graph comes back:\n%s\nwas\n%s", got, want)
	}
}

// changedOperators are models with opaque nodes of operators that have another
// form in the operator sets that we write.
var changedOperators = []string{"test_loop11", "test_scan_sum", "test_scatter_with_axis", "test_scatter_without_axis"}

// TestConformanceRoundTrip: what is read from ONNX's own tests is the same
// after it was written and read again.
func TestConformanceRoundTrip(t *testing.T) {
	t.Parallel()
	n := 0
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
			_, back := reread(t, m, WriteOptions{})
			sameGraph(t, back.Graph, m.Graph)
		})
	}
	if n < 900 {
		t.Errorf("only %d models were read", n)
	}
}
