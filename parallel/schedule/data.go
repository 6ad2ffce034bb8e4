package schedule

import (
	"fmt"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/sim"
)

// Layer is a part of a model that every device has. Times are those of one device's part
// of the batch.
type Layer struct {
	Name              string
	Forward, Backward sim.Time
	// Kept is how many bytes a device keeps from forward to backward.
	Kept int64
	// Gradients is how many bytes each device adds up with the others; 0: none.
	Gradients int64
	// Update is how long the optimizer takes.
	Update sim.Time
}

// DataParallel is a training step of layers in a row, of which each device of a group goes
// through all with a part of the batch. The gradients of a layer are added up, by an algorithm, as soon
// as it is through backward, while the devices go on; each layer is updated when they are
// there.
func DataParallel(c *machine.Cluster, group []int, layers []Layer, by machine.Algorithm) (*sim.Graph, error) {
	g := sim.New(c)
	last := make([][]sim.ID, len(group))
	forward := make([][]sim.ID, len(layers))
	wrap := func(l Layer, err error) error { return fmt.Errorf("layer %s: %w", l.Name, err) }
	for i, l := range layers {
		for d, device := range group {
			id, err := g.Add(sim.Task{Name: l.Name + " forward", Class: "forward", Work: sim.Compute{Device: device, Time: l.Forward}, Reads: last[d], Output: l.Kept})
			if err != nil {
				return nil, wrap(l, err)
			}
			last[d] = []sim.ID{id}
			forward[i] = append(forward[i], id)
		}
	}
	for i := len(layers) - 1; i >= 0; i-- {
		l := layers[i]
		var through []sim.ID
		for d, device := range group {
			id, err := g.Add(sim.Task{Name: l.Name + " backward", Class: "backward", Work: sim.Compute{Device: device, Time: l.Backward}, Reads: []sim.ID{forward[i][d]}, After: last[d]})
			if err != nil {
				return nil, wrap(l, err)
			}
			last[d] = []sim.ID{id}
			through = append(through, id)
		}
		if l.Gradients > 0 && len(group) > 1 {
			id, err := g.Add(sim.Task{Name: l.Name + " gradients", Class: "all-reduce", After: through,
				Work: sim.Collective{Kind: parallel.AllReduce, Algorithm: by, Group: group, Bytes: l.Gradients}})
			if err != nil {
				return nil, wrap(l, err)
			}
			through = []sim.ID{id}
		}
		for d, device := range group {
			after := through[0]
			if len(through) > 1 {
				after = through[d]
			}
			if _, err := g.Add(sim.Task{Name: l.Name + " update", Class: "update", Work: sim.Compute{Device: device, Time: l.Update}, After: []sim.ID{after}}); err != nil {
				return nil, wrap(l, err)
			}
		}
	}
	return g, nil
}
