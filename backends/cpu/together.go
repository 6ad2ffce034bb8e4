package cpu

import (
	"time"
)

// What moves elements, or computes them one by one, is often quicker done than called, as in
// the steps of a recurrent layer. Such steps of a plan that follow one another are made
// together.

// make makes the call by itself.
func (c *call) make(t table) {
	if c.bytes > 0 {
		t.move(c.y, c.x, c.bytes, c.axes)
		return
	}
	t.chain(c.y, c.x, c.rows, c.n, c.rowMod, c.ops, c.nops)
}

// few is how many elements the calls that are made together compute at most, each: a run that
// is cancelled ends behind them.
const few = 1 << 16

// stretch is steps of a plan, one after the other: one, or some that are made together.
type stretch struct {
	first, last int // steps, last not included
	calls       together
	of          []int // by call, its step
}

// stretches puts the steps of a plan together.
func (p *Plan) stretches(t table) error {
	for first := 0; first < len(p.steps); {
		s := stretch{first: first}
		var calls []call
		for s.last = first; s.last < len(p.steps); s.last++ {
			step := p.steps[s.last]
			if step.calls == nil || step.elements() > few {
				break
			}
			for _, c := range step.calls() {
				calls, s.of = append(calls, c), append(s.of, s.last)
			}
		}
		if len(calls) < 2 {
			s.last, s.of = first+1, nil
		} else {
			var err error
			if s.calls, err = t.together(calls); err != nil {
				return err
			}
		}
		p.run = append(p.run, s)
		first = s.last
	}
	return nil
}

// elements is how many elements a step writes.
func (s *step) elements() int {
	n := 0
	for _, b := range s.writes {
		n += b.bytes / 4
	}
	return n
}

// share gives each step its part of the time that all took.
func (s *stretch) share(times []time.Duration, took time.Duration) {
	all := int64(0)
	for i := range s.of {
		all += max(s.calls.ticks(i), 0)
	}
	clear(times[s.first:s.last])
	for i, step := range s.of {
		times[step] += time.Duration(float64(took) * float64(max(s.calls.ticks(i), 0)) / float64(max(all, 1)))
	}
}
