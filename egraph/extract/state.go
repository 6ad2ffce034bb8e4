package extract

import "fmt"

// state is a choice for a core that is changed a class at a time. Each class has
// a way, needed or not; uses are counted from the roots, so that a change costs
// what it touches. Changes are logged and can be taken back.
type state struct {
	c      *core
	users  [][]int32 // of core.users
	scc    []int32   // by class: number of its strongly connected component, -1 where it is alone
	choice []int32
	uses   []int32 // how often the needed classes and the roots use a class
	cost   int64   // of the needed classes, without base
	steps  int64   // classes and kids looked at
	log    []change
	mark   []int32 // for cyclic: clock: open, clock+1: done
	clock  int32
	stack  []frame
}

// change is one logged change: of the uses of a class by delta, or, with delta 0,
// of its way, which was way.
type change struct{ class, delta, way int32 }

type frame struct{ class, next int32 }

// newState takes an acyclic choice with a way for each class that has any.
func newState(c *core, users [][]int32, scc []int32, choice []int32) *state {
	s := &state{c: c, users: users, scc: scc, choice: choice,
		uses: make([]int32, len(c.ways)), mark: make([]int32, len(c.ways))}
	for _, r := range c.roots {
		s.use(r)
	}
	s.log = s.log[:0]
	return s
}

func (s *state) needed(k int32) bool { return s.uses[k] > 0 }

// use counts a use of k, and what k uses if it is the first.
func (s *state) use(k int32) {
	s.steps++
	s.uses[k]++
	s.log = append(s.log, change{class: k, delta: 1})
	if s.uses[k] > 1 {
		return
	}
	w := &s.c.ways[k][s.choice[k]]
	s.cost += w.cost
	for _, j := range w.kids {
		s.use(j)
	}
}

// drop takes a use back.
func (s *state) drop(k int32) {
	s.steps++
	s.uses[k]--
	s.log = append(s.log, change{class: k, delta: -1})
	if s.uses[k] > 0 {
		return
	}
	w := &s.c.ways[k][s.choice[k]]
	s.cost -= w.cost
	for _, j := range w.kids {
		s.drop(j)
	}
}

// flip changes the way of a class. The choice may become cyclic: see cyclic.
func (s *state) flip(k, way int32) {
	old := s.choice[k]
	if old == way {
		return
	}
	s.log = append(s.log, change{class: k, way: old})
	s.choice[k] = way
	if s.uses[k] == 0 {
		return
	}
	now, was := &s.c.ways[k][way], &s.c.ways[k][old]
	s.cost += now.cost - was.cost
	for _, j := range now.kids {
		s.use(j)
	}
	for _, j := range was.kids {
		s.drop(j)
	}
}

// undo takes back all that was logged from a length of the log on; cost is the
// cost then.
func (s *state) undo(to int, cost int64) {
	for i := len(s.log) - 1; i >= to; i-- {
		e := s.log[i]
		if e.delta == 0 {
			s.choice[e.class] = e.way
		} else {
			s.uses[e.class] -= e.delta
		}
	}
	s.log = s.log[:to]
	s.cost = cost
}

// cyclic says whether a needed class whose way was flipped, or that came to be
// needed, since the log had a length, needs itself. It looks at what was logged and
// at strongly connected components only: the choice was acyclic then.
func (s *state) cyclic(from int) bool {
	if s.clock > 1<<30 {
		clear(s.mark)
		s.clock = 0
	}
	s.clock += 2
	for _, e := range s.log[from:] {
		k := e.class
		if e.delta < 0 || s.scc[k] < 0 || s.uses[k] == 0 || s.mark[k] == s.clock+1 {
			continue
		}
		if s.cycleFrom(k) {
			return true
		}
	}
	return false
}

// cycleFrom searches depth first within the strongly connected component of k.
func (s *state) cycleFrom(k int32) bool {
	s.stack = append(s.stack[:0], frame{class: k})
	s.mark[k] = s.clock
	for len(s.stack) > 0 {
		f := &s.stack[len(s.stack)-1]
		kids := s.c.ways[f.class][s.choice[f.class]].kids
		if int(f.next) == len(kids) {
			s.mark[f.class] = s.clock + 1
			s.stack = s.stack[:len(s.stack)-1]
			continue
		}
		j := kids[f.next]
		f.next++
		s.steps++
		if s.scc[j] != s.scc[k] || s.mark[j] == s.clock+1 {
			continue
		}
		if s.mark[j] == s.clock {
			return true
		}
		s.mark[j] = s.clock
		s.stack = append(s.stack, frame{class: j})
	}
	return false
}

// check panics unless counts and cost are what they are when counted afresh.
func (s *state) check() {
	fresh := newState(s.c, s.users, s.scc, s.choice)
	for k := range s.uses {
		if fresh.uses[k] != s.uses[k] {
			panic(fmt.Sprintf("extract: class %d: %d uses, counted %d", k, s.uses[k], fresh.uses[k]))
		}
		if s.scc[k] >= 0 && s.uses[k] > 0 {
			s.clock += 2
			if s.cycleFrom(int32(k)) {
				panic(fmt.Sprintf("extract: class %d is below itself", k))
			}
		}
	}
	if fresh.cost != s.cost {
		panic(fmt.Sprintf("extract: cost %d, counted %d", s.cost, fresh.cost))
	}
}
