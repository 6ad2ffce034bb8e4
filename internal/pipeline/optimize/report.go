package optimize

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/internal/judge"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/verify/explain"
)

// Report says what was done. All times are in seconds.
type Report struct {
	Name      string `json:"model"`
	Search    Method `json:"search"`
	CostModel string `json:"cost_model"`
	// CostSource says whether costs are modelled, recorded or measured.
	CostSource string       `json:"cost_source"`
	CostBefore cost.Seconds `json:"cost_before"`
	CostAfter  cost.Seconds `json:"cost_after"`
	// Heaviest are the kinds of operators of the model that cost most, at most three.
	Heaviest []Kind `json:"heaviest"`
	// MeasuredBefore and MeasuredAfter are those of the model and of the result in
	// Measured, 0 without.
	MeasuredBefore cost.Seconds `json:"measured_before"`
	MeasuredAfter  cost.Seconds `json:"measured_after"`
	// Measured are the candidates that were run in turns: the model, and what searches
	// came to.
	Measured []Measured `json:"measured,omitempty"`
	// Judged is what ONNX Runtime decided about the candidates, nil if it was not asked.
	Judged *judge.Decision `json:"judged,omitempty"`
	// Candidates are those that were judged, in the order of Judged.Candidates.
	Candidates []JudgedCandidate `json:"candidates,omitempty"`
	// Dropped is the time of what the search came to where the model was kept; Slower:
	// it took longer, by more than the spread.
	Slower    bool         `json:"slower,omitempty"`
	Dropped   cost.Seconds `json:"dropped,omitempty"`
	StepCount int          `json:"steps"`
	// Cleaned: no rule was used, and what was computed twice or not needed is gone.
	Cleaned     bool `json:"cleaned,omitempty"`
	NodesBefore int  `json:"nodes_before"`
	NodesAfter  int  `json:"nodes_after"`
	// Folded are the nodes that became weights.
	Folded int `json:"folded"`
	// Tried are the moves that the search made to see what they lead to.
	Tried int `json:"tried"`
	// Interrupted: the search was stopped before its end, other than by its budget; Why
	// says by what.
	Interrupted bool   `json:"interrupted,omitempty"`
	Why         string `json:"interrupted_by,omitempty"`
	// SearchLimit is the time that the search had, 0: any; SearchEnded: it was spent.
	SearchLimit float64 `json:"search_limit_seconds"`
	SearchEnded bool    `json:"search_ended_by_limit"`
	// SearchSeconds is the time of the search, MeasureSeconds that of timing candidates,
	// ProofSeconds that of proofs, their check and the comparison of the models, and Seconds
	// that of everything.
	SearchSeconds  float64 `json:"search_seconds"`
	MeasureSeconds float64 `json:"measure_seconds"`
	ProofSeconds   float64 `json:"proof_seconds"`
	Seconds        float64 `json:"seconds"`
	// PeakBytes is the largest memory of the process so far; 0: the system does not count it.
	PeakBytes int64 `json:"peak_bytes"`
	// MaxRelError is the largest deviation of an output, relative to its largest
	// element. Exact is the verdict of the comparison modulo a prime, before weights
	// were computed ahead, Numbers that in floating point.
	MaxRelError float64 `json:"max_rel_error"`
	// Deviated is the deviation of a result that was dropped because of it, though it
	// is equal in exact arithmetic; 0: there was none.
	Deviated float64 `json:"deviated,omitempty"`
	// Sizes are the dynamic sizes; the result is proved for all of them. It is empty for a model
	// with fixed sizes. SizesFixed says why sizes were fixed although the file leaves them open.
	Sizes      []graph.SizeVar `json:"sizes,omitempty"`
	SizesFixed string          `json:"sizes_fixed,omitempty"`
	// Changes are those of the file; nil without a file, or where the model is the result.
	Changes *onnx.Changes `json:"changes,omitempty"`
	// Refused says of results that were dropped though they cost less why: rounding leaves
	// another number of a weight, or the file cannot hold the change.
	Refused      []string `json:"refused,omitempty"`
	Exact        string   `json:"exact,omitempty"`
	Numbers      string   `json:"numbers,omitempty"`
	ProofChecked bool     `json:"proof_checked"`
	Checked      *Checked `json:"proof"` // nil: there is no proof
	// Unproved are the laws of the search that are not known to be true, UnprovedUsed
	// those of them that led to the result: then it has no proof.
	Unproved     []Unproved `json:"unproved,omitempty"`
	UnprovedUsed []string   `json:"unproved_used,omitempty"`

	// EGraph and Extract are those of the saturation, nil without.
	EGraph  *EGraph  `json:"egraph"`
	Extract *Extract `json:"extract"`

	Before Size   `json:"before"`
	After  Size   `json:"after"`
	Steps  []Step `json:"step_list,omitempty"`
	// Laws says what came of each law, those that paid most first. Unusable are
	// laws, or directions of them, that cannot be used in networks, and why.
	Laws     []LawUse `json:"laws"`
	Unusable []string `json:"unusable,omitempty"`
}

// Kind is what the nodes of one operator cost, with what runs in their kernels.
type Kind struct {
	Op    string       `json:"op"`
	Nodes int          `json:"nodes"`
	Cost  cost.Seconds `json:"cost"`
	Part  float64      `json:"part"` // of the cost of the model
}

// heaviest are the kinds of operators that cost most of a network.
func heaviest(b *cost.Breakdown) []Kind {
	of := map[string]*Kind{}
	for _, n := range b.Nodes {
		if n.Once {
			continue
		}
		k := of[n.Op]
		if k == nil {
			k = &Kind{Op: n.Op}
			of[n.Op] = k
		}
		k.Nodes++
		k.Cost += n.Seconds
		k.Part = float64(k.Cost / b.Total)
	}
	kinds := []Kind{}
	for _, op := range slices.Sorted(maps.Keys(of)) {
		kinds = append(kinds, *of[op])
	}
	slices.SortStableFunc(kinds, func(a, b Kind) int { return cmp.Compare(b.Cost, a.Cost) })
	return kinds[:min(3, len(kinds))]
}

