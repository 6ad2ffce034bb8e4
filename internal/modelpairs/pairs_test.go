package modelpairs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/internal/sweep"
)

// shortRun is how many numbers the tests take unless a flag says more.
var shortRun = sweep.Size(112, 150)

var (
	count    = flag.Int("pairs.count", shortRun, "numbers of pairs")
	seed     = flag.Uint64("pairs.seed", 1, "seed of the pairs")
	workers  = flag.Int("pairs.workers", 1, "processes that make pairs, and goroutines that compare")
	operator = flag.String("pairs.operator", "", "operator of all pairs")
	kind     = flag.String("pairs.kind", "", "kind of all pairs")
	limit    = flag.Duration("pairs.time", 0, "TestPairs ends after it; 0: when all pairs are made")
	keep     = flag.String("pairs.keep", "", "folder that keeps the pairs whose answer is not right")
)

// errLate ends a run whose time is over.
var errLate = errors.New("the time is over")

// TestPairs: no answer about a pair is wrong, but for those that testdata/known.txt lists. A
// run with other flags fails on these too.
func TestPairs(t *testing.T) {
	python := ort.ForTest(t).Python
	var table Table
	var lines []string
	var lock sync.Mutex
	start := time.Now()
	err := Generate(context.Background(), Options{Python: python, Seed: *seed, Count: *count, Workers: *workers, Operator: *operator, Kind: *kind}, func(p *Pair) error {
		if *limit > 0 && time.Since(start) > *limit {
			return errLate
		}
		var o Outcome
		if p.Kind != "" {
			var err error
			if o, err = Judge(context.Background(), p, t.TempDir()); err != nil {
				return err
			}
		}
		lock.Lock()
		defer lock.Unlock()
		table.Add(p, o)
		if p.Kind == "" || o.Answer == Right {
			return nil
		}
		lines = append(lines, fmt.Sprintf("%s\t%06d\t%s\t%s\t%s", o.Answer, p.Number, p.Operator, p.Label(), o.Why))
		return store(p, o)
	})
	if err != nil && !errors.Is(err, errLate) {
		t.Fatal(err)
	}
	sort.Strings(lines)
	t.Logf("%d pairs in %.0f s, seed %d; %d numbers gave none\n%s", table.All.Pairs, time.Since(start).Seconds(), *seed, table.NoPair, &table)
	if len(table.Operators) > 0 && testing.Verbose() {
		t.Logf("pairs of the operators: %s", &Spread{table.Operators})
	}
	known := knownLines(t)
	for _, l := range lines {
		switch f := strings.Split(l, "\t"); {
		case !strings.HasPrefix(l, "wrong"):
			t.Log(l)
		case *seed == 1 && *count == shortRun && *operator == "" && *kind == "" && known[strings.Join(f[:4], "\t")]:
			t.Log("known: " + l)
		default:
			t.Error(l)
		}
	}
	if table.All.Pairs < *count/2 && err == nil {
		t.Errorf("only %d pairs of %d numbers: %v", table.All.Pairs, *count, table.Dropped)
	}
}

// knownLines are the answers of the short run that are known to be wrong.
func knownLines(t *testing.T) map[string]bool {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "known.txt"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for l := range strings.Lines(string(raw)) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			known[l] = true
		}
	}
	return known
}

// store keeps a pair for people to look at.
func store(p *Pair, o Outcome) error {
	if *keep == "" {
		return nil
	}
	dir := filepath.Join(*keep, strings.ReplaceAll(o.Answer.String(), " ", "-"), fmt.Sprintf("%06d-%s", p.Number, p.Operator))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, raw := range map[string][]byte{"a.onnx": p.A, "b.onnx": p.B, "why": []byte(p.Label() + "\n" + o.Why + "\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o666); err != nil {
			return err
		}
	}
	return nil
}
