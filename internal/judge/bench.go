package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/taso-go/taso/internal/ort"
)

// Bounds of a block.
const (
	// sampleSeconds is how long a sample takes at least.
	sampleSeconds = 2e-3
	// warmSeconds is the time of a run below which one that does not count comes first.
	warmSeconds = 20e-3
	// blockSeconds is about the time of the samples of a block. Where loading the files
	// takes longer, it is as much.
	blockSeconds = 0.15
	mostRounds   = 24
	// loadPart is the part of the budget that loading files for all blocks may take; where
	// it takes longer, they stay loaded.
	loadPart = 0.5
)

// runtimeBench times files in ONNX Runtime.
type runtimeBench struct {
	rt    *ort.Runtime
	files []File
	o     *Options

	w      *ort.Worker
	open   map[int]*ort.Session
	level  ort.Level // of the open ones
	loaded time.Duration
	once   map[ort.Level][]float64 // seconds of one run, by model; 0: not known
}

func (b *runtimeBench) start(ctx context.Context) (err error) {
	if b.w == nil {
		b.w, err = b.rt.Start(ctx)
		b.open = map[int]*ort.Session{}
	}
	return err
}

// fresh makes the next block run in a new process.
func (b *runtimeBench) fresh() {
	if b.w != nil {
		b.w.Close()
		b.w, b.open = nil, nil
	}
}

// timer is the clock of samples: processor time where one thread computes.
func (b *runtimeBench) timer() ort.Clock {
	return ort.Clock(b.o.Threads == 1 && b.w.CPUTime)
}

func (b *runtimeBench) clock() string {
	if b.timer() == ort.CPU {
		return "processor time"
	}
	return "wall"
}

func (b *runtimeBench) load(ctx context.Context, level ort.Level, i int) (*ort.Session, error) {
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	return b.w.Open(ctx, ort.Job{Model: b.files[i].Path, Inputs: b.o.Inputs, Options: ort.Options{Level: level, Threads: b.o.Threads}})
}

// check runs each file once at the level asked for and without optimizations. It returns
// the candidates that run and have the outputs of the original; what is wrong with others
// goes into the decision.
func (b *runtimeBench) check(ctx context.Context, d *Decision) (runs []int, err error) {
	var want []ort.Tensor
	for i := range b.files {
		got, err := b.tryout(ctx, i)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && i == 0:
			d.Failed = err.Error()
			return nil, nil
		case i == 0:
			want = got
			continue
		case err == nil:
			err = sameOutputs(want, got)
		}
		if err != nil {
			d.Candidates[i-1] = Outcome{Verdict: Fails, Why: err.Error()}
			continue
		}
		runs = append(runs, i)
	}
	return runs, nil
}

func (b *runtimeBench) tryout(ctx context.Context, i int) (out []ort.Tensor, err error) {
	defer func() {
		if ort.Crashed(err) {
			b.fresh()
		}
	}()
	for _, level := range slices.Compact([]ort.Level{ort.Disable, b.o.Level}) {
		s, err := b.load(ctx, level, i)
		if err != nil {
			return nil, err
		}
		if out, err = s.Run(ctx); err != nil {
			return nil, err
		}
		if err := s.Close(ctx); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sameOutputs says how outputs differ in name, type or sizes. Their numbers were compared
// before.
func sameOutputs(want, got []ort.Tensor) error {
	if len(want) != len(got) {
		return fmt.Errorf("it has %d outputs, the original %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.Name != w.Name {
			return fmt.Errorf("output %d is named %s, in the original %s", i, g.Name, w.Name)
		}
		if g.DType != w.DType || !slices.Equal(g.Sizes, w.Sizes) {
			return fmt.Errorf("output %s is %s%v, in the original %s%v", g.Name, g.DType, g.Sizes, w.DType, w.Sizes)
		}
	}
	return nil
}

// reload loads models in an order, again if that does not take too long.
func (b *runtimeBench) reload(ctx context.Context, level ort.Level, models []int) error {
	if err := b.start(ctx); err != nil {
		return err
	}
	keep := b.level == level && b.keeps()
	for i, s := range b.open {
		if !keep || !slices.Contains(models, i) {
			if err := s.Close(ctx); err != nil {
				return err
			}
			delete(b.open, i)
		}
	}
	start := time.Now()
	if b.level != level {
		b.level, b.loaded = level, 0
	}
	for _, i := range models {
		if b.open[i] != nil {
			continue
		}
		s, err := b.load(ctx, level, i)
		if err != nil {
			return err
		}
		b.open[i] = s
	}
	b.loaded = max(b.loaded, time.Since(start))
	return nil
}

// keeps reports whether files stay loaded, because loading them takes long.
func (b *runtimeBench) keeps() bool {
	return b.loaded*mostBlocks/4 > time.Duration(loadPart*float64(b.o.Budget))
}

// block times models in rounds, each of which times every model once, in random order.
func (b *runtimeBench) block(ctx context.Context, level ort.Level, models []int, r *rand.Rand) ([][]float64, time.Duration, error) {
	start := time.Now()
	if err := b.reload(ctx, level, models); err != nil {
		return nil, 0, err
	}
	if err := b.calibrate(ctx, level, models); err != nil {
		return nil, 0, err
	}
	round := 0.0
	turn := func(i int) ort.Turn {
		once := b.once[level][i]
		t := ort.Turn{Session: b.open[i], Runs: int(math.Ceil(sampleSeconds / once))}
		if once < warmSeconds {
			t.Warm = 1
		}
		return t
	}
	for _, i := range models {
		t := turn(i)
		round += b.once[level][i] * float64(t.Runs+t.Warm)
	}
	length := blockSeconds
	if !b.keeps() {
		length = max(length, b.loaded.Seconds())
	}
	rounds := min(max(1, int(length/round)), mostRounds)
	var turns []ort.Turn
	var of []int // positions in models
	for _, i := range models {
		turns = append(turns, ort.Turn{Session: b.open[i], Runs: 1}) // warm-up of all
	}
	for range rounds {
		for _, k := range r.Perm(len(models)) {
			turns, of = append(turns, turn(models[k])), append(of, k)
		}
	}
	times, err := b.w.Time(ctx, turns, b.timer())
	if err != nil {
		return nil, 0, err
	}
	samples := make([][]float64, len(models))
	for i, t := range times[len(models):] {
		if !(t > 0) {
			return nil, 0, errors.New("time in ONNX Runtime: the clock did not move in a sample")
		}
		samples[of[i]] = append(samples[of[i]], t)
	}
	return samples, time.Since(start), nil
}

// calibrate finds how long one run takes of models for which it is not known.
func (b *runtimeBench) calibrate(ctx context.Context, level ort.Level, models []int) error {
	if b.once == nil {
		b.once = map[ort.Level][]float64{}
	}
	if b.once[level] == nil {
		b.once[level] = make([]float64, len(b.files))
	}
	for _, i := range models {
		if b.once[level][i] > 0 {
			continue
		}
		s := b.open[i]
		times, err := b.w.Time(ctx, []ort.Turn{{Session: s, Runs: 1, Warm: 1}, {Session: s, Runs: 1}, {Session: s, Runs: 1}}, ort.Wall)
		if err != nil {
			return err
		}
		b.once[level][i] = max(slices.Min(times), 1e-7)
	}
	return nil
}
