package judge

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/internal/procstat"
)

// Verdict says what a candidate is compared with the original.
type Verdict string

// The verdicts. Faster is by more than 1 %; NoDifference includes less. A candidate that is
// faster and not the winner was measured once only.
const (
	Faster       Verdict = "faster"
	Slower       Verdict = "slower"
	NoDifference Verdict = "no measurable difference"
	// SlowerOff is faster with the optimizations of ONNX Runtime and slower without.
	SlowerOff Verdict = "slower without optimizations"
	// SlowerElsewhere is faster at the first sizes of dynamic dimensions and slower at others.
	SlowerElsewhere Verdict = "slower at other sizes"
	// Fails is a candidate that ONNX Runtime does not run.
	Fails Verdict = "fails"
)

// File is a model file with the files of its weights, if they are apart.
type File struct {
	Path string
	Data []string
}

// Options say how files are judged.
type Options struct {
	// Inputs are fed to all files, by name.
	Inputs []ort.Tensor
	// Level is that of ONNX Runtime's optimizations; "": ort.All.
	Level ort.Level
	// Threads of ONNX Runtime; 0: 1.
	Threads int
	// Budget is about the time of all measurements together; 0: 10 s. Large models take
	// longer, for some samples are needed.
	Budget time.Duration
	// Limit, if not 0, is the time after which a comparison ends as soon as it has an
	// interval, whether it is decisive or not.
	Limit time.Duration
	// Seed selects the order of samples.
	Seed uint64
	// Store keeps decisions; nil: they are not kept. Again measures even if the
	// decision is there.
	Store *Store
	Again bool
}

// Decision is what was decided, with all numbers. Times are in seconds.
type Decision struct {
	// Winner is the accepted candidate, counted from 1; 0: the original stays.
	Winner int `json:"winner"`
	// Candidates are in the order in which they were given.
	Candidates []Outcome `json:"candidates"`
	// Failed says why the original could not be timed; "": it was.
	Failed string `json:"failed,omitempty"`
	// Setting: the runtime, the processor, and the clock, "processor time" or "wall".
	Version string    `json:"onnxruntime"`
	CPU     string    `json:"cpu"`
	Level   ort.Level `json:"level"`
	Threads int       `json:"threads"`
	Clock   string    `json:"clock"`
	// Seconds is the time of the measurements.
	Seconds float64 `json:"seconds"`
	// Unix is when it was decided, in seconds since 1970. Reused: it was read from the
	// store.
	Unix   int64 `json:"unix"`
	Reused bool  `json:"reused"`
}

// Outcome is what was measured of one candidate.
type Outcome struct {
	Verdict Verdict `json:"verdict"`
	// Why is the error of a candidate that fails.
	Why string `json:"why,omitempty"`
	// On is with optimizations at the level asked for, Off without any; nil: not measured.
	On  *Comparison `json:"on,omitempty"`
	Off *Comparison `json:"off,omitempty"`
	// Elsewhere is with optimizations, at other sizes of dynamic dimensions.
	Elsewhere []AtSizes `json:"elsewhere,omitempty"`
}

// AtSizes is a comparison at certain sizes of dynamic dimensions.
type AtSizes struct {
	Sizes string `json:"sizes"`
	*Comparison
}

// Sized is what is fed at certain sizes of dynamic dimensions.
type Sized struct {
	Sizes  string
	Inputs []ort.Tensor
}

// RunSizes is [Run], and then compares the winner at further sizes. A winner that is slower at one
// of them is rejected; then it is the turn of the others that seem to be faster.
func RunSizes(ctx context.Context, rt *ort.Runtime, original File, candidates []File, o Options, further []Sized) (*Decision, error) {
	return runSizes(candidates, o, further, func(candidates []File, o Options) (*Decision, error) {
		return Run(ctx, rt, original, candidates, o)
	})
}

func runSizes(candidates []File, o Options, further []Sized, run func([]File, Options) (*Decision, error)) (*Decision, error) {
	d, err := run(candidates, o)
	if err != nil {
		return nil, err
	}
	for i := range d.Candidates {
		d.Candidates[i].Elsewhere = nil
	}
	for d.Winner != 0 {
		if err := d.elsewhere(candidates[d.Winner-1], o, further, run); err != nil {
			return nil, err
		}
		if d.Candidates[d.Winner-1].Verdict != SlowerElsewhere {
			break
		}
		var left []int
		var files []File
		for i, c := range d.Candidates {
			if c.Verdict == Faster {
				left, files = append(left, i), append(files, candidates[i])
			}
		}
		if d.Winner = 0; len(left) == 0 {
			break
		}
		again, err := run(files, o)
		if err != nil {
			return nil, err
		}
		d.Seconds += again.Seconds
		for k, i := range left {
			d.Candidates[i] = again.Candidates[k]
		}
		if again.Winner != 0 {
			d.Winner = left[again.Winner-1] + 1
		}
	}
	return d, nil
}

