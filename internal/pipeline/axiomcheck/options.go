package axiomcheck

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/bounded"
	"github.com/taso-go/taso/verify/refute"
)

// Part is one of the questions that are asked.
type Part string

// The parts; see the package comment.
const (
	Bounded     Part = "bounded"
	Unbounded   Part = "unbounded"
	Redundancy  Part = "redundancy"
	Refutes     Part = "refutes"
	Mutants     Part = "mutants"
	Consistency Part = "consistency"
)

// Parts lists all parts in the order of the report.
var Parts = []Part{Bounded, Unbounded, Redundancy, Refutes, Mutants, Consistency}

// Options configure a check. The zero value checks the program's own laws in
// every part but unbounded.
type Options struct {
	// Laws are checked; nil means those of package axioms. Laws of one's own are
	// checked together with those of the program: proofs may use both, and where
	// names are equal the given law stands.
	Laws []*law.Law
	// Only names the laws to check, the others being there to prove from; nil
	// means all.
	Only []string
	// Parts to run; nil means all.
	Parts []Part
	// Instances is the most instances of a law in the bounded part; 0 means 4000.
	Instances int
	// MutantInstances is the same for a mutant; 0 means 300.
	MutantInstances int
	// Z3Pairs is how many pairs of unequal terms Z3 is asked about in the part
	// consistency; 0 means 100.
	Z3Pairs int
	// Workers is the number of goroutines; 0 means one for each processor.
	Workers int
	// Checkpoint is the file in which finished tasks are kept; "" means none.
	Checkpoint string
	// Unbounded decides a law for all sizes: status is "proved", "refuted" or
	// "unknown". Where it is nil the part is left out.
	Unbounded func(ctx context.Context, l *law.Law) (status, reason string, seconds float64)
	// Progress shows how far the run is; nil is silent.
	Progress *progress.Reporter
}

