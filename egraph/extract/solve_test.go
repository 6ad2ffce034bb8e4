package extract

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// TestBrute holds every method to all choices of small problems.
func TestBrute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t, 9, 22)
		want := least(p)
		for _, m := range Methods() {
			r, err := Solve(context.Background(), p, Options{Method: m, Best: 3})
			if want < 0 {
				if !errors.Is(err, ErrNoChoice) {
					t.Fatalf("%s: got %v, %v: want ErrNoChoice", m, r, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", m, err)
			}
			sound(t, p, r, want)
			if (m == Auto || m == Exact) && r.Stop != StopOptimal {
				t.Fatalf("method %q: cost %d, bound %d, stop %s: want it optimal", m, r.Cost, r.Bound, r.Stop)
			}
		}
	})
}
