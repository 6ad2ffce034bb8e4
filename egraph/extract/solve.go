package extract

import (
	"context"
	"fmt"
	"math"
)

// Method names a way to extract.
type Method string

const (
	// Auto is the pipeline of all methods but MIP, and the default.
	Auto Method = ""
	// Greedy chooses by tree cost: optimal where nothing is shared.
	Greedy Method = "greedy"
	// GreedyDAG chooses by the cost of the DAG below each class: optimal where the
	// children of a node share nothing that costs.
	GreedyDAG Method = "greedy-dag"
)

// Stop says why a solver ended.
type Stop string

const (
	StopOptimal   Stop = "optimal"   // no choice costs less
	StopDone      Stop = "done"      // the method came to its end without a proof of optimality
	StopSteps     Stop = "steps"     // Options.Steps were taken
	StopCancelled Stop = "cancelled" // the context was done
)

// DefaultSteps is the budget where Options gives none: some seconds.
const DefaultSteps = 1 << 30

// Options of Solve. The zero value is good.
type Options struct {
	Method Method
	// Steps bounds the work, in elementary steps of some nanoseconds each, so that
	// the same budget gives the same result on every machine; 0 is DefaultSteps.
	// Validation, greedy choices and reductions are not counted.
	Steps int64
	// Best is how many distinct solutions are wanted; 0 is 1. See Result.Best.
	Best int
	// Start is a choice that is known, such as that of the graph before rules were
	// applied; the result costs at most as much. May be nil.
	Start []NodeID
}

// Result of Solve.
type Result struct {
	Solution
	// Bound is at most the cost of every choice within MaxBytes.
	Bound int64
	// Best are distinct solutions, the cheapest first, at most Options.Best, and at
	// least one, which is Solution: the cheapest that were come across, for callers
	// who judge by more than a sum of costs. They are not claimed to be the
	// cheapest there are.
	Best   []Solution
	Method string // what found the solution
	Stop   Stop
	Steps  int64 // taken
}

// Gap is how much more the solution may cost than necessary, as a part of its cost.
func (r *Result) Gap() float64 {
	if r.Cost == 0 {
		return 0
	}
	return float64(r.Cost-r.Bound) / float64(r.Cost)
}

// Solve extracts: it chooses one node for each class that the roots need, acyclic
// and as cheap as it can. It is anytime: when the context is done or the steps
// are used up it returns the best so far, without an error. An error is an invalid
// problem, or option, or ErrNoChoice.
func Solve(ctx context.Context, p *Problem, o Options) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("problem: %w", err)
	}
	f, err := p.fold(0)
	if err != nil {
		return nil, err
	}
	var choice []int32
	r := &Result{Stop: StopDone}
	steps := o.Steps
	if steps == 0 {
		steps = DefaultSteps
	}
	if steps < 0 {
		steps = math.MaxInt64
	}
	switch o.Method {
	case Greedy:
		choice = f.core.treeChoice()
	case GreedyDAG, Auto:
		choice, r.Steps = f.core.dagChoice(steps)
	default:
		return nil, fmt.Errorf("method %q is not known", o.Method)
	}
	r.Method = string(o.Method)
	if r.Solution, err = f.solution(f.core, choice); err != nil {
		return nil, fmt.Errorf("method %s: %w", o.Method, err)
	}
	r.Bound = f.core.chainBound()
	if r.Bound == r.Cost {
		r.Stop = StopOptimal
	}
	r.Best = []Solution{r.Solution}
	return r, nil
}

// Methods are all that Options.Method may be, without those that need a program
// from outside.
func Methods() []Method { return []Method{Auto, Greedy, GreedyDAG} }
