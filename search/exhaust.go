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
	moves := NewMoves(r)
	for n := 0; ; n++ {
		if n > limit {
			return n, fmt.Errorf("%w: %d moves", ErrTooLong, n)
		}
		mark := r.Net.Mark()
		moved := slices.ContainsFunc(order, func(d *rewrite.Direction) bool { return r.first(moves, d, where, made) })
		if moved {
			moves.Update(mark)
		}
		r.Net.Keep(mark)
		if !moved {
			return n, nil
		}
	}
}

// first makes the first possible move of a direction.
func (r *Rewriter) first(moves *Moves, d *rewrite.Direction, where func(*Match) bool, made func(*Match)) bool {
	for n := bank.Node(1); int(n) <= r.Net.Len(); n++ {
		one, list := moves.At(n)
		if len(d.Roots) == 1 {
			list = one
		}
		var here []Move
		for i := range list {
			if list[i].Direction == d {
				here = append(here, list[i])
			}
		}
		// Roots in the order of nodes, not in that of uses.
		slices.SortStableFunc(here, func(a, b Move) int { return slices.Compare(a.Roots, b.Roots) })
		if slices.ContainsFunc(here, func(m Move) bool { return r.makes(&m, where, made) }) {
			return true
		}
	}
	return false
}

// makes makes a move, if it may be made and changes anything.
func (r *Rewriter) makes(mv *Move, where func(*Match) bool, made func(*Match)) (moved bool) {
	r.Find(mv, func(m *Match) {
		if where != nil && !where(m) {
			return
		}
		r.dtype = r.Net.Type(mv.Roots[0]).DType
		targets, err := m.Build(r.apply)
		if err != nil || slices.Equal(targets, mv.Roots) || r.Net.Replace(mv.Roots, targets) != nil {
			return
		}
		moved = true
		if made != nil {
			made(m)
		}
	})
	return moved
}
