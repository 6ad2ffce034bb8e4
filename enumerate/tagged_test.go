package enumerate

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/taso-go/taso/law"
)

// What a verdict says holds for the true relu and maximum only joins no terms of the ordinary
// path, in levels after it and after a checkpoint; a law that follows from it is stated. On
// the ordered path it is used.
func TestOrderedByProof(t *testing.T) {
	const (
		twice  = "transpose[perm=inverse(u)](transpose[perm=u](A)) == A"
		within = "transpose[perm=inverse(u)](transpose[perm=u](f(A))) == f(A)"
	)
	u := universe(t, 1, "transpose", "relu")
	body := func(c Candidate) string { return law.FormatOutputs(c.Law.LHS) + " == " + law.FormatOutputs(c.Law.RHS) }
	session := func() *Session { return NewSession(Options{Universe: u, Workers: 2, Seed: 1}) }
	mark := how{prove: func(cands []Candidate) []Verdict {
		out := proved(cands)
		for i, c := range cands {
			out[i].Ordered = body(c) == twice
		}
		return out
	}}
	run := func(s *Session, h how, from, to int) (plain, ordered []string) {
		for n := from; n <= to; n++ {
			cands, _, err := level(context.Background(), s, n, h)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cands {
				plain = append(plain, body(c.Candidate))
			}
			if cands, err = orderedOf(context.Background(), s, h); err != nil {
				t.Fatal(err)
			}
			for _, c := range cands {
				ordered = append(ordered, body(c.Candidate))
			}
		}
		return plain, ordered
	}
	usual, usualOrdered := run(session(), how{}, 1, 3)
	if !slices.Contains(usual, twice) || slices.Contains(usual, within) {
		t.Fatalf("%q: want %s alone", usual, twice)
	}
	s := session()
	low, lowOrdered := run(s, mark, 1, 2)
	var state bytes.Buffer
	if err := s.Save(&state); err != nil {
		t.Fatal(err)
	}
	high, highOrdered := run(s, mark, 3, 3)
	if !slices.Contains(low, twice) || !slices.Contains(high, within) {
		t.Errorf("%q and %q: want %s and then %s", low, high, twice, within)
	}
	if got := slices.Concat(lowOrdered, highOrdered); len(got) == 0 || !slices.Equal(got, usualOrdered) {
		t.Errorf("of the true relu: %q, want %q", got, usualOrdered)
	}
	again := session()
	if err := again.Restore(&state); err != nil {
		t.Fatal(err)
	}
	if got, gotOrdered := run(again, mark, 3, 3); !slices.Equal(got, high) || !slices.Equal(gotOrdered, highOrdered) {
		t.Errorf("after a checkpoint %q and %q, want %q and %q", got, gotOrdered, high, highOrdered)
	}
}
