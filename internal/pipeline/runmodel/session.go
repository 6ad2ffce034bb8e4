package runmodel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/progress"
)

// Session runs one model several times over, with other work in between, and
// reports on all runs together: what is compared with the runs can be measured
// in turns with them, so that a machine that slows down slows both.
type Session struct {
	o     Options
	in    []backends.Tensor
	says  []Input
	rep   *Report
	order []backends.OpTime
	times map[graph.NodeID][]cost.Seconds
	cpu   []cost.Seconds
}

// New checks the options. Options.Repeat is not used.
func New(o Options) (*Session, error) {
	if o.Backend == nil || o.Model == nil {
		return nil, errors.New("run model: no backend or no model")
	}
	s := &Session{o: o, times: map[graph.NodeID][]cost.Seconds{}}
	if err := o.Model.Validate(); err != nil {
		return nil, s.wrap(err)
	}
	if o.Repeat < 0 {
		return nil, s.wrap(fmt.Errorf("%d runs", o.Repeat))
	}
	s.o.defaults()
	var err error
	if s.in, s.says, err = s.o.inputs(); err != nil {
		return nil, s.wrap(err)
	}
	return s, nil
}

func (s *Session) wrap(err error) error {
	return fmt.Errorf("run model %s: %w", s.o.Model.Name, err)
}

// Run compiles the model, warms up, runs it n times, or more if these take less
// than the time given, and releases the plan. A cancelled context ends it between
// two operators, with the context's error.
func (s *Session) Run(ctx context.Context, n int, least time.Duration) (err error) {
	o := &s.o
	o.Progress.Stage("compile "+o.Model.Name, progress.Unknown)
	defer o.Progress.Close()
	start := o.now()
	plan, err := o.Backend.Compile(ctx, o.Model, o.Compile)
	if err != nil {
		return s.wrap(err)
	}
	defer func() {
		if err = errors.Join(err, plan.Close()); err != nil {
			err = s.wrap(err)
		}
	}()
	if s.rep == nil {
		info := o.Backend.Info()
		s.rep = &Report{
			Model: o.Model.Name, Backend: info.String(), Setting: SettingOf(info), Seed: o.Seed,
			Compile: cost.FromDuration(o.now().Sub(start)), Threads: info.Threads,
			FLOPs: o.Model.FLOPs(), Params: o.Model.Params(), In: backends.Arithmetic(o.Model.Graph), Inputs: s.says,
		}
	}
	runtime.GC() // what compiling left behind is not collected beside the runs
	stage := o.Progress.Stage("run "+o.Model.Name, int64(max(o.Warmup, 0)+n))
	first := len(s.rep.Runs)
	var begin time.Time
	for i := -max(o.Warmup, 0); i < n || o.now().Sub(begin) < least; i++ {
		if i == 0 {
			begin = o.now()
		}
		used, start := o.cpu(), o.now()
		out, err := plan.Run(ctx, s.in)
		took := cost.FromDuration(o.now().Sub(start))
		used = o.cpu() - used
		if err != nil {
			return err
		}
		stage.Add(1)
		if i < 0 {
			continue
		}
		s.rep.Runs, s.rep.Outputs = append(s.rep.Runs, took), out
		s.cpu = append(s.cpu, cost.FromDuration(used))
		// Here, and not behind the loop: a run that is broken off has no profile.
		s.rep.PeakBytes, s.order = plan.PeakBytes(), plan.Profile()
		for _, t := range s.order {
			s.times[t.Node] = append(s.times[t.Node], t.Seconds)
		}
	}
	s.settle(first)
	return nil
}

// settle compares the runs from the first with the calmest before.
func (s *Session) settle(first int) {
	if first == len(s.rep.Runs) {
		return
	}
	median := func(times []cost.Seconds) cost.Sample {
		m, mad := cost.MedianMAD(times)
		return cost.Sample{Seconds: m, MAD: mad, Runs: len(times), Source: cost.Measured}
	}
	now, cpu := median(s.rep.Runs[first:]), median(s.cpu[first:])
	cpu.Seconds /= cost.Seconds(max(1, s.rep.Threads))
	waited := s.rep.Threads > 0 && cpu.Seconds > 0 && cpu.Seconds < (1-disturbedFrom)*now.Seconds
	if waited {
		now = cpu
	}
	if s.rep.Calm.Runs == 0 || now.Seconds < s.rep.Calm.Seconds {
		s.rep.Calm, s.rep.CalmCPU = now, waited
	}
}

// Report is about all runs so far; nil before the first.
func (s *Session) Report() *Report {
	if s.rep == nil || len(s.rep.Runs) == 0 {
		return nil
	}
	if m, mad := cost.MedianMAD(s.cpu); m > 0 {
		s.rep.CPU = cost.Sample{Seconds: m, MAD: mad, Runs: len(s.cpu), Source: cost.Measured}
	}
	s.rep.sum(s.o.Model.Graph, s.order, s.times)
	return s.rep
}
