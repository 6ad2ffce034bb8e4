package machine

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/taso-go/taso/parallel"
)

// Groups are groups of devices that do a collective at once, such as all of those along an
// axis of a mesh. Which links its messages cross does not depend on how many bytes they have, so
// that it is found once for each kind and algorithm. Groups may be used by several goroutines.
type Groups struct {
	c     *Cluster
	list  [][]int
	most  int // devices of one
	lock  sync.Mutex
	loads map[way]*loaded
}

// way is a kind of collective with an algorithm.
type way struct {
	kind parallel.Kind
	by   Algorithm
}

// Groups are those of a list, none of them empty, which must not be changed afterwards. The
// same list gives the same Groups, which know what they have found before.
func (c *Cluster) Groups(list [][]int) *Groups {
	var key []byte
	for _, g := range list {
		key = binary.AppendUvarint(key, uint64(len(g)))
		for _, d := range g {
			key = binary.AppendVarint(key, int64(d))
		}
	}
	if g, ok := c.groups.Load(string(key)); ok {
		return g.(*Groups)
	}
	out := &Groups{c: c, list: list, loads: map[way]*loaded{}}
	for _, g := range list {
		out.most = max(out.most, len(g))
	}
	g, _ := c.groups.LoadOrStore(string(key), out)
	return g.(*Groups)
}

// Time is that of a collective of all groups at once ([Cluster.Charge] of
// [Cluster.Together]): bytes is what each device has before.
func (g *Groups) Time(k parallel.Kind, a Algorithm, bytes int64) (Time, error) {
	l := g.load(way{k, a})
	if l.err != nil {
		return 0, l.err
	}
	if err := checkBytes(k, bytes, g.most); err != nil {
		return 0, err
	}
	return l.time(bytes)
}

// load is looked up from the second time on.
func (g *Groups) load(w way) *loaded {
	g.lock.Lock()
	defer g.lock.Unlock()
	l := g.loads[w]
	if l == nil {
		l = &loaded{}
		l.err = l.fill(g, w)
		g.loads[w] = l
	}
	return l
}

// loaded is what a collective loads links with, round by round.
type loaded struct {
	rounds []loadedRound
	err    error
}

type loadedRound struct {
	times   int64
	amounts []sent
	links   []busy // that differ
}

// sent is an amount of messages of a round.
type sent struct {
	amount
	messages int64 // also those that a device sends to itself
	latency  Time  // the largest of them
}

// busy is a link by the messages that cross it, those of one of the amounts after the other; of
// links by which as many pass at the same rate there is one.
type busy struct {
	rate     int64
	messages []int64
}

// fill goes along the ways of all messages, as [Cluster.Charge] does.
func (l *loaded) fill(g *Groups, w way) error {
	c := g.c
	for _, one := range g.list {
		if err := c.checkCollective(w.kind, w.by, one, 0); err != nil {
			return err
		}
	}
	steps, err := c.together(w.kind, w.by, g.list)
	if err != nil {
		return err
	}
	for _, s := range steps {
		if s.times == 0 {
			continue
		}
		r := loadedRound{times: s.times}
		number := map[amount]int{}
		for _, f := range s.flows {
			if _, ok := number[f.amount]; !ok {
				number[f.amount] = len(r.amounts)
				r.amounts = append(r.amounts, sent{amount: f.amount})
			}
		}
		n := len(r.amounts)
		load := make([]int64, len(c.Links)*n)
		for _, f := range s.flows {
			row, err := c.way(f.from, f.to)
			if err != nil {
				return err
			}
			k := 0
			if n > 1 {
				k = number[f.amount]
			}
			x := &r.amounts[k]
			x.messages++
			if f.from == f.to {
				continue
			}
			x.latency = max(x.latency, row.latency[f.to])
			for v := f.to; v != f.from; v = c.Links[row.last[v]].From {
				load[row.last[v]*n+k]++
			}
		}
		for i := range c.Links {
			if own := load[i*n : (i+1)*n]; c.Links[i].Bandwidth > 0 && slices.Max(own) > 0 {
				r.links = append(r.links, busy{c.Links[i].Bandwidth, own})
			}
		}
		compare := func(a, b busy) int {
			return cmp.Or(cmp.Compare(a.rate, b.rate), slices.Compare(a.messages, b.messages))
		}
		slices.SortFunc(r.links, compare)
		r.links = slices.Clone(slices.CompactFunc(r.links, func(a, b busy) bool { return compare(a, b) == 0 }))
		for i := range r.links {
			r.links[i].messages = slices.Clone(r.links[i].messages)
		}
		l.rounds = append(l.rounds, r)
	}
	return nil
}

// time is that of so many bytes.
func (l *loaded) time(bytes int64) (out Time, err error) {
	total := int64(0)
	for _, r := range l.rounds {
		var latency, most Time
		for _, x := range r.amounts {
			b := x.of(bytes)
			if b > 0 && x.messages > (maxBytes-total)/b/r.times {
				return 0, fmt.Errorf("messages of %d bytes, %d times: want 0 to %d bytes in all", b, r.times, int64(maxBytes))
			}
			total += b * x.messages * r.times
			if b > 0 {
				latency = max(latency, x.latency)
			}
		}
		for _, x := range r.links {
			carried := int64(0)
			for k, n := range x.messages {
				carried += n * r.amounts[k].of(bytes)
			}
			if carried > 0 {
				most = max(most, TimeOf(carried, x.rate))
			}
		}
		out = out.plus(latency.plus(most).times(r.times))
	}
	return out, nil
}
