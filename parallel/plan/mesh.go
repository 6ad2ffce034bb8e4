package plan

import (
	"errors"
	"fmt"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// Mesh is how devices of a cluster are counted along axes: device 0 is at place 0 of all,
// the last axis counts fastest.
type Mesh struct {
	Cluster *machine.Cluster
	Degrees []int

	times map[sending]machine.Time
}

type sending struct {
	kind  parallel.Kind
	axis  int
	bytes int64
}

// NewMesh counts the first devices of a cluster along axes of the given sizes.
func NewMesh(c *machine.Cluster, degrees ...int) (*Mesh, error) {
	n := 1
	for _, d := range degrees {
		if d < 1 || n > c.Devices()/d {
			return nil, fmt.Errorf("a mesh of %v: %s has %d devices", degrees, c.Name, c.Devices())
		}
		n *= d
	}
	return &Mesh{Cluster: c, Degrees: degrees, times: map[sending]machine.Time{}}, nil
}

// Devices is the number of devices of the mesh.
func (m *Mesh) Devices() int {
	n := 1
	for _, d := range m.Degrees {
		n *= d
	}
	return n
}

// group are the devices along an axis beside device 0.
func (m *Mesh) group(axis int) []int {
	stride := 1
	for _, d := range m.Degrees[axis+1:] {
		stride *= d
	}
	out := make([]int, m.Degrees[axis])
	for i := range out {
		out[i] = i * stride
	}
	return out
}

// all are the groups along an axis: what they send, they send at once.
func (m *Mesh) all(axis int) (groups [][]int) {
	in := map[int]bool{}
	one := m.group(axis)
	for _, d := range one {
		in[d] = true
	}
	stride := 1
	if len(one) > 1 {
		stride = one[1]
	}
	for d := range m.Devices() {
		if d/stride%m.Degrees[axis] != 0 {
			continue
		}
		g := make([]int, len(one))
		for i := range one {
			g[i] = d + one[i]
		}
		groups = append(groups, g)
	}
	return groups
}

// Time is that of a collective along an axis, of all groups at once, by the fastest
// algorithm that its number of devices allows. bytes is what each device has before
// ([parallel.Collective]).
func (m *Mesh) Time(kind parallel.Kind, axis int, bytes int64) (machine.Time, error) {
	key := sending{kind, axis, bytes}
	if t, ok := m.times[key]; ok {
		return t, nil
	}
	best, any := machine.Time(0), false
	var errs []error
	for _, a := range machine.Algorithms(kind) {
		t, err := m.by(a, kind, axis, bytes)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if !any || t < best {
			best, any = t, true
		}
	}
	if !any {
		return 0, fmt.Errorf("%s along an axis of %d: %w", kind, m.Degrees[axis], errors.Join(errs...))
	}
	m.times[key] = best
	return best, nil
}

// by is the time by one algorithm: rounds of all groups run side by side.
func (m *Mesh) by(a machine.Algorithm, kind parallel.Kind, axis int, bytes int64) (machine.Time, error) {
	var together []machine.Round
	for i, g := range m.all(axis) {
		if a == machine.Ring {
			var err error
			if g, err = m.Cluster.Ring(g); err != nil {
				return 0, err
			}
		}
		rounds, err := m.Cluster.Rounds(kind, a, g, bytes)
		if err != nil {
			return 0, err
		}
		if i == 0 {
			together = rounds
			continue
		}
		for k := range rounds {
			together[k].Flows = append(together[k].Flows, rounds[k].Flows...)
		}
	}
	c, err := m.Cluster.Charge(together)
	return c.Time, err
}
