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
