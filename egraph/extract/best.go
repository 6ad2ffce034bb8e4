package extract

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// variant is a change of a solution: class d changes to a way, or, with way -1, all that can use
// class d do.
type variant struct {
	cost   int64
	d, way int32
}

// best lists up to n distinct solutions that fit, by cost; s is one of them. Others
// are made from the cheapest by single changes, then from the next in turn, until n
// have been looked at.
func (p *Problem) best(b *budget, n int, s Solution) ([]Solution, error) {
	pool := []Solution{s}
	if n <= 1 {
		return pool, nil
	}
	// With a bound of bytes, classes that can be fixed need not be: a price that
	// rounds to nothing keeps both ways in the core.
	price := 0.0
	if p.MaxBytes > 0 {
		price = 1e-30
	}
	f, err := p.fold(price)
	if err != nil {
		return nil, err
	}
	c := f.core
	users, scc, base := c.users(), c.cycles(), c.treeChoice()
	seen := map[string]bool{contents(s.Choice): true}
	for at := 0; at < len(pool) && at < n && !b.spent(0); at++ {
		st := newState(c, users, scc, f.read(pool[at], base))
		guess := st.guesses(true)
		for _, v := range st.variants(b, guess, n) {
			st.log = st.log[:0]
			cost := st.cost
			st.vary(guess, v)
			made, err := f.solution(c, st.choice)
			st.undo(0, cost)
			if err != nil {
				return nil, err
			}
			key := contents(made.Choice)
			if seen[key] || !p.fits(made) {
				continue
			}
			seen[key] = true
			pool = append(pool, made)
		}
		// What is looked at already stays in front, unless something cheaper came.
		slices.SortStableFunc(pool, func(x, y Solution) int { return cmp.Compare(x.Cost, y.Cost) })
		pool = pool[:min(len(pool), n)]
	}
	return pool, nil
}

// contents is the bytes of a choice, as a key.
func contents(choice []NodeID) string {
	b := make([]byte, 0, 4*len(choice))
	for _, n := range choice {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return string(b)
}

// read makes ways of the core of a solution; classes that it does not need have the
// way of base.
func (f *folded) read(s Solution, base []int32) []int32 {
	choice := slices.Clone(base)
	for k, ws := range f.core.ways {
		for i := range ws {
			if ws[i].picks[0] == s.Choice[k] {
				choice[k] = int32(i)
			}
		}
	}
	return choice
}

// variants lists the n cheapest changes that leave the choice acyclic, the cheapest
// first.
func (s *state) variants(b *budget, guess []int64, n int) []variant {
	var out []variant
	add := func(v variant) {
		s.log = s.log[:0]
		cost := s.cost
		s.vary(guess, v)
		if len(s.log) > 0 && !s.cyclic(0) {
			v.cost = s.cost
			out = append(out, v)
		}
		s.undo(0, cost)
	}
	before := s.steps
	for k := range s.c.ways {
		k := int32(k)
		if !s.needed(k) {
			if len(s.c.ways[k]) > 0 {
				add(variant{d: k, way: -1})
			}
			continue
		}
		for i := range s.c.ways[k] {
			if int32(i) != s.choice[k] {
				add(variant{d: k, way: int32(i)})
			}
		}
		if len(out) > 64*n {
			out = cheapest(out, n)
		}
	}
	b.spent((s.steps - before) / quick)
	return cheapest(out, n)
}

// cheapest sorts and shortens a list.
func cheapest(list []variant, n int) []variant {
	slices.SortFunc(list, func(x, y variant) int {
		return cmp.Or(cmp.Compare(x.cost, y.cost), cmp.Compare(x.d, y.d), cmp.Compare(x.way, y.way))
	})
	return list[:min(len(list), n)]
}

// vary makes a change.
func (s *state) vary(guess []int64, v variant) {
	if v.way < 0 {
		s.gather(guess, v.d)
	} else {
		s.flip(v.d, v.way)
	}
}
