package ort

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A Python that cannot import onnxruntime is none.
func TestProbe(t *testing.T) {
	if _, err := probe(context.Background(), filepath.Join(t.TempDir(), "python3")); err == nil || !strings.Contains(err.Error(), "probe") {
		t.Errorf("got %v", err)
	}
}

// What the other process says is not believed.
func TestAnswers(t *testing.T) {
	for what, program := range map[string]string{
		"no answer":         "exit 0",
		"the answer is cut": `printf '\377\0\0\0\0\0\0\0x'`,
		"exit status 3":     "echo broken >&2; exit 3",
		"broken":            "echo broken >&2; exit 3",
		"Oops":              `printf '\042\0\0\0\0\0\0\0{"Jobs":[{"Error":"Oops: error"}]}'`,
	} {
		python := filepath.Join(t.TempDir(), "python3")
		if err := os.WriteFile(python, []byte("#!/bin/sh\ncat >/dev/null\n"+program+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := (&Runtime{Python: python}).Run(context.Background(), "m.onnx", nil, Options{})
		if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "m.onnx") {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

func TestRunErrors(t *testing.T) {
	rt := ForTest(t)
	if rt.Version == "" {
		t.Error("no version")
	}
	_, err := rt.Run(context.Background(), filepath.Join(t.TempDir(), "none.onnx"), nil, Options{})
	if err == nil || !strings.Contains(err.Error(), "none.onnx") {
		t.Errorf("got %v", err)
	}
}

func ExampleFloat32() {
	t := Float32("x", []int{2}, []float32{1, 2})
	xs, err := t.Float32s()
	fmt.Println(t.DType, xs, err)
	// Output: float32 [1 2] <nil>
}

// fake records how a test ended.
type fake struct{ skipped, failed string }

func (*fake) Helper()                        {}
func (f *fake) Skipf(s string, args ...any)  { f.skipped = fmt.Sprintf(s, args...) }
func (f *fake) Fatalf(s string, args ...any) { f.failed = fmt.Sprintf(s, args...) }

// Without ONNX Runtime, or without onnx beside it, a test is skipped; with CI=true it fails.
// The environment of scripts/setup comes before python3.
func TestForTest(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("TASO_ORT_PYTHON", "")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	forget := func() { found.looked, found.rt, found.err = false, nil, nil }
	t.Cleanup(forget)
	pinned, err := environment()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(pinned, "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ system, pinned, version, why string }{
		{"exit 1", "exit 1", "", "no ONNX Runtime"},
		{"echo 9.9", "exit 1", "9.9", "the Python package onnx"},
		{"echo 9.9 1.1", "exit 1", "9.9", ""},
		{"echo 9.9 1.1", "echo 9.8 1.1", "9.8", ""},
	} {
		for path, script := range map[string]string{filepath.Join(dir, "python3"): c.system, filepath.Join(pinned, "bin", "python3"): c.pinned} {
			if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for _, ci := range []string{"", "true"} {
			t.Setenv("CI", ci)
			forget()
			var f fake
			rt := ForTest(&f)
			if rt != nil && rt.Version != c.version || rt == nil && c.version != "" {
				t.Errorf("%+v: found %+v", c, rt)
			}
			ended, other := f.skipped, f.failed
			if ci == "true" {
				ended, other = other, ended
			}
			if other != "" || !strings.Contains(ended, c.why) || (ended == "") != (c.why == "") {
				t.Errorf("%+v, CI=%q: skipped %q, failed %q", c, ci, f.skipped, f.failed)
			}
		}
	}
}
