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
	// Tries is the most moves that are tried in all, with those that the trail has tried
	// before; 0: no limit.
	Tries int
	// Waves looks for waves, too, all moves that are alike at one tensor, and for them
	// and single moves everywhere before chains.
	Waves bool
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
	d := &descent{Trail: t, ctx: ctx, o: o.withDefaults(), waved: map[kin]uint64{}}
	t.Net.Nodes(func(n bank.Node) bool {
		d.wait(n)
		return true
	})
	for {
		n, thorough, ok := d.next()
		if !ok {
			return d.kept, true
		}
		for t.Net.Live(n) && d.improve(n, thorough) {
		}
		if d.over() {
			return d.kept, false
		}
	}
}

// descent is the state of Descend.
type descent struct {
	*Trail
	ctx context.Context
	o   DescendOptions
	// Nodes at which moves are still to be tried: single moves, sweeps and waves, which
	// are few, before chains.
	quick, thorough waiting
	kept            []Move
	waved           map[kin]uint64 // waves that were tried, and with which users

	seen  map[bank.Hash]bool // behind the present first move
	left  int                // tries
	best  int64
	chain []Move // the best one from the present node
}

// over reports whether no more moves may be tried. Whatever tries one asks first.
func (d *descent) over() bool {
	return d.o.Tries > 0 && d.Tried >= d.o.Tries || d.ctx.Err() != nil
}

// waiting is a queue of nodes, each once.
type waiting struct {
	queue []bank.Node
	in    map[bank.Node]bool
}

func (w *waiting) add(n bank.Node) {
	if w.in == nil {
		w.in = map[bank.Node]bool{}
	}
	if !w.in[n] {
		w.in[n] = true
		w.queue = append(w.queue, n)
	}
}

func (w *waiting) take() (n bank.Node, ok bool) {
	if len(w.queue) == 0 {
		return 0, false
	}
	n, w.queue = w.queue[0], w.queue[1:]
	delete(w.in, n)
	return n, true
}

func (d *descent) wait(n bank.Node) {
	if d.o.Waves {
		d.quick.add(n)
	}
	d.thorough.add(n)
}

func (d *descent) next() (n bank.Node, thorough, ok bool) {
	if n, ok = d.quick.take(); ok {
		return n, false, true
	}
	n, ok = d.thorough.take()
	return n, true, ok
}

// improve keeps the best chain that begins at a node, if one lowers the cost.
func (d *descent) improve(n bank.Node, thorough bool) bool {
	d.best, d.chain = d.Price.Cost(), nil
	limit := d.best + int64(d.o.Worse*float64(d.best))
	one, many := d.Moves.At(n)
	first := append(append([]Move{}, one...), many...)
	for i := range first {
		if d.over() {
			break
		}
		d.seen, d.left = map[bank.Hash]bool{d.Net.Hash(): true}, d.o.Each
		if thorough {
			d.follow(&first[i], limit)
		} else {
			d.follow(&first[i], 0) // alone
			d.wave(&first[i])
		}
		if !thorough || !d.o.Waves {
			d.sweep(&first[i])
		}
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
	if d.left <= 0 || d.over() {
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
