//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/hostile"
	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/internal/sweep"
)

const (
	hostileSeconds = 10      // of processor time
	hostileBytes   = 1 << 30 // resident
)

// TestHostile gives inputs that are made to exhaust readers to the commands that read them.
// Each command must end with status 0, 1 or 2, in 10 s of processor time and 1 GB, with
// short messages that are no panic. make test tries some of them, make sweeps all.
func TestHostile(t *testing.T) {
	resetPeak()
	own := procstat.Read().RSS // of other tests; no command is seen to take less
	most := max(hostileBytes, own+own/16)
	dir := t.TempDir()
	valid := filepath.Join(dir, "valid.json")
	if p := commandEnd(t, time.Minute, "parallelize", "mlp-tiny", "--machine", "dgx-a100:1", "--batch", "16", "--devices", "4", "--planner", "fsdp", "--out", valid); p.status != 0 {
		t.Fatalf("a valid plan: %s", p.diag)
	}
	plan, err := os.ReadFile(valid)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := hostile.Plans(plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []struct {
		name     string
		inputs   []hostile.Input
		commands [][]string // the file is the last argument
	}{
		{"rules", hostile.Rules(), [][]string{{"audit"}, {"rules", "show"}}},
		{"certificates", hostile.Certificates(axioms.Text(), axioms.SHA256()), [][]string{{"check"}}},
		{"graphs", hostile.Graphs(), [][]string{{"import"}, {"run"}, {"pcg"}}},
		{"onnx", hostile.ONNX(), [][]string{{"import"}, {"run"}}},
		{"plans", plans, [][]string{{"check", "--no-run"}, {"plan", "show"}}},
		{"machines", hostile.Machines(), [][]string{{"machine", "show"}}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			if len(kind.inputs) < 30 {
				t.Errorf("%d inputs, want 30", len(kind.inputs))
			}
			path, worst := filepath.Join(dir, "input"+kind.inputs[0].Ext), process{}
			for i, x := range kind.inputs {
				if i%sweep.Size(12, 1) != 0 {
					continue
				}
				if err := os.WriteFile(path, x.Data, 0o600); err != nil {
					t.Fatal(err)
				}
				for _, args := range kind.commands {
					p := commandEnd(t, 2*time.Minute, append(append([]string{}, args...), path)...)
					worst.seconds, worst.bytes = max(worst.seconds, p.seconds), max(worst.bytes, p.bytes)
					if p.status < 0 || p.status > 2 || p.seconds > hostileSeconds || p.bytes > most || len(p.diag) > 64<<10 ||
						strings.Contains(p.diag, "panic:") || strings.Contains(p.diag, "goroutine ") {
						t.Errorf("%s: taso %s: status %d, %.1f s, %d MB, %d bytes of messages: %.300s", x.Name, strings.Join(args, " "), p.status, p.seconds, p.bytes>>20, len(p.diag), p.diag)
					}
					if p.status == 2 && !strings.HasPrefix(p.diag, "taso ") {
						t.Errorf("%s: taso %s: no message: %.300s", x.Name, strings.Join(args, " "), p.diag)
					}
				}
			}
			t.Logf("worst: %.1f s, %d MB", worst.seconds, worst.bytes>>20)
		})
	}
}

// process is how a command ended.
type process struct {
	status  int // -1: by a signal, or not at all
	out     string
	diag    string
	seconds float64 // of processors
	bytes   int64   // peak resident memory, at least that of this test, see resetPeak
	waited  time.Duration
}

// resetPeak sets the peak memory of this process to its present memory: on Linux, the peak of a
// child process is at least that of its parent.
func resetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // elsewhere there is no such file
}

// commandEnd runs the program in a process of its own.
func commandEnd(t *testing.T, limit time.Duration, args ...string) process {
	t.Helper()
	c, out, diag := started(t, args...)
	timer := time.AfterFunc(limit, func() { c.Process.Kill() })
	defer timer.Stop()
	return ended(c, out, diag)
}

