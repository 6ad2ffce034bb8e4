//go:build cgo

package fake_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cuda/fake"
)

// TestRefused builds a C program on the libraries, which tells where they take what CUDA's refuse.
func TestRefused(t *testing.T) {
	env, err := fake.Environment(fake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var dir string
	for _, e := range env {
		if d, ok := strings.CutPrefix(e, "TASO_LIBCUDA="); ok {
			dir = d
		}
	}
	program, report := filepath.Join(t.TempDir(), "refused"), filepath.Join(t.TempDir(), "report")
	lib := func(name string) string { return filepath.Join(dir, name) }
	cc := exec.Command("gcc", "-std=c11", "-Wall", "-Wno-unused-parameter", "-o", program, "testdata/refused.c", "-Wl,-rpath,"+dir,
		lib("libcuda.so.1"), lib("libnvrtc.so.12"), lib("libcublasLt.so.12"), lib("libcudnn.so.9"))
	if out, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(program)
	run.Env = append(append(os.Environ(), env...), "TASO_FAKE_REPORT="+report)
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
	if text, err := os.ReadFile(report); err != nil || strings.Count(string(text), "\n") != 1 {
		t.Errorf("report %q, %v", text, err)
	}
}
