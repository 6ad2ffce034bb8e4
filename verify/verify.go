package verify

import (
	"context"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/law"
)

// Status is what a prover says of a goal. Unknown and Refuted come with a
// Verdict.Reason; Proved is meant of the laws that the prover was given.
type Status = law.Status

const (
	Unknown = law.Unknown
	Proved  = law.Proved
	Refuted = law.Refuted
)

// StopIllTyped is the Stop of a goal whose sides have no types or not the same.
const StopIllTyped tensor.Stop = "ill-typed"

// Verdict is the result of proving one goal.
type Verdict struct {
	Status Status
	// Proof, of a proved goal, lists the law instances from which it follows
	// by congruence. Engines that find no instances leave it nil.
	Proof *law.Proof
	// Reason says in words why the status is Unknown or Refuted.
	Reason string
	// Stop is what ended the search: a reason of the e-graph's loop, StopIllTyped,
	// what a solver says of itself, or "" when the goal was decided.
	Stop tensor.Stop
	// Nodes and Iters count the work: nodes of the e-graph, or quantifier
	// instances of a solver; rounds of saturation.
	Nodes, Iters int
	// Seconds of wall time spent on this goal.
	Seconds float64
	// Engine is the Name of the prover.
	Engine string
}

// Prover decides goals. Prove returns one verdict per goal, in the same order;
// the error is for failures that concern no goal in particular, such as a law
// that cannot be used. A goal that is out of time or ill-typed is Unknown.
type Prover interface {
	Name() string
	Prove(ctx context.Context, goals []*law.Law) ([]Verdict, error)
}
