package plan

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/taso-go/taso/graph"
	workers "github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

const (
	// wholeWays is how many ways the operators of a training step may have together to be chosen
	// at once. Of a larger one regions are chosen one by one, and then it is gone over.
	wholeWays = 2000
	// finalists is how many choices, each on a mesh of its own, are laid out.
	finalists = 3
	// coldScale is that of a walk that takes next to nothing that is dearer.
	coldScale = 1e5
)

// spaced is a choice in a space.
type spaced struct {
	space   *space
	layouts *layouts
	laying  sync.Once
	found   *Plan
	none    error
}

// plan lays the choice out, once, so that it fits.
func (s *spaced) plan() (*Plan, error) {
	s.laying.Do(func() {
		if s.found, s.none = s.space.realize(s.layouts); s.none == nil {
			s.found, s.none = s.space.job.fit(s.found)
		}
	})
	return s.found, s.none
}

// computing is the time of the operators of the choice alone.
func (s *spaced) computing() (sum machine.Time) {
	for _, ws := range s.layouts.ways {
		for _, w := range ws {
			sum += w.cost
		}
	}
	return sum
}

// together chooses the layouts along all axes of each mesh at once, and gives the best
// choices, each on a mesh of its own, the best first. All meshes have a first look, and
// those that come out best a second one with more steps; of a training step of more than
// manyNodes nodes the best one. Planners that are asked about one
// job share the answer. When ctx ends it is what has been found until then, if there is any.
func (j *Job) together(ctx context.Context) ([]*spaced, error) {
	all, err := j.shared().all.Get(ctx, struct{}{}, func() ([]*spaced, error) {
		all, err := j.looks(ctx)
		return all, cmp.Or(err, ctx.Err())
	})
	if len(all) > 0 {
		return all, nil
	}
	return nil, err
}

func (j *Job) looks(ctx context.Context) ([]*spaced, error) {
	meshes, err := j.meshes()
	if err != nil {
		return nil, err
	}
	of, _, err := j.parts(4)
	if err != nil {
		of = make([]int, j.Training.Graph.Len()+1) // nothing comes in: one region
	}
	found := make([]*spaced, len(meshes))
	err = workers.Each(ctx, 0, len(meshes), func(_, i int) error {
		var l *layouts
		s, err := j.space(ctx, meshes[i])
		if err == nil {
			l, err = s.look(of, j.Steps/1024, 1)
		}
		if IsNone(err) || errors.Is(err, ErrLarge) {
			return nil
		}
		if err == nil {
			found[i] = &spaced{space: s, layouts: l}
		}
		return err
	})
	all := slices.DeleteFunc(found, func(s *spaced) bool { return s == nil })
	if err != nil && (ctx.Err() == nil || len(all) == 0) {
		return nil, err
	}
	better := func(a, b *spaced) int { return int(min(max(a.layouts.cost-b.layouts.cost, -1), 1)) }
	slices.SortStableFunc(all, better)
	all = all[:min(len(all), finalists)]
	again := slices.Clone(all)
	if j.Training.Graph.Len() > manyNodes {
		again = all[:min(len(all), 1)] // a second look takes as long as all first ones
	}
	err = workers.Each(ctx, 0, len(again), func(_, i int) error {
		s := again[i]
		l, err := s.space.look(of, j.Steps/64, 2)
		if IsNone(err) || errors.Is(err, ErrLarge) {
			return nil // what was found at first counts
		}
		if err == nil && l.cost < s.layouts.cost {
			s.layouts = l
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	slices.SortStableFunc(all, better)
	return all, nil
}

// look chooses all at once where that is small, and else by regions, and then goes over
// the choice. Between regions tensors lie as samples along all axes; a second look has
// copies along the last one.
func (s *space) look(of []int, steps int64, looks int) (*layouts, error) {
	ways := s.size()
	if ways <= wholeWays {
		q := question{means: []Means{All}, steps: steps * 8}
		if looks == 1 {
			q.tries = triesSettled
		}
		l, err := s.choose(q)
		if err != nil {
			return nil, err
		}
		return s.walked(l, steps), nil
	}
	if ways > 100*wholeWays {
		return nil, ErrLarge
	}
	var best *tally
	for n := range looks {
		samples := [maxAxes]bool{true, true, true}
		samples[len(s.mesh.Degrees)-1] = n == 0
		flow := s.flow(samples)
		t := s.divide(division{of: of}, func(t graph.Tensor) place { return flow.lies[t] })
		q := question{means: []Means{All}, steps: steps, tiles: t, kept: true}
		l, err := s.solve(q)
		if err != nil {
			if IsNone(err) {
				continue
			}
			return nil, err
		}
		y := s.tally(l)
		if y == nil {
			continue
		}
		y.settle(func(id graph.NodeID) []place { return s.lies(id.Out(0)) })
		q.resident = y.resident
		if l, err = s.solve(q); err != nil {
			if IsNone(err) {
				continue
			}
			return nil, err
		}
		for _, l := range []*layouts{y.layouts(), l} {
			z := s.tally(l)
			if z == nil {
				continue
			}
			z.walk(rand.New(rand.NewPCG(s.job.Seed, uint64(n))), steps/16, coldScale)
			if z.cost < never && (best == nil || z.cost < best.cost) {
				best = z
			}
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	if best == nil {
		return nil, ErrMeans
	}
	return s.walked(best.layouts(), steps), nil
}

// walked is a choice, or a better one that a walk from it, or from data parallelism, comes
// through, of which each operator has one way.
func (s *space) walked(l *layouts, steps int64) *layouts {
	for i, from := range []*layouts{l, s.data()} {
		y := s.tally(from)
		if y == nil {
			continue
		}
		y.walk(rand.New(rand.NewPCG(s.job.Seed, uint64(i)+100)), steps, walkScale)
		if y.cost < l.cost {
			l = y.layouts()
		}
	}
	return l
}

// size is how many ways the operators have together.
func (s *space) size() (n int) {
	for _, ws := range s.ways {
		n += len(ws)
	}
	return n
}
