package bench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gpuCheckout is a folder with a log in its place.
func gpuCheckout(t *testing.T, log string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, gpuLogs), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, gpuLogs, "test-device.jsonl"), []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// The log in testdata is of a rehearsal, whose times are those of the fake libraries, with
// the device called "Test device".
func TestGPU(t *testing.T) {
	rec, err := gpuEvidence(t.Context(), &Env{Root: gpuCheckout(t, read(t, "testdata/gpu.jsonl"))})
	if err != nil {
		t.Fatal(err)
	}
	rec.Name, rec.Date = "gpu", "2026-11-27"
	if err := rec.Check(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, table := range rec.Tables {
		all.WriteString(table.Title + "\n" + table.markdown())
	}
	for _, want := range []string{
		"suite, float32 | 271 | 271 |", "suite, tf32 |", "`vgg19-tiny` | 1 | 1 |", "against whole runs", "`squeezenet` |",
		"before and after", "dilated |", "dilated-phases",
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("no %q in\n%s", want, all.String())
		}
	}
	for _, table := range rec.Tables {
		for _, c := range table.Columns {
			if c.Source == FromClock {
				t.Errorf("table %q, column %q: nothing is measured here", table.Title, c.Name)
			}
		}
	}
}

func TestGPURefused(t *testing.T) {
	var missing *Missing
	if _, err := gpuEvidence(t.Context(), &Env{Root: t.TempDir()}); !errors.As(err, &missing) {
		t.Errorf("without a log: %v", err)
	}
	text := read(t, "testdata/gpu.jsonl")
	for log, want := range map[string]string{
		strings.Replace(text, `"rehearsal": false`, `"rehearsal": true`, 1): "a rehearsal without a GPU is no evidence",
		text + "{\n": "a line is a JSON object of a step",
		"":           "the first line is not that of the start",
		"{}\n":       "the first line is not that of the start",
	} {
		if _, err := gpuEvidence(t.Context(), &Env{Root: gpuCheckout(t, log)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
