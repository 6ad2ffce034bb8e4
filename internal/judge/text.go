package judge

import (
	"fmt"
	"math"
	"strings"

	"github.com/taso-go/taso/internal/ort"
)

// String is the setting in one line: "ONNX Runtime 1.20.1, 1 thread, level all".
func (d *Decision) String() string {
	threads := "1 thread"
	if d.Threads > 1 {
		threads = fmt.Sprintf("%d threads", d.Threads)
	}
	return fmt.Sprintf("ONNX Runtime %s, %s, level %s", d.Version, threads, d.Level)
}

// Sentence is the answer in words: which candidate is accepted, or why the original stays.
func (d *Decision) Sentence() string {
	switch {
	case d.Failed != "":
		return "Not judged, model unchanged: " + d.Failed
	case len(d.Candidates) == 0:
		return "No improvement found; model unchanged."
	case d.Winner > 0:
		return "Accepted: " + d.Candidates[d.Winner-1].sentence() + "."
	}
	best := &d.Candidates[0]
	for i := range d.Candidates {
		if c := &d.Candidates[i]; c.On != nil && (best.On == nil || c.On.Ratio < best.On.Ratio) {
			best = c
		}
	}
	if len(d.Candidates) == 1 {
		return "Model unchanged; the rewritten model: " + best.sentence() + "."
	}
	return fmt.Sprintf("Model unchanged; %d rewritten models measured, the best: %s.", len(d.Candidates), best.sentence())
}

func (o *Outcome) sentence() string {
	if o.On == nil {
		return fmt.Sprintf("%s (%s)", o.Verdict, o.Why)
	}
	parts := []string{fmt.Sprintf("%s, %s", o.Verdict, o.On)}
	if o.Off != nil {
		parts = append(parts, "without optimizations "+o.Off.change())
	}
	return strings.Join(parts, "; ")
}

// String is "6.12 ms -> 5.37 ms, time -12.3 % (-12.9 % to -11.8 % at 95 % confidence, 96 rounds)".
func (c *Comparison) String() string {
	return fmt.Sprintf("%s -> %s, %s", duration(c.Original), duration(c.Candidate), c.change())
}

func (c *Comparison) change() string {
	return fmt.Sprintf("time %s (%s to %s at %.4g %% confidence, %d rounds)", percent(c.Ratio), percent(c.Low), percent(c.High), 100*c.Confidence, c.Rounds)
}

// percent is the change of a time with its sign.
func percent(ratio float64) string {
	if math.IsInf(ratio, 1) {
		return "any"
	}
	s := fmt.Sprintf("%+.1f %%", 100*(ratio-1))
	if s == "-0.0 %" || s == "+0.0 %" {
		return "0.0 %"
	}
	return s
}

func duration(s float64) string {
	switch {
	case s >= 1:
		return fmt.Sprintf("%.3g s", s)
	case s >= 1e-3:
		return fmt.Sprintf("%.3g ms", 1e3*s)
	}
	return fmt.Sprintf("%.3g µs", 1e6*s)
}

// LevelNames lists the levels for messages and flags.
func LevelNames() string {
	var names []string
	for _, l := range ort.Levels() {
		names = append(names, string(l))
	}
	return strings.Join(names, ", ")
}
