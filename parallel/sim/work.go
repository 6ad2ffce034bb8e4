package sim

import (
	"encoding/binary"
	"fmt"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// Work is what a task does: [Compute], [Transfer], [Messages], [Collective] or [Wait].
type Work interface {
	// load says what it costs on a cluster.
	load(g *Graph) (load, error)
}

// load is what work costs.
type load struct {
	time Time
	// holds are the resources that the work occupies from its start on: devices by their
	// numbers, then links.
	holds []machine.Hold
	// at are the vertices where the result lies.
	at []int
	// by are the devices that take part.
	by    []int
	sends bool
	bytes int64
}

// Compute keeps a device busy.
type Compute struct {
	Device int
	Time   Time
}

func (w Compute) load(g *Graph) (load, error) {
	if err := g.device(w.Device); err != nil {
		return load{}, fmt.Errorf("compute: %w", err)
	}
	if w.Time < 0 {
		return load{}, fmt.Errorf("compute: the time %d ps is negative", w.Time)
	}
	d := []int{w.Device}
	return load{time: w.Time, holds: []machine.Hold{{Link: w.Device, Time: w.Time}}, at: d, by: d}, nil
}

// Transfer sends bytes along the route from one vertex, a device or a host, to another.
// To where they are already they take no time.
type Transfer struct {
	From, To int
	Bytes    int64
}

func (w Transfer) load(g *Graph) (load, error) {
	l, err := g.charge([]machine.Round{{Times: 1, Flows: []machine.Flow{{From: w.From, To: w.To, Bytes: w.Bytes}}}})
	if err != nil {
		return load{}, fmt.Errorf("transfer: %w", err)
	}
	l.at = []int{w.To}
	l.by = g.devicesOf(w.From, w.To)
	return l, nil
}

// Messages are sent at once, such as the parts of a tensor that is laid out anew.
type Messages []machine.Flow

func (w Messages) load(g *Graph) (load, error) {
	l, err := g.charge([]machine.Round{{Times: 1, Flows: w}})
	if err != nil {
		return load{}, fmt.Errorf("messages: %w", err)
	}
	for _, f := range w {
		l.at = appendNew(l.at, f.To)
		l.by = appendNew(l.by, g.devicesOf(f.From, f.To)...)
	}
	return l, nil
}

// Collective is one of a group of devices, in the order in which rings go; the first is
// the root. Bytes counts as in [machine.Cluster.Rounds].
//
// It is one task, not one for each of its messages: a ring over n devices has 2n(n-1) of
// these, and a planner simulates thousands of collectives. The task takes the time of its
// rounds and holds every link for as long as its bytes need, so that what crosses a link
// of a collective waits, and what does not goes on. [Lower] has the messages; where
// nothing else is sent both take the same time.
type Collective struct {
	Kind      parallel.Kind
	Algorithm machine.Algorithm
	Group     []int
	Bytes     int64
}

func (w Collective) load(g *Graph) (load, error) {
	key := fmt.Appendf(nil, "%d %s %d ", w.Kind, w.Algorithm, w.Bytes)
	for _, d := range w.Group {
		key = binary.AppendVarint(key, int64(d))
	}
	if l, ok := g.charged[string(key)]; ok {
		return l, nil
	}
	rounds, err := g.cluster.Rounds(w.Kind, w.Algorithm, w.Group, w.Bytes)
	if err != nil {
		return load{}, err
	}
	l, err := g.charge(rounds)
	if err != nil {
		return load{}, fmt.Errorf("%s: %w", w.Kind, err)
	}
	l.by = append([]int{}, w.Group...)
	l.at = l.by
	if w.Kind == parallel.Gather || w.Kind == parallel.ReduceTo {
		l.at = l.by[:1]
	}
	g.charged[string(key)] = l
	return l, nil
}

// Collectives is one of several groups at once, such as all of those along an axis of a mesh,
// whose devices all do the same: a task of all of them.
type Collectives struct {
	Kind      parallel.Kind
	Algorithm machine.Algorithm
	Groups    [][]int
	Bytes     int64 // as in [Collective]
}

func (w Collectives) load(g *Graph) (load, error) {
	key := fmt.Appendf(nil, "%d %s %d ", w.Kind, w.Algorithm, w.Bytes)
	for _, group := range w.Groups {
		key = binary.AppendVarint(key, int64(len(group)))
		for _, d := range group {
			key = binary.AppendVarint(key, int64(d))
		}
	}
	if l, ok := g.charged[string(key)]; ok {
		return l, nil
	}
	rounds, err := g.cluster.Together(w.Kind, w.Algorithm, w.Groups, w.Bytes)
	if err != nil {
		return load{}, err
	}
	l, err := g.charge(rounds)
	if err != nil {
		return load{}, fmt.Errorf("%s: %w", w.Kind, err)
	}
	for _, group := range w.Groups {
		l.by = append(l.by, group...)
		if w.Kind == parallel.Gather || w.Kind == parallel.ReduceTo {
			group = group[:1]
		}
		l.at = append(l.at, group...)
	}
	g.charged[string(key)] = l
	return l, nil
}

// Wait occupies nothing: a barrier, or a delay. Its output, if it has one, lies nowhere.
type Wait struct{ Time Time }

func (w Wait) load(*Graph) (load, error) {
	if w.Time < 0 {
		return load{}, fmt.Errorf("wait: the time %d ps is negative", w.Time)
	}
	return load{time: w.Time}, nil
}

// charge is the cost of messages in terms of resources.
func (g *Graph) charge(rounds []machine.Round) (load, error) {
	c, err := g.cluster.Charge(rounds)
	if err != nil {
		return load{}, err
	}
	if c.Time == machine.MaxTime {
		return load{}, fmt.Errorf("%d bytes take more than 106 days", c.Bytes)
	}
	for i := range c.Holds {
		c.Holds[i].Link += g.cluster.Devices()
	}
	return load{time: c.Time, holds: c.Holds, sends: true, bytes: c.Bytes}, nil
}

func (g *Graph) device(d int) error {
	if d < 0 || d >= g.cluster.Devices() {
		return fmt.Errorf("%d is none of the devices 0 to %d", d, g.cluster.Devices()-1)
	}
	return nil
}

// devicesOf are the vertices that are devices.
func (g *Graph) devicesOf(vertices ...int) (out []int) {
	for _, v := range vertices {
		if v < g.cluster.Devices() {
			out = appendNew(out, v)
		}
	}
	return out
}

func appendNew(list []int, xs ...int) []int {
	for _, x := range xs {
		found := false
		for _, y := range list {
			found = found || x == y
		}
		if !found {
			list = append(list, x)
		}
	}
	return list
}