// elsewhere compares the winner at further sizes, until it is slower at one.
func (d *Decision) elsewhere(winner File, o Options, further []Sized, run func([]File, Options) (*Decision, error)) error {
	out := &d.Candidates[d.Winner-1]
	for _, f := range further {
		o.Inputs = f.Inputs
		x, err := run([]File{winner}, o)
		if err != nil {
			return err
		}
		c := &x.Candidates[0]
		out.Elsewhere = append(out.Elsewhere, AtSizes{f.Sizes, c.On})
		if d.Seconds += x.Seconds; c.Verdict == Slower || c.Verdict == Fails {
			out.Verdict, out.Why = SlowerElsewhere, c.Why
			return nil
		}
	}
	return nil
}

// Run decides which of several candidates replaces the original, if any. Candidates are in
// the order of preference: a later one wins only if it is faster than an earlier one by
// more than their intervals. A file that ONNX Runtime does not run is no error but an
// outcome.
func Run(ctx context.Context, rt *ort.Runtime, original File, candidates []File, o Options) (*Decision, error) {
	if o.Level == "" {
		o.Level = ort.All
	}
	if o.Budget == 0 {
		o.Budget = 10 * time.Second
	}
	o.Threads = max(o.Threads, 1)
	if !slices.Contains(ort.Levels(), o.Level) {
		return nil, fmt.Errorf("optimization level %q of ONNX Runtime: want one of %v", o.Level, ort.Levels())
	}
	files := append([]File{original}, candidates...)
	b := &runtimeBench{rt: rt, files: files, o: &o}
	defer b.fresh()
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	d := &Decision{Version: b.w.Version, CPU: procstat.Processor(), Level: o.Level, Threads: o.Threads, Clock: b.clock()}
	key := ""
	if o.Store != nil {
		var err error
		if key, err = keyOf(d, files, o.Inputs); err != nil {
			return nil, err
		}
		if old := o.Store.get(key); old != nil && !o.Again {
			old.Reused = true
			return old, nil
		}
	}
	start := time.Now()
	d.Candidates = make([]Outcome, len(candidates))
	runs, err := b.check(ctx, d)
	if err != nil {
		return nil, err
	}
	if len(runs) > 0 {
		m := &measuring{bench: b, limit: o.Limit, rand: rand.New(rand.NewPCG(o.Seed, 35))}
		if err := m.decide(ctx, d, runs, o.Budget); err != nil {
			if ctx.Err() != nil || !ort.Crashed(err) {
				return nil, err
			}
			d.Winner, d.Failed = 0, err.Error()
		}
	}
	d.Seconds, d.Unix = time.Since(start).Seconds(), time.Now().Unix()
	if o.Store != nil && d.Failed == "" {
		if err := o.Store.put(key, d); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// decide fills in the outcomes of the candidates that run.
func (m *measuring) decide(ctx context.Context, d *Decision, candidates []int, budget time.Duration) error {
	all, err := m.compare(ctx, candidates, isFaster(d.Level, confidence, budget*2/5))
	if err != nil {
		return err
	}
	var passed []int // positions in all
	for i, c := range all {
		out := &d.Candidates[candidates[i]-1]
		out.On, out.Verdict = c, NoDifference
		switch {
		case c.faster():
			passed = append(passed, i)
			out.Verdict = Faster // unless the second measurement says otherwise
		case c.slower():
			out.Verdict = Slower
		}
	}
	// The fastest first; of those whose intervals overlap the one preferred.
	slices.SortStableFunc(passed, func(i, k int) int {
		switch {
		case all[i].High < all[k].Low:
			return -1
		case all[k].High < all[i].Low:
			return 1
		}
		return 0
	})
	sure := 1 - (1-confidence)/float64(max(1, len(passed)))
	for _, i := range passed {
		out := &d.Candidates[candidates[i]-1]
		if out.Verdict, err = m.confirm(ctx, d.Level, candidates[i], sure, budget, out); err != nil {
			return err
		}
		if out.Verdict == Faster {
			d.Winner = candidates[i]
			return nil
		}
	}
	return nil
}

// confirm measures a candidate that seems to be faster again, in a fresh process, and
// without optimizations.
func (m *measuring) confirm(ctx context.Context, level ort.Level, candidate int, sure float64, budget time.Duration, out *Outcome) (Verdict, error) {
	fresh := func(q question) (*Comparison, error) {
		m.bench.fresh()
		all, err := m.compare(ctx, []int{candidate}, q)
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}
	c, err := fresh(isFaster(level, sure, budget*2/5))
	if err != nil {
		return "", err
	}
	if out.On = c; !c.faster() {
		return NoDifference, nil
	}
	if level == ort.Disable {
		return Faster, nil
	}
	if out.Off, err = fresh(isSlower(confidence, budget/5)); err != nil {
		return "", err
	}
	if out.Off.slower() || out.Off.seemsSlower() {
		if out.Off, err = fresh(isSlower(surer, budget*2/5)); err != nil {
			return "", err
		}
		if out.Off.slower() || out.Off.seemsSlower() {
			return SlowerOff, nil
		}
	}
	return Faster, nil
}
