package rewrite_test

import (
	"math/rand"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
	"github.com/taso-go/taso/law/rewrite"
)

// TestMatchingAllocatesNothing: of numbers, once the matcher has its memory. What
// does allocate are size functions and remainders.
func TestMatchingAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for _, name := range []string{"conv_ewadd_kernel", "slice_concat_second", "matmul_concat_batch", "slice_slice", "pointwise_concat", "ewmul_ewadd"} {
		var l *law.Law
		for _, a := range axioms.Default() {
			if a.Name == name {
				l = a
			}
		}
		if l == nil {
			t.Fatalf("no law %s", name)
		}
		c, err := rewrite.Compile(l)
		if err != nil {
			t.Fatal(err)
		}
		h, sides, ok := drawn(l, r)
		if !ok {
			t.Fatalf("%s: no instance", name)
		}
		m := rewrite.NewMatcher[rewrite.TermID](definite{h})
		n := 0
		count := func(*rewrite.Match[rewrite.TermID]) bool { n++; return true }
		for _, d := range c.Directions {
			side := sides[0]
			if d.Backward {
				side = sides[1]
			}
			if allocs := testing.AllocsPerRun(50, func() { m.Match(d, side, count) }); allocs > 0 {
				t.Errorf("%s, backward %v: %v allocations a match", name, d.Backward, allocs)
			}
		}
		if n == 0 {
			t.Errorf("%s: not matched", name)
		}
	}
}

// drawn is an instance of a law at sizes at which both sides are defined.
func drawn(l *law.Law, r *rand.Rand) (h *rewrite.Terms, sides [2][]rewrite.TermID, ok bool) {
	s := instance.NewSampler(l, instance.Scope{})
	for range 20 {
		if v, found := s.Sample(r); found {
			if h, sides, ok = instanceOf(l, v); ok {
				break
			}
		}
	}
	return h, sides, ok
}

// Matching all axioms at one term of an instance of an axiom.
func BenchmarkMatchAxioms(b *testing.B) {
	r := rand.New(rand.NewSource(4))
	type place struct {
		m    *rewrite.Matcher[rewrite.TermID]
		root []rewrite.TermID
	}
	var places []place
	var ds []*rewrite.Direction
	for _, l := range axioms.Default() {
		c, err := rewrite.Compile(l)
		if err != nil || l.Kind == law.Refute {
			continue
		}
		for _, d := range c.Directions {
			if len(d.Roots) == 1 && !d.Bare && !d.Guess {
				ds = append(ds, d)
			}
		}
		if v, ok := instance.NewSampler(l, instance.Scope{}).Sample(r); ok {
			if h, sides, ok := instanceOf(l, v); ok {
				places = append(places, place{rewrite.NewMatcher[rewrite.TermID](definite{h}), sides[0][:1]})
			}
		}
	}
	found := 0
	count := func(*rewrite.Match[rewrite.TermID]) bool { found++; return true }
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		p := places[i%len(places)]
		for _, d := range ds {
			p.m.Match(d, p.root, count)
		}
	}
	b.ReportMetric(float64(len(ds)), "directions")
	b.ReportMetric(float64(found)/float64(b.N), "matches/op")
}
