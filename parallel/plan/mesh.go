package plan

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// Axis is a mesh axis.
type Axis struct {
	// Degree is how many members it has.
	Degree int `json:"degree"`
	// Time: members are computed one after the other, by the same device: micro-batches.
	Time bool `json:"time,omitempty"`
	// Stage is the number, from 1, of the stage of a pipeline whose devices it counts; 0: all
	// stages have such an axis, each of its own devices.
	Stage int `json:"stage,omitempty"`
}

// Submesh is the devices of a stage of a pipeline: so many from the first one on.
type Submesh struct {
	First   int `json:"first"`
	Devices int `json:"devices"`
}

// Mesh is how devices of a cluster are counted along axes: the first device is at place 0
// of all, the last axis counts fastest. Axes in time count none.
type Mesh struct {
	Cluster *machine.Cluster
	// Degrees are those of Axes, by axis.
	Degrees []int
	Axes    []Axis
	// Stages are the devices of each stage of a pipeline, of which some may have the same ones;
	// none: the axes count the devices of all of it.
	Stages []Submesh

	lock   sync.Mutex // of what follows: what is found is kept
	groups []*machine.Groups
	times  map[sending]fastest
	parked map[parking]machine.Time
}

// fastest is the way in which a collective takes least time.
type fastest struct {
	by   machine.Algorithm
	time machine.Time
}

type sending struct {
	kind  parallel.Kind
	axis  int
	bytes int64
}

// NewMesh counts the first devices of a cluster along axes of the given sizes.
func NewMesh(c *machine.Cluster, degrees ...int) (*Mesh, error) {
	axes := make([]Axis, len(degrees))
	for i, d := range degrees {
		axes[i].Degree = d
	}
	return NewMeshOf(c, nil, axes...)
}

// NewMeshOf counts devices of a cluster along axes, and time, those of each stage apart.
// Errors: a degree below 1, devices that the cluster does not have or that are in two
// stages, and a stage that its axes do not count.
func NewMeshOf(c *machine.Cluster, stages []Submesh, axes ...Axis) (*Mesh, error) {
	m := &Mesh{Cluster: c, Axes: axes, Stages: stages, times: map[sending]fastest{}, parked: map[parking]machine.Time{}}
	for i, a := range axes {
		m.Degrees = append(m.Degrees, a.Degree)
		if a.Degree < 1 {
			return nil, fmt.Errorf("axis %d of a mesh: degree %d, want at least 1", i, a.Degree)
		}
		if a.Stage < 0 || a.Stage > len(stages) || a.Stage > 0 && a.Time {
			return nil, fmt.Errorf("axis %d of a mesh: it is of stage %d of %d", i, a.Stage, len(stages))
		}
	}
	if len(stages) == 0 {
		if n := m.count(0, c.Devices()); n > c.Devices() {
			return nil, fmt.Errorf("a mesh of %v: %s has %d devices", m.Degrees, c.Name, c.Devices())
		}
	}
	in := make([]int, c.Devices())
	for i, s := range stages {
		if s.First < 0 || s.Devices < 1 || s.First > c.Devices()-s.Devices {
			return nil, fmt.Errorf("stage %d: devices %d to %d, %s has %d", i+1, s.First, s.First+s.Devices-1, c.Name, c.Devices())
		}
		if n := m.count(i+1, s.Devices); n != s.Devices {
			return nil, fmt.Errorf("stage %d: its axes do not count its %d devices", i+1, s.Devices)
		}
		for d := range s.Devices {
			if j := in[s.First+d]; j > 0 && stages[j-1] != s { // chunks of an interleaved schedule share all
				return nil, fmt.Errorf("stages %d and %d: device %d is in both", j, i+1, s.First+d)
			}
			in[s.First+d] = i + 1
		}
	}
	return m, nil
}

// counts reports whether an axis counts devices of a stage; 0: of all.
func (m *Mesh) counts(axis, stage int) bool {
	a := m.Axes[axis]
	return !a.Time && (a.Stage == 0 || a.Stage == stage)
}

// count is how many devices of a stage the axes count, or more than most.
func (m *Mesh) count(stage, most int) int {
	n := 1
	for i, a := range m.Axes {
		if !m.counts(i, stage) {
			continue
		}
		if a.Degree > most/n {
			return most + 1
		}
		n *= a.Degree
	}
	return n
}

