package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/onnx"
)

// A model whose batch is open is optimized for a batch that is given; the proof is
// checked for that batch.
func TestBatch(t *testing.T) {
	f := newFile()
	f.input("x", floatType, 0, 64) // 0: open
	f.weight("v", numbers(1, 64*32), 64, 32)
	f.weight("w", numbers(2, 64*32), 64, 32)
	f.node("MatMul", "q", "x", "v")
	f.node("MatMul", "k", "x", "w")
	f.node("Add", "y", "q", "k")
	f.output("y", 0, 32)
	path := f.write(t, "open")
	dir := t.TempDir()
	out, proof := filepath.Join(dir, "out.onnx"), filepath.Join(dir, "out.proof")
	taso := func(status int, args ...string) (string, string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if got := run(args, nil, &stdout, &stderr); got != status {
			t.Fatalf("taso %s: status %d, want %d\n%s", strings.Join(args, " "), got, status, stderr.String())
		}
		return stdout.String(), stderr.String()
	}
	if text, says := taso(0, "import", path); !strings.Contains(text, "dynamic dimension: n = 1 or more; FLOP are for 1\n") || says != "" {
		t.Error(text, says)
	}
	if _, says := taso(0, "run", path); !strings.Contains(says, "taso run: open.onnx: batch is dynamic (axis 0 of x); assuming 1 (override with --batch)\n") {
		t.Error(says)
	}
	if _, says := taso(0, "import", path, "--batch", "2"); says != "" {
		t.Error(says)
	}
	text, _ := taso(0, "optimize", path, "--batch", "5", "--search", "descend", "--no-measure", "--out", out, "--proof", proof, "--json")
	var rep struct {
		Before int  `json:"nodes_before"`
		After  int  `json:"nodes_after"`
		Proved bool `json:"proof_checked"`
	}
	if err := json.Unmarshal([]byte(text), &rep); err != nil {
		t.Fatal(err)
	}
	if rep.Before != 3 || rep.After != 1 || !rep.Proved {
		t.Errorf("%+v\n%s", rep, text)
	}
	// The batch stays open in the result.
	_, read, err := onnx.Read(out, onnx.ReadOptions{})
	if err != nil || len(read.Open) != 1 || read.Open[0].Axis != 0 {
		t.Errorf("%v; the result leaves open %v", err, read.Open)
	}
	taso(0, "check", "--no-z3", proof, path, out, "--batch", "5")
	if _, says := taso(1, "check", "--no-z3", proof, path, out, "--batch", "6"); !strings.Contains(says, "rejected") {
		t.Error(says)
	}
	fixed := filepath.Join(dir, "fixed.onnx")
	taso(0, "import", path, "--batch", "5", "--out", fixed)
	if _, says := taso(2, "check", "--no-z3", proof, fixed, fixed, "--batch", "6"); !strings.Contains(says, "--batch 6: no model has a dynamic batch") {
		t.Error(says)
	}
	// With a shape, which says what the batch is, nothing is left for --batch.
	if _, says := taso(2, "import", path, "--batch", "5", "--shape", "x=7,64"); !strings.Contains(says, "no input has a dynamic batch") {
		t.Error(says)
	}
}
