package runmodel

import (
	"context"
	"fmt"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/feed"
)

// Options says what to run and how often.
type Options struct {
	// Backend runs the model. It must be given.
	Backend backends.Backend
	// Model must be given.
	Model *model.Model
	// Inputs are the tensors to run on, one for each input that is no weight;
	// nil: those of Feed.
	Inputs []backends.Tensor
	// Feed are the tensors of the inputs as they were made; nil: random ones.
	Feed []feed.Tensor
	// Seed selects the random inputs.
	Seed uint64
	// Repeat is the number of timed runs; 0: 20.
	Repeat int
	// Warmup is the number of runs before them; 0: 3, negative: none.
	Warmup int
	// Compile is handed to the backend.
	Compile backends.CompileOptions
	// Progress shows how far it is; nil: nothing is shown.
	Progress *progress.Reporter

	now func() time.Time     // tests replace the clock
	cpu func() time.Duration // and the processor time of this process
}

const (
	defaultRepeat = 20
	defaultWarmup = 3
)

// Node is the profile of one node.
type Node struct {
	ID   graph.NodeID `json:"node"`
	Name string       `json:"name"`
	Op   string       `json:"op"`
	// Seconds is the median time of the node's kernel, 0 if it has none of its
	// own: see [backends.OpTime].
	Seconds cost.Seconds `json:"seconds"`
	// Into is the name of the node whose kernel computes this one, or "".
	Into string `json:"into,omitempty"`
}

// Kind is the sum over the nodes of one operator.
type Kind struct {
	Op      string       `json:"op"`
	Nodes   int          `json:"nodes"`
	Fused   int          `json:"fused,omitempty"` // of them, computed in another's kernel
	Seconds cost.Seconds `json:"seconds"`
}

// Input is what an input held.
type Input struct {
	Name  string `json:"name"`
	Type  string `json:"type"` // of its elements
	Sizes []int  `json:"sizes"`
	How   string `json:"how"` // in words
}

// Report is the result. Times are in seconds, memory in bytes.
type Report struct {
	Model   string       `json:"model"`
	Backend string       `json:"backend"`
	Setting cost.Setting `json:"setting"`
	Seed    uint64       `json:"seed"`
	// Inputs are what was fed, where the caller did not hand it in.
	Inputs []Input `json:"inputs,omitempty"`
	// Compile is the time to prepare the model, once.
	Compile cost.Seconds `json:"compile"`
	// Time is the median of the runs with its spread.
	Time cost.Sample `json:"time"`
	// Runs are all timed runs in order; Min and Max are the extremes.
	Runs []cost.Seconds `json:"runs"`
	Min  cost.Seconds   `json:"min"`
	Max  cost.Seconds   `json:"max"`
	// CPU is the median of the processor times of the runs, all threads
	// together; without runs where the system does not say. Other work on the
	// machine makes Time longer, and CPU hardly.
	CPU cost.Sample `json:"cpu"`
	// Calm is the median of the calmest part of a [Session], where all runs are
	// one part without: other work on the machine, also what uses the memory's
	// bandwidth, only makes runs longer. CalmCPU: it is of processor times,
	// because the runs of that part waited for the processor for more than a
	// twentieth of their time.
	Calm    cost.Sample `json:"calm"`
	CalmCPU bool        `json:"calm_cpu,omitempty"`
	// Threads that compute on the processor, for Disturbed; 0: the processor waits for
	// another device, and its time says nothing.
	Threads int `json:"threads"`
	// Nodes is the profile in the order of execution, Kinds the same by
	// operator, the slowest first.
	Nodes []Node `json:"nodes"`
	Kinds []Kind `json:"kinds"`
	// Overhead is the part of Time that the profile does not explain, not below
	// zero.
	Overhead cost.Seconds `json:"overhead"`
	// FLOPs of one run, and the rate that makes with Time.
	FLOPs    int64   `json:"flops"`
	FLOPRate float64 `json:"flops_per_second"`
	// In are the element types that it is computed in, see [backends.Arithmetic].
	In        string `json:"in"`
	Params    int64  `json:"params"`
	PeakBytes int64  `json:"peak_bytes"`

	// Outputs are those of the last run.
	Outputs []backends.Tensor `json:"-"`
}

// Run compiles the model, runs it and reports. A cancelled context ends it
// between two operators, with the context's error; where some runs were timed
// until then, the report is about those and returned with the error.
func Run(ctx context.Context, o Options) (*Report, error) {
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	if err := s.Run(ctx, s.o.Repeat, 0); err != nil {
		if ctx.Err() != nil {
			return s.Report(), err
		}
		return nil, err
	}
	return s.Report(), nil
}

func (o *Options) defaults() {
	if o.Repeat == 0 {
		o.Repeat = defaultRepeat
	}
	if o.Warmup == 0 {
		o.Warmup = defaultWarmup
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.cpu == nil {
		o.cpu = func() time.Duration { return procstat.Read().CPU() }
	}
}

// inputs are the given ones, checked, or those that are made, with what they hold.
func (o *Options) inputs() ([]backends.Tensor, []Input, error) {
	g := o.Model.Graph
	if o.Inputs != nil {
		return o.Inputs, nil, backends.CheckInputs(g, o.Inputs)
	}
	made := o.Feed
	if made == nil {
		var err error
		if made, err = feed.Make(feed.Of(o.Model), nil, o.Seed); err != nil {
			return nil, nil, err
		}
	}
	in, says := make([]backends.Tensor, len(made)), make([]Input, len(made))
	for i, t := range made {
		var err error
		if in[i], err = backends.FromBytes(t.Type, t.Raw); err != nil {
			return nil, nil, fmt.Errorf("input %s: %w", t.Name, err)
		}
		says[i] = Input{Name: t.Name, Type: t.Type.DType.String(), Sizes: append([]int{}, t.Type.Sizes...), How: t.How}
	}
	return in, says, backends.CheckInputs(g, in)
}
