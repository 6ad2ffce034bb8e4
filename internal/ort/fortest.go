package ort

import (
	"context"
	"fmt"
	"os"
)

// T is what the functions for tests need of [testing.TB].
type T interface {
	Helper()
	Skipf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// idle are workers of tests, which end with the program.
var idle = make(chan *Worker, 2)

// ForTest finds ONNX Runtime and the package onnx for a test that needs them. Without them
// the test is skipped, or fails if the environment variable CI is "true". Calls of RunAll
// share processes.
func ForTest(t T) *Runtime {
	t.Helper()
	rt, err := Find(context.Background())
	switch {
	case err != nil:
		Absent(t, "ONNX Runtime", err)
	case rt.ONNX == "":
		Absent(t, "the Python package onnx", fmt.Errorf("%s has ONNX Runtime only: scripts/setup python installs both", rt.Python))
	default:
		shared := *rt
		shared.idle = idle
		return &shared
	}
	return rt
}

// Absent ends a test that lacks something of ONNX: the test is skipped, or fails if the
// environment variable CI is "true".
func Absent(t T, what string, err error) {
	t.Helper()
	end := t.Skipf
	if os.Getenv("CI") == "true" {
		end = t.Fatalf
	}
	end("the test needs %s: %v", what, err)
}
