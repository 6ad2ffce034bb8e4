package extract

import (
	"math/rand/v2"
	"slices"
)

// piece is a component that is worked on: its core, the best choice so far, a
// bound. The picks of its ways are the ways' own numbers, so that what is found in
// cores that were made of this one can be read back.
type piece struct {
	core   *core
	ids    []int32 // class of the whole core, by class
	same   *piece  // an earlier piece of the same content, which has the answer; or nil
	first  []int32 // number of the first way of a class
	class  []int32 // by number of a way
	users  [][]int32
	scc    []int32
	choice []int32
	cost   int64
	bound  int64
	method Method // that found the choice
	// settled says that neighbourhoods found nothing in as many tries as it makes.
	settled bool
	linear  bool // the linear relaxation has been solved
	tries   int  // of noise
}

func newPiece(c *core) *piece {
	p := &piece{core: c, users: c.users(), scc: c.cycles(), first: make([]int32, len(c.ways)), cost: costTop}
	for k := range c.ways {
		p.first[k] = int32(len(p.class))
		for i := range c.ways[k] {
			c.ways[k][i].picks = []NodeID{NodeID(len(p.class))}
			p.class = append(p.class, int32(k))
		}
	}
	return p
}

// adopt takes over a choice that is cheaper than the best so far.
func (p *piece) adopt(choice []int32, cost int64, by Method) {
	if cost < p.cost {
		p.choice, p.cost, p.method = slices.Clone(choice), cost, by
	}
}

// read makes a choice of ways of numbers of ways; other classes stay as they are.
func (p *piece) read(picks []NodeID) []int32 {
	choice := slices.Clone(p.choice)
	for _, n := range picks {
		k := p.class[n]
		choice[k] = int32(n) - p.first[k]
	}
	return choice
}

// polish improves a choice by share moves and takes it over if it is the best.
func (p *piece) polish(b *budget, choice []int32, by Method) {
	s := newState(p.core, p.users, p.scc, slices.Clone(choice))
	p.adopt(s.choice, s.cost, by)
	b.share(s, 1<<28, true)
	p.adopt(s.choice, s.cost, Share)
}

// restricted is a copy of the core in which only the classes of free have all of
// their ways: the others have the one that is chosen.
func (p *piece) restricted(free []bool) *core {
	c := &core{ways: make([][]way, len(p.core.ways)), roots: slices.Clone(p.core.roots)}
	for k, ws := range p.core.ways {
		if free[k] {
			c.ways[k] = slices.Clone(ws)
		} else if len(ws) > 0 {
			c.ways[k] = []way{ws[p.choice[k]]}
		}
	}
	return c
}

// ball marks the size classes nearest to a class, along kids and users.
func (p *piece) ball(kids [][]int32, center int32, size int) []bool {
	in := make([]bool, len(p.core.ways))
	in[center] = true
	queue := []int32{center}
	n := 1
	for at := 0; at < len(queue) && n < size; at++ {
		k := queue[at]
		for _, list := range [2][]int32{kids[k], p.users[k]} {
			for _, j := range list {
				if !in[j] && n < size {
					in[j] = true
					n++
					queue = append(queue, j)
				}
			}
		}
	}
	return in
}

// neighbourhoods frees the choice around one class after another, drawn at random,
// and looks for the best choice there with all else kept. Neighbourhoods
// grow while they are searched to the end in vain, and shrink when they are not. It
// ends with the budget, when choice and bound meet, or when tries in a row, as many
// as there are classes, found nothing.
func (p *piece) neighbourhoods(b *budget) {
	kids := p.core.kidsOf()
	var classes []int32
	for k, ws := range p.core.ways {
		if len(ws) > 1 {
			classes = append(classes, int32(k))
		}
	}
	if len(classes) == 0 {
		return
	}
	// A seed of the core's own would make no difference: a run is repeatable.
	draw := rand.New(rand.NewPCG(uint64(len(classes)), uint64(len(p.class))))
	size := 12
	p.settled = false
	for vain := 0; p.bound < p.cost; {
		if vain >= max(40, len(classes)) {
			p.settled = true
			return
		}
		if b.spent(int64(len(p.class))) {
			return
		}
		center := classes[draw.IntN(len(classes))]
		in := &budget{ctx: b.ctx, limit: min(1<<21, b.limit-b.steps)}
		f := in.branch(p.restricted(p.ball(kids, center, size)), p.cost)
		b.spent(in.steps)
		if f.cost < p.cost {
			p.polish(b, p.read(f.picks), LNS)
			p.adopt(p.read(f.picks), f.cost, LNS)
			vain = 0
			continue
		}
		vain++
		if in.steps >= in.limit {
			size = max(size*3/4, 4)
		} else if vain%8 == 0 && size < len(p.core.ways) {
			size += size/4 + 1
		}
		if size >= len(p.core.ways) && in.steps < in.limit && !in.done {
			// The neighbourhood was everything.
			p.bound, p.settled = p.cost, true
			return
		}
	}
}

// exact searches the whole of the piece.
func (p *piece) exact(b *budget) {
	f := b.branch(p.core.clone(), p.cost)
	p.bound = max(p.bound, min(f.bound, p.cost))
	if f.cost < p.cost {
		p.adopt(p.read(f.picks), f.cost, Exact)
	}
}

// pieces takes a core apart; see split.
func (c *core) pieces() []*piece {
	var out []*piece
	seen := map[string]*piece{}
	for _, part := range c.split() {
		key := part.core.key()
		if same := seen[key]; same != nil {
			out = append(out, &piece{ids: part.ids, same: same})
			continue
		}
		p := newPiece(part.core)
		p.ids = part.ids
		seen[key] = p
		out = append(out, p)
	}
	return out
}

// greedy makes the first choices and improves them by share moves.
func (p *piece) greedy(b *budget) {
	choice, steps := p.core.dagChoice(b.room(1 << 26))
	b.spent(steps)
	p.polish(b, choice, GreedyDAG)
	p.polish(b, p.core.treeChoice(), Greedy)
}

// start makes first choices and a first bound.
func (p *piece) start(b *budget) {
	p.greedy(b)
	l := newLandmarks(p.core)
	// Most of the budget is left to searches.
	p.bound = min(l.run(b.room(b.limit/4), p.cost, b.stop), p.cost)
	b.spent(l.steps)
}

// relax raises the bound to that of the linear relaxation, where the piece is small
// enough for that.
func (p *piece) relax(b *budget) {
	if p.linear {
		return
	}
	p.linear = true
	if bound, ok := p.core.linear(); ok {
		p.bound = min(max(p.bound, bound), p.cost)
		b.spent(maxRows * maxRows * maxRows)
	}
}
