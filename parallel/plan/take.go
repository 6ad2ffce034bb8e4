package plan

import (
	"context"
	"errors"
	"slices"
)

// mostLaid is how many pipelines are laid out, at most, until one fits.
const mostLaid = 4

// promise is by how many parts in a hundred the next pipeline must promise to be faster than the best
// that is laid out, for it to be laid out too.
const promise = 5

// take lays the best pipeline out. What it takes and needs of memory was estimated by clusters; where
// that is more than a device has, stages compute again. If then it does not fit, or the next best
// promises to be faster than it has come out, that is laid out too, but none that is the same as one
// before it. If none fits it is the one that misses by least.
func (s *hunt) take(ctx context.Context, lay func(*judged) (*Plan, error), same func(a, b *staging) bool) (*Plan, error) {
	var taken, closest *Plan
	s.looked = len(s.found)
	for n := 0; n < mostLaid && (n == 0 || len(s.found) > 0); n++ {
		best, err := s.best(ctx)
		if (taken != nil || closest != nil) && (err != nil || ctx.Err() != nil) {
			break
		}
		if err != nil {
			return nil, err
		}
		if taken != nil && best.makespan > taken.Pipeline.Makespan-taken.Pipeline.Makespan/100*promise {
			break
		}
		p, err := lay(best)
		if err == nil {
			err = s.tell(p, best)
		}
		s.found = slices.DeleteFunc(s.found, func(x *staging) bool { return same(x, best.staging) })
		switch {
		case errors.Is(err, ErrMeans): // stages have layouts between which nothing is found
			if len(s.found) == 0 && taken == nil && closest == nil {
				return nil, err
			}
			n-- // not one of those that are laid out
		case err != nil:
			return nil, err
		case p.Pipeline.Peak > s.j.Memory:
			if closest == nil || p.Pipeline.Peak < closest.Pipeline.Peak {
				closest = p
			}
		case taken == nil || p.Pipeline.Makespan < taken.Pipeline.Makespan:
			taken = p
		}
	}
	if taken != nil {
		return taken, nil
	}
	return closest, nil
}

// tell says of a plan which pipeline it is, with what its stages take by its layout. Stages that
// then need more than a device has compute again, and make again what is made of weights alone.
func (s *hunt) tell(p *Plan, best *judged) error {
	p.Pipeline = best.pipelineOf()
	p.Pipeline.Clusters, p.Pipeline.Looked, p.Pipeline.Simulated, p.Pipeline.Stop = s.of, s.looked, s.simulated, s.stop
	if err := p.settleIn(s.j.Memory); err != nil {
		return err
	}
	p.Pipeline.Bound = min(s.bound, p.Pipeline.Makespan)
	return nil
}
