package sim

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/taso-go/taso/parallel/machine"
)

// Time is a point in time or a span, in whole picoseconds.
type Time = machine.Time

// Second is 10^12 picoseconds.
const Second = machine.Second

// ID names a task of a graph. IDs count from 0 in the order in which tasks are added, and
// those of removed tasks are not used again.
type ID int32

// Task is a step of a run.
type Task struct {
	// Name is for people; it need not be unique.
	Name string
	// Class groups tasks for people. Charts give the classes of draw.Activity a colour each.
	Class string
	Work  Work
	// Reads are the tasks whose outputs it needs, After those that only have to be over.
	Reads, After []ID
	// Output is how many bytes the result takes, on each device where the work leaves it:
	// that which computes, the end of a transfer, every device of a group (the root of a
	// gather or reduce). They are there from the start of the task to the end of the
	// last one that reads them, or of the task itself if none does: on each device that
	// of those which work there, and of those which work on none where they lie.
	Output int64
	// Kept outputs stay to the end of the run.
	Kept bool
	// Scratch is how many bytes each of these devices needs besides, while the task runs.
	Scratch int64
}

// Graph is a task graph on a cluster, and its simulation. It is changed by [Graph.Add],
// [Graph.Set] and [Graph.Remove], and simulated by [Graph.Run]. It is not safe for use by several
// goroutines.
type Graph struct {
	cluster *machine.Cluster
	tasks   []Task
	gone    []bool
	live    int
	loads   []load
	deps    [][]ID // what a task waits for, each once
	next    [][]ID // what waits for it
	total   [2]uint64
	charged map[string]load
	fixed   map[int]int64 // bytes by vertex

	edited  []ID // since the last run
	isEdit  []bool
	rewired []ID // those of which what they wait for was edited
	upward  int  // tasks that wait for one with a higher ID
	ran     bool
	err     error

	// What the last run found out.
	level     []int32 // tasks without time before it that end when it is ready, at most
	placed    []key   // its place in the order of each resource
	queued    []key   // during a delta run: where it will be looked at
	spans     []Span
	placedAs  [][]machine.Hold
	orders    []order // by resource
	last      tournament
	mark      []mark
	touched   []ID
	heap      heap
	simulated int
}

// Span is when a task could begin, when it began and when it was over.
type Span struct{ Ready, Start, End Time }

// New is an empty graph.
func New(c *machine.Cluster) *Graph {
	return &Graph{cluster: c, charged: map[string]load{}, fixed: map[int]int64{}, orders: make([]order, c.Devices()+len(c.Links))}
}

// Cluster is where the graph runs.
func (g *Graph) Cluster() *machine.Cluster { return g.cluster }

// Len is the number of tasks, without those that were removed.
func (g *Graph) Len() int { return g.live }

// IDs lists the tasks.
func (g *Graph) IDs() []ID {
	out := make([]ID, 0, g.live)
	for i := range g.tasks {
		if !g.gone[i] {
			out = append(out, ID(i))
		}
	}
	return out
}

// Task is the task of that name, as it was added or set last.
func (g *Graph) Task(id ID) (Task, bool) {
	if !g.has(id) {
		return Task{}, false
	}
	return clone(g.tasks[id]), true
}

func (g *Graph) has(id ID) bool { return id >= 0 && int(id) < len(g.tasks) && !g.gone[id] }

// maxTasks bounds a graph.
const maxTasks = 1 << 28

// check makes a task of a graph: what it costs and what it waits for.
func (g *Graph) check(t Task) (load, []ID, error) {
	if t.Work == nil {
		return load{}, nil, fmt.Errorf("task %q: its work is missing", t.Name)
	}
	l, err := t.Work.load(g)
	if err != nil {
		return load{}, nil, fmt.Errorf("task %q: %w", t.Name, err)
	}
	if t.Output < 0 || t.Scratch < 0 || t.Output > maxBytes || t.Scratch > maxBytes {
		return load{}, nil, fmt.Errorf("task %q: an output of %d and scratch of %d bytes, want 0 to %d", t.Name, t.Output, t.Scratch, int64(maxBytes))
	}
	deps := make([]ID, 0, len(t.Reads)+len(t.After))
	for _, list := range [][]ID{t.Reads, t.After} {
		for _, d := range list {
			if !g.has(d) {
				return load{}, nil, fmt.Errorf("task %q: it waits for %d, which is no task", t.Name, d)
			}
			deps = append(deps, d)
		}
	}
	slices.Sort(deps)
	return l, slices.Compact(deps), nil
}

