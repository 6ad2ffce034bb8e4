package optimize

import (
	"context"
	"time"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/search"
)

// unit is the cost of a bank's price of 1, in seconds.
const unit = 1e-12

// priced are the prices of a cost model in the unit of banks.
type priced struct{ m cost.Model }

func (p priced) Alone(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) (alone, view int64, err error) {
	x, err := cost.PricesOf(p.m, cost.Application{Op: op, Attrs: a, In: in, Out: out})
	return int64(x.Alone / unit), int64(x.View / unit), err
}

func (p priced) Fused(op *graph.Op, a graph.Attrs, others []graph.TensorType, t graph.TensorType) (int64, error) {
	s, _, err := p.m.Fused(cost.Fused{Op: op, Attrs: a, Others: others}, t)
	return int64(s / unit), err
}

// searching is one search: moves that were made from the model on.
type searching struct {
	o     *Options
	rules *search.Rules
	net   *bank.Bank
	trail *search.Trail
	path  []search.Move // that were made
	done  int           // tries of trails before
	start time.Time
	best  int64 // of all searches
}

func (o *Options) newSearching(rules *search.Rules, start time.Time) (*searching, error) {
	net, _, err := bank.From(o.Model.Graph, nil)
	if err != nil {
		return nil, err
	}
	p := search.NewPricer(net, o.Target, priced{o.Cost})
	if p.Err() != nil {
		return nil, p.Err()
	}
	return &searching{o: o, rules: rules, net: net, trail: search.NewTrail(search.NewRewriter(net, rules), p), start: start, best: p.Cost()}, nil
}

func (s *searching) cost() int64 { return s.trail.Price.Cost() }

// improved is told of every network that is the best of this search.
func (s *searching) improved(c int64) {
	if c < s.best {
		s.best = c
		if s.o.Improved != nil {
			s.o.Improved(time.Since(s.start).Seconds(), cost.Seconds(float64(c)*unit))
		}
	}
}

// descend makes chains of moves that lower the cost, with at most so many tries.
func (s *searching) descend(ctx context.Context, tries int) {
	kept, _ := s.trail.Descend(ctx, search.DescendOptions{Depth: s.o.Depth, Worse: s.o.Worse, Tries: s.trail.Tried + tries,
		Improved: func(c int64, _ []search.Move) { s.improved(c) }})
	s.path = append(s.path, kept...)
}

// backtrack goes to the best network that so many tries find from the present one.
func (s *searching) backtrack(ctx context.Context, tries int) {
	path, _, _ := s.trail.Backtrack(ctx, search.BacktrackOptions{Alpha: s.o.Alpha, Tries: s.trail.Tried + tries,
		Improved: func(c int64, _ []search.Move) { s.improved(c) }})
	for i := range path {
		if !s.trail.Do(&path[i]) {
			panic("optimize: a move that was made once cannot be made again")
		}
	}
	s.trail.Settle()
	s.path = append(s.path, path...)
}

// auto lets descent and backtracking take turns until neither finds anything or
// the tries are spent.
func (s *searching) auto(ctx context.Context, backtrackFirst bool, tries int) {
	end := s.trail.Tried + tries
	for turn, round := backtrackFirst, 0; ctx.Err() == nil && s.trail.Tried < end; turn, round = !turn, round+1 {
		before := s.cost()
		if turn {
			s.backtrack(ctx, min(end-s.trail.Tried, tries/4))
		} else {
			s.descend(ctx, end-s.trail.Tried)
		}
		if round > 1 && s.cost() >= before {
			break
		}
	}
}

// search runs the method and returns the best network's moves.
func (o *Options) search(ctx context.Context) (path []search.Move, rules *search.Rules, tried int, err error) {
	rules, _, err = search.NewRules(o.Laws)
	if err != nil {
		return nil, nil, 0, err
	}
	start := time.Now()
	var all []*searching
	one := func(run func(*searching)) error {
		if ctx.Err() != nil && len(all) > 0 {
			return nil
		}
		s, err := o.newSearching(rules, start)
		if err != nil {
			return err
		}
		for _, other := range all {
			s.best = min(s.best, other.best)
		}
		run(s)
		all = append(all, s)
		tried += s.trail.Tried
		return s.trail.Price.Err()
	}
	switch o.Method {
	case Descend:
		err = one(func(s *searching) { s.descend(ctx, o.Tries) })
	case Backtrack:
		err = one(func(s *searching) { s.backtrack(ctx, o.Tries) })
	default:
		err = one(func(s *searching) { s.auto(ctx, false, o.Tries/2) })
		if err == nil {
			err = one(func(s *searching) { s.auto(ctx, true, o.Tries/2) })
		}
	}
	if err != nil {
		return nil, nil, tried, err
	}
	best := all[0]
	for _, s := range all[1:] {
		if s.cost() < best.cost() {
			best = s
		}
	}
	return best.path, rules, tried, nil
}
