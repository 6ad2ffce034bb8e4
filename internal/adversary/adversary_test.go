package adversary

import (
	"context"
	"flag"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/taso-go/taso/law"
)

var (
	laws    = flag.Int("adversary.laws", 0, "laws that TestLong writes; 0: it is skipped")
	workers = flag.Int("adversary.workers", 2, "goroutines of TestLong")
	seed    = flag.Uint64("adversary.seed", 1, "seed of TestLong")
	limit   = flag.Duration("adversary.time", 0, "TestLong ends after it; 0: when all laws are written")
)

// read is the laws of a file of testdata.
func read(t *testing.T, name string) []*law.Law {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	ls, err := law.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return ls
}

// A run of any length, for make adversary.
func TestLong(t *testing.T) {
	if *laws == 0 {
		t.Skip("-adversary.laws is 0")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	o := Options{Laws: *laws, Workers: *workers, Seed: *seed, Seeds: read(t, "false.rules"), Progress: os.Stderr}
	if *limit > 0 {
		o.Until = time.Now().Add(*limit)
	}
	f, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", f)
	// One of each kind, the smallest.
	kinds := map[string]*Finding{}
	count := map[string]int{}
	for _, x := range f.Findings {
		k := x.Kind()
		count[k]++
		if old := kinds[k]; old == nil || len(law.Format(x.Law)) < len(law.Format(old.Law)) {
			kinds[k] = x
		}
	}
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		t.Errorf("%d times %s", count[k], kinds[k])
	}
}
