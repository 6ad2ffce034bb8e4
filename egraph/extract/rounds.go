package extract

import (
	"context"

	"github.com/taso-go/taso/internal/parallel"
)

// firstRound is how many steps a component is given at first.
const firstRound = 1 << 16

// rounds works on the pieces until all are solved or the budget is used up: first
// choices and bounds, then rounds in which each open piece is searched exactly and,
// if that does not come to its end, bounded by its linear relaxation and improved by
// noise and in neighbourhoods, with four times the steps of
// the round before. So what is easy is soon done, and no piece waits for a hard one.
// A piece's steps depend on no other's, so that any number of workers does the same.
func (b *budget) rounds(pieces []*piece, o Options) error {
	open := pieces[:0:0]
	for _, p := range pieces {
		if p.same == nil {
			open = append(open, p)
		}
	}
	b.each(open, o.Workers, b.limit, (*piece).start)
	if o.Method == MIP {
		return b.outside(open, o)
	}
	for steps := int64(firstRound); ; steps *= 4 {
		var left []*piece
		for _, p := range open {
			if p.bound < p.cost && !(o.Method == LNS && p.settled) {
				left = append(left, p)
			}
		}
		if open = left; len(open) == 0 || b.spent(0) || b.ctx.Err() != nil {
			return nil
		}
		// A piece takes up to nine quarters of its share, see below.
		share := min(steps, (b.limit-b.steps)/int64(len(open))*4/9+1)
		b.each(open, o.Workers, share, func(p *piece, b *budget) {
			if o.Method != LNS {
				p.exact(b)
				if p.bound < p.cost && steps > firstRound {
					p.relax(b)
				}
			}
			if o.Method != Exact && p.bound < p.cost {
				// Where bound and cost are far apart, a better choice is nearer than a proof.
				noise := share / 4
				if (p.cost-p.bound)/8 > p.cost/100 {
					noise = share
				}
				b.limit += noise + share/4
				p.within(b, noise, (*piece).noise)
				p.neighbourhoods(b)
			}
		})
	}
}

// outside has a solver work on the pieces that are open.
func (b *budget) outside(pieces []*piece, o Options) error {
	s, err := outsideSolver(o.Solver)
	if err != nil {
		return err
	}
	for _, p := range pieces {
		if p.bound < p.cost && b.ctx.Err() == nil {
			if err := p.mip(b.ctx, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// within runs f with a part of a budget.
func (p *piece) within(b *budget, steps int64, f func(*piece, *budget)) {
	in := &budget{ctx: b.ctx, limit: min(steps, b.limit-b.steps)}
	f(p, in)
	b.spent(in.steps)
}

// each runs f on each piece with a budget of its own, and takes the steps that were
// used.
func (b *budget) each(pieces []*piece, workers int, steps int64, f func(*piece, *budget)) {
	used := make([]int64, len(pieces))
	// Cancelling is for f to see: each piece has to be started.
	err := parallel.Each(context.WithoutCancel(b.ctx), workers, len(pieces), func(_, i int) error {
		in := &budget{ctx: b.ctx, limit: steps}
		f(pieces[i], in)
		used[i] = in.steps
		return nil
	})
	if err != nil {
		panic(err) // f fails never
	}
	for _, n := range used {
		b.spent(n)
	}
}
