package optimize

import (
	"fmt"
	"math"

	"github.com/taso-go/taso/cost"
)

// Answer is the report in a sentence: how much faster the result is and how that is known,
// or why the model stays.
func (r *Report) Answer() string {
	switch d := r.Judged; {
	case d != nil && d.Winner > 0 && r.StepCount == 0 && !r.Cleaned:
		return "Model unchanged; the candidate that was faster in ONNX Runtime was refused."
	case d != nil && (d.Winner > 0 || d.Failed != "" || len(d.Candidates) > 0):
		return d.Sentence()
	case r.StepCount == 0 && r.Cleaned:
		return fmt.Sprintf("No rewrite rule applied; duplicate and unused nodes removed: %d -> %d operators.", r.Before.Operators, r.After.Operators)
	case r.StepCount == 0:
		return "No improvement found; model unchanged: " + r.whyUnchanged() + "."
	}
	modelled := fmt.Sprintf("cost %s -> %s (speedup %s)", r.CostBefore, r.CostAfter, Speedup(r.CostBefore, r.CostAfter))
	kept := r.kept()
	switch {
	case kept == nil:
		return "Modelled " + modelled + ", not measured."
	case kept.faster():
		return fmt.Sprintf("Speedup %s, measured: %s -> %s; modelled %s.", Speedup(r.MeasuredBefore, r.MeasuredAfter), r.MeasuredBefore, r.MeasuredAfter, modelled)
	}
	return fmt.Sprintf("No measurable difference in run time (%s -> %s); modelled %s.", r.MeasuredBefore, r.MeasuredAfter, modelled)
}

// whyUnchanged is why the model is its own result.
func (r *Report) whyUnchanged() string {
	switch {
	case r.Slower:
		return "a cheaper candidate was slower when measured"
	case r.Dropped > 0:
		return "a slightly cheaper candidate was not faster when measured"
	case r.Deviated > 0 || len(r.Refused) > 0:
		return "cheaper candidates were refused"
	case r.Interrupted:
		return "the search was stopped before its end"
	case r.Tried == 0:
		return "no rewrite rule matches"
	}
	return fmt.Sprintf("none of %d candidates is cheaper", r.Tried)
}

// kept is the candidate that became the result; nil: none was measured.
func (r *Report) kept() *Measured {
	for i := range r.Measured {
		if m := &r.Measured[i]; m.Kept && i > 0 {
			return m
		}
	}
	return nil
}

// faster reports whether a candidate takes less time than the model, by more than chance.
func (m *Measured) faster() bool {
	return m.Difference < 0 && -m.Difference > max(m.Spread, smallest*m.Seconds)
}

// Speedup is "1.25x", of the time before over that after.
func Speedup(before, after cost.Seconds) string {
	x := float64(before / after)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return fmt.Sprintf("%.2fx", x)
}
