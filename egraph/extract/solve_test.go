package extract

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestBrute holds every method to all choices of small problems.
func TestBrute(t *testing.T) {
	problems(t, func(t *rapid.T) {
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

// TestBest: what Best lists is distinct, ordered and led by the solution.
func TestBest(t *testing.T) {
	several := 0
	problems(t, func(t *rapid.T) {
		p := drawn(t, 9, 22)
		if rapid.Bool().Draw(t, "bounded") {
			p.MaxBytes = int64(rapid.IntRange(1, 20).Draw(t, "max"))
		}
		want := least(p)
		n := rapid.IntRange(1, 6).Draw(t, "n")
		r, err := Solve(context.Background(), p, Options{Best: n})
		if errors.Is(err, ErrNoChoice) || errors.Is(err, ErrNoRoom) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		sound(t, p, r, want)
		if len(r.Best) == 0 || len(r.Best) > n || !slices.Equal(r.Best[0].Choice, r.Choice) {
			t.Fatalf("%d of %d, the first %v: solution %v", len(r.Best), n, r.Best[0], r.Solution)
		}
		for i, s := range r.Best {
			if i > 0 && s.Cost < r.Best[i-1].Cost || p.MaxBytes > 0 && s.Bytes > p.MaxBytes {
				t.Fatalf("solution %d: cost %d, %d bytes, after %d", i, s.Cost, s.Bytes, r.Best[i-1].Cost)
			}
			for _, o := range r.Best[:i] {
				if slices.Equal(o.Choice, s.Choice) {
					t.Fatalf("solution %d is there twice: %v", i, s.Choice)
				}
			}
		}
		if len(r.Best) > 1 {
			several++
		}
	})
	if several == 0 {
		t.Error("no problem has several solutions")
	}
}

// TestMaxBytes holds bounded memory to all choices.
func TestMaxBytes(t *testing.T) {
	var best, above, none, room int
	problems(t, func(t *rapid.T) {
		p := drawn(t, 9, 22)
		p.MaxBytes = int64(rapid.IntRange(1, 20).Draw(t, "max"))
		want := least(p)
		r, err := Solve(context.Background(), p, Options{})
		switch {
		case want < 0 && (errors.Is(err, ErrNoChoice) || errors.Is(err, ErrNoRoom)):
			none++
			return
		case errors.Is(err, ErrNoRoom):
			room++ // allowed: this is not claimed to be exact
			return
		case err != nil:
			t.Fatalf("%v: the least cost is %d", err, want)
		}
		sound(t, p, r, want)
		if r.Bytes > p.MaxBytes {
			t.Fatalf("%d bytes: want at most %d", r.Bytes, p.MaxBytes)
		}
		if r.Cost == want {
			best++
		} else {
			above++
		}
	})
	t.Logf("optimal %d, above %d, not found %d, none %d", best, above, room, none)
	if best == 0 || none == 0 || (above+room)*5 > best {
		t.Errorf("optimal %d, above %d, not found %d, none %d", best, above, room, none)
	}
}
