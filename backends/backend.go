package backends

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// Backend computes graphs on one device. Its methods may be called by several
// goroutines at once.
type Backend interface {
	// Info says what the backend is; the same on every call.
	Info() Info
	// Supports is nil if the backend can run a node, and otherwise the reason,
	// an *Unsupported.
	Supports(g *graph.Graph, id graph.NodeID) error
	// Compile prepares a model. The weights are loaded; the model may be
	// dropped afterwards. A cancelled context stops it.
	Compile(ctx context.Context, m *model.Model, opt CompileOptions) (Plan, error)
	// Target describes what the backend's kernels can do: what would run of a
	// graph is the plan that package lower makes of it.
	Target() *lower.Target
	// Measure times one application, or a group that runs as one kernel.
	Measure(ctx context.Context, a cost.Application, opt MeasureOptions) (cost.Sample, error)
	// Close releases what the backend holds. Plans must be closed before.
	Close() error
}

// Plan is a compiled model. It runs one input at a time: its methods must not
// be called by several goroutines at once.
type Plan interface {
	// Run computes the outputs, in the graph's order, for the inputs that are no
	// weights, in the graph's order. The results are the caller's. A cancelled
	// context ends it between two operators.
	Run(ctx context.Context, in []Tensor) ([]Tensor, error)
	// Profile is the time of each node in the last Run, in the order of
	// execution; empty before the first.
	Profile() []OpTime
	// PeakBytes is the memory the plan holds for tensors, weights included.
	PeakBytes() int64
	// Close releases the plan's memory. Closing twice does nothing.
	Close() error
}

// Info describes a backend. Device and Libraries are part of what a measured
// time depends on.
type Info struct {
	Name      string   // of the backend: cpu
	Device    string   // of the hardware: the processor's name
	Version   string   // of the backend's kernels
	Threads   int      // threads of the processor that compute; 0: another device does
	Libraries []string // libraries used, with their versions, sorted
	// Math is how products and convolutions are computed where that is not IEEE
	// arithmetic in the tensors' type, such as tf32: see cost.Setting.
	Math string
}

// String is one line for reports.
func (i Info) String() string {
	s := fmt.Sprintf("%s %s on %s", i.Name, i.Version, i.Hardware())
	for _, l := range i.Libraries {
		s += ", " + l
	}
	if i.Math != "" {
		s += ", in " + i.Math
	}
	return s
}

// Hardware is the device with what is used of it.
func (i Info) Hardware() string {
	switch i.Threads {
	case 0:
		return i.Device
	case 1:
		return i.Device + ", 1 thread"
	}
	return fmt.Sprintf("%s, %d threads", i.Device, i.Threads)
}

// OpTime is the time of one node in a run.
type OpTime struct {
	Node graph.NodeID
	Name string // of the node
	Op   string // of its operator
	// Seconds is the time of the node's kernel; 0 for a node that needs none: a
	// view of another tensor, one computed from weights when the plan was
	// compiled, one fused into another.
	Seconds cost.Seconds
	// Into is the node whose kernel computes this one, 0 if none does.
	Into graph.NodeID
}

// CompileOptions configures Compile; the zero value is the default.
type CompileOptions struct {
	// NoFuse gives each node a kernel of its own, so that their times are those
	// of the operators.
	NoFuse bool
	// KeepAll keeps every node's result apart in memory, without reuse, so that
	// a debugger may look at it; 0 means memory is reused.
	KeepAll bool
}

// MeasureOptions configures Measure; the zero value is the default.
type MeasureOptions struct {
	// Weights says which operands are weights, which a compiled plan holds in
	// the form its kernels want. nil: the kernel of conv2d, the second operand of
	// a matmul of two matrices, and the parameters of batchnorm and layernorm. Of
	// what is fused into it, operands of other sizes than the result are weights.
	Weights []bool
	// Between is how many bytes of weights the rest of a network reads between
	// two runs of this operator: its weights come from as far away as in a run
	// of the whole, because copies of them that add up to so much take turns.
	// 0: twice the last-level cache, which suits networks that do not fit there.
	// Negative: there is one copy, which stays where it is.
	Between int64
	// Cold also fetches the other operands from memory: so much else is read
	// before each run. By default they are written anew before each run, as by
	// the operator before this one.
	Cold bool
	// Budget is the time to spend on runs after warming up; 0: 100 ms.
	Budget time.Duration
	// MinRuns is how often to run at least, whatever the budget; 0: 5.
	MinRuns int
	// Spread is the median absolute deviation, relative to the median, at which
	// a measurement may stop when a quarter of its budget is spent; 0: 0.01.
	Spread float64
	// Seed selects the random data.
	Seed uint64
}

// WithDefaults fills in the zero values for an application.
func (o MeasureOptions) WithDefaults(a *cost.Application) MeasureOptions {
	if o.Budget == 0 {
		o.Budget = 100 * time.Millisecond
	}
	if o.MinRuns == 0 {
		o.MinRuns = 5
	}
	if o.Spread == 0 {
		o.Spread = 0.01
	}
	if o.Weights == nil {
		o.Weights = DefaultWeights(a.Op, a.In)
	}
	return o
}

// DefaultWeights guesses which operands are weights, see
// MeasureOptions.Weights.
func DefaultWeights(op *graph.Op, in []graph.TensorType) []bool {
	w := make([]bool, len(in))
	for i := range w {
		w[i] = op.Weights != nil && op.Weights(i, in[i].Sizes)
	}
	return w
}

// ErrNoRun is the error of Compile of a backend that cannot run graphs.
var ErrNoRun = errors.New("this backend only tells costs, it does not run")

// Lost reports whether an error says that the device can no longer be used: what is
// tried next fails too. Errors say so by a method Lost.
func Lost(err error) bool {
	var l interface{ Lost() bool }
	return errors.As(err, &l) && l.Lost()
}

// Unsupported says why a backend cannot run a node or an operator application.
type Unsupported struct {
	Backend string // its name
	Node    string // "" if there is no graph
	Op      string
	Why     string
}

// Error names the backend, the node and the reason.
func (e *Unsupported) Error() string {
	if e.Node == "" {
		return fmt.Sprintf("backend %s cannot run %s: %s", e.Backend, e.Op, e.Why)
	}
	return fmt.Sprintf("backend %s cannot run node %s (%s): %s", e.Backend, e.Node, e.Op, e.Why)
}
