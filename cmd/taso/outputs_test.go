package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/onnx"
)

// The file beside a model that holds its weights is an input too.
func TestExternalDataIsNotReplaced(t *testing.T) {
	m, err := models.Build("resnet50-tiny", 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "m.onnx")
	if err := onnx.Write(path, m, onnx.WriteOptions{External: true}); err != nil {
		t.Fatal(err)
	}
	data := onnx.DataPath(path)
	before, err := os.ReadFile(data)
	if err != nil || len(before) == 0 {
		t.Fatalf("%d bytes of weights: %v", len(before), err)
	}
	link := filepath.Join(dir, "link.onnx")
	if err := os.Symlink(data, link); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{
		{"import", path, "--out", data}, {"import", path, "--out", link}, {"show", path, "--dot", data},
		{"import", path, "--out", strings.TrimSuffix(data, ".data")}, {"measure", path, "--machine", "laptop", "--fit", data},
	} {
		var out, diag bytes.Buffer
		if got := run(args, nil, &out, &diag); got != 2 || !strings.Contains(diag.String(), "would be overwritten") {
			t.Errorf("%v: exit status %d, %s", args, got, diag.String())
		}
		if after, err := os.ReadFile(data); err != nil || !bytes.Equal(before, after) {
			t.Fatalf("%v: the weights are lost", args)
		}
	}
}