func started(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Args[0] = "taso"
	var out, diag bytes.Buffer
	c.Stdout, c.Stderr = &out, &diag
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c, &out, &diag
}

func ended(c *exec.Cmd, out, diag *bytes.Buffer) process {
	c.Wait()
	p := process{status: c.ProcessState.ExitCode(), out: out.String(), diag: diag.String(),
		seconds: (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()}
	if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		p.bytes = int64(u.Maxrss) << 10
		if runtime.GOOS == "darwin" {
			p.bytes >>= 10
		}
	}
	return p
}

// working waits until a process has used a fifth of a second of processor time, and is in the
// middle of its work; where that is not known it waits for half a second.
func working(pid int) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, _ := strings.Cut(string(raw), ") ")
		f := strings.Fields(rest)
		if err != nil || len(f) < 13 {
			time.Sleep(time.Second / 2)
			return
		}
		user, _ := strconv.Atoi(f[11]) // in hundredths of a second
		system, _ := strconv.Atoi(f[12])
		if f[0] == "Z" || user+system >= 20 {
			return
		}
	}
}

// TestTerminated sends SIGTERM to commands that take long: they end within a second, with
// status 1, say that they were stopped, and leave no unfinished files.
func TestTerminated(t *testing.T) {
	dir := t.TempDir()
	sum := func(letter string) string {
		var parts []string
		for i := range 60 {
			parts = append(parts, fmt.Sprint(letter, i))
		}
		return strings.Join(parts, "+")
	}
	var rules strings.Builder
	for i := range 200 {
		fmt.Fprintf(&rules, "rule r%d given X : [%s, %s, n%d] then combine[axis=0](combine[axis=0](X)) == combine[axis=0](combine[axis=0](X))\n", i, sum("a"), sum("b"), i)
	}
	path := filepath.Join(dir, "long.rules")
	if err := os.WriteFile(path, []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	outputs := filepath.Join(dir, "out")
	if err := os.Mkdir(outputs, 0o700); err != nil {
		t.Fatal(err)
	}
	out := func(name string) string { return filepath.Join(outputs, name) }
	for _, args := range [][]string{
		{"gen-rules", "--max-ops", "4", "--out", out("a.rules"), "--spill", outputs},
		{"audit", path},
		{"check"},
		{"axioms", "check"},
		{"run", "resnet50", "--repeat", "100000"},
		{"measure", "squeezenet-tiny"},
		{"optimize", "nasneta", "--backend", "cpu", "--out", out("a.onnx")},
		{"parallelize", "gpt-350m", "--machine", "dgx-a100:1", "--batch", "16", "--planner", "auto", "--out", out("a.json")},
		{"verify", "squeezenet", "squeezenet"},
	} {
		c, stdout, diag := started(t, args...)
		working(c.Process.Pid)
		start := time.Now()
		c.Process.Signal(syscall.SIGTERM)
		timer := time.AfterFunc(30*time.Second, func() { c.Process.Kill() })
		p := ended(c, stdout, diag)
		p.waited = time.Since(start)
		timer.Stop()
		name := strings.Join(args, " ")
		switch {
		case p.status == 0: // it had come to its end
		case p.status != 1 || !strings.Contains(p.diag, "interrupted"):
			t.Errorf("%s: status %d: %.300s", name, p.status, p.diag)
		case p.waited > 5*time.Second: // a second where the machine has nothing else to do
			t.Errorf("%s: ended after %.2f s", name, p.waited.Seconds())
		}
		t.Logf("%.2f s, status %d: %s", p.waited.Seconds(), p.status, name)
	}
	left, err := filepath.Glob(filepath.Join(outputs, ".*"))
	if more, _ := filepath.Glob(filepath.Join(outputs, "taso-*")); err != nil || len(left)+len(more) > 0 {
		t.Errorf("left behind: %v %v (%v)", left, more, err)
	}
}
