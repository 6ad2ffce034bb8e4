package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

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
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	begin := func(dir string) *exec.Cmd {
		c := exec.Command(self, "gen-rules", "--max-ops", "3", "--ops", "matmul,ewadd,transpose,concat,relu", "--memory", "16K",
			"--spill", filepath.Join(dir, "spill"), "--checkpoint", filepath.Join(dir, "state"),
			"--out", filepath.Join(dir, "a.rules"), "--unproved", filepath.Join(dir, "a.json"))
		c.Args[0] = "taso"
		c.Env = append(os.Environ(), "TASO_TEST_ANY_MEMORY=1") // so little that all is spilled
		if err := os.MkdirAll(filepath.Join(dir, "spill"), 0o755); err != nil {
			t.Fatal(err)
		}
		return c
	}
	files := func(dir string) []byte {
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
