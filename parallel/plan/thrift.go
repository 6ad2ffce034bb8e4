package plan

import (
	"context"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/machine"
)

const (
	// thriftRounds bounds how often a saving is enlarged, and pruneTries how often a part of it
	// is tried without.
	thriftRounds, pruneTries = 200, 48
)

// thrift says what a saving may consist of.
type thrift struct {
	again, away bool
	// borders: results that other clusters read may be made again, too. All of the forward pass
	// could then be made again at once, for the last cluster.
	borders bool
}

// thrifty is the fastest of a few plans of the same layout that hold no more than limit bytes
// on a device, by a saving; if none does, least is what the best of them holds and the plan
// nil.
func (p *Plan) thrifty(limit int64) (best *Plan, least int64, err error) {
	m, err := p.write(false)
	if err != nil {
		return nil, 0, err
	}
	x := &saving{programmer: m, p: p, limit: limit}
	if x.of, _, err = p.Source().parts(4); err != nil {
		x.of = make([]int, p.Source().Graph.Len()+1) // nothing comes in: one cluster
	}
	_, x.least = m.out.peak(m.out.lives())
	x.look()
	var fastest machine.Time
	for _, how := range []thrift{{again: true}, {away: true}, {again: true, away: true}, {again: true, away: true, borders: true}} {
		if how.borders && best != nil {
			break
		}
		if _, ok := p.Mesh.Cluster.Host(0); how.away && !ok {
			how.away = false
		}
		s := x.choose(how)
		if s == nil {
			continue
		}
		q, err := p.With(s)
		if IsNone(err) { // of hosts
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		t, err := q.Makespan(context.Background())
		if err != nil {
			return nil, 0, err
		}
		if best == nil || t < fastest {
			best, fastest = q, t
		}
	}
	return best, x.least, nil
}

// saving looks for one.
type saving struct {
	*programmer
	p     *Plan
	limit int64
	least int64 // the least that was held
	of    []int // the cluster of each node of the source
	// By node: one of its slots, and whether other clusters read what it makes.
	slot   []int
	border []bool
	late   []bool // the backward pass reads it
}

func (x *saving) cluster(id graph.NodeID) int {
	return x.of[x.p.Laying.Origin(id).Tensor.Node]
}

// look finds what there is to save.
func (x *saving) look() {
	n := x.g.Len() + 1
	x.slot, x.border, x.late = slices.Repeat([]int{-1}, n), make([]bool, n), make([]bool, n)
	for i, s := range x.out.slots {
		if x.slot[s.node] < 0 && s.saveable() {
			x.slot[s.node] = i
		}
		for _, r := range s.reads {
			from := &x.out.slots[r]
			if s.class != "forward" {
				x.late[from.node] = true
			} else if x.cluster(s.node) != x.cluster(from.node) {
				x.border[from.node] = true
			}
		}
	}
}

// choose adds what frees the most bytes at the peak for the time that it costs until the limit
// is kept, and then leaves out what is not needed; nil: it is never kept.
func (x *saving) choose(how thrift) *Saving {
	s := &Saving{}
	chosen := map[graph.NodeID]bool{}
	for range thriftRounds {
		prog, _, err := x.save(s)
		if err != nil {
			return nil // made again of what was written over
		}
		last := prog.lives()
		at, peak := prog.peak(last)
		x.least = min(x.least, peak)
		if peak <= x.limit {
			return x.prune(s)
		}
		var list []candidate
		for i := range prog.slots[:at+1] {
			id := prog.slots[i].node
			if chosen[id] || last[i] <= at || !prog.slots[i].saveable() || !x.late[id] {
				continue
			}
			chosen[id] = true
			c := candidate{id: id, bytes: prog.slots[i].output, cost: -1}
			if how.again && (how.borders || !x.border[id]) {
				c.cost = x.cost(id, s, map[graph.NodeID]bool{})
			}
			if how.away {
				k := x.slot[id]
				if t, err := x.mesh.aside(away, x.out.slots[k].on, x.out.slots[k].output); err == nil && (c.cost < 0 || 2*t < c.cost) {
					c.cost, c.away = 2*t, true
				}
			}
			if c.cost >= 0 {
				list = append(list, c)
			}
		}
		// As many as there is to be freed, those that free the most for their time.
		slices.SortStableFunc(list, func(a, b candidate) int { return b.per(a) })
		over := peak - x.limit
		for k, c := range list {
			if over <= 0 {
				list = list[:k]
				break
			}
			over -= c.bytes
		}
		if len(list) == 0 {
			return nil
		}
		clear(chosen)
		for _, c := range list {
			if c.away {
				s.Away = append(s.Away, c.id)
			} else {
				s.Again = append(s.Again, c.id)
			}
		}
		for _, id := range slices.Concat(s.Again, s.Away) {
			chosen[id] = true
		}
	}
	return nil
}

// candidate is a result that could be saved.
type candidate struct {
	id    graph.NodeID
	away  bool
	bytes int64
	cost  machine.Time
}

// per compares the bytes of two for their time.
func (c candidate) per(d candidate) int {
	x, y := float64(c.bytes)*float64(d.cost+1), float64(d.bytes)*float64(c.cost+1)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// cost is the time to make a result again, with what is made again for it; seen is what is counted
// already.
func (x *saving) cost(id graph.NodeID, s *Saving, seen map[graph.NodeID]bool) machine.Time {
	if seen[id] || x.slot[id] < 0 {
		return 0
	}
	seen[id] = true
	t := x.out.slots[x.slot[id]].time
	for _, r := range x.out.slots[x.slot[id]].reads {
		if of := x.out.slots[r].node; slices.Contains(s.Again, of) {
			t += x.cost(of, s, seen)
		}
	}
	return t
}

// prune leaves out what is not needed, the dearest first.
func (x *saving) prune(s *Saving) *Saving {
	type part struct {
		id   graph.NodeID
		cost machine.Time
	}
	var parts []part
	for _, id := range s.Again {
		parts = append(parts, part{id, x.out.slots[x.slot[id]].time})
	}
	for _, id := range s.Away {
		k := x.slot[id]
		t, _ := x.mesh.aside(away, x.out.slots[k].on, x.out.slots[k].output) // it is known
		parts = append(parts, part{id, 2 * t})
	}
	slices.SortStableFunc(parts, func(a, b part) int {
		switch {
		case a.cost > b.cost:
			return -1
		case a.cost < b.cost:
			return 1
		}
		return 0
	})
	for _, c := range parts[:min(len(parts), pruneTries)] {
		is := func(id graph.NodeID) bool { return id == c.id }
		try := &Saving{slices.DeleteFunc(slices.Clone(s.Again), is), slices.DeleteFunc(slices.Clone(s.Away), is)}
		prog, _, err := x.save(try)
		if err != nil {
			continue
		}
		if _, peak := prog.peak(prog.lives()); peak <= x.limit {
			s = try
		}
	}
	slices.Sort(s.Again)
	slices.Sort(s.Away)
	return s
}
