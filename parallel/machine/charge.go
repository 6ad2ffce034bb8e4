package machine

import (
	"fmt"
	"slices"
)

// Charge is what messages cost.
type Charge struct {
	// Time is until the last byte arrived, if nothing else is sent; Latency what of it
	// does not depend on the number of bytes.
	Time, Latency Time
	// Bytes are those that all devices send together.
	Bytes int64
	// Holds are the links that are busy, by number, and how long each is.
	Holds []Hold
}

// Hold is a link and a span for which it is busy.
type Hold struct {
	Link int
	Time Time
}

// Charge is the cost of rounds, each begun when the one before has arrived everywhere. A
// round takes the largest latency of its messages and the time of the link that has most
// to carry: bytes of all messages that cross it over its bandwidth. So messages that
// share a link wait for each other, and those that do not go side by side. A link is busy
// while bytes pass, not while the first one is under way.
func (c *Cluster) Charge(rounds []Round) (Charge, error) {
	var out Charge
	s, _ := c.scratch.Get().(*scratch)
	if s == nil {
		s = &scratch{make([]int64, len(c.Links)), make([]Time, len(c.Links))}
	}
	load, held := s.load, s.held
	var used, seen []int
	for _, r := range rounds {
		if r.Times == 0 {
			continue
		}
		var latency, busy Time
		used = used[:0]
		for _, f := range r.Flows {
			if f.Bytes < 0 || r.Times < 0 || f.Bytes > (maxBytes-out.Bytes)/r.Times {
				return Charge{}, fmt.Errorf("message of %d bytes, %d times: want 0 to %d bytes in all", f.Bytes, r.Times, int64(maxBytes))
			}
			row, err := c.way(f.From, f.To)
			if err != nil {
				return Charge{}, err // what is in scratch is dropped with it
			}
			if f.From == f.To || f.Bytes == 0 {
				continue
			}
			latency = max(latency, row.latency[f.To])
			out.Bytes += f.Bytes * r.Times
			for v := f.To; v != f.From; v = c.Links[row.last[v]].From {
				i := row.last[v]
				if c.Links[i].Bandwidth == 0 {
					continue
				}
				if load[i] == 0 {
					used = append(used, i)
				}
				load[i] += f.Bytes
			}
		}
		for _, i := range used {
			t := TimeOf(load[i], c.Links[i].Bandwidth)
			busy = max(busy, t)
			if held[i] == 0 {
				seen = append(seen, i)
			}
			held[i] = held[i].plus(t.times(r.Times))
			load[i] = 0
		}
		out.Latency = out.Latency.plus(latency.times(r.Times))
		out.Time = out.Time.plus(latency.plus(busy).times(r.Times))
	}
	slices.Sort(seen)
	for _, i := range seen {
		out.Holds = append(out.Holds, Hold{i, held[i]})
		held[i] = 0
	}
	c.scratch.Put(s)
	return out, nil
}

// scratch is a number for each link, all 0 between uses: most messages need few of many.
type scratch struct {
	load []int64
	held []Time
}
