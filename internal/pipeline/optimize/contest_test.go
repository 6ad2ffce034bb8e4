package optimize

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/cost"
)

// clock gives times instead of runs: of each candidate in a calm machine, and what the
// machine does to the n-th turn.
type clock struct {
	calm []cost.Seconds
	slow func(n int) cost.Seconds // factor
	n    int
	seen []int
}

func (k *clock) turn(_ context.Context, i int) (took, all cost.Seconds, err error) {
	k.seen = append(k.seen, i)
	k.n++
	t := k.calm[i] * k.slow(k.n-1)
	return t, t, nil
}

func calm(int) cost.Seconds { return 1 }

// noisy is a machine on which other work makes a turn up to half as long again, seldom
// several times as long, and turns in a row alike.
func noisy(seed uint64) func(int) cost.Seconds {
	rnd := rand.New(rand.NewPCG(seed, 1))
	drift := 0.0
	return func(int) cost.Seconds {
		drift = 0.8*drift + 0.2*rnd.Float64()
		f := 1 + 0.3*drift + 0.05*rnd.Float64()
		if rnd.IntN(10) == 0 {
			f *= 1 + 2*rnd.Float64()
		}
		return cost.Seconds(f)
	}
}

func TestContest(t *testing.T) {
	none, second := []bool{false, false, false}, []bool{false, false, true}
	for _, c := range []struct {
		name     string
		calm     []cost.Seconds
		doubtful []bool
		want     int
	}{
		{"the model is fastest", []cost.Seconds{1, 1.2, 1.1}, none, 0},
		{"the first is as fast", []cost.Seconds{1, 1, 1.1}, none, 1},
		{"the second is as fast, and the first slower", []cost.Seconds{1, 1.1, 1}, none, 2},
		{"the second is as fast and doubtful, and the first slower", []cost.Seconds{1, 1.1, 1}, second, 0},
		{"the second is faster and doubtful", []cost.Seconds{1, 1, 0.9}, second, 2},
		{"the second is faster, the first not slower than that", []cost.Seconds{1, 0.9, 0.9}, none, 1},
		{"the second is faster than the first", []cost.Seconds{1, 0.9, 0.8}, none, 2},
		{"the first is faster than the second", []cost.Seconds{1, 0.8, 0.9}, none, 1},
		{"a difference that is none", []cost.Seconds{1, 1.004, 0.997}, none, 1},
	} {
		k := &clock{calm: c.calm, slow: calm}
		x, err := hold(context.Background(), len(c.calm), k.turn)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.winner(c.doubtful); got != c.want {
			t.Errorf("%s: %d wins, not %d", c.name, got, c.want)
		}
	}
}

// On a noisy machine something slower is seldom kept, something much slower never, and
// something much faster almost always.
// TestDifference: the difference from the model is that of the calm machine, as far as the
// spread says, nearly always.
func TestDifference(t *testing.T) {
	const seeds = 200
	outside, width := 0, cost.Seconds(0)
	for seed := range uint64(seeds) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		k := &clock{calm: []cost.Seconds{1, 0.9}, slow: func(int) cost.Seconds { return cost.Seconds(1 + 0.01*rnd.NormFloat64()) }}
		c := &contest{times: make([][]cost.Seconds, 2)}
		for range mostRounds {
			for i := range c.times {
				took, _, _ := k.turn(t.Context(), i)
				c.times[i] = append(c.times[i], took)
			}
		}
		d, spread := c.difference(1, 0)
		if d < -0.1-spread || d > -0.1+spread {
			outside++
		}
		width += spread / seeds
	}
	if outside > seeds/6 || width > 0.02 { // of 12 rounds the deviation is not known well
		t.Errorf("%d of %d differences are outside of a spread of %v", outside, seeds, width)
	}
}

func TestContestNoise(t *testing.T) {
	const machines = 400
	kept := func(by cost.Seconds) (n int) {
		for seed := range machines {
			k := &clock{calm: []cost.Seconds{1, by}, slow: noisy(uint64(seed))}
			x, err := hold(context.Background(), 2, k.turn)
			if err != nil {
				t.Fatal(err)
			}
			n += x.winner([]bool{false, true})
		}
		return n
	}
	for _, c := range []struct {
		by          cost.Seconds
		least, most int
	}{{2, 0, 0}, {1.2, 0, 2}, {1.05, 0, 12}, {1, 0, 40}, {0.8, 360, 400}, {0.5, 398, 400}} {
		if n := kept(c.by); n < c.least || n > c.most {
			t.Errorf("%v times the time: kept on %d machines of %d, not %d to %d", c.by, n, machines, c.least, c.most)
		}
	}
}

// Everybody has the same number of turns, none always behind the same one, and there are
// more of them only while something is not clear.
func TestContestRounds(t *testing.T) {
	for _, c := range []struct {
		calm  []cost.Seconds
		slow  func(int) cost.Seconds
		least int
		most  int
	}{
		{[]cost.Seconds{1, 2, 3}, calm, leastRounds, leastRounds},
		{[]cost.Seconds{0.01, 0.01}, calm, mostRounds, mostRounds}, // equal: never clear
		{[]cost.Seconds{3, 3}, calm, leastRounds, leastRounds},     // and too long
		{[]cost.Seconds{0.1, 0.08}, noisy(3), leastRounds, mostRounds},
	} {
		k := &clock{calm: c.calm, slow: c.slow}
		x, err := hold(context.Background(), len(c.calm), k.turn)
		if err != nil {
			t.Fatal(err)
		}
		for i, times := range x.times {
			if len(times) < c.least || len(times) > c.most {
				t.Errorf("%v: candidate %d had %d turns, want %d to %d", c.calm, i, len(times), c.least, c.most)
			}
		}
		if n := len(c.calm); k.seen[0] != 0 || k.seen[n] != 1%n {
			t.Errorf("%v: turns %v", c.calm, k.seen)
		}
	}
	broken := errors.New("broken")
	if _, err := hold(context.Background(), 2, func(context.Context, int) (cost.Seconds, cost.Seconds, error) { return 0, 0, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
