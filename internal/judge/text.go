package judge

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/internal/ort"
)

// Sentence is the answer in words: why the candidate is accepted, or why the original stays.
func (d *Decision) Sentence() string {
	where := fmt.Sprintf("ONNX Runtime %s (level %s, %d thread", d.Version, d.Level, d.Threads)
	if d.Threads > 1 {
		where += "s"
	}
	where += ")"
	switch {
	case d.Failed != "":
		return "Model unchanged; not measured in " + where + ": " + d.Failed
	case len(d.Candidates) == 0:
		return "No improvement found; model unchanged."
	case d.Winner > 0:
		return fmt.Sprintf("Faster in %s: %s.", where, d.Candidates[d.Winner-1].numbers())
	}
	best := d.best()
	what := "the candidate"
	if n := len(d.Candidates); n > 1 {
		what = fmt.Sprintf("the best of %d candidates", n)
	}
	return fmt.Sprintf("No improvement found; model unchanged: %s %s in %s: %s.", what, best.Verdict.predicate(), where, best.numbers())
}

// predicate says what a candidate with a verdict does.
func (v Verdict) predicate() string {
	switch v {
	case NoDifference:
		return "shows no measurable difference"
	case Fails:
		return "fails"
	case "":
		return "was not measured"
	}
	return "is " + string(v)
}

// best is the candidate with the smallest ratio, the first one if none was measured.
func (d *Decision) best() *Outcome {
	best := &d.Candidates[0]
	for i := range d.Candidates {
		if c := &d.Candidates[i]; c.On != nil && (best.On == nil || c.On.Ratio < best.On.Ratio) {
			best = c
		}
	}
	return best
}

// Best is the comparison of the candidate with the smallest ratio; nil: none was measured.
func (d *Decision) Best() *Comparison {
	if len(d.Candidates) == 0 {
		return nil
	}
	return d.best().On
}

func (o *Outcome) numbers() string {
	if o.On == nil {
		return o.Why
	}
	text := o.On.String()
	if o.Off != nil {
		text += "; with optimizations off: " + o.Off.String()
	}
	for _, x := range o.Elsewhere {
		if x.Comparison != nil {
			text += fmt.Sprintf("; at %s: %s", x.Sizes, x.Comparison)
		}
	}
	return text
}

// Change is "time -12.3 % (-12.9 % to -11.8 % at 95 % confidence)".
func (c *Comparison) Change() string {
	return fmt.Sprintf("time %s (%s to %s at %.4g %% confidence)", percent(c.Ratio), percent(c.Low), percent(c.High), 100*c.Confidence)
}

// String is "6.12 ms -> 5.37 ms, time -12.3 % (-12.9 % to -11.8 % at 95 % confidence)".
func (c *Comparison) String() string {
	return fmt.Sprintf("%s -> %s, %s", duration(c.Original), duration(c.Candidate), c.Change())
}

// percent is the change of a time with its sign.
func percent(ratio float64) string {
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
