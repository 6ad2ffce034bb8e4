package verifymodels

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/assume"
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

// Conclusion is what all comparisons together say of two models.
type Conclusion string

const (
	// ModelsEqual: exactly equal, and no output deviates in numbers.
	ModelsEqual Conclusion = "equal"
	// ModelsAgree: not shown to be equal, but no output deviates by more than the
	// tolerance, and all that is fed to them was tried: what a rewrite that rounds
	// weights, or uses what is special about a function, looks like.
	ModelsAgree Conclusion = "agree"
	// ModelsDiffer: an output deviates, or a weight that both hold is not the same
	// where nothing else differs.
	ModelsDiffer Conclusion = "differ"
	// NotKnown: nothing deviates, but not all was reached; Unreached says what.
	NotKnown Conclusion = "unknown"
	// NotCompared: neither comparison was made.
	NotCompared Conclusion = "not compared"
)

// Report is the result of a comparison.
type Report struct {
	A    Side   `json:"a"`
	B    Side   `json:"b"`
	Seed uint64 `json:"seed"`
	Runs int    `json:"runs"` // sets of inputs in numbers, or that were asked for
	// Agree: the verdict is ModelsEqual or ModelsAgree.
	Agree   bool       `json:"agree"`
	Verdict Conclusion `json:"verdict"`
	// Statement is the verdict in words, with what it rests on.
	Statement string `json:"statement"`
	// Assumptions are what the verdict takes for granted, see package verify/assume.
	Assumptions []assume.Name `json:"assumptions"`
	// Proved: there is a proof for all inputs. Exhaustive: no input is a floating-point
	// number, and all of them were tried.
	Proved     bool `json:"proved,omitempty"`
	Exhaustive bool `json:"exhaustive,omitempty"`
	// Batches are the sizes of a dynamic batch for which the models were compared.
	Batches []int `json:"batches,omitempty"`
	// Sizes are the dynamic sizes if the verdict holds for all of them. It is empty for models
	// with fixed sizes, and where only the sizes in At were compared. Only are fixed sizes of
	// dynamic dimensions, and SizesFixed says why they are fixed if nobody asked for it.
	Sizes      []graph.SizeVar `json:"sizes,omitempty"`
	At         []string        `json:"compared_at,omitempty"`
	Only       string          `json:"only_for,omitempty"`
	SizesFixed string          `json:"sizes_fixed,omitempty"`
	// Unreached says what could make a difference and was seen by no run.
	Unreached []string `json:"unreached,omitempty"`
	// Weights are the weights that both models hold (at the same place if the
	// models have one structure, by name otherwise) and that differ.
	Weights []WeightDifference `json:"weights,omitempty"`
	// unclear: integers that differ are read by a node that is not understood, which may
	// make the same of both.
	unclear bool
	Exact   Exact   `json:"exact"`
	Numbers Numbers `json:"numbers"`
	// Notes are what the comparison takes for granted.
	Notes []string `json:"notes,omitempty"`
}

// weightsDecide reports whether the models are the same but for numbers of
// weights, and those differ by more than rounding.
func (r *Report) weightsDecide() bool {
	return r.Exact.Verdict != Equal && r.Exact.ButForWeights && !r.unclear && slices.ContainsFunc(r.Weights, func(d WeightDifference) bool { return !d.rounded })
}

// conclude sets the verdict.
func (r *Report) conclude() {
	ran, deviates := len(r.Numbers.Outputs) > 0, false
	for _, out := range r.Numbers.Outputs {
		deviates = deviates || !out.Agrees()
	}
	switch {
	case deviates:
		r.Verdict = ModelsDiffer
	case r.Exact.Verdict == Equal && len(r.Unreached) == 0, r.Exhaustive:
		r.Verdict = ModelsEqual
	case r.weightsDecide():
		r.Verdict = ModelsDiffer
	case !ran && r.Exact.Verdict == NotRun:
		r.Verdict = NotCompared
	case !ran && r.Exact.Verdict == Different:
		r.Verdict = ModelsDiffer
	case !ran, len(r.Unreached) > 0:
		r.Verdict = NotKnown
	default:
		r.Verdict = ModelsAgree
	}
	r.Agree = r.Verdict == ModelsEqual || r.Verdict == ModelsAgree
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
	// Structure: both apply the same operators to the same inputs and weights, so
	// that no run was needed.
	Structure bool `json:"structure,omitempty"`
	// ButForWeights: the models would be equal if the weights that both hold were.
	ButForWeights bool `json:"butForWeights,omitempty"`
	// AnyWeights: the models have the same weights, and are equal for all numbers
	// in their place.
	AnyWeights bool `json:"anyWeights,omitempty"`
	// Bits: of models that are equal by evaluation, the chance that they were only taken to
	// be so is below 2^-Bits.
	Bits int `json:"bits,omitempty"`
	// FewBits: no output differs, but Bits is too small, so that the models are not said to be
	// equal.
	FewBits bool `json:"fewBits,omitempty"`
	// Output is the first output that differs, by its name in A.
	Output string `json:"output,omitempty"`
}