// EGraph is how large the e-graphs of a saturation became, all parts together; Bytes
// are of the largest.
type EGraph struct {
	Classes    int    `json:"classes"`
	Nodes      int    `json:"nodes"`
	Iterations int    `json:"iterations"`
	Stop       string `json:"stop"`
	Bytes      int64  `json:"bytes"`
	Parts      int    `json:"parts"`  // of the network
	Pieces     int    `json:"pieces"` // different ones
}

// Extract is what was extracted from the e-graphs of the first pass: the sum of prices in
// seconds, a bound below which nothing is that they hold, and by how much of it the sum
// is above: at 0 the extraction is optimal. Later passes start from what it made.
type Extract struct {
	Method string  `json:"method"`
	Cost   float64 `json:"cost"`
	Bound  float64 `json:"bound"`
	Gap    float64 `json:"gap"`
}

// extraction is what a method of extraction does.
func extraction(m extract.Method) string {
	if m == extract.Auto {
		return "reduce, greedy, share moves, exact search and neighbourhoods"
	}
	return string(m)
}

// Size is how large a model is.
type Size struct {
	Operators int   `json:"operators"` // that run: not those of weights only
	FLOPs     int64 `json:"flops"`
	Params    int64 `json:"params"`
	Bytes     int64 `json:"weight_bytes"`
}

func sizeOf(m *model.Model) Size {
	n := 0
	for id := range m.Graph.Nodes() {
		if m.Graph.Op(id) != nil {
			n++
		}
	}
	return Size{Operators: n, FLOPs: m.FLOPs(), Params: m.Params(), Bytes: m.WeightBytes()}
}

// Step is a law that was used.
type Step struct {
	Law      string `json:"law"`
	Backward bool   `json:"backward,omitempty"`
	// Why is what the law says, in words if it has a comment, and the equation.
	Why  string `json:"why"`
	Text string `json:"equation"`
	// Where says, of a step of a saturation, which tensors of the model the law's
	// variables stand for, as far as they are any.
	Where []string `json:"where,omitempty"`
	// Rule is the law.
	Rule *law.Law `json:"-"`
	// Removed and Added are the operators that it took away and put there; Before
	// and After what the network costs.
	Removed []string     `json:"removed"`
	Added   []string     `json:"added"`
	Before  cost.Seconds `json:"cost_before"`
	After   cost.Seconds `json:"cost_after"`
	// Together: the step is one of a saturation, whose steps were found together and
	// have no costs of their own. The first of them has the cost before all, the last
	// one that after all; the others have none. What they removed and added is not
	// listed, Where says where they are.
	Together bool `json:"together,omitempty"`
}

// stepOf describes a move that is about to be made.
func stepOf(m *search.Move) Step {
	l := m.Direction.Law.Law
	return Step{Law: l.Name, Backward: m.Direction.Backward, Why: whyOf(l), Text: equation(l), Rule: l, Removed: []string{}, Added: []string{}}
}

// equation is what a law says, without its name.
func equation(l *law.Law) string {
	_, body, _ := strings.Cut(law.Body(l), "\n")
	return body
}

// whyOf is what a law says in words: its comment, or what it is about.
func whyOf(l *law.Law) string {
	if why := explain.Sentence(l); why != "" {
		return why
	}
	return rules.Describe(l)
}

// saturated are the instances that a network has already, as steps of a saturation:
// what each of them costs is not known, since they were made together.
func saturated(n *search.Network) (steps []Step) {
	laws := n.Laws()
	name := namesOf(n)
	for _, in := range n.Proof() {
		l := laws[in.Law]
		st := Step{Law: l.Name, Together: true, Why: whyOf(l), Text: equation(l), Rule: l, Removed: []string{}, Added: []string{}}
		for _, v := range slices.Sorted(maps.Keys(in.Tensors)) {
			if of := name[in.Tensors[v]]; of != "" {
				st.Where = append(st.Where, v+" is "+of)
			}
		}
		steps = append(steps, st)
	}
	return steps
}

// namesOf are the names of tensors by their terms.
func namesOf(n *search.Network) map[*law.Term]string {
	out := map[*law.Term]string{}
	for x := bank.Node(1); int(x) <= n.Net.Len(); x++ {
		name := n.Net.Name(x)
		if name == "" {
			continue
		}
		for k := range n.Net.NumOut(x) {
			t := n.Known(n.Net.Out(x, k))
			switch {
			case t == nil || out[t] != "": // the model's own come first
			case n.Net.NumOut(x) > 1:
				out[t] = name + "." + strconv.Itoa(k)
			default:
				out[t] = name
			}
		}
	}
	return out
}

// changed lists what a step has changed since a mark.
func (s *Step) changed(net *bank.Bank, mark bank.Mark) {
	seen := map[bank.Node]bool{}
	net.Changed(mark, func(n bank.Node, moved bool) {
		op := net.Op(n)
		if op == nil || seen[n] {
			return
		}
		seen[n] = true
		text := op.Name + op.FormatAttrs(net.Attrs(n))
		if name := net.Name(n); name != "" {
			text = name + ": " + text
		}
		switch {
		case !net.Live(n):
			if !net.New(n, mark) {
				s.Removed = append(s.Removed, text)
			}
		case net.New(n, mark):
			s.Added = append(s.Added, text)
		}
	})
	slices.Sort(s.Removed)
	slices.Sort(s.Added)
}
