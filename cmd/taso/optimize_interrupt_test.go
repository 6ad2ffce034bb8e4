package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/taso-go/taso/internal/ort"
)

// A signal while ONNX Runtime measures ends the command at once: it reports that the model
// stays as it is, and neither a file nor the process of ONNX Runtime is left, not even if
// the command is killed.
func TestInterruptedJudge(t *testing.T) {
	rt := ort.ForTest(t)
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("the test finds child processes in /proc")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGKILL} {
		dir := t.TempDir()
		path := filepath.Join(dir, "sum.graph")
		// A run takes long enough that the measurement does not end before the signal.
		const text = "x : float32[512, 512]\nv : weight float32[512, 512]\nw : weight float32[512, 512]\np = matmul(x, v)\nq = matmul(x, w)\ny = ewadd(p, q)\nreturn y\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "out.onnx")
		c := exec.Command(self, "optimize", path, "--search", "descend", "--tries", "100", "--out", out)
		c.Args[0] = "taso"
		c.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "TMPDIR="+dir, "TASO_ORT_PYTHON="+rt.Python)
		var stdout, stderr bytes.Buffer
		c.Stdout, c.Stderr = &stdout, &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		// The worker that measures has the candidate's file open for long; the one that only
		// looks for ONNX Runtime ends at once.
		var child string
		for deadline := time.Now().Add(time.Minute); child == "" && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			if files, _ := filepath.Glob(filepath.Join(dir, "taso*", "candidate-*")); len(files) > 0 {
				child = childOf(c.Process.Pid)
			}
		}
		time.Sleep(300 * time.Millisecond)
		start := time.Now()
		if err := c.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		took := time.Since(start)
		if child == "" {
			t.Fatalf("%v: there was no ONNX Runtime\n%s%s", signal, stdout.String(), stderr.String())
		}
		for deadline := time.Now().Add(10 * time.Second); running(child); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%v: ONNX Runtime is still running", signal)
			}
		}
		if signal == syscall.SIGKILL {
			continue
		}
		// Alone on a machine it takes less than a second.
		if status := c.ProcessState.ExitCode(); status != 1 || took > 5*time.Second {
			t.Errorf("%v: status %d after %v\n%s", signal, status, took, stderr.String())
		}
		t.Logf("%v: %.2f s", signal, took.Seconds())
		if !strings.HasPrefix(stdout.String(), "Model unchanged; not measured in ONNX Runtime ") ||
			stderr.String() != "taso optimize: interrupted before a rewritten model was accepted; no file was written\n" {
			t.Errorf("%v: %s%s", signal, stdout.String(), stderr.String())
		}
		for _, pattern := range []string{"taso*", "out*", ".out*", ".optimize*"} {
			if left, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(left) > 0 {
				t.Errorf("%v: %v left (%v)", signal, left, err)
			}
		}
	}
}

// childOf is a child of a process that runs Python, "" if there is none.
func childOf(pid int) string {
	ids, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range ids {
		raw, _ := os.ReadFile(f)
		for _, id := range strings.Fields(string(raw)) {
			if cmd, _ := os.ReadFile("/proc/" + id + "/cmdline"); bytes.Contains(cmd, []byte("python")) {
				return id
			}
		}
	}
	return ""
}

// running reports whether a process is there and not only waits to be collected.
func running(id string) bool {
	raw, err := os.ReadFile("/proc/" + id + "/stat")
	_, rest, _ := strings.Cut(string(raw), ") ")
	return err == nil && !strings.HasPrefix(rest, "Z")
}
