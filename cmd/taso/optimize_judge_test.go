package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/judge"
	"github.com/taso-go/taso/internal/ort"
)

// ONNX Runtime judges the result where it is installed, and its decision is used again by
// the same command.
func TestJudged(t *testing.T) {
	rt := ort.ForTest(t)
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	path := filepath.Join(dir, "sum.graph")
	// One product takes half the time of two.
	const text = "x : float32[128, 128]\nv : weight float32[128, 128]\nw : weight float32[128, 128]\np = matmul(x, v)\nq = matmul(x, w)\ny = ewadd(p, q)\nreturn y\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	optimized := func(args ...string) (*judge.Decision, string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if status := run(append([]string{"optimize", path, "--search", "descend", "--tries", "100"}, args...), nil, &stdout, &stderr); status != 0 {
			t.Fatalf("%v: status %d\n%s", args, status, stderr.String())
		}
		var rep struct{ Judged *judge.Decision }
		_ = json.Unmarshal(stdout.Bytes(), &rep) // of --json
		return rep.Judged, stdout.String() + stderr.String()
	}
	d, _ := optimized("--json", "--ort-level", "basic")
	if d == nil || d.Winner != 1 || d.Reused || d.Version != rt.Version || d.Level != ort.Basic || d.Candidates[0].Verdict != judge.Faster || d.Candidates[0].On.High > 0.99 {
		t.Fatalf("%+v", d)
	}
	if d, _ := optimized("--json", "--ort-level", "basic"); !d.Reused || d.Winner != 1 {
		t.Errorf("again: %+v", d)
	}
	_, says := optimized("--ort-level", "basic")
	if !strings.HasPrefix(says, "Faster in ONNX Runtime "+rt.Version+" (level basic, 1 thread): ") || !strings.Contains(says, "--remeasure measures them again.\n") {
		t.Error(says)
	}
	if d, _ := optimized("--json", "--no-measure"); d != nil {
		t.Errorf("--no-measure: %+v", d)
	}
}

// A command that runs in an environment without ONNX Runtime uses the CPU backend and
// reports why; asking for ONNX Runtime is an error there.
func TestNotJudged(t *testing.T) {
	dir := t.TempDir()
	for name, value := range map[string]string{"PATH": dir, "TASO_ORT_PYTHON": "", "XDG_CACHE_HOME": dir, "HOME": dir} {
		t.Setenv(name, value)
	}
	for _, c := range []struct {
		backend string
		status  int
		says    string
	}{
		{"", 0, "taso optimize: using --backend cpu: no ONNX Runtime: "},
		{"cpu", 0, ""},
		{"onnxruntime", 2, "taso optimize: --backend onnxruntime: no ONNX Runtime: "},
	} {
		args := []string{"optimize", "squeezenet-tiny", "--search", "descend", "--tries", "1", "--repeat", "1"}
		if c.backend != "" {
			args = append(args, "--backend", c.backend)
		}
		cmd, stdout, diag := started(t, args...)
		if p := ended(cmd, stdout, diag); p.status != c.status || !strings.HasPrefix(p.diag, c.says) || c.says == "" && p.diag != "" {
			t.Errorf("--backend %s: status %d: %s", c.backend, p.status, p.diag)
		}
	}
}
