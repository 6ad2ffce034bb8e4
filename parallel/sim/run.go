package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/parallel/machine"
)

// mark is where a task is in a run.
type mark uint8

const (
	absent  mark = iota // not simulated yet, or removed
	clean               // as the run before left it, as far as is known
	pending             // what it was before does not hold, and what it will be is not known
	final
)

// Run simulates the graph: every resource serves tasks first come, first served, and a
// task begins when all that it waits for is over and all its resources are free. After
// the first run only what changes is simulated again, with the same result to the last
// picosecond. Errors are a cycle, a removed task that something waits for, and times that
// add up to more than [machine.MaxTime]; then nothing is simulated.
func (g *Graph) Run() error {
	if err := g.sound(); err != nil {
		g.err = err
		return err
	}
	g.err = nil
	if len(g.edited) == 0 && g.ran {
		g.simulated = 0
		return nil
	}
	g.last.fit(len(g.tasks))
	if !g.ran || 2*len(g.edited) > g.live {
		g.full()
	} else {
		g.delta()
	}
	for _, id := range g.edited {
		g.isEdit[id] = false
	}
	g.edited, g.rewired = g.edited[:0], g.rewired[:0]
	g.ran = true
	return nil
}

// Forget makes the next run simulate everything.
func (g *Graph) Forget() { g.ran = false }

// Simulated is how many tasks the last run placed: all in a full one.
func (g *Graph) Simulated() int { return g.simulated }

// sound looks for what cannot be simulated, and levels.
func (g *Graph) sound() error {
	if g.total[1] > 0 || g.total[0] > uint64(machine.MaxTime) {
		return fmt.Errorf("task graph: the times of all tasks add up to more than 106 days")
	}
	for _, id := range g.edited {
		if g.gone[id] && len(g.next[id]) > 0 {
			return fmt.Errorf("task graph: task %q was removed, and task %q waits for it", g.tasks[id].Name, g.tasks[g.next[id][0]].Name)
		}
	}
	if cycle := g.cycle(); cycle != nil {
		var names []string
		for _, id := range cycle {
			names = append(names, fmt.Sprintf("%q", g.tasks[id].Name))
		}
		return fmt.Errorf("task graph: a cycle: %s", strings.Join(names, " waits for "))
	}
	g.levels()
	return nil
}

// cycle looks for tasks that wait for each other, from those whose list of these was
// edited: any other cycle would have been there before. There is none while every task
// waits for lower IDs only. The walk keeps its own stack, since graphs are deep.
func (g *Graph) cycle() []ID {
	const (
		unseen = iota
		open
		done
	)
	state := map[ID]uint8{}
	type frame struct {
		id ID
		i  int
	}
	for _, root := range g.rewired {
		if state[root] != unseen || g.upward == 0 || len(g.next[root]) == 0 {
			continue
		}
		stack := []frame{{root, 0}}
		state[root] = open
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.i == len(g.deps[f.id]) {
				state[f.id] = done
				stack = stack[:len(stack)-1]
				continue
			}
			d := g.deps[f.id][f.i]
			f.i++
			switch state[d] {
			case unseen:
				state[d] = open
				stack = append(stack, frame{d, 0})
			case open:
				var ids []ID
				for _, f := range stack {
					ids = append(ids, f.id)
				}
				return append(ids[slices.Index(ids, d):], d)
			}
		}
	}
	return nil
}

// levels brings levels up to date: the level of a task is the longest chain of tasks
// without time that it waits for last.
func (g *Graph) levels() {
	queue := slices.Clone(g.edited)
	if g.ran {
		for _, id := range g.edited {
			queue = append(queue, g.next[id]...)
		}
	}
	for i := 0; i < len(queue); i++ {
		id := queue[i]
		if g.gone[id] {
			continue
		}
		l := int32(0)
		for _, d := range g.deps[id] {
			if g.loads[d].time == 0 {
				l = max(l, g.level[d]+1)
			}
		}
		if l == g.level[id] {
			continue
		}
		g.level[id] = l
		g.edit(id)
		if g.loads[id].time == 0 {
			queue = append(queue, g.next[id]...)
		}
	}
}
