package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/sweep"
)

// A run with a checkpoint that is killed at any moment, without a chance to tidy up, and is
// begun again ends with the bytes of one that was left alone, and what it spilled is gone.
// TASO_KILLS=20 tries more moments.
func TestKilledRun(t *testing.T) {
	kills := sweep.Size(1, 2)
	if s := os.Getenv("TASO_KILLS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		kills = n
	}
	begin, files := killable(t, "--max-ops", "3", "--ops", "matmul,ewadd,transpose,concat,relu")
	alone := t.TempDir()
	start := time.Now()
	if out, err := begin(alone).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(start)
	want := files(alone)
	rng := rand.New(rand.NewPCG(1, 2))
	resumed := 0
	for i := range kills {
		dir := t.TempDir()
		after := time.Duration(rng.Float64() * float64(took))
		c := begin(dir)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(after)
		c.Process.Kill()
		c.Wait()
		if left, err := os.ReadDir(filepath.Join(dir, "spill")); err != nil || len(left) > 0 {
			t.Errorf("killed after %v: %v left (%v)", after, left, err)
		}
		if found, _ := filepath.Glob(filepath.Join(dir, "state", "*.session")); len(found) > 0 {
			resumed++
		}
		if out, err := begin(dir).CombinedOutput(); err != nil {
			t.Fatalf("killed after %v, and begun again: %v\n%s", after, err, out)
		}
		if !bytes.Equal(files(dir), want) {
			t.Errorf("killed after %v (%d): other bytes", after, i)
		}
	}
	t.Logf("%d runs of %.1f s killed, %d of them went on from a checkpoint", kills, took.Seconds(), resumed)
}

// killable are a run with these flags in a folder, which spills all that can be spilled, and the
// files that it left there.
func killable(t *testing.T, flags ...string) (begin func(dir string) *exec.Cmd, files func(dir string) []byte) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	begin = func(dir string) *exec.Cmd {
		c := exec.Command(self, append([]string{"gen-rules", "--memory", "16K",
			"--spill", filepath.Join(dir, "spill"), "--checkpoint", filepath.Join(dir, "state"),
			"--out", filepath.Join(dir, "a.rules"), "--unproved", filepath.Join(dir, "a.json")}, flags...)...)
		c.Args[0] = "taso"
		c.Env = append(os.Environ(), "TASO_TEST_ANY_MEMORY=1")
		if err := os.MkdirAll(filepath.Join(dir, "spill"), 0o755); err != nil {
			t.Fatal(err)
		}
		return c
	}
	files = func(dir string) []byte {
		var all []byte
		for _, name := range []string{"a.rules", "a.cert", "a.json"} {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b...)
		}
		return all
	}
	return begin, files
}

// A run of five operators that is killed after level 4 goes on with level 5, and ends with the
// bytes of one that was left alone.
func TestKilledAtFive(t *testing.T) {
	begin, files := killable(t, "--max-ops", "5", "--ops", "transpose,ewadd", "--stages")
	alone, dir := t.TempDir(), t.TempDir()
	if out, err := begin(alone).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := begin(dir)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for state := filepath.Join(dir, "state", "level-4.session"); ; {
		if _, err := os.Stat(state); err == nil {
			c.Process.Kill()
			<-ended
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("it ended before it was killed: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a.rules")); err == nil {
		t.Log("it ended before it was killed")
	}
	again := begin(dir)
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !bytes.Equal(files(dir), files(alone)) {
		t.Error("other bytes")
	}
	if !bytes.Contains(files(alone), []byte("transpose")) {
		t.Error("no rules")
	}
}

// With --memory a run exceeds its bound by at most a fifth. Without the flag it needs more.
func TestBoundedRun(t *testing.T) {
	if sweep.Size(0, 1) == 0 {
		t.Skip("it takes 20 s of a core")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	peak := func(flags ...string) int64 {
		c := exec.Command(self, append([]string{"gen-rules", "--max-ops", "3", "--json", "--workers", "2"}, flags...)...)
		c.Args[0] = "taso"
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		var rep genrules.Report
		if err := json.Unmarshal(out, &rep); err != nil {
			t.Fatal(err)
		}
		return rep.PeakRSS
	}
	const bound = 300 << 20
	if got := peak("--memory", "300M"); got > bound*6/5 {
		t.Errorf("--memory 300M: %d M at the peak", got>>20)
	}
	if free := peak(); free <= bound*6/5 {
		t.Errorf("without a bound: only %d M at the peak", free>>20)
	}
}
