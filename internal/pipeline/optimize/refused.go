package optimize

import (
	"context"
	"errors"
	"slices"

	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/search"
)

// mostRefused is how many results may be refused before the model is its own result.
const mostRefused = 4

// weights are some from which a weight must not be computed: one that is led to a
// result that is equal in exact arithmetic and of no use. They are nodes of the network
// that all searches begin at.
type weights map[bank.Node]bool

// weightsOf are the weights that a node is computed from which depends on weights only.
func weightsOf(net *bank.Bank, n bank.Node) weights {
	of, seen := weights{}, map[bank.Node]bool{}
	var walk func(bank.Node)
	walk = func(n bank.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if net.Op(n) == nil {
			of[n] = true
		}
		for _, t := range net.Operands(n) {
			x, _ := net.NodeOf(t)
			walk(x)
		}
	}
	walk(n)
	return of
}

// computed are the nodes that depend on weights only and came since a mark, but for those
// that are known and what others of them read.
func computed(net *bank.Bank, mark bank.Mark, known map[bank.Node]bool) []bank.Node {
	var all []bank.Node
	read := map[bank.Node]bool{}
	net.Changed(mark, func(n bank.Node, _ bool) {
		if known[n] || !net.Live(n) || !net.Fixed(n) || net.Op(n) == nil || slices.Contains(all, n) {
			return
		}
		all = append(all, n)
		for _, t := range net.Operands(n) {
			x, _ := net.NodeOf(t)
			read[x] = true
		}
	})
	return slices.DeleteFunc(all, func(n bank.Node) bool { return read[n] })
}

// avoid notes what a move on the present network computes from weights, and keeps the
// search from computing anything from them. It reports false if the move computes nothing.
func (s *searching) avoid(m *search.Move) bool {
	net := s.trail.Net
	known := map[bank.Node]bool{}
	net.Nodes(func(n bank.Node) bool {
		known[n] = net.Fixed(n)
		return true
	})
	mark := net.Mark()
	r, count := search.NewRewriter(net, s.rules), len(s.never)
	r.Find(m, func(x *search.Match) {
		if r.Apply(x) == nil {
			for _, n := range computed(net, mark, known) {
				s.never = append(s.never, weightsOf(net, n))
			}
		}
	})
	net.Undo(mark)
	s.trail.Allow = func(mark bank.Mark) bool {
		for _, n := range computed(net, mark, known) {
			of := weightsOf(net, n)
			for _, never := range s.never {
				if includes(of, never) {
					return false
				}
			}
		}
		return true
	}
	return len(s.never) > count
}

// includes reports whether all of b are in a.
func includes(a, b weights) bool {
	for n := range b {
		if !a[n] {
			return false
		}
	}
	return true
}

// conclude proves and checks what the searches came to. Where that is refused, a search goes
// on from the last network on the way there that is not, without what led from it to one
// that is, and the cheapest of what is left is next. It returns all searches. timed
// bounds the time of those that it adds.
func (r *Result) conclude(ctx, timed context.Context, o *Options, found *searching, all []*searching) ([]*searching, error) {
	refused := map[bank.Hash]bool{}
	for found != nil && len(refused) < mostRefused {
		b, err := r.choose(ctx, o, found)
		if err != nil {
			return nil, err
		}
		if r.Interrupted {
			ctx = context.WithoutCancel(ctx) // the measurement was: what is left is the model
		}
		why, err := r.settle(ctx, o, b)
		if err != nil || why == nil {
			return all, err
		}
		r.drop(why)
		refused[b.by.trail.Net.Hash()] = true
		o.apart = slices.DeleteFunc(o.apart, func(s *searching) bool { return s == b.by })
		more, err := r.without(ctx, timed, o, moves(b.by, all))
		if err != nil {
			return nil, err
		}
		if more != nil {
			all = append(all, more)
		}
		found = leastCost(slices.DeleteFunc(slices.Clone(all), func(s *searching) bool { return refused[s.trail.Net.Hash()] }))
	}
	for i := range r.Measured {
		r.Measured[i].Kept = i == 0
	}
	_, err := r.settle(ctx, o, nil)
	return all, err
}

// moves is a search that came to the same network by moves from the model; nil: none did.
func moves(s *searching, all []*searching) *searching {
	if s.from == nil {
		return s
	}
	for _, x := range all {
		if x.from == nil && x.trail.Net.Hash() == s.trail.Net.Hash() {
			return x
		}
	}
	return nil
}

// drop notes why a result is refused.
func (r *Result) drop(why error) {
	if differs := (*Differs)(nil); errors.As(why, &differs) {
		r.Deviated = max(r.Deviated, r.MaxRelError)
	} else {
		r.Refused = append(r.Refused, why.Error())
	}
	r.MaxRelError = 0
}

// without goes on from the last network on the way of a search that is not refused, by moves
// that do not compute what the next one did. nil: there is none. Networks
// before one that is accepted are taken to be accepted, too.
func (r *Result) without(ctx, timed context.Context, o *Options, s *searching) (*searching, error) {
	if s == nil || len(s.path) == 0 {
		return nil, nil
	}
	good, bad := 0, len(s.path) // moves
	for bad-good > 1 {
		k := (good + bad) / 2
		b, err := r.build(o, &searching{o: o, rules: s.rules, path: s.path[:k]})
		if err != nil {
			return nil, err
		}
		x := &Result{Report: Report{Unproved: r.Unproved}}
		var why error
		if x.Model, why = x.deliver(ctx, o, b); why == nil {
			if why, err = x.check(ctx, o, b); err != nil {
				return nil, err
			}
		}
		if why == nil {
			good = k
		} else {
			bad = k
		}
	}
	best := o.record()
	defer best.stage.Done()
	best.cost = s.cost() // what was refused is not undercut
	within, free := bounded(timed, o.Memory)
	defer free()
	more, err := o.newSearching(within, best, run{begin: s.path[:good]})
	if err != nil {
		return nil, err
	}
	more.never = slices.Clone(s.never)
	if !more.avoid(&s.path[good]) {
		return nil, nil
	}
	switch o.Method {
	case Backtrack:
		more.backtrack(within, o.each())
	case Descend:
		more.waves = true
		more.descend(within, o.each())
	default:
		more.auto(within, 0, o.each())
	}
	return more, more.trail.Price.Err()
}