// Numbers is the comparison in floating point.
type Numbers struct {
	// By is what computed: "float64 reference" or a backend.
	By        string  `json:"by,omitempty"`
	Tolerance float64 `json:"tolerance"`     // the largest one of an output
	Why       string  `json:"why,omitempty"` // why it was not made, "" if it was
	Runs      int     `json:"runs"`          // sets of inputs
	// beyond says where outputs differ of inputs that are no numbers.
	beyond []string
	// exhausted: all inputs were tried, and no output differs in any bit.
	exhausted bool
	Outputs   []Output `json:"outputs,omitempty"`
}

// Output is the deviation of one output, in the run where it is largest relative
// to the output.
type Output struct {
	NameA string `json:"a"` // in A
	NameB string `json:"b"` // in B
	Sizes []int  `json:"sizes"`
	// Tolerance is the relative deviation that agrees; Type is what it is due to, a type
	// narrower than float32 in which something is computed that the output depends on.
	Tolerance float64 `json:"tolerance"`
	Type      string  `json:"type,omitempty"`
	Largest   float64 `json:"largest"`  // magnitude of an element, in either model
	Absolute  float64 `json:"absolute"` // largest deviation of an element
	Relative  float64 `json:"relative"` // Absolute over Largest; 0 if both are 0
	// At is the index of the element that deviates most; A and B are its values.
	At []int   `json:"at"`
	A  float64 `json:"valueA"`
	B  float64 `json:"valueB"`
	// Chosen says what was fed to the inputs there, if they were chosen for what they reach.
	Chosen string `json:"chosen,omitempty"`
	// NaNs counts the elements that are NaN or infinite in one model only, or
	// infinite with another sign. Any makes the output disagree.
	NaNs int `json:"nans"`
}

// Agrees reports whether the output is within its tolerance.
func (o Output) Agrees() bool { return o.NaNs == 0 && o.Relative <= o.Tolerance }

// String is the report as text for people: the verdict, what it takes for granted, a line for
// the exact comparison and one for each output.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Statement)
	b.WriteString(AssumptionLine(r.Assumptions))
	fmt.Fprintf(&b, "A: %s\nB: %s\n", r.A, r.B)
	fmt.Fprintf(&b, "exact, modulo 2^61 - 1: %s", r.Exact.Verdict)
	if r.Exact.Structure {
		b.WriteString(", by the same structure")
	}
	if r.Exact.AnyWeights {
		b.WriteString(", for any weights")
	}
	if r.Exact.Output != "" {
		fmt.Fprintf(&b, " at output %s", r.Exact.Output)
	}
	if r.Exact.Why != "" {
		fmt.Fprintf(&b, " (%s)", r.Exact.Why)
	}
	b.WriteByte('\n')
	r.writeWeights(&b)
	if r.Numbers.Why != "" {
		fmt.Fprintf(&b, "floating point: not compared (%s)\n", r.Numbers.Why)
	} else {
		fmt.Fprintf(&b, "floating point (%s):\n", r.Numbers.By)
	}
	for _, o := range r.Numbers.Outputs {
		name := o.NameA
		if o.NameB != name {
			name += " / " + o.NameB
		}
		word := "agrees"
		if !o.Agrees() {
			word = "DIFFERS"
		}
		fmt.Fprintf(&b, "  %s: %s, largest deviation %.3g absolute, %.3g relative", name, word, o.Absolute, o.Relative)
		if o.Absolute > 0 {
			fmt.Fprintf(&b, ", at %v: %s and %s", o.At, short(o.A), short(o.B))
		}
		b.WriteString(o.Chosen)
		if o.NaNs > 0 {
			fmt.Fprintf(&b, ", %d elements are NaN or infinite in one model only", o.NaNs)
		}
		if o.Type != "" {
			fmt.Fprintf(&b, ", where up to %.2g agrees: 16 roundings of %s", o.Tolerance, o.Type)
		}
		b.WriteByte('\n')
	}
	for _, text := range r.Unreached {
		fmt.Fprintf(&b, "not reached: %s\n", text)
	}
	if r.SizesFixed != "" {
		fmt.Fprintf(&b, "dynamic dimensions have fixed sizes, because a model cannot be read for all sizes: %s\n", r.SizesFixed)
	}
	for _, text := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", text)
	}
	fmt.Fprintf(&b, "random inputs: %d, seed %d\n", r.Runs, r.Seed)
	return b.String()
}

