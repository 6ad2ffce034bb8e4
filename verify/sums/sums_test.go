package sums_test

import (
	"context"
	"sort"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/sums"
)

func newProver(t testing.TB, cfg sums.Config) *sums.Prover {
	t.Helper()
	p, err := sums.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// Every axiom and lemma is proved for all sizes; no refuted equation is.
func TestAxioms(t *testing.T) {
	p := newProver(t, sums.Config{})
	var ms []float64
	for _, l := range axioms.Default() {
		r, err := p.Prove(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		if l.Kind == law.Refute {
			if r.Proved {
				t.Errorf("%s: refuted, and %s", l.Name, r)
			}
			t.Logf("%-28s %s; %d cases, %d queries, %.1f ms", l.Name, r, r.Cases, r.Queries, r.Seconds*1000)
			continue
		}
		ms = append(ms, r.Seconds*1000)
		if !r.Proved {
			t.Errorf("%s: %s (equal %v, forward %v, backward %v)", l.Name, r, r.Equal, r.Forward, r.Backward)
		}
		t.Logf("%-28s %s; %d cases, %d queries, %.1f ms", l.Name, r, r.Cases, r.Queries, r.Seconds*1000)
	}
	sort.Float64s(ms)
	t.Logf("%d laws, median %.1f ms, largest %.1f ms", len(ms), ms[len(ms)/2], ms[len(ms)-1])
}
