package optimize

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/internal/judge"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/feed"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/rules/builtin"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/search/saturate"
)

// Method is a way to search.
type Method string

// The methods.
const (
	// Auto lets the others take turns, each from where one before came to.
	Auto Method = "auto"
	// Backtrack is the search of MetaFlow and TASO (search.Trail.Backtrack).
	Backtrack Method = "backtrack"
	// Descend makes chains of moves that lower the cost (search.Trail.Descend).
	Descend Method = "descend"
	// Saturate puts parts of the network into e-graphs and extracts the cheapest
	// (package search/saturate), as Tensat does.
	Saturate Method = "saturate"
)

// Methods lists them.
func Methods() []string {
	return []string{string(Auto), string(Backtrack), string(Descend), string(Saturate)}
}

// Extractions are the names that Options.Extract may have, but for the default.
func Extractions() []string {
	var names []string
	for _, m := range append(extract.Methods(), extract.MIP) {
		if m != extract.Auto {
			names = append(names, string(m))
		}
	}
	return names
}

// Options say what to optimize and how; Model and Cost must be given.
type Options struct {
	Model *model.Model
	// Source is the file that the model was read from, and Folder where results are written
	// as changes of it; without, results are no files.
	Source *onnx.Source
	Folder string
	// Fixed is why the model was read at fixed sizes although its file has dynamic dimensions;
	// nil: it has none, or they are variables of the model's graph.
	Fixed error
	// CostSizes are further sizes of the dynamic dimensions: by the cost model, a result costs no
	// more than the model at any of them, unless Judge decides.
	CostSizes []map[string]int
	// KeepDead keeps nodes of the file on which no output depends.
	KeepDead bool
	// Laws to rewrite by; nil: DefaultLaws(false). Those that are not axioms need a proof:
	// Proofs has those that are known, by name, others are proved before the search.
	// One that cannot be proved is an error, unless Unproved is set: then it is used,
	// and a result that it leads to has no proof.
	Laws     []*law.Law
	Proofs   map[string]*law.Proof
	Unproved bool
	Method   Method // "": Auto
	// Extract is how networks are taken out of e-graphs; "": extract.Auto. extract.MIP
	// needs Cbc or HiGHS.
	Extract extract.Method
	// Cost is that of operator applications, CostName what to call it in reports.
	Cost     cost.Model
	CostName string
	Target   *lower.Target // nil: lower.CPU()
	// Tries is how many moves the search tries, so that it finds the same every
	// time; 0: 210,000. Budget bounds its time as well; 0: it does not.
	Tries  int
	Budget time.Duration
	// Memory is the bytes of heap at which the search ends with what it has; 0: no
	// bound. What comes after the search needs memory, too.
	Memory int64
	// Workers is how many searches of Auto run at a time, which changes nothing but
	// the time; 0: one a processor.
	Workers int
	// Alpha is that of search.BacktrackOptions, Depth and Worse those of
	// search.DescendOptions; 0: theirs.
	Alpha float64
	Depth int
	Worse float64
	// Runner runs models, to compare numbers and to measure; nil: numbers are
	// compared by the reference evaluator.
	Runner backends.Backend
	// Numbers compares numbers in Runner's place; nil: Runner does.
	Numbers backends.Backend
	// Feed is what the inputs are fed to measure, and once more to compare numbers; nil:
	// random numbers.
	Feed []feed.Tensor
	// Measure runs the model and what the searches came to, in turns, and keeps what is
	// fastest, see [Report.Measured].
	Measure bool
	// Judge, if not nil, says in the place of Measure what to keep: which of the candidates
	// replaces the model, if any. What it decided is in the report. With a decision,
	// context.Canceled is no failure: the model stays, and the report says why.
	Judge func(ctx context.Context, candidates []Candidate) (*judge.Decision, error)
	// Repeat is how often each is run, less often where a run takes long; 0: 20. While it
	// is not clear which is faster, they are run up to three times as often.
	Repeat int
	Seed   uint64
	// NoVerify leaves out the comparison of both models by running them; the proof
	// is checked in any case.
	NoVerify bool
	// ExactFLOPs is the most work of models that are compared exactly; 0: 5e8.
	ExactFLOPs int64
	// Compiled, if not nil, compiles the laws, or has compiled them already.
	Compiled *rewrite.Cache
	Progress *progress.Reporter
	// Improved, if not nil, is told of every improvement: seconds since the search
	// began, and the cost.
	Improved func(seconds float64, cost cost.Seconds)
	// Searched, if not nil, is called when the search has ended: what comes then
	// holds weights.
	Searched func()
	// Finished, if not nil, is called with each part of the work that is finished: the search, the
	// measurement, the proof with its check, the comparison. A caller whose command is
	// interrupted can report them.
	Finished func(part string)

	saturated *saturate.Stats
	// weights is what is known of the numbers of weights.
	weights bank.Weights
	// uses are those that were looked up, see meant.
	uses map[use][]use
	// first are moves with which searches begin that do not saturate.
	first []search.Move
	apart []*searching // searches that lead to further candidates
	// written is the number of files in Folder.
	written *int
}

