package ort

import (
	"context"
	"fmt"
)

// Level says how much of its own graph optimizations ONNX Runtime applies to a model.
type Level string

// The levels of ONNX Runtime.
const (
	Disable  Level = "disable" // runs the nodes of the file
	Basic    Level = "basic"
	Extended Level = "extended"
	All      Level = "all"
)

// Levels lists the levels, from nothing to everything.
func Levels() []Level { return []Level{Disable, Basic, Extended, All} }

// Options say how a model is run.
type Options struct {
	// Level is that of ONNX Runtime's optimizations; "": Disable.
	Level Level
	// Threads is how many threads an operator uses; 0 is one.
	Threads int
	// Repeat runs the model so many times after the first run, and measures; 0
	// is none.
	Repeat int
}

// Result is what a run gave.
type Result struct {
	Outputs []Tensor
	Seconds []float64 // of each repeated run
	Err     error     // of this model, where several were run
}

// Job is one model to run.
type Job struct {
	Model  string // path of the file
	Inputs []Tensor
	Options
}

// Run runs a model file on inputs, which are found by name; those that the model
// does not have are left out.
func (r *Runtime) Run(ctx context.Context, model string, in []Tensor, opt Options) (*Result, error) {
	res, err := r.RunAll(ctx, []Job{{model, in, opt}})
	if err != nil {
		return nil, err
	}
	return &res[0], res[0].Err
}

// RunAll runs several models in one process, one after another. The error of
// one model, also a crash of the process, is in its result.
func (r *Runtime) RunAll(ctx context.Context, jobs []Job) (results []Result, err error) {
	var w *Worker
	defer func() { r.giveBack(w) }()
	for _, j := range jobs {
		if w == nil {
			if w, err = r.take(ctx); err != nil {
				return nil, fmt.Errorf("run ONNX Runtime on %s: %w", j.Model, err)
			}
		}
		res := w.job(ctx, j)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if Crashed(res.Err) {
			w = nil
		}
		results = append(results, res)
	}
	return results, nil
}

// take returns a worker that an earlier call gave back, or a new one.
func (r *Runtime) take(ctx context.Context) (*Worker, error) {
	select {
	case w := <-r.idle:
		return w, nil
	default:
		return r.Start(ctx)
	}
}

// giveBack keeps a worker for the next call, or closes it. w may be nil.
func (r *Runtime) giveBack(w *Worker) {
	if w == nil {
		return
	}
	if w.dead == nil {
		select {
		case r.idle <- w:
			return
		default:
		}
	}
	w.Close()
}

func (w *Worker) job(ctx context.Context, j Job) (r Result) {
	if j.Repeat == 0 { // one request instead of three
		r.Outputs, r.Err = (&Session{Model: j.Model, w: w}).outputs(w.send(ctx, "once", 0, j))
		return r
	}
	s, err := w.Open(ctx, j)
	if err != nil {
		return Result{Err: err}
	}
	if r.Outputs, r.Err = s.Run(ctx); r.Err == nil {
		turns := make([]Turn, j.Repeat)
		for i := range turns {
			turns[i] = Turn{Session: s, Runs: 1}
		}
		r.Seconds, r.Err = w.Time(ctx, turns, Wall)
	}
	if err := s.Close(ctx); r.Err == nil {
		r.Err = err
	}
	return r
}
