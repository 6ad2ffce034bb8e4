package extract

import "github.com/taso-go/taso/internal/invariants"

// share improves the choice by moves until none helps, no steps are left, or stop
// says so; it reports whether it came to its end. A move that makes the choice
// cyclic, or does not lower its cost, is taken back. For each class d in turn:
//
//   - share: all needed classes that have a way with d as a kid change to such a
//     way, at once, which pays where d alone does not, and then those change back
//     that need not;
//   - part: if d is needed, all classes that use it change to a way without it;
//   - single: if d is needed, it tries its other ways one by one;
//   - reach, if far is asked for, and once the others do not help: as share, and
//     users of d that are not needed take d, and classes that can use these do.
//
// What is left is a local optimum of these moves, and no more is claimed of it.
func (s *state) share(limit int64, far bool, stop func() bool) bool {
	near := func(guess []int64, d int32) bool {
		return s.try(guess, d, (*state).gather) || s.needed(d) && (s.try(guess, d, (*state).part) || s.single(d))
	}
	reach := func(guess []int64, d int32) bool { return s.try(guess, d, (*state).reach) }
	moves := []func(guess []int64, d int32) bool{near, reach}
	if !far {
		moves = moves[:1]
	}
	// Each kind of move starts from both kinds of guesses, and after a success all
	// start again.
	for i := 0; i < 2*len(moves); {
		improved, ended := s.pass(limit, stop, s.guesses(i%2 == 1), moves[i/2])
		if ended {
			return false
		}
		if i++; improved {
			i = 0
		}
	}
	return true
}

// pass makes a move at each class in turn. It says whether any helped, and whether
// it was ended before it was through.
func (s *state) pass(limit int64, stop func() bool, guess []int64, move func(guess []int64, d int32) bool) (improved, ended bool) {
	for d := range s.c.ways {
		if len(s.c.ways[d]) == 0 {
			continue
		}
		if s.steps >= limit || d&63 == 63 && stop() {
			return improved, true
		}
		if move(guess, int32(d)) {
			improved = true
		}
	}
	return improved, false
}

// guesses is a price for each class, to choose between ways before they are tried,
// and gives the classes that are not needed the ways that go with it: its tree
// cost; or what it would add, as a tree, to the choice as it is. The latter is
// nearer to what a move will cost, but uses what is needed, and so closes cycles
// where the former does not.
func (s *state) guesses(added bool) []int64 {
	given := make([]int32, len(s.choice))
	for k := range given {
		given[k] = -1
		if added && s.needed(int32(k)) {
			given[k] = s.choice[k]
		}
	}
	val, choice := s.c.knuthFrom(given, s.c.own, plus)
	for k, w := range choice {
		if !s.needed(int32(k)) {
			s.choice[k] = w
		}
	}
	s.steps += int64(len(given))
	return val
}

// try makes a move and keeps it if it helps.
func (s *state) try(guess []int64, d int32, move func(*state, []int64, int32)) bool {
	s.log = s.log[:0]
	cost := s.cost
	move(s, guess, d)
	if len(s.log) == 0 {
		return false
	}
	if s.cyclic(0) {
		s.undo(0, cost)
		return false
	}
	if s.cost >= cost {
		s.repent(cost)
	}
	if s.cost >= cost {
		s.undo(0, cost)
		return false
	}
	if invariants.Checked {
		s.check()
	}
	return true
}

// repent changes classes of the logged move back, one by one, where that lowers
// the cost.
func (s *state) repent(cost int64) {
	flips := 0
	for _, e := range s.log {
		if e.delta == 0 {
			flips++
		}
	}
	if flips < 2 {
		return
	}
	for i, end := 0, len(s.log); i < end; i++ {
		e := s.log[i]
		if e.delta != 0 || !s.needed(e.class) {
			continue
		}
		at, before := len(s.log), s.cost
		s.flip(e.class, e.way)
		if s.cost >= before || s.cyclic(at) {
			s.undo(at, before)
		}
	}
}

// estimate is what a way costs if its kids that are not needed now cost what they
// are guessed to.
func (s *state) estimate(guess []int64, w *way, d int32) int64 {
	cost := w.cost
	for _, j := range w.kids {
		if j != d && !s.needed(j) {
			cost = min(cost+guess[j], costTop)
		}
	}
	s.steps += int64(len(w.kids))
	return cost
}

// gather changes the needed users of d to their best way with d.
func (s *state) gather(guess []int64, d int32) {
	for _, u := range s.users[d] {
		if !s.needed(u) || u == d {
			continue
		}
		best, bestCost := int32(-1), int64(0)
		for i := range s.c.ways[u] {
			w := &s.c.ways[u][i]
			s.steps++
			if !has(w.kids, d) {
				continue
			}
			if cost := s.estimate(guess, w, d); best < 0 || cost < bestCost {
				best, bestCost = int32(i), cost
			}
		}
		if best >= 0 && !has(s.c.ways[u][s.choice[u]].kids, d) {
			s.flip(u, best)
		}
	}
}

// reach has d used from farther: users of d that are not needed take their best way
// with d, and their needed users change to their best way with them.
func (s *state) reach(guess []int64, d int32) {
	s.gather(guess, d)
	for _, u := range s.users[d] {
		if s.needed(u) || u == d {
			continue
		}
		best, bestCost := int32(-1), int64(0)
		for i := range s.c.ways[u] {
			w := &s.c.ways[u][i]
			s.steps++
			if has(w.kids, d) {
				if cost := s.estimate(guess, w, d); best < 0 || cost < bestCost {
					best, bestCost = int32(i), cost
				}
			}
		}
		s.flip(u, best)
		s.gather(guess, u)
	}
}

// part changes the needed users of d to their best way without d.
func (s *state) part(guess []int64, d int32) {
	for _, u := range s.users[d] {
		if !s.needed(u) || u == d || !has(s.c.ways[u][s.choice[u]].kids, d) {
			continue
		}
		best, bestCost := int32(-1), int64(0)
		for i := range s.c.ways[u] {
			w := &s.c.ways[u][i]
			s.steps++
			if has(w.kids, d) {
				continue
			}
			if cost := s.estimate(guess, w, -1); best < 0 || cost < bestCost {
				best, bestCost = int32(i), cost
			}
		}
		if best >= 0 {
			s.flip(u, best)
		}
	}
}

// single tries the other ways of a class.
func (s *state) single(d int32) bool {
	improved := false
	for i := range s.c.ways[d] {
		if int32(i) == s.choice[d] {
			continue
		}
		s.log = s.log[:0]
		cost := s.cost
		s.flip(d, int32(i))
		if s.cost >= cost || s.cyclic(0) {
			s.undo(0, cost)
		} else {
			improved = true
			if invariants.Checked {
				s.check()
			}
		}
	}
	return improved
}

// has says whether an ascending list has an element.
func has(list []int32, x int32) bool {
	for _, y := range list {
		if y >= x {
			return y == x
		}
	}
	return false
}
