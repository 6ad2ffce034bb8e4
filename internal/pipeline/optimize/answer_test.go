package optimize

import (
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/judge"
	"github.com/taso-go/taso/internal/ort"
)

// The first sentence of a report claims no more than what was measured.
func TestAnswer(t *testing.T) {
	times := func(difference, spread float64) []Measured {
		return []Measured{{Name: asItWas, Seconds: 2e-3}, {Name: cheapest, Seconds: 1.6e-3, Kept: true, Difference: cost.Seconds(difference), Spread: cost.Seconds(spread)}}
	}
	changed := Report{StepCount: 1, CostBefore: 3e-3, CostAfter: 2e-3, MeasuredBefore: 2e-3, MeasuredAfter: 1.6e-3}
	measured := func(difference, spread float64) Report {
		r := changed
		r.Measured = times(difference, spread)
		return r
	}
	won := &judge.Decision{Winner: 1, Candidates: []judge.Outcome{{Verdict: judge.Faster, On: &judge.Comparison{Original: 2, Candidate: 1, Ratio: 0.5, Low: 0.5, High: 0.5, Confidence: 0.95}}},
		Version: "1", Level: ort.All, Threads: 1}
	for _, c := range []struct {
		r    Report
		want string
	}{
		{changed, "Modelled cost 3 ms -> 2 ms (speedup 1.50x), not measured."},
		{measured(-4e-4, 1e-4), "Speedup 1.25x, measured: 2 ms -> 1.6 ms; modelled cost 3 ms -> 2 ms (speedup 1.50x)."},
		{measured(-4e-4, 5e-4), "No measurable difference in run time (2 ms -> 1.6 ms); modelled cost 3 ms -> 2 ms (speedup 1.50x)."},
		{measured(-1e-6, 0), "No measurable difference in run time (2 ms -> 1.6 ms); modelled cost 3 ms -> 2 ms (speedup 1.50x)."},
		{Report{}, "No improvement found; model unchanged: no rewrite rule matches."},
		{Report{Tried: 7}, "No improvement found; model unchanged: none of 7 candidates is cheaper."},
		{Report{Tried: 7, Dropped: 1, Slower: true}, "No improvement found; model unchanged: a cheaper candidate was slower when measured."},
		{Report{Tried: 7, Dropped: 1}, "No improvement found; model unchanged: a slightly cheaper candidate was not faster when measured."},
		{Report{Tried: 7, Refused: []string{"x"}}, "No improvement found; model unchanged: cheaper candidates were refused."},
		{Report{Tried: 7, Interrupted: true}, "No improvement found; model unchanged: the search was stopped before its end."},
		{Report{Tried: 7, Judged: &judge.Decision{}}, "No improvement found; model unchanged: none of 7 candidates is cheaper."},
		{Report{Cleaned: true, Before: Size{Operators: 9}, After: Size{Operators: 7}}, "No rewrite rule applied; duplicate and unused nodes removed: 9 -> 7 operators."},
		{Report{Judged: won}, "Model unchanged; the candidate that was faster in ONNX Runtime was refused."},
		{Report{Judged: won, StepCount: 1}, won.Sentence()},
	} {
		if got := c.r.Answer(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