// Candidate is a model that may replace the one that is optimized. File is where it is
// written; "": nowhere yet.
type Candidate struct {
	Model *model.Model
	File  string
}

func (o Options) withDefaults() (Options, error) {
	if o.Model == nil || o.Cost == nil {
		return o, errors.New("optimize: no model, or no cost")
	}
	if o.Laws == nil {
		var err error
		if o.Laws, err = DefaultLaws(false); err != nil {
			return o, err
		}
		if o.Compiled == nil {
			if o.Compiled, err = compiledDefaults(); err != nil {
				return o, err
			}
			o.Compiled = o.Compiled.Clone() // the laws of one model are not kept for others
		}
	}
	if o.Compiled == nil {
		o.Compiled = &rewrite.Cache{}
	}
	if o.Method == "" {
		o.Method = Auto
	}
	if !slices.Contains(Methods(), string(o.Method)) {
		return o, fmt.Errorf("there is no search %q: want %s", o.Method, strings.Join(Methods(), ", "))
	}
	if o.Extract != extract.MIP && !slices.Contains(extract.Methods(), o.Extract) {
		return o, fmt.Errorf("there is no extraction %q: want %s", o.Extract, strings.Join(Extractions(), ", "))
	}
	if o.Target == nil {
		o.Target = lower.CPU()
	}
	if o.Tries == 0 {
		o.Tries = 210000
	}
	if o.Numbers == nil {
		o.Numbers = o.Runner
	}
	o.written = new(int)
	if o.Repeat == 0 {
		o.Repeat = 20
	}
	return o, nil
}

// DefaultLaws are the laws that models are optimized by unless others are named: the
// axioms, the lemmas, those by which the forms of the papers' networks are made,
// those of the heads of attention, and those of parts of weights.
// Laws about meshes of devices are not among them: a model is one device's.
// Laws of the true relu and maximum are among them only if ordered is set: arithmetic
// modulo a prime does not know them, so that what they lead to is compared in
// floating point only. The laws are shared and must not be changed; the slice is the caller's.
func DefaultLaws(ordered bool) ([]*law.Law, error) {
	laws := append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...)
	laws = slices.DeleteFunc(laws, func(l *law.Law) bool {
		return l.HasTag(law.TagParallel) || !ordered && l.HasTag(law.TagOrdered)
	})
	more, err := builtins()
	if err != nil {
		return nil, err
	}
	return slices.Concat(laws, more), nil
}

// builtins are the laws of package rules/builtin, parsed once for a process.
var builtins = sync.OnceValues(builtin.All)

// compiledDefaults has compiled DefaultLaws(false), once for a process.
var compiledDefaults = sync.OnceValues(func() (*rewrite.Cache, error) {
	laws, err := DefaultLaws(false)
	c := &rewrite.Cache{}
	for _, l := range laws {
		if _, e := c.Compile(l); e != nil {
			err = e
		}
	}
	return c, err
})

// exchanging compiles the laws of exchanges.
var exchanging rewrite.Cache

// exchanges are the laws by which operands of commutative operators may be exchanged,
// whatever laws a model is optimized by: a move is found in either order, and its
// proof says in which it was.
func exchanges() (*search.Rules, error) {
	laws, err := DefaultLaws(false)
	if err != nil {
		return nil, err
	}
	r, _, err := search.NewRulesFrom(&exchanging, slices.DeleteFunc(laws, func(l *law.Law) bool {
		x, y := l.LHS[0], l.RHS[0]
		return len(l.LHS) > 1 || x.Op == nil || x.Op != y.Op || !x.Op.Commutative || !x.Args[0].IsVar() || !x.Args[1].IsVar()
	}))
	return r, err
}

// Select is laws without those that disable names, and if only names any, those
// alone. The error names what there is no law of.
func Select(laws []*law.Law, only, disable []string) ([]*law.Law, error) {
	var names []string
	for _, l := range laws {
		names = append(names, l.Name)
	}
	for _, name := range slices.Concat(only, disable) {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("there is no law %s%s", name, suggest.DidYouMean(name, names))
		}
	}
	var out []*law.Law
	for _, l := range laws {
		if (len(only) == 0 || slices.Contains(only, l.Name)) && !slices.Contains(disable, l.Name) {
			out = append(out, l)
		}
	}
	return out, nil
}
