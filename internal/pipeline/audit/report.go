package audit

import (
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/refute"
)

// Outcome is what an audit says of a rule, or of one of its directions:
// the words of a [law.Status], and those of an audit.
type Outcome string

// The outcomes. Only Proved says that a rule is true as it stands.
const (
	// Proved: holds wherever the source is defined, for all sizes.
	Proved Outcome = law.ProvedWord
	// Conditional: proved under a condition that is printed, for all sizes.
	Conditional Outcome = "conditional"
	// UpTo: proved up to a limit that is printed, such as strides to 3, and
	// nothing is known beyond it.
	UpTo Outcome = "up-to"
	// Refuted: there is a counterexample, and no condition was found under
	// which the rule holds.
	Refuted Outcome = law.RefutedWord
	// Unknown: neither; Reason says what stopped the search.
	Unknown Outcome = law.UnknownWord
	// IllFormed: not a rule: unbound variable, no shapes at all, wrong arity.
	IllFormed Outcome = "ill-formed"
	// Unsupported: an operator or attribute that is not modelled.
	Unsupported Outcome = "unsupported"
)

// Outcomes in the order in which tables list them. Tables, pages, JSON and help
// name them by these words.
var Outcomes = []Outcome{Proved, Conditional, UpTo, Refuted, Unknown, IllFormed, Unsupported}

// Doc says what an outcome means, in a line.
func (o Outcome) Doc() string {
	switch o {
	case Proved:
		return "true as written, for all shapes"
	case Conditional:
		return "true under the printed condition; false without it if a counterexample is shown"
	case UpTo:
		return "true up to the printed limit, such as strides to 3; unknown beyond it"
	case Refuted:
		return "false; the smallest counterexample found is shown"
	case Unknown:
		return "neither proved nor refuted, for the printed reason"
	case IllFormed:
		return "no rule: a variable on one side only, or shapes that never fit"
	case Unsupported:
		return "has an operator that is not modelled"
	}
	return ""
}

// Report is the audit of one file.
type Report struct {
	File    string  `json:"file"`
	Format  string  `json:"format"`
	Summary Summary `json:"summary"`
	Rules   []*Rule `json:"rules"`
	Set     SetPart `json:"set"`
	// Provers compares ways to prove; nil unless asked for.
	Provers *Provers `json:"provers,omitempty"`
}

// Provers compares, in one run and with one worker, the proofs of this program
// with those of the papers: all axioms as quantified formulas and a solver for
// each rule. The goals are the laws of the file that the axioms prove, each
// once.
type Provers struct {
	Goals             int     `json:"goals"`
	Proved            int     `json:"proved"` // by e-graph, Z3 on ground formulas, and checker
	Seconds           float64 `json:"seconds"`
	QuantifiedProved  int     `json:"quantified_proved"`
	QuantifiedSeconds float64 `json:"quantified_seconds"`
}

// Summary counts the rules of a file.
type Summary struct {
	Rules int `json:"rules"`
	// Verdicts counts them by outcome; every outcome is there.
	Verdicts map[Outcome]int `json:"verdicts"`
	// Certified counts those of which all that they claim has a certificate: a proof of the
	// rule as it stands or with its condition.
	Certified int `json:"certified"`
	// Duplicates: rules that say the same as an earlier one, up to renaming and
	// exchange of the sides. Derivable: rules that follow from the others.
	Duplicates int     `json:"duplicates"`
	Derivable  int     `json:"derivable"`
	Seconds    float64 `json:"seconds"`
	// Readings counts by reading, in the order of [All]: those that some rule has.
	Readings []ReadingCount `json:"readings,omitempty"`
}

// ReadingCount counts the rules that a reading is about.
type ReadingCount struct {
	Semantics string          `json:"semantics"`
	Verdicts  map[Outcome]int `json:"verdicts"` // left to right
	// AnyDegree counts those with degrees of parallelism, read with any degree in their
	// place.
	AnyDegree map[Outcome]int `json:"any_degree,omitempty"`
}