// Report is the outcome of a check.
type Report struct {
	AxiomsSHA256 string             `json:"axioms_sha256"` // of all laws that proofs may use
	Parts        []Part             `json:"parts"`
	Lints        []string           `json:"lints,omitempty"`
	Laws         []*LawReport       `json:"laws"`
	Refutes      []*RefuteReport    `json:"refutes,omitempty"`
	Consistency  *ConsistencyReport `json:"consistency,omitempty"`
	// Spare are axioms that follow from the others all together: without them
	// the rest proves as much. It is one choice of several.
	Spare   []string `json:"spare,omitempty"`
	Summary Summary  `json:"summary"`
	// Findings say what is wrong, in the order of the report.
	Findings []string `json:"findings"`
	// Stopped says why the run ended early, "" if it did not. What is missing
	// then is nil.
	Stopped    string  `json:"stopped,omitempty"`
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`      // of the whole process
	Reused     int     `json:"reused,omitempty"` // tasks taken from the checkpoint
}

// Summary adds up the report. Its seconds are those that the goroutines spent,
// on an idle machine processor time.
type Summary struct {
	Axioms       int     `json:"axioms"`
	Lemmas       int     `json:"lemmas"`
	Refutes      int     `json:"refutes"`
	Instances    int     `json:"instances"`
	Symbolic     int     `json:"symbolic"`
	Tested       int     `json:"tested"`
	Undefined    int     `json:"undefined"`
	Complete     int     `json:"complete"` // laws checked on all instances of the scope
	ProvedAll    int     `json:"proved_for_all_sizes"`
	Derivable    int     `json:"derivable_axioms"`
	Witnesses    int     `json:"witnesses"`
	MutantsMade  int     `json:"mutants"`
	MutantsDead  int     `json:"mutants_killed"`
	MutantsTrue  int     `json:"mutants_true"`
	BoundedSecs  float64 `json:"bounded_seconds"`
	DeriveSecs   float64 `json:"redundancy_seconds"`
	MutantsSecs  float64 `json:"mutants_seconds"`
	UnboundedSec float64 `json:"unbounded_seconds"`
}

// LawReport is what was found of one axiom or lemma; a part that was not run is
// nil.
type LawReport struct {
	Name       string            `json:"name"`
	Kind       string            `json:"kind"`
	Place      string            `json:"place"`
	Bounded    *bounded.Result   `json:"bounded,omitempty"`
	Unbounded  *UnboundedResult  `json:"unbounded,omitempty"`
	Redundancy *RedundancyResult `json:"redundancy,omitempty"`
	Mutants    *MutantsResult    `json:"mutants,omitempty"`
}

// UnboundedResult is a verdict for all sizes.
type UnboundedResult struct {
	Status  string  `json:"status"`
	Reason  string  `json:"reason,omitempty"`
	Seconds float64 `json:"seconds"`
}

// RedundancyResult says whether a law follows from others: an axiom from the
// other axioms, a lemma from the axioms and the lemmas before it.
type RedundancyResult struct {
	Derivable bool     `json:"derivable"`
	From      []string `json:"from,omitempty"`   // the laws of the proof
	Reason    string   `json:"reason,omitempty"` // why none was found
	Nodes     int      `json:"nodes"`
	Seconds   float64  `json:"seconds"`
}

// RefuteReport is a refuted equation with its counterexample.
type RefuteReport struct {
	Name    string          `json:"name"`
	Place   string          `json:"place"`
	Witness *refute.Witness `json:"witness,omitempty"`
	Reason  string          `json:"reason,omitempty"` // why there is none, or what contradicts it
	Seconds float64         `json:"seconds"`
}

// MutantsResult counts the mutants of one law.
type MutantsResult struct {
	Made int `json:"made"`
	// Bounded and Refuted are killed by a bounded check and by the search for
	// counterexamples.
	Bounded int `json:"killed_bounded"`
	Refuted int `json:"killed_refuted"`
	// Proved, Argued and Derived are true: proved for all sizes, or else said to
	// be by axioms.TrueMutant, or else derived from the laws.
	Proved  int `json:"true_proved"`
	Argued  int `json:"true_argued"`
	Derived int `json:"true_derived"`
	// Alive are neither killed nor known to be true, Mistaken are killed and said
	// to be true, Contradicted are killed and proved for all sizes.
	Alive        []string `json:"alive,omitempty"`
	Mistaken     []string `json:"mistaken,omitempty"`
	Contradicted []string `json:"contradicted,omitempty"`
	Seconds      float64  `json:"seconds"`
}

// Killed is the number of mutants shown to be false.
func (m *MutantsResult) Killed() int { return m.Bounded + m.Refuted }

// True is the number of mutants known to be true.
func (m *MutantsResult) True() int { return m.Argued + m.Derived + m.Proved }

// ConsistencyReport says that unequal tensors stayed apart.
type ConsistencyReport struct {
	// Terms were put into one e-graph, Constants of them constants; Pairs counts
	// the pairs of one shape whose values differ.
	Terms     int `json:"terms"`
	Constants int `json:"constants"`
	Pairs     int `json:"pairs"`
	// Nodes of the e-graph at the end, and why it ended.
	Nodes int         `json:"nodes"`
	Stop  tensor.Stop `json:"stop"`
	// Met counts the pairs of equal values that became equal, a sign that the
	// laws were at work.
	Met int `json:"met"`
	// Z3Pairs are the unequal pairs that Z3 was asked to prove equal, with all
	// laws quantified, Z3Proved those that it did prove; Z3Instances the
	// quantifier instances that it made.
	Z3Pairs     int `json:"z3_pairs"`
	Z3Proved    int `json:"z3_proved"`
	Z3Instances int `json:"z3_instances"`
	// Merged counts the unequal pairs that became equal in the e-graph; Wrong
	// lists the first of them, and what else contradicts.
	Merged  int      `json:"merged"`
	Wrong   []string `json:"wrong,omitempty"`
	Seconds float64  `json:"seconds"`
}

func (o Options) withDefaults() Options {
	if o.Instances == 0 {
		o.Instances = 4000
	}
	if o.MutantInstances == 0 {
		o.MutantInstances = 300
	}
	if o.Z3Pairs == 0 {
		o.Z3Pairs = 100
	}
	if o.Parts == nil {
		o.Parts = Parts
	}
	if o.Unbounded == nil {
		o.Parts = slices.DeleteFunc(slices.Clone(o.Parts), func(p Part) bool { return p == Unbounded })
	}
	return o
}

// library is all laws of a run.
type library struct {
	check  []*law.Law // what is checked
	others []*law.Law // laws of the program beside those that were given
	axioms []*law.Law
	lemmas []*law.Law
	text   string
}

// gather puts the laws to check beside those of the program.
func gather(o Options) (*library, error) {
	lib := &library{}
	all := axioms.Default()
	if o.Laws != nil {
		given := map[string]bool{}
		for _, l := range o.Laws {
			given[l.Name] = true
		}
		all = slices.DeleteFunc(all, func(l *law.Law) bool { return given[l.Name] })
		lib.others = all
		all = append(slices.Clone(all), o.Laws...)
	}
	for _, l := range all {
		switch l.Kind {
		case law.Axiom:
			lib.axioms = append(lib.axioms, l)
		case law.Lemma:
			lib.lemmas = append(lib.lemmas, l)
		}
	}
	lib.text = law.FormatAll(append(slices.Clone(lib.axioms), lib.lemmas...))
	lib.check = o.Laws
	if lib.check == nil {
		lib.check = all
	}
	for _, l := range lib.check {
		if l.Kind == law.Rule {
			return nil, fmt.Errorf("%s: %s is a rule; rules are audited, not checked as axioms", l.Pos, l.Name)
		}
	}
	if o.Only != nil {
		var names []string
		for _, l := range lib.check {
			names = append(names, l.Name)
		}
		for _, name := range o.Only {
			if !slices.Contains(names, name) {
				return nil, fmt.Errorf("there is no law %q to check%s", name, suggest.DidYouMean(name, names))
			}
		}
		lib.check = slices.DeleteFunc(slices.Clone(lib.check), func(l *law.Law) bool { return !slices.Contains(o.Only, l.Name) })
	}
	return lib, nil
}

// base is what proofs may use.
func (lib *library) base() []*law.Law { return append(slices.Clone(lib.axioms), lib.lemmas...) }
