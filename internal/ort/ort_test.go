package ort

import (
	"context"
	"errors"
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
	rt, err := Find(context.Background())
	if errors.Is(err, ErrAbsent) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	if rt.Version == "" {
		t.Error("no version")
	}
	_, err = rt.Run(context.Background(), filepath.Join(t.TempDir(), "none.onnx"), nil, Options{})
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

// Without a network the installation is tried once; afterwards Find and Ensure
// tell what it made.
func TestEnsure(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("TASO_ORT_PYTHON", "")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	forget := func() { found.looked, found.tried, found.rt, found.err, found.failed = false, false, nil, nil, nil }
	t.Cleanup(forget)
	ctx := context.Background()
	const broken, made = `exit 1`, `mkdir -p "$3/bin"; printf '#!/bin/sh\ntest "$1" = -c && echo 9.9\nexit 0\n' >"$3/bin/python3"; chmod +x "$3/bin/python3"`
	for venv, works := range map[string]bool{broken: false, made: true} {
		forget()
		os.Remove(log)
		// The machine's own python3 has no onnxruntime, and makes environments.
		script := fmt.Sprintf("#!/bin/sh\ntest \"$1\" = -c && exit 1\necho venv >>%s\n%s\n", log, venv)
		if err := os.WriteFile(filepath.Join(dir, "python3"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := Find(ctx); !errors.Is(err, ErrAbsent) {
			t.Errorf("before: %v", err)
		}
		for range 3 {
			rt, err := Ensure(ctx)
			if (err == nil) != works || works && rt.Version != "9.9" {
				t.Errorf("%v, %v", rt, err)
			}
		}
		if _, err := Find(ctx); (err == nil) != works || !works && !errors.Is(err, ErrAbsent) {
			t.Errorf("afterwards: %v", err)
		}
		if tries, err := os.ReadFile(log); err != nil || string(tries) != "venv\n" {
			t.Errorf("tried %q, %v", tries, err)
		}
		os.RemoveAll(filepath.Join(dir, "cache"))
	}
}
