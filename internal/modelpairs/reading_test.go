package modelpairs

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taso-go/taso/internal/ort"
)

var mutants = flag.Int("pairs.mutants", shortRun, "node tests and mutants of TestReading")

// TestReading: what we compute of ONNX's node tests, and of mutants of them, is what ONNX
// Runtime or ONNX's reference implementation computes, or the difference is documented.
func TestReading(t *testing.T) {
	python := ort.ForTest(t).Python
	counts := map[string]*[Wrong + 1]int{}
	differences := documented(t)
	met := make([]int, len(differences))
	var lines []string
	var lock sync.Mutex
	start := time.Now()
	err := Mutants(context.Background(), Options{Python: python, Seed: *seed, Count: *mutants, Workers: *workers, Operator: *operator}, func(m *Mutant) error {
		dir := t.TempDir()
		r, why, err := JudgeReading(context.Background(), m, dir)
		if err != nil {
			return err
		}
		lock.Lock()
		defer lock.Unlock()
		if r == Wrong {
			for i, d := range differences {
				if d.match(m) {
					r, why = Disputed, "documented: "+d.reason
					met[i]++
					break
				}
			}
		}
		for _, kind := range []string{m.Kind, "all"} {
			if counts[kind] == nil {
				counts[kind] = &[Wrong + 1]int{}
			}
			counts[kind][r]++
		}
		if r != Agrees {
			lines = append(lines, fmt.Sprintf("%s\t%06d\t%s\t%s\t%s\t%s", r, m.Number, m.Operator, m.Case, m.Kind, why))
		}
		if *keep != "" && r >= Disputed && r != Refused {
			to := filepath.Join(*keep, "reading", r.String())
			if err := os.MkdirAll(to, 0o777); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(to, fmt.Sprintf("%06d-%s.onnx", m.Number, m.Case)), m.Model, 0o666)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(lines)
	for _, l := range lines {
		t.Log(l)
	}
	for i, d := range differences {
		t.Logf("documented: %s: %d (%s)", d.cases, met[i], d.reason)
	}
	t.Logf("%d models in %.0f s, seed %d", *mutants, time.Since(start).Seconds(), *seed)
	var kinds []string
	for k := range counts {
		kinds = append(kinds, k)
	}
	sort.Strings(kinds)
	for _, k := range kinds {
		c := counts[k]
		t.Logf("%-24s agrees %5d, disputed %4d, refused %4d, alone %4d, wrong %3d", k, c[Agrees], c[Disputed], c[Refused], c[Alone], c[Wrong])
		if k == "all" && c[Wrong] > 0 {
			t.Errorf("%d models are read wrong", c[Wrong])
		}
	}
}

// difference is a documented one: of the cases that a pattern of package path names.
type difference struct{ cases, reason string }

func (d difference) match(m *Mutant) bool {
	ok, _ := path.Match(d.cases, m.Case)
	return ok
}

// documented are the differences of testdata/differences.txt: a pattern and the reason.
func documented(t *testing.T) []difference {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "differences.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var list []difference
	for l := range strings.Lines(string(raw)) {
		if l = strings.TrimSpace(l); l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		pattern, reason, ok := strings.Cut(l, " ")
		if _, err := path.Match(pattern, ""); err != nil || !ok {
			t.Fatalf("differences.txt: %q: want a pattern and a reason: %v", l, err)
		}
		list = append(list, difference{pattern, strings.TrimSpace(reason)})
	}
	return list
}
