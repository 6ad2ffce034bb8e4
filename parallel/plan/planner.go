package plan

import (
	"context"
	"fmt"
	"slices"
	"sync"

	workers "github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/internal/suggest"
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
	// Even: no axis is padded so that devices divide it.
	Even bool
	// Strategies are shared by plans that are made one after the other; nil: new ones.
	Strategies *parallel.Strategies
	// Row makes each stage of planner pipeline wait for the one before it, as if it read that:
	// branches of a model are not worked on side by side.
	Row bool
	// Stages is how many stages planner pipeline makes; 0: as many as are best.
	Stages int
	// Workers is how many goroutines look at once; 0: one for each processor. The plan does not
	// depend on it.
	Workers int
	// Found is told by planner auto what each other planner has found, or why it has nothing, when all
	// are done, of the training step as it came and not of padded ones; nil: nobody.
	Found func(planner string, p *Plan, why error)
	// Progress is told what is being done, at most some times a second, by one goroutine after
	// the other; nil: nobody.
	Progress func(what string)

	seen *seen
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
	if k.Workers < 0 {
		return nil, fmt.Errorf("%d workers: want at least 1, or 0 for one a processor", k.Workers)
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
	var lock sync.Mutex
	tell := k.Progress
	k.Progress = func(what string) {
		lock.Lock()
		defer lock.Unlock()
		tell(what)
	}
	k.seen = &seen{of: k.Training, on: k.Cluster}
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
		found, err := p.Find(workers.WithPool(ctx, k.Workers), k)
		if err == nil {
			found, err = k.fit(found)
		}
		if err != nil {
			return nil, fmt.Errorf("planner %s: %w", name, err)
		}
		found.Planner = name
		return found, nil
	}
	return nil, fmt.Errorf("unknown planner %q%s", name, suggest.OneOf(name, names))
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
			opt.division = division{of: of, solved: &solutions{}}
		}
	}
	return Make(ctx, j.Training, m, opt)
}
