package measure

import (
	"context"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
)

// turns measures operators and whole models in turns: in each pass a model's
// operators and then, next to them in time, some of its runs.
type turns struct {
	r       *Report
	o       *Options
	opt     backends.MeasureOptions // of one pass
	todo    []int                   // positions in r.Applications, by first use
	samples map[int][]cost.Sample
	failed  map[int]bool
}

// maxShare bounds how much longer an application is measured that has several
// uses.
const maxShare = 10

func (t *turns) run(ctx context.Context, passes int) error {
	repeat := t.o.Repeat
	if repeat == 0 {
		repeat = defaultRepeat
	}
	for pass := range passes {
		rest := t.todo
		for i := range t.o.Models {
			n := 0
			for n < len(rest) && t.r.Applications[rest[n]].model == i {
				n++
			}
			if err := t.operators(ctx, i, rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
			runs := repeat*(pass+1)/passes - repeat*pass/passes
			if t.o.EndToEnd && runs > 0 {
				if err := t.r.sessions[i].Run(ctx, runs, t.o.Least/time.Duration(passes)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// operators measures applications that model m is the first to use.
func (t *turns) operators(ctx context.Context, m int, todo []int) error {
	if len(todo) == 0 {
		return nil
	}
	stage := t.o.Progress.Stage("measure operators of "+t.o.Models[m].Name, int64(len(todo)))
	defer stage.Done()
	for _, i := range todo {
		if err := t.operator(ctx, i); err != nil {
			return err
		}
		stage.Add(1)
	}
	return nil
}

func (t *turns) operator(ctx context.Context, i int) error {
	if t.failed[i] {
		return nil
	}
	a := &t.r.Applications[i]
	opt := t.opt
	opt.Budget *= time.Duration(min(a.Uses, maxShare)) // its part of the sums is as large
	s, err := t.o.Backend.Measure(ctx, a.app, opt)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if backends.Lost(err) {
		return err
	}
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		t.failed[i] = true
		a.Sample = cost.Sample{}
		t.r.skip(t.o, a, err)
		return nil
	}
	t.samples[i] = append(t.samples[i], s)
	if len(t.samples[i]) == 1 {
		t.r.Measured++
	}
	a.Sample = combine(t.samples[i])
	return t.r.keep(t.o, cost.NewEntry(a.Key, a.Sample))
}
