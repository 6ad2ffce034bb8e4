package pad

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// ErrNone says that a network cannot be padded as was asked, or that this could not be proved.
var ErrNone = errors.New("the network is not padded")

// Cells are how many are added behind along each axis of inputs, by their places.
type Cells map[int][]int

// Step is a network of which inputs are padded.
type Step struct {
	// Of is the network as it came, To what it became. Next says which output takes the place
	// of which input in the next run: where that is padded, so is the output, with zeros.
	Of, To *graph.Graph
	Next   map[int]int
	// Cells are those that inputs of To have more than those of Of.
	Cells Cells

	insts  []law.Instance // over the inputs of Of as X0, X1, ..
	laws   map[string]*law.Law
	proofs map[string]*law.Proof
}

const (
	// maxRounds is how often what has to be padded along is found out.
	maxRounds = 24
	// maxMasks is how many places for masks are chosen, maxTried among how many each.
	maxMasks, maxTried = 4, 12
)

// Pad pads inputs of a network, and those that have to go along. An error that is ErrNone says
// that it does not work; it is that of ctx if that ends.
func Pad(ctx context.Context, g *graph.Graph, next map[int]int, cells Cells, by *Laws) (*Step, error) {
	for in, after := range cells {
		if in < 0 || in >= len(g.Inputs()) || len(after) != len(g.Sizes(g.Inputs()[in].Out(0))) {
			return nil, fmt.Errorf("%w: input %d does not have %d axes", ErrNone, in, len(after))
		}
	}
	masked := map[graph.Tensor]bool{}
	// run goes on until no more inputs have to go along.
	run := func(masked map[graph.Tensor]bool) (*writer, error) {
		cells := maps.Clone(cells)
		for range maxRounds {
			w := newWriter(ctx, g, next, cells, masked, by)
			if err := w.run(); err != nil {
				return nil, err
			}
			more := w.along()
			if len(more) == 0 {
				return w, nil
			}
			for _, in := range slices.Sorted(maps.Keys(more)) {
				both := slices.Clone(more[in])
				for axis, n := range cells[in] { // along another axis, too
					both[axis] = max(both[axis], n)
				}
				if slices.Equal(both, cells[in]) {
					return nil, fmt.Errorf("%w: input %s would have to be padded in two ways", ErrNone, g.Name(g.Inputs()[in]))
				}
				cells[in] = both
			}
		}
		return nil, fmt.Errorf("%w: always more inputs would have to be", ErrNone)
	}
	w, err := run(masked)
	for n := 0; err == nil && n < maxMasks && len(w.asked()) > 1; n++ {
		best, least := graph.Tensor{}, len(w.asked())
		for _, t := range w.places(w.asked()[0]) {
			also := maps.Clone(masked)
			also[t] = true
			x, err := run(also)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err == nil && len(x.asked()) < least {
				best, least = t, len(x.asked())
			}
		}
		if best == (graph.Tensor{}) {
			break
		}
		masked[best] = true
		w, err = run(masked)
	}
	if err != nil {
		return nil, err
	}
	return w.step()
}

// zeros are the padding as a term: t with cells of zeros behind.
func zeros(t *law.Term, after []int) *law.Term {
	if !some(after) {
		return t
	}
	o, attrs := padding(after)
	return law.Apply(o, attrs, t)
}

// some reports whether there are cells along any axis.
func some(after []int) bool { return slices.ContainsFunc(after, func(n int) bool { return n != 0 }) }
