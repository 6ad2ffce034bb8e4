package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/taso-go/taso/parallel/machine"
)

// Memory is what a device or a host needs.
type Memory struct {
	Vertex int
	// Reserved is what is taken for the whole run.
	Reserved int64
	// Peak is the most that is taken at once, Reserved with it, and At when first.
	Peak int64
	At   Time
	// Limit is how much there is; 0: a switch, where nothing lies.
	Limit int64
	// Curve is how much is taken from a time on, in the order of times.
	Curve []Level
}

// Level is so many bytes from a time on.
type Level struct {
	From  Time
	Bytes int64
}

// Over is by how much the peak exceeds the memory, 0 if it does not.
func (m Memory) Over() int64 { return max(0, m.Peak-m.Limit) }

// Memory follows outputs, scratch and what is reserved over the time of the run, for every
// device, and every host on which something lies. What begins at the end of something else
// takes its place. An output that lies on several devices is on each as long as somebody
// needs it there.
func (g *Graph) Memory() []Memory {
	changes := make([][]Level, len(g.cluster.Vertices))
	add := func(at []int, from, to Time, bytes int64) {
		if bytes == 0 || from == to {
			return
		}
		for _, v := range at {
			changes[v] = append(changes[v], Level{from, bytes}, Level{to, -bytes})
		}
	}
	dies := g.dies()
	for id, t := range g.tasks {
		if g.gone[id] {
			continue
		}
		s := g.spans[id]
		add(g.loads[id].at, s.Start, s.End, t.Scratch)
		if t.Output == 0 {
			continue
		}
		for k, v := range g.loads[id].at {
			add([]int{v}, s.Start, dies[id][k], t.Output)
		}
	}
	var out []Memory
	for v, list := range changes {
		m := Memory{Vertex: v, Reserved: g.fixed[v], Limit: g.cluster.Vertices[v].Memory}
		if v < g.cluster.Devices() {
			m.Limit = g.cluster.Memory
		} else if len(list) == 0 && m.Reserved == 0 {
			continue
		}
		m.Peak = m.Reserved
		m.Curve = []Level{{0, m.Reserved}}
		slices.SortFunc(list, func(a, b Level) int { return cmp.Compare(a.From, b.From) })
		now := m.Reserved
		for i, c := range list {
			now += c.Bytes
			if i+1 < len(list) && list[i+1].From == c.From {
				continue // all changes of a time at once
			}
			if last := &m.Curve[len(m.Curve)-1]; last.From == c.From {
				last.Bytes = now
			} else if last.Bytes != now {
				m.Curve = append(m.Curve, Level{c.From, now})
			}
			if now > m.Peak {
				m.Peak, m.At = now, c.From
			}
		}
		out = append(out, m)
	}
	return out
}

// dies is when the last reader of an output is over, by task and where the output lies: of
// readers that work on some of its devices on these, of others everywhere.
func (g *Graph) dies() [][]Time {
	dies := make([][]Time, len(g.tasks))
	for id, t := range g.tasks {
		if g.gone[id] || t.Output == 0 {
			continue
		}
		end := g.spans[id].End
		if t.Kept {
			end = g.Makespan()
		}
		dies[id] = slices.Repeat([]Time{end}, len(g.loads[id].at))
	}
	place := make([]int, len(g.cluster.Vertices)) // in the list of an output, from 1
	for id, t := range g.tasks {
		if g.gone[id] {
			continue
		}
		end := g.spans[id].End
		for _, d := range t.Reads {
			at, when := g.loads[d].at, dies[d]
			if when == nil {
				continue
			}
			for k, v := range at {
				place[v] = k + 1
			}
			some := false
			for _, v := range g.loads[id].by {
				if k := place[v]; k > 0 {
					some = true
					when[k-1] = max(when[k-1], end)
				}
			}
			for k, v := range at {
				place[v] = 0
				if !some {
					when[k] = max(when[k], end)
				}
			}
		}
	}
	return dies
}

// Fits reports the first device or host whose memory the run exceeds, and by how much.
func (g *Graph) Fits() error {
	for _, m := range g.Memory() {
		if over := m.Over(); over > 0 {
			return fmt.Errorf("%s needs %d bytes at %s, %d more than it has", g.cluster.Vertices[m.Vertex].Name, m.Peak, m.At, over)
		}
	}
	return nil
}

// Lower adds the messages of rounds as tasks of their own instead of one collective: in
// each round a device sends when what it was sent in the round before has arrived, and
// what it sent then is gone. Each message reads what is in from for its device. What a
// reader of the result has to wait for comes back, by device: the last messages that it
// was sent or sent. A device of the group without a message has what from has.
func (g *Graph) Lower(name, class string, rounds []machine.Round, from map[int][]ID) (map[int][]ID, error) {
	last := map[int][]ID{}
	for d, ids := range from {
		last[d] = ids
	}
	for i, r := range rounds {
		for step := range r.Times {
			now := map[int][]ID{}
			for _, f := range r.Flows {
				id, err := g.Add(Task{Name: fmt.Sprintf("%s %d.%d %d to %d", name, i, step, f.From, f.To), Class: class,
					Work: Transfer{f.From, f.To, f.Bytes}, Reads: last[f.From], After: last[f.To]})
				if err != nil {
					return nil, err
				}
				now[f.From], now[f.To] = append(now[f.From], id), append(now[f.To], id)
			}
			for d, ids := range now {
				last[d] = ids
			}
		}
	}
	return last, nil
}
