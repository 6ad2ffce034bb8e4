package optimize

import (
	"context"
	"math"

	"github.com/taso-go/taso/cost"
)

// contest says which of several candidates is fastest, from times that were taken in
// turns: in each round every candidate has its turn, so that a machine that slows down
// slows all of them. Candidates are compared by the differences within rounds.
type contest struct {
	times [][]cost.Seconds // by candidate and round
}

// Bounds of a contest.
const (
	leastRounds = 4
	mostRounds  = 12
	// mostSeconds is the time of all runs after which no more rounds are begun.
	mostSeconds = 20
	// smallest is the part of a time below which a difference is none, however steady it
	// is: memory lies elsewhere in the next process.
	smallest = 0.005
)

// hold lets n candidates, of which 0 is the one to beat, take turns until it is clear
// how each compares with it, and the others with each other, or for the most rounds.
// turn runs a candidate and returns its time, and that of all runs.
func hold(ctx context.Context, n int, turn func(ctx context.Context, i int) (took, all cost.Seconds, err error)) (*contest, error) {
	c := &contest{times: make([][]cost.Seconds, n)}
	spent := cost.Seconds(0)
	for round := range mostRounds {
		if round >= leastRounds && (c.decided() || spent > mostSeconds) {
			break
		}
		for k := range n {
			i := (round + k) % n // none is always behind the same one
			t, all, err := turn(ctx, i)
			if err != nil {
				return nil, err
			}
			c.times[i] = append(c.times[i], t)
			spent += all
		}
	}
	return c, nil
}

// least is a candidate's best time: other work only makes a run longer.
func (c *contest) least(i int) cost.Seconds {
	best := c.times[i][0]
	for _, t := range c.times[i] {
		best = min(best, t)
	}
	return best
}

// difference is how much longer a takes than b: the median of the differences within
// rounds, and how far the truth is from it in one of twenty cases, as normal errors are.
func (c *contest) difference(a, b int) (median, spread cost.Seconds) {
	d := make([]cost.Seconds, len(c.times[a]))
	for i := range d {
		d[i] = c.times[a][i] - c.times[b][i]
	}
	median, mad := cost.MedianMAD(d)
	// 1.4826 MAD is the deviation of normal errors, 1.2533 by the root of their number
	// that of a median; twice that is rarely exceeded.
	return median, cost.Seconds(2 * 1.4826 * 1.2533 * float64(mad) / math.Sqrt(float64(len(d))))
}

// compare tells whether a is faster (-1) or slower (1) than b by more than the spread of
// their differences, or neither (0). Both the typical difference and the best times have
// to say that it is faster; one of them is enough for slower.
func (c *contest) compare(a, b int) int {
	median, spread := c.difference(a, b)
	spread = max(spread, smallest*c.least(b))
	best := c.least(a) - c.least(b)
	switch {
	case median < -spread && best < 0:
		return -1
	case median > spread || best > spread:
		return 1
	}
	return 0
}

// decided reports whether more rounds would be of no use.
func (c *contest) decided() bool {
	for i := 1; i < len(c.times); i++ {
		for k := range i {
			if c.compare(i, k) == 0 {
				return false
			}
		}
	}
	return true
}

// winner is the fastest candidate that is faster than 0. One before it that it does not
// beat is taken in its place; candidates are in the order of preference. If none is
// faster, the first one that is not slower is taken, 0 if there is none. Those that are
// doubtful are taken only if they are faster.
func (c *contest) winner(doubtful []bool) int {
	fastest, same := 0, 0
	for i := 1; i < len(c.times); i++ {
		switch c.compare(i, 0) {
		case -1:
			if fastest == 0 || c.compare(i, fastest) == -1 {
				fastest = i
			}
		case 0:
			if same == 0 && !doubtful[i] {
				same = i
			}
		}
	}
	if fastest == 0 || same != 0 && same < fastest && c.compare(fastest, same) != -1 {
		return same
	}
	return fastest
}