// Rule is the audit of one rule.
type Rule struct {
	Index int    `json:"index"` // position in the file, from 0
	ID    string `json:"id"`    // of the law: r_ and ten digits; "" if there is none
	Name  string `json:"name"`  // as the file has it, or made of the index
	Place string `json:"place,omitempty"`
	// Source is the rule as the file has it, in one line.
	Source string `json:"source"`
	// Equation: both directions are claimed, not only left to right.
	Equation bool `json:"equation"`
	// Verdict is that of the direction left to right over all readings asked
	// for, VerdictReverse that of right to left; "" if it is not claimed.
	Verdict        Outcome `json:"verdict"`
	VerdictReverse Outcome `json:"verdict_reverse"`
	// Semantics lists the readings under which the rule holds.
	Semantics []string `json:"semantics"`
	// Condition says when it holds, in words; "" if always.
	Condition        string `json:"condition"`
	ConditionReverse string `json:"condition_reverse,omitempty"`
	Reason           string `json:"reason"`
	ReasonReverse    string `json:"reason_reverse,omitempty"`
	// Unsupported lists what is not modelled.
	Unsupported []string `json:"unsupported,omitempty"`
	Millis      float64  `json:"ms"`
	// Axioms are those that a minimal proof from axioms uses; only with Options.Quantified.
	Axioms []string `json:"axioms"`
	// Law is the rule in the law language, in the form that was proved left to
	// right, or else as it was read.
	Law string `json:"law,omitempty"`
	// DuplicateOf is the index of the first rule that says the same, -1 if none.
	DuplicateOf int `json:"duplicate_of"`
	// SubsumedBy is the index of a rule of which this is an instance, -1 if none.
	SubsumedBy int `json:"subsumed_by"`
	// DerivableFrom are the indices of the rules of the minimal subset that it
	// follows from; nil if it does not.
	DerivableFrom []int `json:"derivable_from"`
	// Trivial: the rule only exchanges operands of commutative operators.
	Trivial        bool            `json:"trivial,omitempty"`
	Counterexample *Counterexample `json:"counterexample"`
	Readings       []Reading       `json:"readings,omitempty"`
	// Certificate lists the axiom and lemma instances from which Law follows; none of
	// a proof by sums.
	Certificate []law.InstanceText `json:"certificate,omitempty"`
	// Reverse is the direction right to left as it was proved, where Law does
	// not hold both ways, and ReverseCertificate its instances.
	Reverse            string             `json:"law_reverse,omitempty"`
	ReverseCertificate []law.InstanceText `json:"certificate_reverse,omitempty"`
	// Meaning and ReverseMeaning are proofs from what operators compute, in their place
	// (package verify/meaning).
	Meaning        []int64 `json:"meaning,omitempty"`
	ReverseMeaning []int64 `json:"meaning_reverse,omitempty"`

	// Goals are what Law and Reverse say, with their proofs; nil where nothing
	// was proved. They are one if Law holds both ways.
	Goals [2]*Goal `json:"-"`

	// form is the canonical form of what was proved left to right; nil if there is none.
	form *law.Law

	// Operators are those of a rule without a law.
	Operators []string `json:"-"`
}

// Goal is a law that was proved for all sizes.
type Goal struct {
	Law   *law.Law
	Proof *law.Proof // nil: none was found that can be checked
}

// Reading is what was found under one reading of the format.
type Reading struct {
	Semantics string `json:"semantics"`
	// Grouped: Law has convolutions of any number of groups, since the reading
	// does or since with one group the rule has no shapes.
	Grouped        bool      `json:"grouped,omitempty"`
	Forward        Direction `json:"forward"`
	Backward       Direction `json:"backward"`
	Law            string    `json:"law,omitempty"`
	ShapesAgreeing int       `json:"shapes_agreeing,omitempty"`
	// AnyDegree is the direction from left to right with any degree of parallelism in
	// place of what the rule says; nil where it says none, or the rule has no law. or has no law.
	AnyDegree *Direction `json:"any_degree,omitempty"`
}

// Direction is what was found of one direction under one reading.
type Direction struct {
	Verdict   Outcome `json:"verdict,omitempty"`
	Condition string  `json:"condition,omitempty"`
	// Sizes, of what was proved: "all", or what they are limited to. Defined
	// says where the target is defined: wherever the source is, under the
	// condition if there is one, or that both sides must be.
	Sizes   string `json:"sizes,omitempty"`
	Defined string `json:"defined,omitempty"`
	// Certificate: there is one of what the verdict says, condition included.
	Certificate    bool            `json:"certificate,omitempty"`
	Reason         string          `json:"reason,omitempty"`
	Engine         string          `json:"engine,omitempty"` // sums
	Millis         float64         `json:"ms,omitempty"`
	Counterexample *Counterexample `json:"counterexample,omitempty"`

	broadcast bool // operands that are broadcast refute it
}

// Counterexample shows that a rule does not hold as it stands. It holds the law
// that it refutes, so that it replays without the file it came from.
type Counterexample struct {
	// Shapes and Inputs are the tensors given, by name; values row-major.
	Shapes map[string][]int    `json:"shapes"`
	Inputs map[string][]string `json:"inputs"`
	// LHS and RHS are the sides' outputs, each the values or what went wrong.
	LHS string `json:"lhs"`
	RHS string `json:"rhs"`
	// Law is the text of the law that is refuted.
	Law     string          `json:"law"`
	Witness *refute.Witness `json:"witness"`
}

// SetPart is what an audit says of the rules of a file together.
type SetPart struct {
	// Minimal are the indices of a generating subset: every other true rule
	// follows from these. Classes counts the true rules up to renaming and
	// direction.
	Minimal []int `json:"minimal,omitempty"`
	Classes int   `json:"classes"`
	// AxiomUse counts the rules whose proof from axioms uses an axiom; Unused lists the
	// axioms that no such proof uses; only with Options.Quantified.
	AxiomUse []Use    `json:"axiom_use"`
	Unused   []string `json:"axioms_unused"`
	// Looping lists pairs of rules, or single ones, that undo one another: used
	// left to right, each leads back to where it began.
	Looping [][]int `json:"looping,omitempty"`
	// Operators counts the rules by operator and outcome.
	Operators []Coverage `json:"operators"`
}

// Use is how many rules use an axiom.
type Use struct {
	Name  string `json:"name"`
	Rules int    `json:"rules"`
}

// Coverage counts the rules in which an operator occurs.
type Coverage struct {
	Operator string          `json:"operator"`
	Rules    map[Outcome]int `json:"rules"`
}
