package genrules

import (
	"runtime"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify/refute"
)

// Options configure a run. The zero value generates rules of up to 3 operators
// over the default universe.
type Options struct {
	MaxOps     int      // most operators on a side; 0: 3
	Ops        []string // operators to enumerate, or a preset (enumerate.Presets); nil: the default ones
	Exhaustive bool     // extend every graph, not only representatives, and count graphs of any number of outputs
	Workers    int      // goroutines; 0: one per processor
	Seed       uint64   // of the random inputs
	Memory     int64    // bytes of memory, see LeastMemory; graphs beyond them are kept on disk; 0: no bound
	Spill      string   // folder for them; "": os.TempDir
	Checkpoint string   // folder for resuming; "": none
	Minimal    bool     // leave derivable rules out of the set
	Quantified bool     // also run the quantified prover on the rules and report the time ratio
	// AxiomsOnly: nothing is proved from what operators compute (package verify/meaning),
	// but all from the axioms.
	AxiomsOnly bool
	// SemanticOps is the largest level at which laws of the true relu and
	// maximum are looked for; 0: 3, negative: none.
	SemanticOps int
	// Cluster, if not nil, does the larger parts of the work in other processes.
	Cluster Cluster
	// Progress shows how far the run is; nil is silent.
	Progress *progress.Reporter

	// disturb is called by all workers now and then, by tests, which hold them
	// up with it: what a run finds must not depend on who does what when.
	disturb func()
}

// complete puts in what is left out.
func (o *Options) complete() {
	if o.MaxOps == 0 {
		o.MaxOps = 3
	}
	if o.SemanticOps == 0 {
		o.SemanticOps = 3
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
}

// hold lets a test disturb the calling worker.
func (o *Options) hold() {
	if o.disturb != nil {
		o.disturb()
	}
}

// Stage is one line of the report.
type Stage struct {
	Name    string  `json:"name"`
	Count   int64   `json:"count"`
	Seconds float64 `json:"seconds"`
	PeakRSS int64   `json:"peak_rss_bytes"`
}

// Ends of the names of stages that find rules which are of no candidate.
const (
	OrderedStage   = "laws of the true relu and maximum"
	JoinedStage    = "rules with two outputs"
	InstancesStage = "instances of other rules, dropped"
)

// Level counts what became of the graphs of one size.
type Level struct {
	Operators  int     `json:"operators"`
	Graphs     int64   `json:"graphs"`     // looked at
	Classes    int64   `json:"classes"`    // of graphs of equal fingerprint, of one and more
	Pairs      int64   `json:"pairs"`      // that agree
	Stated     int64   `json:"stated"`     // pairs that follow from no smaller rule, as laws
	Candidates int64   `json:"candidates"` // different laws among them
	Proved     int64   `json:"proved"`     // of the candidates
	Seconds    float64 `json:"seconds"`
}

// mostUseful is how many rules a report names.
const mostUseful = 10

// Counts are rules by verdict.
type Counts struct {
	Proved    int `json:"proved"`
	Refuted   int `json:"refuted"`
	Unknown   int `json:"unknown"`
	Derivable int `json:"derivable"`
	Kept      int `json:"kept"`
}

// Unproved is a candidate that is not a rule, or a pair of graphs that agree at
// some sizes and could not be stated for all.
type Unproved struct {
	ID      string          `json:"id,omitempty"` // of the law; none of a pair
	Law     string          `json:"law"`          // of a pair: both sides with those sizes
	Status  string          `json:"status"`       // refuted or unknown
	Reason  string          `json:"reason"`
	Witness *refute.Witness `json:"witness,omitempty"`
}

// ProverTimes compares the two provers on the same goals.
type ProverTimes struct {
	Goals             int     `json:"goals"`
	EGraphProved      int     `json:"egraph_proved"`
	EGraphSeconds     float64 `json:"egraph_seconds"` // CPU time of one worker
	QuantifiedProved  int     `json:"quantified_proved"`
	QuantifiedSeconds float64 `json:"quantified_seconds"`
}

// Report is the outcome of a run.
type Report struct {
	MaxOps             int               `json:"max_ops"`
	Mode               string            `json:"mode"` // representatives or exhaustive
	Universe           string            `json:"universe"`
	Seed               uint64            `json:"seed"`
	Workers            int               `json:"workers"`
	Levels             []Level           `json:"levels"`
	Useful             []Useful          `json:"useful,omitempty"` // see MostUseful
	Stages             []Stage           `json:"stages"`
	Rules              Counts            `json:"rules"`
	Graphs             int64             `json:"graphs"`
	GraphsPerCPUSecond float64           `json:"graphs_per_cpu_second"` // enumeration and fingerprints
	BytesPerGraph      float64           `json:"bytes_per_graph"`
	Seconds            float64           `json:"seconds"`
	CPUSeconds         float64           `json:"cpu_seconds"`
	PeakRSS            int64             `json:"peak_rss_bytes"`
	AxiomsSHA256       string            `json:"axioms_sha256,omitempty"` // with AxiomsOnly
	CollisionBound     float64           `json:"collision_bound"`         // see fingerprint.CollisionBound
	Stopped            string            `json:"stopped,omitempty"`
	Unproved           []Unproved        `json:"unproved,omitempty"`
	Provers            *ProverTimes      `json:"provers,omitempty"`
	Exhaustive         *enumerate.Graphs `json:"exhaustive,omitempty"`
	Model              *ForModel         `json:"for_model,omitempty"` // of RunFor

	// Set holds the rules.
	Set *rules.Set `json:"-"`
}
