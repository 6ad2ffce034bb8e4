package enumerate

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/taso-go/taso/law"
)

// What Prove says holds for the true relu and maximum only joins no terms of the ordinary
// path, in levels after it and after a checkpoint; a law that follows from it is stated. On
// the ordered path it is used.
func TestOrderedByProof(t *testing.T) {
	const twice, within = "transpose(transpose(A)) == A", "transpose(transpose(f(A))) == f(A)"
	u := universe(t, 1, "transpose", "relu")
	body := func(c *Candidate) string { return law.FormatOutputs(c.Law.LHS) + " == " + law.FormatOutputs(c.Law.RHS) }
	session := func(mark bool) *Session {
		return NewSession(Options{Universe: u, Workers: 2, Seed: 1, Prove: func(_ context.Context, cands []*Candidate) error {
			for _, c := range cands {
				c.Proved = true
				c.Ordered = c.Ordered || mark && body(c) == twice
			}
			return nil
		}})
	}
	run := func(s *Session, from, to int) (plain, ordered []string) {
		for n := from; n <= to; n++ {
			cands, _, err := s.Level(context.Background(), n)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cands {
				plain = append(plain, body(c))
			}
			if cands, err = s.Ordered(context.Background()); err != nil {
				t.Fatal(err)
			}
			for _, c := range cands {
				ordered = append(ordered, body(c))
			}
		}
		return plain, ordered
	}
	usual, usualOrdered := run(session(false), 1, 3)
	if !slices.Contains(usual, twice) || slices.Contains(usual, within) {
		t.Fatalf("%q: want %s alone", usual, twice)
	}
	s := session(true)
	low, lowOrdered := run(s, 1, 2)
	var state bytes.Buffer
	if err := s.Save(&state); err != nil {
		t.Fatal(err)
	}
	high, highOrdered := run(s, 3, 3)
	if !slices.Contains(low, twice) || !slices.Contains(high, within) {
		t.Errorf("%q and %q: want %s and then %s", low, high, twice, within)
	}
	if got := slices.Concat(lowOrdered, highOrdered); len(got) == 0 || !slices.Equal(got, usualOrdered) {
		t.Errorf("of the true relu: %q, want %q", got, usualOrdered)
	}
	again := session(true)
	if err := again.Restore(&state); err != nil {
		t.Fatal(err)
	}
	if got, gotOrdered := run(again, 3, 3); !slices.Equal(got, high) || !slices.Equal(gotOrdered, highOrdered) {
		t.Errorf("after a checkpoint %q and %q, want %q and %q", got, gotOrdered, high, highOrdered)
	}
}
