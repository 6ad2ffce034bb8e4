package modelpairs

import (
	"context"
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
)

var (
	count    = flag.Int("pairs.count", 300, "numbers of pairs")
	seed     = flag.Uint64("pairs.seed", 1, "seed of the pairs")
	workers  = flag.Int("pairs.workers", 2, "processes that make pairs, and goroutines that compare")
	operator = flag.String("pairs.operator", "", "operator of all pairs")
	kind     = flag.String("pairs.kind", "", "kind of all pairs")
	keep     = flag.String("pairs.keep", "", "folder that keeps the pairs whose answer is not right")
)

// TestPairs: no answer about a pair is wrong.
func TestPairs(t *testing.T) {
	python := ort.ForTest(t).Python
	var table Table
	var lines []string
	var lock sync.Mutex
	start := time.Now()
	err := Generate(context.Background(), Options{Python: python, Seed: *seed, Count: *count, Workers: *workers, Operator: *operator, Kind: *kind}, func(p *Pair) error {
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
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(lines)
	t.Logf("%d pairs in %.0f s, seed %d; %d numbers gave none\n%s", table.All.Pairs, time.Since(start).Seconds(), *seed, table.NoPair, &table)
	for _, l := range lines {
		if strings.HasPrefix(l, "wrong") {
			t.Error(l)
		} else {
			t.Log(l)
		}
	}
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
