package cuda

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
)

// Measure times one application, or a group fused, in a plan of its own whose tensors
// have places of their own. A run is one replay of a graph in which the plan is issued
// so often that it takes 1 ms at least, divided by that number; the result is the
// median of the runs and their median absolute deviation.
//
// Weights come from memory, see [backends.MeasureOptions]: copies of them take turns
// from issue to issue. Other operands are not written anew, which would take time,
// but are where the issue before has left them; with Cold they, and the results,
// have copies that take turns too.
//
// Between runs a small kernel is timed that waits for nothing but the clock of the
// multiprocessors. A run beside which it took 3 % longer than at its best is taken again,
// until as many were as there are good ones; then all count.
//
// Where a library offers several algorithms, the best few by its estimate are timed,
// and the fastest is kept for whatever the backend compiles later. An application for
// which nothing is to be done costs what the host takes to find that out.
//
// A cancelled context ends it between two runs.
func (b *Backend) Measure(ctx context.Context, a cost.Application, opt backends.MeasureOptions) (cost.Sample, error) {
	if a.Op == nil {
		return cost.Sample{}, errors.New("measure: no operator")
	}
	s, err := b.measure(ctx, &a, opt.WithDefaults(&a))
	if err != nil {
		return cost.Sample{}, fmt.Errorf("measure %s: %w", a.Op.Name, err)
	}
	return s, nil
}

func (b *Backend) measure(ctx context.Context, a *cost.Application, opt backends.MeasureOptions) (s cost.Sample, err error) {
	m, data, err := backends.Single(a, opt)
	if err != nil {
		return s, err
	}
	b.measuring.Lock()
	defer b.measuring.Unlock()
	p, err := b.compile(ctx, m, backends.CompileOptions{NoFuse: !a.Fuses(), KeepAll: true})
	if err != nil {
		return s, err
	}
	defer func() { err = first(err, p.Close()) }()
	if _, err := p.Run(ctx, data); err != nil { // warms up, and finds faults
		return s, err
	}
	if p.prog.Len() == 0 {
		return watch(ctx, opt, p.idle)
	}
	r, err := newRotation(p, opt)
	if err != nil {
		return s, err
	}
	defer func() { err = first(err, r.close()) }()
	if err := r.choose(ctx); err != nil {
		return s, err
	}
	if err := r.capture(ctx); err != nil {
		return s, err
	}
	ref, err := b.reference(ctx)
	if err != nil {
		return s, err
	}
	return watch(ctx, opt, func() (cost.Seconds, bool, error) { return ref.beside(r.run) })
}

// idle is the time that the host takes for a run of nothing, which is always good.
func (p *Plan) idle() (took cost.Seconds, good bool, err error) {
	err = p.b.dev.Do(func() error {
		const n = 256
		start := time.Now()
		for range n {
			if err := p.execute(); err != nil {
				return err
			}
		}
		took = cost.FromDuration(max(time.Since(start), 1)) / n
		return nil
	})
	return took, true, err
}

// watch takes runs until the options are content. A run that is not good is kept for
// when too many are not.
func watch(ctx context.Context, opt backends.MeasureOptions, run func() (took cost.Seconds, good bool, err error)) (cost.Sample, error) {
	var times, all []cost.Seconds
	warm := true
	for start := time.Now(); ; {
		if err := ctx.Err(); err != nil {
			return cost.Sample{}, err
		}
		t, good, err := run()
		if err != nil {
			return cost.Sample{}, err
		}
		if warm { // a device that was idle is slow at first
			if warm = time.Since(start) < opt.Budget/10; !warm {
				start = time.Now()
			}
			continue
		}
		all = append(all, t)
		if good {
			times = append(times, t)
		}
		// Both have as many as are wanted, or the good ones are few.
		kept := times
		if len(all) >= 2*opt.MinRuns && len(times) < len(all)/2 {
			kept = all
		}
		if len(kept) < opt.MinRuns {
			continue
		}
		median, mad := cost.MedianMAD(kept)
		spent := time.Since(start)
		steady := len(kept) >= 2*opt.MinRuns && spent >= opt.Budget/4 && float64(mad) <= opt.Spread*float64(median)
		if spent >= opt.Budget || steady {
			return cost.Sample{Seconds: median, MAD: mad, Runs: len(kept), Source: cost.Measured}, nil
		}
	}
}