// Devices is the number of devices of the mesh.
func (m *Mesh) Devices() int {
	if len(m.Stages) == 0 {
		return m.count(0, m.Cluster.Devices())
	}
	n := 0
	for i, s := range m.Stages {
		if slices.Index(m.Stages, s) == i {
			n += s.Devices
		}
	}
	return n
}

// MicroBatches is the product of the degrees of axes in time.
func (m *Mesh) MicroBatches() int {
	n := 1
	for _, a := range m.Axes {
		if a.Time {
			n *= a.Degree
		}
	}
	return n
}

// Strides are by how much the numbers of devices of a stage, counted from 1, that are
// neighbours along an axis differ; of a mesh without stages: 0 is the one. Axes in time and
// of other stages have stride 0.
func (m *Mesh) Strides(stage int) []int {
	out := make([]int, len(m.Axes))
	n := 1
	for i := len(m.Axes) - 1; i >= 0; i-- {
		if m.counts(i, stage) {
			out[i] = n
			n *= m.Degrees[i]
		}
	}
	return out
}

// First is the first device of a stage, counted from 1.
func (m *Mesh) First(stage int) int {
	if stage < 1 || stage > len(m.Stages) {
		return 0
	}
	return m.Stages[stage-1].First
}

// all are the groups along an axis: what they send, they send at once.
func (m *Mesh) all(axis int) (groups [][]int) {
	for s := range max(1, len(m.Stages)) {
		stage := s + 1
		if len(m.Stages) == 0 {
			stage = 0
		}
		if !m.counts(axis, stage) || s < len(m.Stages) && m.Axes[axis].Stage == 0 && slices.Index(m.Stages, m.Stages[s]) < s {
			continue
		}
		stride := m.Strides(stage)[axis]
		for d := range m.count(stage, m.Cluster.Devices()) {
			if d/stride%m.Degrees[axis] != 0 {
				continue
			}
			g := make([]int, m.Degrees[axis])
			for i := range g {
				g[i] = m.First(stage) + d + i*stride
			}
			groups = append(groups, g)
		}
	}
	return groups
}

// Time is that of a collective along an axis, of all groups at once, by the fastest
// algorithm that its number of devices allows. bytes is what each device has before
// ([parallel.Collective]). Along an axis in time nothing is sent.
func (m *Mesh) Time(kind parallel.Kind, axis int, bytes int64) (machine.Time, error) {
	if m.Axes[axis].Time {
		return 0, nil
	}
	f, err := m.fastest(kind, axis, bytes)
	return f.time, err
}

func (m *Mesh) fastest(kind parallel.Kind, axis int, bytes int64) (fastest, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	key := sending{kind, axis, bytes}
	if f, ok := m.times[key]; ok {
		return f, nil
	}
	if m.groups == nil {
		m.groups = make([]*machine.Groups, len(m.Axes))
	}
	if m.groups[axis] == nil {
		m.groups[axis] = m.Cluster.Groups(m.all(axis))
	}
	best, any := fastest{}, false
	var errs []error
	for _, a := range machine.Algorithms(kind) {
		if a == machine.Rings && m.Cluster.Degree() == 0 {
			// Which rings share no link takes long to see. Elsewhere devices have one link, or
			// links to so many others that messages sent directly are as good.
			continue
		}
		t, err := m.groups[axis].Time(kind, a, bytes)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if !any || t < best.time {
			best, any = fastest{a, t}, true
		}
	}
	if !any {
		return best, fmt.Errorf("%s along an axis of %d: %w", kind, m.Degrees[axis], errors.Join(errs...))
	}
	m.times[key] = best
	return best, nil
}

// first reports whether a device of a mesh without stages is at the first place of all axes
// but the given ones.
func (m *Mesh) first(device int, but []int) bool {
	for axis := len(m.Degrees) - 1; axis >= 0; axis-- {
		if m.Axes[axis].Time {
			continue
		}
		if device%m.Degrees[axis] != 0 && !slices.Contains(but, axis) {
			return false
		}
		device /= m.Degrees[axis]
	}
	return true
}

// axesOf are mesh axes of micro-batches and devices, none where there is one.
func axesOf(micro, stage int, degrees []int) (out []Axis) {
	if micro > 1 {
		out = append(out, Axis{Degree: micro, Time: true})
	}
	for _, d := range degrees {
		if d > 1 {
			out = append(out, Axis{Degree: d, Stage: stage})
		}
	}
	return out
}

// equal are stages on equally many devices.
func equal(stages, devices int) (out []Submesh) {
	for i := range stages {
		out = append(out, Submesh{i * devices, devices})
	}
	return out
}
