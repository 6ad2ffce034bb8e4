package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/rules"
)

func TestMain(m *testing.M) {
	flag.Parse()
	Quiet()
	beam.Init() // as a worker it does not return
	os.Exit(m.Run())
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
	opt := genrules.Options{MaxOps: 2, Seed: 1, Workers: 1}
	want := written(t, opt)
	c, err := New(opt, Options{Dir: t.TempDir(), Run: onPrism, Shares: 7, Parts: 3, Memory: 4096})
	if err != nil {
		t.Fatal(err)
	}
	opt.Cluster = c
	if got := written(t, opt); got != want {
		t.Error("other bytes")
	}
}

// Workers are processes, some of which are killed while they work: the pipeline is tried
// again, and the bytes are the same. TASO_KILLS=20 kills more.
func TestKilled(t *testing.T) {
	opt := genrules.Options{MaxOps: 2, Ops: []string{"matmul", "ewadd", "transpose", "concat", "split"}, Seed: 1, Workers: 1}
	want := written(t, opt)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
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
	// The first worker of all is killed at once, the next ones after a while.
	rng := rand.New(rand.NewPCG(1, 2))
	kills := 3
	if text := os.Getenv("TASO_KILLS"); text != "" {
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	killed := map[int]bool{}
	most, failed := 0, 0
	done := make(chan bool)
	defer close(done)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
			}
			ids := pool.Processes()
			mu.Lock()
			most = max(most, len(ids))
			for _, id := range ids {
				if len(killed) < kills && !killed[id] {
					if len(killed) > 0 {
						time.Sleep(time.Duration(rng.IntN(500)) * time.Millisecond)
					}
					killed[id] = syscall.Kill(id, syscall.SIGKILL) == nil
				}
			}
			mu.Unlock()
		}
	}()
	c, err := New(opt, Options{Dir: t.TempDir(), Run: onPrism, Shares: 6, Parts: 4, Pipelines: 2, Attempts: 2 + kills,
		Failed: func(what string, attempt int, err error) {
			mu.Lock()
			defer mu.Unlock()
			failed++
			t.Logf("%s, attempt %d: %.200v", what, attempt, err)
		}})
	if err != nil {
		t.Fatal(err)
	}
	opt.Cluster = c
	if got := written(t, opt); got != want {
		t.Error("other bytes")
	}
	mu.Lock()
	defer mu.Unlock()
	if most < 2 || len(killed) != kills || failed == 0 {
		t.Errorf("%d processes at a time, %d killed, %d attempts failed", most, len(killed), failed)
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
