package search

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law/rewrite"
)

// ErrTooLong is returned by Exhaust when rules do not come to an end.
var ErrTooLong = errors.New("the laws do not come to an end")

// maxMoves bounds the moves of Exhaust, for each operator of the network.
const maxMoves = 50

// Exhaust makes moves until none is left that where accepts (nil: any): always one
// of the first direction that has any, at the first nodes where it has. Moves that
// would change nothing, or close a cycle, are passed over. It returns the number of
// moves.
func (r *Rewriter) Exhaust(order []*rewrite.Direction, where func(*Match) bool, made func(*Match)) (int, error) {
	limit := maxMoves * r.Net.Len()
	for n := 0; ; n++ {
		if n > limit {
			return n, fmt.Errorf("%w: %d moves", ErrTooLong, n)
		}
		moved := false
		for _, d := range order {
			if moved = r.first(d, where, made); moved {
				break
			}
		}
		if !moved {
			return n, nil
		}
	}
}

// first makes the first possible move of a direction.
func (r *Rewriter) first(d *rewrite.Direction, where func(*Match) bool, made func(*Match)) bool {
	var s *several
	if len(d.Roots) > 1 {
		for _, c := range r.rules.many[d.Nodes[d.Roots[0]].Op] {
			if c.d == d {
				s = c
			}
		}
		if s == nil {
			return false
		}
	}
	for n := bank.Node(1); int(n) <= r.Net.Len(); n++ {
		if !r.Net.Live(n) || !d.MayBeginAt(r.Net.Op(n)) {
			continue
		}
		for k := range r.Net.NumOut(n) {
			// Roots in the order of nodes, not in that of uses.
			var roots [][]bank.Tensor
			r.roots = append(r.roots[:0], r.Net.Out(n, k))
			if s == nil {
				roots = append(roots, slices.Clone(r.roots))
			} else {
				r.places(s, func() { roots = append(roots, slices.Clone(r.roots)) })
				slices.SortFunc(roots, slices.Compare)
			}
			for _, rs := range roots {
				if r.tryAt(d, rs, where, made) {
					return true
				}
			}
		}
	}
	return false
}

// tryAt makes a move at given roots, if there is one.
func (r *Rewriter) tryAt(d *rewrite.Direction, roots []bank.Tensor, where func(*Match) bool, made func(*Match)) (moved bool) {
	r.match.Match(d, roots, func(m *Match) bool {
		if where != nil && !where(m) {
			return true
		}
		r.dtype = r.Net.Type(roots[0]).DType
		targets, err := m.Build(r.apply)
		if err != nil || slices.Equal(targets, roots) || len(m.Conds) > 0 {
			return true
		}
		if err := r.Net.Replace(roots, targets); err != nil {
			return true
		}
		moved = true
		if made != nil {
			made(m)
		}
		return false
	})
	return moved
}
