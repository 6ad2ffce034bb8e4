package extract

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Method names a way to extract. All but Auto are there to compare with.
type Method string

const (
	// Auto is the pipeline of all methods but MIP, and the default: reduce, choose
	// greedily, share, bound by landmarks, search exactly, then neighbourhoods,
	// component by component. Optimal where it says so.
	Auto Method = ""
	// Greedy chooses by tree cost: optimal where nothing that costs is shared.
	Greedy Method = "greedy"
	// GreedyDAG chooses by the cost of the DAG below each class: optimal where the
	// children of a node, and the roots, share nothing that costs.
	GreedyDAG Method = "greedy-dag"
	// Share is GreedyDAG, or Greedy where that is better, and then share moves on
	// the problem as it is: a local optimum of these moves.
	Share Method = "share"
	// LNS is Share on the reduced problem, then share moves under noise, and exact
	// search of neighbourhoods: no better choice differs from it within one of those
	// that were searched to their end.
	LNS Method = "lns"
	// Exact is branch and bound on the reduced problem: optimal if the steps last.
	Exact Method = "exact"
	// MIP is GreedyDAG, Share and landmarks on the reduced problem, and then an integer
	// program for each component, solved by a program from outside, Cbc or HiGHS (see
	// Options.Solver). It ends with the context's deadline, not by steps. The result is
	// as good as the solver's, but said to be optimal only where landmarks show it.
	MIP Method = "mip"
	// Start, of a Result, says that nothing better than Options.Start was found. It
	// cannot be asked for.
	Start Method = "start"
)

// Methods are all that Options.Method may be, but MIP, which needs a program from
// outside.
func Methods() []Method { return []Method{Auto, Greedy, GreedyDAG, Share, LNS, Exact} }

// Stop says why a solver ended.
type Stop string

const (
	StopOptimal   Stop = "optimal"   // no choice costs less
	StopDone      Stop = "done"      // the method came to its end without a proof of optimality
	StopSteps     Stop = "steps"     // Options.Steps were taken
	StopCancelled Stop = "cancelled" // the context was done
)

// DefaultSteps is the budget where Options gives none: some seconds of one processor.
const DefaultSteps = 1 << 26

// Options of Solve. The zero value is good.
type Options struct {
	Method Method
	// Steps bounds the work, in elementary steps of some tens of nanoseconds each, so that
	// the same budget gives the same result on every machine; 0 is DefaultSteps.
	// Validation, and the first greedy choice and reduction, are done in any case.
	Steps int64
	// Best is how many distinct solutions are wanted; 0 is 1. See Result.Best.
	Best int
	// Workers is how many goroutines work on components; 0 is one for each processor.
	// The result does not depend on it.
	Workers int
	// Solver is the program for MIP, a name on the path or a path; "" is the first of
	// cbc and highs on the path.
	Solver string
	// Start is a choice that is known, such as that of the graph before rules were
	// applied; the result costs at most as much. May be nil.
	Start []NodeID
}

// Result of Solve.
type Result struct {
	Solution
	// Bound is at most the cost of every choice within MaxBytes.
	Bound int64
	// Best are distinct solutions within MaxBytes, the cheapest first, at most
	// Options.Best, and at least one, which is Solution, for callers who judge by
	// more than a sum of costs. The others differ from an earlier one in the node of
	// a class, or in a share move, and what follows from it. They are the cheapest
	// that were come across, not those of all choices.
	Best   []Solution
	Method Method // what found the solution
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

// ErrNoRoom is the error of a problem no choice of which was found within MaxBytes.
var ErrNoRoom = errors.New("no choice was found within the bound of bytes")

// Solve extracts: it chooses one node for each class that the roots need, acyclic
// and as cheap as it can. It is anytime: when the context is done or the steps
// are used up it returns the best so far, without an error. An error is an invalid
// problem or option, ErrNoChoice, ErrNoRoom, or for MIP ErrNoSolver or a solver that
// fails.
func Solve(ctx context.Context, p *Problem, o Options) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("problem: %w", err)
	}
	b := &budget{ctx: ctx, limit: o.Steps}
	if o.Steps == 0 {
		b.limit = DefaultSteps
	}
	if o.Steps < 0 || o.Best < 0 {
		return nil, fmt.Errorf("options: %d steps, best %d: want at least 0", o.Steps, o.Best)
	}
	known := o.Method == MIP
	for _, m := range Methods() {
		known = known || m == o.Method
	}
	if !known {
		return nil, fmt.Errorf("options: method %q is not known", o.Method)
	}
	r := &Result{Solution: Solution{Cost: math.MaxInt64}, Stop: StopDone}
	if o.Start != nil {
		s, err := p.Evaluate(o.Start)
		if err != nil {
			return nil, fmt.Errorf("options: start: %w", err)
		}
		if p.fits(s) {
			r.Solution, r.Method = s, Start
		}
	}
	var err error
	if p.MaxBytes == 0 {
		err = p.solve(b, o, 0, r)
	} else {
		err = p.solveWithin(b, o, r)
	}
	if err != nil {
		return nil, err
	}
	if r.Cost == math.MaxInt64 {
		return nil, ErrNoRoom
	}
	// The others of the best are looked for in any case, if only for so long.
	left := &budget{ctx: ctx, limit: max(b.limit-b.steps, 1<<20)}
	if r.Best, err = p.best(left, o.Best, r.Solution); err != nil {
		return nil, err
	}
	r.Solution = r.Best[0]
	r.Steps = b.steps + left.steps
	switch {
	case r.Bound >= r.Cost:
		r.Stop = StopOptimal
	case ctx.Err() != nil:
		r.Stop = StopCancelled
	case b.steps >= b.limit:
		r.Stop = StopSteps
	}
	return r, nil
}

