package sums_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/builtin"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
)

func TestCertifyAll(t *testing.T) {
	laws := append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...)
	all, err := builtin.All()
	if err != nil {
		t.Fatal(err)
	}
	laws = append(laws, all...)
	var sizes []int
	n := 0
	var search, check time.Duration
	for _, l := range laws {
		start := time.Now()
		p, err := sums.Certify(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		d := time.Since(start)
		search += d
		if d > 200*time.Millisecond {
			t.Logf("%s takes %v", l.Name, d)
		}
		if p == nil {
			t.Errorf("%s: no proof", l.Name)
			continue
		}
		start = time.Now()
		if _, err := meaning.Check(l, p); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
		check += time.Since(start)
		n++
		sizes = append(sizes, len(p))
	}
	slices.Sort(sizes)
	sum := 0
	for _, n := range sizes {
		sum += n
	}
	t.Logf("%d of %d laws; numbers: median %d, most %d, all %d; search %v, check %v", n, len(laws), sizes[len(sizes)/2], sizes[len(sizes)-1], sum, search, check)
}
