package search

import (
	"bytes"
	"container/heap"
	"context"
	"math"

	"github.com/taso-go/taso/graph/bank"
)

// BacktrackOptions bound Backtrack; the zero value is the default.
type BacktrackOptions struct {
	// Alpha is how much dearer than the best network one may be and still be
	// looked at; 0: 1.05, that of TASO.
	Alpha float64
	// Tries is how many moves are tried in all; 0: no limit.
	Tries int
	// Waiting is how many networks may wait; of more, the dearest are dropped;
	// 0: 100,000.
	Waiting int
	// Improved, if not nil, is told of each network that is the best so far.
	Improved func(cost int64, path []Move)
	// Price, if not nil, is what the trail's network costs as it is when Price is called, in
	// place of the trail's own price; [Never] if it is not to be looked at.
	Price func() int64
	// Only, if not nil, says which of a network's moves are tried; it is asked once for each,
	// while the trail's network is that one.
	Only func(*Move) bool
}

// Never is the price of a network that is not to be looked at.
const Never = math.MaxInt64

// Backtrack is the search of MetaFlow and TASO (Jia et al., MLSys 2019, section 4,
// and SOSP 2019, section 6): the cheapest network that waits is taken, all its moves
// are tried, and what they lead to waits in turn, unless it was seen or is dearer
// than alpha times the best. It returns the moves to the best network, from where
// the trail is, where it is again afterwards; done says that nothing waits any more.
//
// Ties are broken by the networks' hashes, so that a search bounded by tries finds
// the same network every time.
func (t *Trail) Backtrack(ctx context.Context, o BacktrackOptions) (path []Move, best int64, done bool) {
	if o.Alpha == 0 {
		o.Alpha = 1.05
	}
	if o.Waiting == 0 {
		o.Waiting = 100000
	}
	base := t.Len()
	if o.Price == nil {
		o.Price = t.Price.Cost
	}
	root := &state{cost: o.Price(), hash: t.Net.Hash()}
	b := &backtracking{Trail: t, base: base, at: root}
	best = root.cost
	seen := map[bank.Hash]bool{root.hash: true}
	wait := states{root}
	for len(wait) > 0 {
		s := heap.Pop(&wait).(*state)
		if float64(s.cost) > o.Alpha*float64(best) {
			continue
		}
		if !b.goTo(s) {
			continue
		}
		if s.cost < best {
			best, path = s.cost, t.Path()[base:]
			if o.Improved != nil {
				o.Improved(best, path)
			}
		}
		over := ctx.Err() != nil || o.Tries > 0 && t.Tried >= o.Tries
		b.each(func(m *Move) {
			if over = over || o.Tries > 0 && t.Tried >= o.Tries; over {
				return
			}
			if o.Only != nil && !o.Only(m) {
				return
			}
			t.Try(m, func(_ int64, hash bank.Hash) {
				if seen[hash] {
					return
				}
				cost := o.Price()
				if float64(cost) > o.Alpha*float64(best) {
					return
				}
				seen[hash] = true
				heap.Push(&wait, &state{cost: cost, hash: hash, from: s, move: *m, depth: s.depth + 1})
			})
		})
		if over || ctx.Err() != nil {
			// What is waiting may be better than what was taken.
			for _, w := range wait {
				if w.cost < best && b.goTo(w) {
					best, path = w.cost, t.Path()[base:]
				}
			}
			t.Back(base)
			return path, best, false
		}
		if len(wait) > o.Waiting {
			wait.keep(o.Waiting / 2)
		}
	}
	t.Back(base)
	return path, best, true
}

// state is a network that waits: a move from another one.
type state struct {
	cost  int64
	hash  bank.Hash
	from  *state
	move  Move
	depth int
}

// backtracking is a trail that goes from state to state.
type backtracking struct {
	*Trail
	base int    // steps of the trail before
	at   *state // where it is
}

// goTo goes back to what a state has in common with the present one, and on to it.
func (b *backtracking) goTo(s *state) bool {
	var ahead []*state
	x, y := b.at, s
	for x != y {
		if x.depth >= y.depth {
			x = x.from
			continue
		}
		ahead = append(ahead, y)
		y = y.from
	}
	b.Back(b.base + x.depth)
	b.at = x
	for i := len(ahead) - 1; i >= 0; i-- {
		if !b.Do(&ahead[i].move) {
			return false
		}
		b.at = ahead[i]
	}
	return true
}

// each calls f with the moves of the present network, in the order of nodes.
func (b *backtracking) each(f func(*Move)) {
	b.Net.Nodes(func(n bank.Node) bool {
		one, many := b.Moves.At(n)
		for i := range one {
			f(&one[i])
		}
		for i := range many {
			f(&many[i])
		}
		return true
	})
}

// states is a heap, the cheapest first.
type states []*state

func (h states) Len() int      { return len(h) }
func (h states) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h states) Less(i, j int) bool {
	if h[i].cost != h[j].cost {
		return h[i].cost < h[j].cost
	}
	return bytes.Compare(h[i].hash[:], h[j].hash[:]) < 0
}
func (h *states) Push(x any) { *h = append(*h, x.(*state)) }
func (h *states) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// keep drops all but the cheapest n.
func (h *states) keep(n int) {
	var out states
	for range n {
		out = append(out, heap.Pop(h).(*state))
	}
	*h = out
}
