package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// Planner is a way to look for a plan.
type Planner struct {
	// Name is what it is called by, such as "data"; About says what it does, with its source.
	Name, About string
	// Find looks for a plan. It is deterministic: the same job, budget and seed give the same
	// plan. Where ctx ends it gives the best plan found so far, with Stop saying so, or
	// the error of ctx if there is none. The function Find refuses a plan that needs more
	// than Job.Memory, with a [MemoryError].
	Find func(ctx context.Context, j *Job) (*Plan, error)
}

// Job is what is planned.
type Job struct {
	Training *Training
	Cluster  *machine.Cluster
	// Devices is how many devices of the cluster are used, the first ones; 0: all.
	Devices int
	// Memory is how many bytes a device may hold, no more than the cluster's devices have; 0: that.
	Memory int64
	// Steps bounds the work of one choice ([extract.Options]) and, times a thousandth, of a
	// random search; 0: 2^22.
	Steps int64
	// Seed is that of planners that draw.
	Seed uint64
	// Without names planners that auto does not ask.
	Without []string
	// Serial: auto takes the plan of the least Time, in which one thing is done after the other, and
	// not of the least Makespan.
	Serial bool
	// Sequential makes planner unity choose the network first, by its time on one device, and then the
	// layout, instead of both together.
	Sequential bool
	// Strategies are shared by plans that are made one after the other; nil: new ones.
	Strategies *parallel.Strategies
	// Row makes each stage of planner pipeline wait for the one before it, as if it read that:
	// branches of a model are not worked on side by side.
	Row bool
	// Stages is how many stages planner pipeline makes; 0: as many as are best.
	Stages int
	// Progress is told what is being done, at most some times a second; nil: nobody.
	Progress func(what string)

	seen *seen
}

// seen is what planners that are asked about one job share: the spaces of meshes, and what
// together has found.
type seen struct {
	of     *Training
	on     *machine.Cluster
	meshes []*Mesh
	spaces map[*Mesh]*space
	all    []*spaced
	parts  map[int]parted // by the least number
}

// parted is what Training.parts says.
type parted struct {
	of  []int
	n   int
	err error
}

// parts are those of the training step.
func (j *Job) parts(least int) ([]int, int, error) {
	known := j.shared().parts
	p, ok := known[least]
	if !ok {
		p.of, p.n, p.err = j.Training.parts(least)
		known[least] = p
	}
	return p.of, p.n, p.err
}

// shared is what is known of the job as it is.
func (j *Job) shared() *seen {
	if j.seen == nil || j.seen.of != j.Training || j.seen.on != j.Cluster {
		j.seen = &seen{of: j.Training, on: j.Cluster, spaces: map[*Mesh]*space{}, parts: map[int]parted{}}
	}
	return j.seen
}

// space is that of the training step on one of the job's meshes.
func (j *Job) space(ctx context.Context, m *Mesh) (*space, error) {
	known := j.shared().spaces
	if s := known[m]; s != nil {
		return s, nil
	}
	s, err := newSpace(ctx, j, m)
	if err == nil {
		known[m] = s
	}
	return s, err
}

// fill gives what is zero its value.
func (j *Job) fill() (*Job, error) {
	k := *j
	if k.Devices == 0 {
		k.Devices = k.Cluster.Devices()
	}
	if k.Devices < 1 || k.Devices > k.Cluster.Devices() {
		return nil, fmt.Errorf("%d devices: %s has %d", k.Devices, k.Cluster.Name, k.Cluster.Devices())
	}
	for _, name := range k.Without {
		if !slices.ContainsFunc(Planners(), func(p *Planner) bool { return p.Name == name }) {
			return nil, fmt.Errorf("planner %q, which is to be left out, is not known", name)
		}
	}
	if k.Memory < 0 || k.Memory > k.Cluster.Memory {
		return nil, fmt.Errorf("memory of %d bytes: a device of %s has %d", k.Memory, k.Cluster.Name, k.Cluster.Memory)
	}
	if k.Memory == 0 {
		k.Memory = k.Cluster.Memory
	}
	if k.Steps == 0 {
		k.Steps = 1 << 22
	}
	if k.Strategies == nil {
		k.Strategies = parallel.NewStrategies()
	}
	if k.Progress == nil {
		k.Progress = func(string) {}
	}
	return &k, nil
}

// Planners lists them; each has a file of its own.
func Planners() []*Planner {
	return []*Planner{dataPlanner, fsdpPlanner, megatronPlanner, expertPlanner, pipelinePlanner, alpaPlanner, soapPlanner, unityPlanner, topologyPlanner, exhaustivePlanner, autoPlanner}
}

// Find looks for a plan with the planner of a name.
func Find(ctx context.Context, name string, j *Job) (*Plan, error) {
	var names []string
	for _, p := range Planners() {
		if p.Name != name {
			names = append(names, p.Name)
			continue
		}
		k, err := j.fill()
		if err != nil {
			return nil, err
		}
		found, err := p.Find(ctx, k)
		if err == nil {
			found, err = k.fit(found)
		}
		if err != nil {
			return nil, fmt.Errorf("planner %s: %w", name, err)
		}
		found.Planner = name
		return found, nil
	}
	return nil, fmt.Errorf("planner %q is not known: %s are", name, strings.Join(names, ", "))
}

// hugeNodes is from how many nodes on a training step is laid out cluster by cluster by planners
// that otherwise choose for all of it at once.
const hugeNodes = 10_000

// on plans on a mesh with means by axis.
func (j *Job) on(ctx context.Context, means []Means, degrees ...int) (*Plan, error) {
	m, err := NewMesh(j.Cluster, degrees...)
	if err != nil {
		return nil, err
	}
	opt := Options{Means: means, Strategies: j.Strategies, Steps: j.Steps}
	if j.Training.Graph.Len() > hugeNodes {
		if of, _, err := j.parts(4); err == nil {
			opt.division = division{of: of, memo: map[string]*extract.Result{}}
		}
	}
	return Make(ctx, j.Training, m, opt)
}
