package verifymodels

import (
	"fmt"
	"strconv"
	"strings"
)

// Verdict is the answer of the exact comparison.
type Verdict string

const (
	// Equal: all outputs agree modulo 2^61 - 1 in every run.
	Equal Verdict = "equal"
	// Different: an output differs, and only additions and multiplications
	// occur: as exact functions the models differ. Rounded weights suffice.
	Different Verdict = "different"
	// Undecided: an output differs, but functions or maxima occur, so that the
	// models may still be equal by what is special about them.
	Undecided Verdict = "undecided"
	// NotRun: the comparison was not made; Why says why.
	NotRun Verdict = "not run"
)

// Report is the result of a comparison.
type Report struct {
	A    Side   `json:"a"`
	B    Side   `json:"b"`
	Seed uint64 `json:"seed"`
	Runs int    `json:"runs"` // sets of random inputs
	// Agree: no output deviates by more than the tolerance; where no numbers were
	// compared, the models are exactly equal.
	Agree   bool    `json:"agree"`
	Exact   Exact   `json:"exact"`
	Numbers Numbers `json:"numbers"`
}

// Side describes one of the models.
type Side struct {
	Name      string `json:"name"`
	Operators int    `json:"operators"`
	Params    int64  `json:"params"`
	FLOPs     int64  `json:"flops"` // of one run
}

// Exact is the comparison modulo a prime.
type Exact struct {
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why,omitempty"` // of a verdict that is not Equal
	// AnyWeights: the models have the same weights, and are equal for all numbers
	// in their place.
	AnyWeights bool `json:"anyWeights,omitempty"`
	// Output is the first output that differs, by its name in A.
	Output string `json:"output,omitempty"`
}

// Numbers is the comparison in floating point.
type Numbers struct {
	// By is what computed: "float64 reference" or a backend.
	By        string   `json:"by,omitempty"`
	Tolerance float64  `json:"tolerance"`     // of Output.Relative
	Why       string   `json:"why,omitempty"` // why it was not made, "" if it was
	Outputs   []Output `json:"outputs,omitempty"`
}

// Output is the deviation of one output, the largest of all runs.
type Output struct {
	NameA    string  `json:"a"` // in A
	NameB    string  `json:"b"` // in B
	Sizes    []int   `json:"sizes"`
	Largest  float64 `json:"largest"`  // magnitude of an element, in either model
	Absolute float64 `json:"absolute"` // largest deviation of an element
	Relative float64 `json:"relative"` // Absolute over Largest; 0 if both are 0
	// At is the index of the element that deviates most; A and B are its values.
	At []int   `json:"at"`
	A  float64 `json:"valueA"`
	B  float64 `json:"valueB"`
	// NaNs counts the elements that are NaN or infinite in one model only, or
	// infinite with another sign. Any makes the output disagree.
	NaNs int `json:"nans"`
}

// Agrees reports whether the output is within a tolerance.
func (o Output) Agrees(tolerance float64) bool { return o.NaNs == 0 && o.Relative <= tolerance }

// String is the report as text for people, a line for the exact comparison and
// one for each output.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "A: %s\nB: %s\n", r.A, r.B)
	fmt.Fprintf(&b, "exact, modulo 2^61-1: %s", r.Exact.Verdict)
	if r.Exact.AnyWeights {
		b.WriteString(", whatever the numbers of the weights")
	}
	if r.Exact.Output != "" {
		fmt.Fprintf(&b, " at output %s", r.Exact.Output)
	}
	if r.Exact.Why != "" {
		fmt.Fprintf(&b, " (%s)", r.Exact.Why)
	}
	b.WriteByte('\n')
	if r.Numbers.Why != "" {
		fmt.Fprintf(&b, "numbers: not compared (%s)\n", r.Numbers.Why)
	} else {
		fmt.Fprintf(&b, "numbers, %s:\n", r.Numbers.By)
	}
	for _, o := range r.Numbers.Outputs {
		name := o.NameA
		if o.NameB != name {
			name += " / " + o.NameB
		}
		word := "agrees"
		if !o.Agrees(r.Numbers.Tolerance) {
			word = "DIFFERS"
		}
		fmt.Fprintf(&b, "  %s: %s, largest deviation %.3g absolute, %.3g relative", name, word, o.Absolute, o.Relative)
		if o.Absolute > 0 {
			fmt.Fprintf(&b, ", at %v: %s and %s", o.At, short(o.A), short(o.B))
		}
		if o.NaNs > 0 {
			fmt.Fprintf(&b, ", %d elements are no numbers in one model only", o.NaNs)
		}
		b.WriteByte('\n')
	}
	verdict := "the models agree"
	switch {
	case r.Exact.Verdict == NotRun && len(r.Numbers.Outputs) == 0:
		verdict = "nothing was compared"
	case !r.Agree:
		verdict = "the models DIFFER"
	}
	fmt.Fprintf(&b, "%s (random inputs: %d, seed %d)\n", verdict, r.Runs, r.Seed)
	return b.String()
}

// String is one line.
func (s Side) String() string {
	return fmt.Sprintf("%s, %d operators, %d parameters, %.4g GFLOP", s.Name, s.Operators, s.Params, float64(s.FLOPs)/1e9)
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 7, 64) }
