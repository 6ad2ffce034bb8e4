package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/internal/pipeline/runmodel"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// engines run models: our backend, and ONNX Runtime where there is one.
type engines struct {
	ours  *cpu.Backend
	start *cost.Machine // the formula that costs begin with
	ort   *ort.Runtime  // nil: there is none
}

// openEngines finds them; without ONNX Runtime it is an error only if it is needed.
func openEngines(ctx context.Context, needed bool) (e *engines, err error) {
	e = &engines{}
	if e.ort, err = ort.Find(ctx); errors.Is(err, ort.ErrAbsent) {
		if needed {
			return nil, &Missing{What: err.Error()}
		}
		e.ort = nil
	} else if err != nil {
		return nil, err
	}
	if e.start, err = cost.FindMachine(formula); err != nil {
		return nil, err
	}
	e.ours, err = cpu.New(cpu.Options{})
	return e, err
}

func (e *engines) close() { e.ours.Close() }

// timedFile is a file and the model in it. err is why it does not run.
type timedFile struct {
	path string
	m    *model.Model
	// best are the shortest times in seconds: ours, ONNX Runtime's without and with its
	// optimizations; 0 where there is none.
	best [3]float64
	err  error
}

const (
	engineTurns = 3
	// engineSeconds is about how long the runs of one turn take on one engine.
	engineSeconds = 1.0
)

// time runs files on all engines, one thread each, in turns, so that a machine that slows
// down slows all: repeat runs of each in all, and less of what takes long. A file that
// does not run has an error.
func (e *engines) time(ctx context.Context, files []*timedFile, repeat int) error {
	runs := (repeat + engineTurns - 1) / engineTurns
	for turn := range engineTurns {
		for _, f := range files {
			if f.err != nil {
				continue
			}
			if f.err = e.turn(ctx, f, turn == 0, runs); ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// turn is one turn of a file.
func (e *engines) turn(ctx context.Context, f *timedFile, first bool, runs int) error {
	within := func(engine int) int { // by what is known of the time
		if first {
			return min(runs, 2)
		}
		return min(runs, max(2, int(engineSeconds/f.best[engine])))
	}
	took := func(engine int, x float64) {
		if first || x < f.best[engine] {
			f.best[engine] = x
		}
	}
	rep, err := runmodel.Run(ctx, runmodel.Options{Backend: e.ours, Model: f.m, Seed: 1, Repeat: within(0), Warmup: 1})
	if err != nil {
		return err
	}
	took(0, float64(rep.Min))
	if e.ort == nil {
		return nil
	}
	in, err := randomInputs(f.m)
	if err != nil {
		return err
	}
	for o, level := range []ort.Level{ort.Disable, ort.All} {
		res, err := e.ort.Run(ctx, f.path, in, ort.Options{Level: level, Threads: 1, Repeat: within(1 + o)})
		if err != nil {
			return err
		}
		took(1+o, slices.Min(res.Seconds))
	}
	return nil
}

// randomInputs are the same for all files of a model, by their order.
func randomInputs(m *model.Model) (in []ort.Tensor, err error) {
	for i, id := range m.Inputs() {
		t := m.Graph.Type(id.Out(0))
		if t.DType != graph.Float32 {
			return nil, fmt.Errorf("input %s is %s, not float32", m.Graph.Name(id), t.DType)
		}
		x, err := backends.Random(uint64(i+1), t)
		if err != nil {
			return nil, err
		}
		in = append(in, ort.Float32(m.Graph.Name(id), x.Sizes, x.F32))
	}
	return in, nil
}

// timeModels writes models and times them in turns.
func (e *engines) timeModels(ctx context.Context, repeat int, ms ...*model.Model) ([]*timedFile, error) {
	dir, err := os.MkdirTemp("", "bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var files []*timedFile
	for i, m := range ms {
		f := &timedFile{path: filepath.Join(dir, fmt.Sprintf("%d.onnx", i)), m: m}
		if err := onnx.Write(f.path, m, onnx.WriteOptions{}); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if err := e.time(ctx, files, repeat); err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.err != nil {
			return nil, f.err
		}
	}
	return files, nil
}

// timesPerModel is how often a time is taken unless the run says otherwise.
const timesPerModel = 30

func (e *Env) repeats() int {
	if e.Repeat == 0 {
		return timesPerModel
	}
	return e.Repeat
}
