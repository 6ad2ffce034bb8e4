package search

import (
	"context"

	"github.com/taso-go/taso/graph/bank"
)

// DescendOptions bound Descend; the zero value is the default.
type DescendOptions struct {
	// Depth is the most moves of a chain; 0: 3.
	Depth int
	// Worse is by how much of the network's cost a chain may be dearer on its way;
	// 0: 0.02.
	Worse float64
	// Each is how many moves are tried behind one first move; 0: 200.
	Each int
	// Tries is how many moves are tried in all; 0: no limit.
	Tries int
	// Improved, if not nil, is told of each chain that was kept.
	Improved func(cost int64, chain []Move)
}

func (o DescendOptions) withDefaults() DescendOptions {
	if o.Depth == 0 {
		o.Depth = 3
	}
	if o.Worse == 0 {
		o.Worse = 0.02
	}
	if o.Each == 0 {
		o.Each = 200
	}
	return o
}

// Descend makes chains of moves that lower the cost, until there is none that it
// finds or a limit is met. A chain is a move, then one that the first has made
// possible, and so on: what happens elsewhere in the network need not be looked at
// together, so that the work grows with the network and not with its
// rearrangements. It returns the steps that it kept, which are made, and reports
// whether it came to its end.
func (t *Trail) Descend(ctx context.Context, o DescendOptions) (kept []Move, done bool) {
	d := &descent{Trail: t, o: o.withDefaults(), waiting: map[bank.Node]bool{}}
	t.Net.Nodes(func(n bank.Node) bool {
		d.wait(n)
		return true
	})
	for len(d.queue) > 0 {
		if ctx.Err() != nil || o.Tries > 0 && t.Tried >= o.Tries {
			return d.kept, false
		}
		n := d.queue[0]
		d.queue = d.queue[1:]
		delete(d.waiting, n)
		for t.Net.Live(n) && d.improve(ctx, n) {
		}
	}
	return d.kept, true
}

// descent is the state of Descend.
type descent struct {
	*Trail
	o       DescendOptions
	queue   []bank.Node // at which moves are still to be tried
	waiting map[bank.Node]bool
	kept    []Move

	seen  map[bank.Hash]bool // behind the present first move
	left  int                // tries
	best  int64
	chain []Move // the best one from the present node
}

func (d *descent) wait(n bank.Node) {
	if !d.waiting[n] {
		d.waiting[n] = true
		d.queue = append(d.queue, n)
	}
}

// improve keeps the best chain that begins at a node, if one lowers the cost.
func (d *descent) improve(ctx context.Context, n bank.Node) bool {
	d.best, d.chain = d.Price.Cost(), nil
	limit := d.best + int64(d.o.Worse*float64(d.best))
	one, many := d.Moves.At(n)
	first := append(append([]Move{}, one...), many...)
	for i := range first {
		if ctx.Err() != nil {
			break
		}
		d.seen, d.left = map[bank.Hash]bool{d.Net.Hash(): true}, d.o.Each
		d.follow(&first[i], limit)
		d.sweep(&first[i])
	}
	if d.chain == nil {
		return false
	}
	d.chain = d.Shorten(d.chain, d.best)
	for i := range d.chain {
		if !d.Do(&d.chain[i]) {
			panic("search: a move that was made once cannot be made again")
		}
	}
	near := map[bank.Node]bool{}
	for i := range d.steps {
		for _, w := range d.steps[i].moves {
			if d.Net.Live(w.node) && !near[w.node] {
				near[w.node] = true
				d.wait(w.node)
			}
		}
	}
	d.kept = append(d.kept, d.chain...)
	d.Settle()
	if d.o.Improved != nil {
		d.o.Improved(d.best, d.chain)
	}
	return true
}

// follow tries a move, and behind it those that it has made possible.
func (d *descent) follow(m *Move, limit int64) {
	if d.left <= 0 {
		return
	}
	d.left--
	var cost int64
	var hash bank.Hash
	if !d.Try(m, func(c int64, h bank.Hash) { cost, hash = c, h }) || d.seen[hash] {
		return
	}
	d.seen[hash] = true
	if cost < d.best {
		d.best = cost
		d.chain = append(d.Path(), *m)
	}
	if cost > limit || d.Len()+1 >= d.o.Depth {
		return
	}
	if !d.Do(m) {
		return
	}
	for _, next := range d.Enabled() {
		d.follow(&next, limit)
	}
	d.Back(d.Len() - 1)
}
