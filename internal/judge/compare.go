package judge

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/taso-go/taso/internal/ort"
)

// Bounds of a comparison.
const (
	confidence = 0.95
	// surer is the confidence of the second measurement without optimizations.
	surer = 0.999
	// mostBlocks ends a comparison that is not decided. One that may still come out in the
	// candidate's favour, on a noisy machine, gets longer times its budget.
	mostBlocks = 64
	longer     = 4
	// gain is how much faster a candidate has to be, and none the difference that counts
	// as none: parts of the original's time.
	gain = 0.01
	none = 0.003
)

// Comparison is what was measured of a candidate and the original. Times are in seconds.
type Comparison struct {
	// Level is that of ONNX Runtime's optimizations.
	Level ort.Level `json:"level"`
	// Original and Candidate are the medians of all samples.
	Original  float64 `json:"original_seconds"`
	Candidate float64 `json:"candidate_seconds"`
	// Ratio is the candidate's time over the original's, estimated from the blocks.
	// Low and High are its interval at Confidence.
	Ratio      float64 `json:"ratio"`
	Low        float64 `json:"ratio_low"`
	High       float64 `json:"ratio_high"`
	Confidence float64 `json:"confidence"`
	// Rounds is the number of pairs of samples, Blocks how often the files were loaded.
	Rounds int `json:"rounds"`
	Blocks int `json:"blocks"`
}

// faster reports whether the candidate is faster by more than is asked for.
func (c *Comparison) faster() bool { return c.High < 1-gain }

// slower reports whether the candidate is slower.
func (c *Comparison) slower() bool { return c.Low > 1+none }

// seemsSlower reports whether the candidate is estimated to be slower by more than is asked
// of a faster one, whatever the interval is.
func (c *Comparison) seemsSlower() bool { return c.Ratio > 1+gain }

// question is what a comparison is to answer.
type question struct {
	level      ort.Level
	confidence float64
	budget     time.Duration
	// enough reports whether more blocks would not change the answer, likely whether they
	// may well change it.
	enough, likely func(*Comparison) bool
}

// isFaster asks whether candidates are faster, and says slower of those that are.
func isFaster(level ort.Level, confidence float64, budget time.Duration) question {
	return question{level, confidence, budget,
		func(c *Comparison) bool { return c.faster() || c.slower() || c.Low > 1-gain && c.High < 1+gain },
		func(c *Comparison) bool { return c.Ratio < 1 && c.Low < 1-gain }}
}

// isSlower asks whether candidates are slower without optimizations.
func isSlower(confidence float64, budget time.Duration) question {
	return question{ort.Disable, confidence, budget,
		func(c *Comparison) bool { return c.slower() || c.High < 1+gain },
		func(c *Comparison) bool { return c.Ratio > 1+none }}
}

// bench times models by their number; 0 is the original.
type bench interface {
	// block loads models at a level in the order given and times them in rounds. It
	// returns the samples of each, one a round, in the order of models, and the time that
	// it took in all.
	block(ctx context.Context, level ort.Level, models []int, r *rand.Rand) (samples [][]float64, took time.Duration, err error)
	// fresh makes the next block run in a new process.
	fresh()
}

// measuring compares candidates with the original.
type measuring struct {
	bench bench
	rand  *rand.Rand
	spent time.Duration
	limit time.Duration // of spent; 0: none
}

// compare adds blocks until the question is answered for each candidate, or the budget is
// spent and there are intervals.
func (m *measuring) compare(ctx context.Context, candidates []int, q question) ([]*Comparison, error) {
	models := append([]int{0}, candidates...)
	samples := make([][]float64, len(models))
	logs := make([][]float64, len(models)) // of the blocks' ratios
	out := make([]*Comparison, len(candidates))
	spent := time.Duration(0)
	for n := 1; ; n++ {
		order := slices.Clone(models)
		if m.rand.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] }); len(order) == 2 {
			order = []int{models[n%2], models[(n+1)%2]}
		}
		got, took, err := m.bench.block(ctx, q.level, order, m.rand)
		if err != nil {
			return nil, err
		}
		spent += took
		m.spent += took
		original := got[slices.Index(order, 0)]
		decided, likely := true, false
		for i, model := range models {
			mine := got[slices.Index(order, model)]
			samples[i] = append(samples[i], mine...)
			if i == 0 {
				continue
			}
			ratios := make([]float64, len(mine))
			for k := range mine {
				ratios[k] = math.Log(mine[k] / original[k])
			}
			logs[i] = append(logs[i], median(ratios))
			ratio, low, high := center(logs[i], q.confidence)
			c := &Comparison{Level: q.level, Original: median(samples[0]), Candidate: median(samples[i]), Confidence: q.confidence,
				Ratio: math.Exp(ratio), Low: math.Exp(low), High: math.Exp(high), Rounds: len(samples[i]), Blocks: n}
			out[i-1] = c
			decided, likely = decided && q.enough(c), likely || q.likely(c)
		}
		if math.IsInf(out[0].High, 1) {
			continue // too few blocks for an interval
		}
		if decided || m.limit > 0 && m.spent >= m.limit || n >= mostBlocks || spent >= longer*q.budget || spent >= q.budget && !likely {
			return out, nil
		}
	}
}
