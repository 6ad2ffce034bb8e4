package verify

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/sums"
)

// Unbounded decides goals for all sizes from what operators compute, without
// axioms: see package verify/sums. Its verdicts carry no instances; one that is
// not Proved is Unknown, since the engine finds no counterexamples. A goal
// counts as proved if its sides are equal wherever they are defined, and the
// right one is defined wherever the left one is; unless the goal is one-way,
// also the reverse: for all sizes, attributes and numbers of axes. What the
// engine shows up to limits only, sums.UpTo, leaves a goal Unknown.
type Unbounded struct {
	// Workers is how many goals are decided at once; 0: as many as processors.
	// The verdicts do not depend on it.
	Workers int
	// Sums is the configuration of the engine.
	Sums sums.Config
}

// Name is "sums".
func (p *Unbounded) Name() string { return "sums" }

// Prove decides each goal. The error is that of Z3.
func (p *Unbounded) Prove(ctx context.Context, goals []*law.Law) ([]Verdict, error) {
	rs, err := p.Results(ctx, goals)
	if err != nil {
		return nil, err
	}
	out := make([]Verdict, len(goals))
	for i, r := range rs {
		out[i] = Verdict{Engine: p.Name(), Reason: r.Reason, Iters: r.Queries, Seconds: r.Seconds}
		switch {
		case r.Proved:
			out[i].Status = Proved
		case ctx.Err() != nil:
			out[i].Stop = tensor.StopDeadline
		}
	}
	return out, nil
}

// Results decides each goal and says what was found, direction by direction.
// The error is that of Z3.
func (p *Unbounded) Results(ctx context.Context, goals []*law.Law) ([]sums.Result, error) {
	out := make([]sums.Result, len(goals))
	workers := p.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(1, min(workers, len(goals)))
	next := make(chan int)
	var wg sync.WaitGroup
	errs := make([]error, workers)
	for w := range workers {
		wg.Go(func() {
			prover, err := sums.New(p.Sums)
			if err != nil {
				errs[w] = err
			}
			for i := range next {
				if errs[w] != nil {
					continue
				}
				out[i], errs[w] = prover.Prove(ctx, goals[i])
			}
			if err := prover.Close(); err != nil && errs[w] == nil {
				errs[w] = err
			}
		})
	}
	for i := range goals {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("engine %s: %w", p.Name(), err)
		}
	}
	return out, nil
}
