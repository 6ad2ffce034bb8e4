package search

import (
	"slices"

	"github.com/taso-go/taso/graph/bank"
)

// Trail is a way through rewrites of a network that can be gone back: moves that
// were made one after the other, with the cost and the moves that are there kept up
// to date.
type Trail struct {
	Net   *bank.Bank
	Price *Pricer
	Moves *Moves
	// Tried counts the moves that were made to see what they lead to.
	Tried int
	// Watch, if not nil, is told of each of them, and whether it could be made and
	// changed anything.
	Watch func(m *Move, made bool)
	// Allow, if not nil, says whether what was made since a mark may be there: a move
	// after which it may not cannot be made.
	Allow func(bank.Mark) bool

	r     *Rewriter
	steps []step
}

// step is what it takes to go back.
type step struct {
	move  Move
	bank  bank.Mark
	price PricerMark
	moves []was
}

// NewTrail is a trail that begins at the network of a rewriter.
func NewTrail(r *Rewriter, p *Pricer) *Trail {
	return &Trail{Net: r.Net, Price: p, Moves: NewMoves(r), r: r}
}

// Len is the number of steps.
func (t *Trail) Len() int { return len(t.steps) }

// Path is the moves of the steps. The caller must not write to them.
func (t *Trail) Path() []Move {
	out := make([]Move, len(t.steps))
	for i := range t.steps {
		out[i] = t.steps[i].move
	}
	return out
}

// Try makes a move, tells f what it leads to, and goes back. It reports false if
// the move cannot be made, or changes nothing.
func (t *Trail) Try(m *Move, f func(cost int64, hash bank.Hash)) bool {
	t.Tried++
	before := t.Net.Hash()
	mark, price := t.Net.Mark(), t.Price.Mark()
	ok := t.make(m, mark)
	if ok {
		if h := t.Net.Hash(); h == before {
			ok = false
		} else {
			t.Price.Update(mark)
			f(t.Price.Cost(), h)
			t.Price.Undo(price)
		}
	}
	t.Net.Undo(mark)
	if t.Watch != nil {
		t.Watch(m, ok)
	}
	return ok
}

// make makes a move, after a mark.
func (t *Trail) make(m *Move, mark bank.Mark) bool {
	var err error
	found := t.r.Find(m, func(x *Match) { err = t.r.Apply(x) })
	return found && err == nil && (t.Allow == nil || t.Allow(mark))
}

// Do makes a move and goes on from there. It reports false, and stays, if the move
// cannot be made.
func (t *Trail) Do(m *Move) bool {
	if !t.price(m) {
		return false
	}
	s := &t.steps[len(t.steps)-1]
	s.moves = t.Moves.Update(s.bank)
	return true
}

// price is Do without an update of Moves, which takes most of its time.
func (t *Trail) price(m *Move) bool {
	mark, price := t.Net.Mark(), t.Price.Mark()
	if !t.make(m, mark) {
		t.Net.Undo(mark)
		return false
	}
	t.Price.Update(mark)
	t.steps = append(t.steps, step{move: *m, bank: mark, price: price})
	return true
}

// Enabled lists the moves that the last step has made possible.
func (t *Trail) Enabled() (out []Move) {
	t.Moves.Fresh(t.steps[len(t.steps)-1].moves, func(m *Move) { out = append(out, *m) })
	return out
}

// Back goes back until n steps are left.
func (t *Trail) Back(n int) {
	for len(t.steps) > n {
		s := &t.steps[len(t.steps)-1]
		t.Net.Undo(s.bank)
		t.Price.Undo(s.price)
		t.Moves.Restore(s.moves)
		t.steps = t.steps[:len(t.steps)-1]
	}
}

// Settle makes the steps the beginning of the trail, from which it does not go back.
func (t *Trail) Settle() {
	for i := len(t.steps) - 1; i >= 0; i-- {
		t.Net.Keep(t.steps[i].bank)
	}
	t.steps = t.steps[:0]
	t.Price.Keep()
}

// Shorten leaves out moves of a path from where the trail is, as long as what is
// left can be made and costs no more than cost.
func (t *Trail) Shorten(path []Move, cost int64) []Move {
	base := t.Len()
	for i := 0; i < len(path); {
		less := slices.Concat(path[:i], path[i+1:])
		ok := len(less) > 0
		for k := range less {
			if ok = ok && t.price(&less[k]); !ok {
				break
			}
		}
		ok = ok && t.Price.Cost() <= cost
		t.Back(base)
		if ok {
			path = less
		} else {
			i++
		}
	}
	return path
}