// fits says whether the bound of bytes is kept.
func (p *Problem) fits(s Solution) bool { return p.MaxBytes == 0 || s.Bytes <= p.MaxBytes }

// offer takes over a solution that fits and is better: cheaper, or smaller at the
// same cost.
func (r *Result) offer(p *Problem, s Solution, by Method) {
	if p.fits(s) && (s.Cost < r.Cost || s.Cost == r.Cost && s.Bytes < r.Bytes) {
		r.Solution, r.Method = s, by
	}
}

// solve runs the method with a price of a byte. It offers what it finds to r, and
// raises r.Bound: that of the priced problem, if there is a price.
func (p *Problem) solve(b *budget, o Options, price float64, r *Result) error {
	f, err := p.fold(price)
	if err != nil {
		return err
	}
	c := f.core
	offer := func(c *core, choice []int32, by Method) error {
		s, err := f.solution(c, choice)
		if err != nil {
			return fmt.Errorf("method %s: %w", by, err)
		}
		r.offer(p, s, by)
		return nil
	}
	raise := func(bound int64) { r.Bound = max(r.Bound, bound) }
	switch o.Method {
	case Greedy:
		raise(c.chainBound())
		return offer(c, c.treeChoice(), Greedy)
	case GreedyDAG:
		raise(c.chainBound())
		choice, steps := c.dagChoice(b.room(1 << 26))
		b.spent(steps)
		return offer(c, choice, GreedyDAG)
	case Share:
		raise(c.chainBound())
		pc := newPiece(c.clone())
		pc.greedy(b)
		return offer(c, pc.choice, pc.method)
	}
	b.spent(c.reduce())
	bound, total, by := c.base, make([]int32, len(c.ways)), GreedyDAG
	pieces := c.pieces()
	if err := b.rounds(pieces, o); err != nil {
		return err
	}
	for _, p := range pieces {
		q := p
		if p.same != nil {
			q = p.same
		}
		bound += q.bound
		for at, k := range p.ids {
			total[k] = q.choice[at]
		}
		by = later(by, q.method)
	}
	raise(bound)
	return offer(c, total, by)
}

// later is the one of two methods that comes later in Methods.
func later(a, b Method) Method {
	for _, m := range append(Methods(), MIP) {
		if m == a {
			return b
		}
		if m == b {
			return a
		}
	}
	return a
}

// solveWithin keeps to MaxBytes by Lagrange's method: bytes get a price, which is
// raised while the cheapest choice takes too many and lowered while it does not.
// Each price gives a bound, and choices that fit are kept; the bound and the best of
// these need not meet.
func (p *Problem) solveWithin(b *budget, o Options, r *Result) error {
	const rounds = 24
	whole := *b
	// The first answer does without a price: it is the best if it fits.
	part := &budget{ctx: whole.ctx, limit: whole.limit / 4}
	free := &Result{Solution: Solution{Cost: math.MaxInt64}}
	q := *p
	q.MaxBytes = 0
	if err := q.solve(part, o, 0, free); err != nil {
		return err
	}
	b.spent(part.steps)
	r.Bound = max(r.Bound, free.Bound)
	r.offer(p, free.Solution, free.Method)
	if p.fits(free.Solution) {
		return nil
	}
	lo, hi := 0.0, math.Inf(1)
	// Prices add up to half of what costs may, at most, so that sums fit.
	var all int64
	for i := range p.Nodes {
		all += p.Nodes[i].Bytes
	}
	top := maxTotal / 2 / float64(all)
	price := min((float64(free.Cost)+1)/float64(free.Bytes), top)
	for round := 0; round < rounds && !b.spent(0) && r.Bound < r.Cost; round++ {
		part := &budget{ctx: whole.ctx, limit: (b.limit - b.steps) / int64(rounds-round)}
		at := &Result{Solution: Solution{Cost: math.MaxInt64}}
		if err := q.priced(part, o, price, p.MaxBytes, at); err != nil {
			return err
		}
		b.spent(part.steps)
		r.Bound = max(r.Bound, at.Bound)
		r.offer(p, at.Solution, at.Method)
		if p.fits(at.Solution) {
			hi = price
		} else if lo = price; lo == top {
			break
		}
		if math.IsInf(hi, 1) {
			price = min(price*8, top)
		} else {
			price = (lo + hi) / 2
		}
	}
	return nil
}

// priced is solve with a price; p has no bound of bytes, maxBytes is the one that
// the bound is for.
func (p *Problem) priced(b *budget, o Options, price float64, maxBytes int64, r *Result) error {
	before := r.Bound
	r.Bound = 0
	if err := p.solve(b, o, price, r); err != nil {
		return err
	}
	r.Bound = max(before, r.Bound-int64(math.Ceil(price*float64(maxBytes)))-1)
	return nil
}