// maxBytes bounds the bytes of a task, so that sums over all stay in 64 bits.
const maxBytes = 1 << 50

// Add adds a task. What it waits for must be there; unknown devices, negative times and
// numbers of bytes, and messages that no links carry are errors.
func (g *Graph) Add(t Task) (ID, error) {
	if len(g.tasks) == maxTasks {
		return 0, fmt.Errorf("task %q: more than %d tasks", t.Name, maxTasks)
	}
	l, deps, err := g.check(t)
	if err != nil {
		return 0, err
	}
	id := ID(len(g.tasks))
	g.tasks = append(g.tasks, clone(t))
	g.gone = append(g.gone, false)
	g.loads = append(g.loads, l)
	g.deps = append(g.deps, nil)
	g.next = append(g.next, nil)
	g.isEdit = append(g.isEdit, false)
	g.level = append(g.level, 0)
	g.placed = append(g.placed, key{})
	g.queued = append(g.queued, key{})
	g.placedAs = append(g.placedAs, nil)
	g.spans = append(g.spans, Span{})
	g.mark = append(g.mark, absent)
	g.live++
	g.count(l.time, false)
	g.waits(id, deps)
	g.edit(id)
	return id, nil
}

// clone keeps the lists of a task from being changed by others.
func clone(t Task) Task {
	t.Reads, t.After = slices.Clone(t.Reads), slices.Clone(t.After)
	return t
}

// Set puts another task in the place of one; what waits for it stays as it is. That a
// task waits for itself, perhaps by way of others, is found by [Graph.Run].
func (g *Graph) Set(id ID, t Task) error {
	if !g.has(id) {
		return fmt.Errorf("set task %d: there is none", id)
	}
	l, deps, err := g.check(t)
	if err != nil {
		return err
	}
	g.count(g.loads[id].time, true)
	g.count(l.time, false)
	g.tasks[id], g.loads[id] = clone(t), l
	g.waits(id, deps)
	g.edit(id)
	return nil
}

// waits replaces what a task waits for.
func (g *Graph) waits(id ID, deps []ID) {
	if slices.Equal(deps, g.deps[id]) {
		return
	}
	up := func(deps []ID) int {
		if n := len(deps); n > 0 && deps[n-1] >= id {
			return 1
		}
		return 0
	}
	g.upward += up(deps) - up(g.deps[id])
	g.rewired = append(g.rewired, id)
	for _, d := range g.deps[id] {
		if _, stays := slices.BinarySearch(deps, d); !stays {
			i := slices.Index(g.next[d], id)
			g.next[d] = slices.Delete(g.next[d], i, i+1)
		}
	}
	for _, d := range deps {
		if _, had := slices.BinarySearch(g.deps[id], d); !had {
			g.next[d] = append(g.next[d], id)
		}
	}
	g.deps[id] = deps
}

// Remove takes a task out of the graph. Until the next [Graph.Run] what waits for it must be
// removed or set, too.
func (g *Graph) Remove(id ID) error {
	if !g.has(id) {
		return fmt.Errorf("remove task %d: there is none", id)
	}
	g.count(g.loads[id].time, true)
	g.waits(id, nil)
	g.gone[id] = true
	g.live--
	g.edit(id)
	return nil
}

// Reserve says how many bytes of a device or host are taken for the whole run, by weights
// and the state of an optimizer.
func (g *Graph) Reserve(vertex int, bytes int64) error {
	if vertex < 0 || vertex >= len(g.cluster.Vertices) || bytes < 0 || bytes > maxBytes {
		return fmt.Errorf("reserve %d bytes at vertex %d: want 0 to %d bytes at one of 0 to %d", bytes, vertex, int64(maxBytes), len(g.cluster.Vertices)-1)
	}
	g.fixed[vertex] = bytes
	return nil
}

func (g *Graph) edit(id ID) {
	if !g.isEdit[id] {
		g.isEdit[id] = true
		g.edited = append(g.edited, id)
	}
}

// count adds up the times of all tasks: no run takes longer.
func (g *Graph) count(t Time, less bool) {
	var c uint64
	if less {
		g.total[0], c = bits.Sub64(g.total[0], uint64(t), 0)
		g.total[1] -= c
	} else {
		g.total[0], c = bits.Add64(g.total[0], uint64(t), 0)
		g.total[1] += c
	}
}
