package genrules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/internal/sweep"
)

// written is all that a run writes and counts, times and memory aside.
func written(t *testing.T, rep *Report) string {
	t.Helper()
	text, cert := files(t, rep.Set)
	unproved, err := json.MarshalIndent(rep.Unproved, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, s := range rep.Stages {
		fmt.Fprintf(&b, "%s: %d\n", s.Name, s.Count)
	}
	fmt.Fprintf(&b, "%+v %d\n%s\n%s\n%s", rep.Rules, rep.Graphs, text, cert, unproved)
	return b.String()
}

// unlike is where two texts part.
func unlike(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	from := max(0, n-200)
	return fmt.Sprintf("%q\nis not\n%q", a[from:min(len(a), n+200)], b[from:min(len(b), n+200)])
}

// delays holds up workers by chance, most of them hardly and some for long.
func delays(seed uint64) func() {
	var mu sync.Mutex
	rng := rand.New(rand.NewSource(int64(fingerprint.Mix(seed))))
	return func() {
		mu.Lock()
		n := rng.Intn(200)
		mu.Unlock()
		switch {
		case n == 0:
			time.Sleep(3 * time.Millisecond)
		case n < 50:
			runtime.Gosched()
		}
	}
}

// A run writes and counts the same whatever the number of workers and whatever
// holds them up, and what does not fit into memory.
func TestSteady(t *testing.T) {
	concats := Options{MaxOps: sweep.Size(3, 4), Ops: []string{"concat", "ewadd", "ewmul"}, SemanticOps: -1, Seed: 1, Workers: 1}
	convs := Options{MaxOps: 3, Ops: []string{"conv2d", "conv2d_relu", "relu"}, SemanticOps: 2, Seed: 1, Workers: 1}
	for _, c := range []struct {
		opt     Options
		one     func(testing.TB) *Report // by one worker
		workers []int
	}{
		{concats, once(concats), []int{4}},
		{fourOptions, fourOperators, []int{8, 2}[:sweep.Size(1, 2)]}, // TestResume has two
		{convs, once(convs), []int{3}},
	} {
		opt := c.opt
		want := written(t, c.one(t))
		for i, workers := range c.workers {
			opt.Workers, opt.disturb, opt.Memory = workers, delays(uint64(i)), 0
			if i == 0 {
				opt.Memory = 1 << 16 // spills
			}
			if got := written(t, generate(t, opt)); got != want {
				t.Errorf("%v, %d workers: %s", opt.Ops, workers, unlike(got, want))
			}
		}
	}
}

// A run that goes on from a checkpoint writes what it would have written.
func TestResume(t *testing.T) {
	opt := fourOptions
	opt.Workers, opt.Checkpoint = 2, t.TempDir()
	want := generate(t, opt) // leaves the state after level 3
	if a, b := written(t, want), written(t, fourOperators(t)); a != b {
		t.Errorf("with a checkpoint: %s", unlike(a, b))
	}
	got := generate(t, opt)
	a, b := files(t, want.Set)
	c, d := files(t, got.Set)
	if a != c {
		t.Errorf("rules: %s", unlike(c, a))
	}
	if b != d {
		t.Errorf("certificates: %s", unlike(d, b))
	}
	x, _ := json.Marshal(want.Unproved)
	y, _ := json.Marshal(got.Unproved)
	if !bytes.Equal(x, y) {
		t.Errorf("not proved: %s", unlike(string(y), string(x)))
	}
}
