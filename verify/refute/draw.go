package refute

import (
	"math/rand/v2"

	"github.com/taso-go/taso/graph"
)

// random is a generator for one purpose.
func random(seed, purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, purpose)) }

const (
	drawCells = 300 // elements that a draw's tensors have together, if possible
	drawTries = 100
)

// draw picks a point at random, the n-th; ok is false if none was found that
// meets the conditions. The first is the smallest, the next ones are small.
func (s *space) draw(rng *rand.Rand, n int) (point, bool) {
	at := make(point, len(s.limit))
	most := max(drawCells, 2*len(s.Given)) // a tensor has an element at least
	for try := range drawTries {
		for i, lim := range s.limit {
			switch {
			case n == 0 && try == 0:
				at[i] = 0
			case i < len(s.Sizes):
				at[i] = drawSize(rng, n+try, lim)
			default:
				at[i] = rng.IntN(lim)
			}
		}
		s.Settle(at)
		ins, ok := s.instance(at)
		if !ok {
			continue
		}
		cells := 0
		for _, sizes := range ins {
			cells += graph.NumElements(sizes)
		}
		if cells <= most || try > drawTries*3/4 {
			return at, true
		}
	}
	return at, false
}

// drawSize is a size less one: of draws by turns from few sizes, from all with
// small ones more often, and from those that are not 1.
func drawSize(rng *rand.Rand, n, limit int) int {
	switch n % 4 {
	case 0:
		return rng.IntN(min(2, limit))
	case 1:
		return rng.IntN(min(3, limit))
	case 2:
		return min(rng.IntN(limit), rng.IntN(limit))
	}
	if limit < 3 || rng.IntN(6) == 0 {
		return 0
	}
	return 1 + rng.IntN(min(3, limit-1))
}
