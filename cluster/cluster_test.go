package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/rules"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if dir := os.Getenv("TASO_DIE"); dir != "" {
		disturb = func() { die(dir) }
	}
	Quiet()
	beam.Init() // as a worker it does not return
	os.Exit(m.Run())
}

var calls atomic.Int64

// die ends a worker in the middle of its work, without a chance to tidy up, as often as the
// folder says: after some calls, which differ from worker to worker.
func die(dir string) {
	n := calls.Add(1)
	for i := int64(0); ; i++ {
		left := filepath.Join(dir, strconv.FormatInt(i, 10))
		if _, err := os.Stat(left); err != nil {
			return // there was the last one
		}
		if os.Remove(left+"/alive") == nil {
			if n == 1+i*5%13 {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			os.WriteFile(left+"/alive", nil, 0o644)
			return
		}
	}
}

// onPrism runs pipelines in this process.
func onPrism(ctx context.Context, p *beam.Pipeline) error {
	_, err := prism.Execute(ctx, p)
	return err
}

// written is all that a run writes.
func written(t testing.TB, opt genrules.Options) string {
	t.Helper()
	rep, err := genrules.Run(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Stopped != "" {
		t.Fatal(rep.Stopped)
	}
	var b bytes.Buffer
	if err := rules.WriteText(&b, rep.Set); err != nil {
		t.Fatal(err)
	}
	if err := rules.WriteCert(&b, rep.Set); err != nil {
		t.Fatal(err)
	}
	unproved, err := json.MarshalIndent(rep.Unproved, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	b.Write(unproved)
	return b.String()
}

// A cluster writes what one process writes.
func TestSameBytes(t *testing.T) {
	for name, c := range map[string]struct {
		opt genrules.Options
		by  Options
	}{
		"default":    {genrules.Options{MaxOps: 2}, Options{Shares: 7, Parts: 3, Memory: 4096, FewBuckets: -1}},
		"derivation": {genrules.Options{MaxOps: 4, Ops: []string{"matmul", "ewadd", "transpose"}}, Options{FewBuckets: 50, Pipelines: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			c.opt.Seed, c.opt.Workers = 1, 1
			want := written(t, c.opt)
			c.by.Dir, c.by.Run = t.TempDir(), onPrism
			by, err := New(c.opt, c.by)
			if err != nil {
				t.Fatal(err)
			}
			c.opt.Cluster = by
			if got := written(t, c.opt); got != want {
				t.Error("other bytes")
			}
			left, err := filepath.Glob(filepath.Join(c.by.Dir, "*", "*"))
			if err != nil || len(left) > 0 {
				t.Errorf("files are left: %v, %v", left, err)
			}
		})
	}
}

// Workers are processes, some of which are killed while they work: the pipeline is tried
// again, and the bytes are the same. TASO_KILLS=20 kills more.
func TestKilled(t *testing.T) {
	kills := 3
	if text := os.Getenv("TASO_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	opt := genrules.Options{MaxOps: 2, Ops: []string{"matmul", "ewadd", "transpose", "concat", "split"}, Seed: 1, Workers: 1}
	want := written(t, opt)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	lives := t.TempDir()
	for i := range kills {
		left := filepath.Join(lives, strconv.Itoa(i))
		if err := os.Mkdir(left, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(left, "alive"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TASO_DIE", lives)
	pool, err := NewPool("localhost:0", self)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	restore, err := OnPool(pool)
	if err != nil {
		t.Fatal(err)
	}
	defer restore()
	var failed atomic.Int64
	c, err := New(opt, Options{Dir: t.TempDir(), Run: onPrism, Shares: 6, Parts: 4, Pipelines: 2, FewBuckets: -1, Attempts: 2 + kills,
		Failed: func(what string, attempt int, err error) {
			failed.Add(1)
			t.Logf("%s, attempt %d: %.200v", what, attempt, err)
		}})
	if err != nil {
		t.Fatal(err)
	}
	opt.Cluster = c
	if got := written(t, opt); got != want {
		t.Error("other bytes")
	}
	alive, err := filepath.Glob(filepath.Join(lives, "*", "alive"))
	if err != nil || len(alive) > 0 || failed.Load() == 0 {
		t.Errorf("%d of %d workers were not killed (%v), %d attempts failed", len(alive), kills, err, failed.Load())
	}
}

// TASO_FLINK=HOST:PORT is a Beam job server, of Flink for instance, at which the same bytes
// are made, with TASO_FLINK_OPS=3 rules of three operators. docs/scale.md starts one.
func TestJobServer(t *testing.T) {
	endpoint := os.Getenv("TASO_FLINK")
	if endpoint == "" {
		t.Skip("TASO_FLINK names no job server")
	}
	opt := genrules.Options{MaxOps: 2, Seed: 1}
	if os.Getenv("TASO_FLINK_OPS") == "3" {
		opt.MaxOps = 3
	}
	want := written(t, opt)
	run, err := Runner("universal")
	if err != nil {
		t.Fatal(err)
	}
	before := [2]string{*jobopts.Endpoint, *jobopts.EnvironmentType}
	defer func() { *jobopts.Endpoint, *jobopts.EnvironmentType = before[0], before[1] }()
	*jobopts.Endpoint, *jobopts.EnvironmentType = endpoint, "LOOPBACK"
	c, err := New(opt, Options{Dir: t.TempDir(), Run: run})
	if err != nil {
		t.Fatal(err)
	}
	opt.Cluster = c
	if got := written(t, opt); got != want {
		t.Error("other bytes")
	}
}