// AssumptionLine lists assumptions as a line of text; it is empty if there are none.
func AssumptionLine(list []assume.Name) string {
	if len(list) == 0 {
		return ""
	}
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = string(n)
	}
	return fmt.Sprintf("assuming %s (docs/trust.md)\n", strings.Join(names, ", "))
}

// Prove enters a proof that the models compute the same, and what it takes for granted. It
// does not change the verdict on models that were seen to differ, or were compared for
// several batches, which a proof is not about. A proof about dynamic sizes is one for all of them,
// sizes.
func (r *Report) Prove(assumptions []assume.Name, sizes []graph.SizeVar) {
	if r.Verdict == ModelsDiffer || len(r.Batches) > 0 || r.Exact.Structure && len(r.At) == 0 {
		return
	}
	r.Verdict, r.Agree, r.Proved = ModelsEqual, true, true
	r.Sizes, r.At = sizes, nil
	r.Assumptions, r.Unreached = assumptions, nil
	r.State()
}

// State says the verdict in words.
func (r *Report) State() {
	batches := ""
	for i, n := range r.Batches {
		if word := " for batch "; i == 0 {
			batches = word + strconv.Itoa(n)
		} else {
			batches += " and " + strconv.Itoa(n)
		}
	}
	if sizes := r.forSizes(); batches != "" && sizes != "" {
		batches += "," + strings.TrimPrefix(sizes, " for")
	} else {
		batches += sizes
	}
	switch r.Verdict {
	case ModelsEqual:
		how := "proved for all inputs"
		switch {
		case r.Proved || r.Exact.Structure:
		case r.Exhaustive:
			how = fmt.Sprintf("all %d inputs tried", r.Runs)
		default:
			how = fmt.Sprintf("exact on random residues, error probability < 2^-%d", r.Exact.Bits)
		}
		r.Statement = fmt.Sprintf("equal%s (%s)", batches, how)
	case ModelsAgree:
		samples := "samples"
		if r.Runs == 1 {
			samples = "sample"
		}
		r.Statement = fmt.Sprintf("agree on %d %s%s", r.Runs, samples, batches)
	case ModelsDiffer:
		r.Statement = "differ" + batches
		if r.weightsDecide() {
			r.Statement += ": their weights differ"
		}
	case NotKnown:
		r.Statement = "not known: " + cmp.Or(r.Exact.Why, "nothing was run")
		switch n := len(r.Unreached); {
		case n > 0:
			r.Statement = "not known: not reached: " + r.Unreached[0]
			if n > 1 {
				r.Statement += fmt.Sprintf(", and %d more", n-1)
			}
		}
	default:
		r.Statement = "not compared: " + cmp.Or(r.Numbers.Why, r.Exact.Why)
	}
}

// maxWeights bounds the weights that are printed.
const maxWeights = 10

func (r *Report) writeWeights(b *strings.Builder) {
	for i, d := range r.Weights {
		if i == maxWeights {
			fmt.Fprintf(b, "and %d more weights that differ\n", len(r.Weights)-i)
			return
		}
		name := d.NameA
		if d.NameB != name {
			name += " / " + d.NameB
		}
		fmt.Fprintf(b, "weight %s: %d of %d elements differ", name, d.Differ, d.Elements)
		if d.Absolute > 0 {
			fmt.Fprintf(b, ", by at most %.3g (largest element %.3g), at %v: %s and %s", d.Absolute, d.Largest, d.At, short(d.A), short(d.B))
		}
		if d.NaNs > 0 {
			fmt.Fprintf(b, ", %d are NaN or infinite in one model", d.NaNs)
		}
		b.WriteByte('\n')
	}
}

// String is one line.
func (s Side) String() string {
	return fmt.Sprintf("%s, %d operators, %d parameters, %.4g GFLOP", s.Name, s.Operators, s.Params, float64(s.FLOPs)/1e9)
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 7, 64) }
