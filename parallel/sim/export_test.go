package sim

import (
	"slices"

	"github.com/taso-go/taso/parallel/machine"
)

// Fresh is the same graph, not simulated yet.
func (g *Graph) Fresh() *Graph {
	f := New(g.cluster)
	for id, t := range g.tasks {
		f.tasks = append(f.tasks, t)
		f.gone = append(f.gone, g.gone[id])
		f.loads = append(f.loads, g.loads[id])
		f.deps = append(f.deps, slices.Clone(g.deps[id]))
		f.next = append(f.next, slices.Clone(g.next[id]))
		f.level = append(f.level, 0)
		f.isEdit = append(f.isEdit, false)
		f.edit(ID(id))
	}
	n := len(g.tasks)
	f.placed, f.queued, f.placedAs, f.spans, f.mark = make([]key, n), make([]key, n), make([][]machine.Hold, n), make([]Span, n), make([]mark, n)
	f.live, f.total, f.fixed = g.live, g.total, g.fixed
	return f
}

// Deps, Load and Gone are what the oracle of the tests reads of a graph.
func (g *Graph) Deps(id ID) []ID { return g.deps[id] }

func (g *Graph) Load(id ID) (Time, map[int]Time) {
	m := map[int]Time{}
	for _, h := range g.loads[id].holds {
		m[h.Link] += h.Time
	}
	return g.loads[id].time, m
}

// Delta makes the next run a delta, however much was edited.
func (g *Graph) Delta() error {
	if err := g.sound(); err != nil {
		return err
	}
	g.last.fit(len(g.tasks))
	g.delta()
	for _, id := range g.edited {
		g.isEdit[id] = false
	}
	g.edited, g.rewired = g.edited[:0], g.rewired[:0]
	return nil
}
