package optimize

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/internal/pipeline/weightfacts"
	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/fold"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/verify/assume"
	"github.com/taso-go/taso/verify/network"
)

// Result is an optimized model with what shows that it is right.
type Result struct {
	Report
	// Model is the result, with what depends on weights only computed ahead: the
	// model as it came where nothing cheaper was found.
	Model *model.Model
	// File is the result as a file, in Options.Folder: Model is what is read from it. It is
	// "" where the model is its own result, or there is no folder.
	File string
	// Unfolded is the same with all the model's weights as they are.
	Unfolded *model.Model
	// Proof is the certificate; nil if a law was used that is not known to be true.
	Proof []byte
	// Gone are the nodes of the model that the result does not have, Made those of the
	// result that the model does not have.
	Gone, Made map[graph.NodeID]bool

	source          *onnx.Source
	keepDead        bool
	original, built *model.Model // as they are in memory
}

// Run optimizes a model. If ctx is cancelled during the search, what was found until
// then is the result. If it is cancelled later, during the proof or the comparison, the error
// is that of ctx. Other errors are those of an input, or of a result that is not right. With
// an error there is no result.
func Run(ctx context.Context, o Options) (*Result, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if o.weights, err = weightfacts.Of(o.Model); err != nil {
		return nil, err
	}
	if o.Source != nil {
		o.weights.Whole = o.Source.Whole(!o.KeepDead)
	}
	if err := o.addShaped(ctx); err != nil {
		return nil, err
	}
	if g := o.Model.Graph; len(g.Filled(g.Outputs())) == 0 {
		return nil, fmt.Errorf("model %s: no output has elements: there is nothing to optimize", o.Model.Name)
	}
	if opaque(o.Model.Graph) {
		// Nothing runs it: it is neither measured nor compared in numbers.
		o.Runner, o.Numbers, o.Measure = nil, nil, false
	}
	start := time.Now()
	r := &Result{Report: Report{Name: o.Model.Name, Search: o.Method, CostModel: o.CostName}}
	if r.Sizes = o.Model.Graph.Sizing().Vars(); o.Fixed != nil {
		r.SizesFixed = o.Fixed.Error()
	}
	if r.Unproved, err = o.unproved(ctx); err != nil {
		return nil, err
	}
	before, err := costOf(o.Model.Graph, &o)
	if err != nil {
		return nil, err
	}
	r.CostBefore, r.CostSource = before.Total, before.Source().String()
	r.Heaviest = heaviest(before)
	timed := ctx
	if o.Budget > 0 {
		var stop context.CancelFunc
		timed, stop = context.WithTimeout(ctx, o.Budget)
		defer stop()
	}
	within, free := bounded(timed, o.Memory)
	found, all, err := o.search(within)
	if errors.Is(context.Cause(within), errMemory) {
		r.Interrupted, r.Why = true, errMemory.Error()
	}
	free()
	if err != nil {
		return nil, err
	}
	if o.Searched != nil {
		o.Searched()
	}
	stopped := ctx.Err() != nil
	if stopped {
		r.Interrupted, r.Why = true, "interrupted"
		ctx = context.WithoutCancel(ctx) // what was found until then is proved
	}
	r.SearchSeconds = time.Since(start).Seconds()
	r.SearchLimit, r.SearchEnded = o.Budget.Seconds(), errors.Is(timed.Err(), context.DeadlineExceeded)
	if stopped && o.Judge != nil {
		found, o.NoVerify = nil, true // nobody can judge it any more
	}
	o.finished(fmt.Sprintf("search (%.1f s)", r.SearchSeconds))
	if all, err = r.conclude(ctx, timed, &o, found, all); err != nil {
		return nil, err
	}
	r.Tried = movesOf(all)
	if r.StepCount == 0 && !r.Cleaned {
		r.MeasuredAfter = r.MeasuredBefore
	}
	if st := o.saturated; st != nil {
		r.EGraph = &EGraph{Classes: st.Classes, Nodes: st.Nodes, Iterations: st.Iterations, Stop: string(st.Stop), Bytes: st.Bytes, Parts: st.Parts, Pieces: st.Pieces}
		r.Extract = &Extract{Method: "part by part: " + extraction(o.Extract), Cost: unit * float64(st.First), Bound: unit * float64(st.Bound)}
		if st.Bound > 0 {
			r.Extract.Gap = float64(st.First)/float64(st.Bound) - 1
		}
	}
	r.tally(all)
	r.Before, r.After = sizeOf(o.Model), sizeOf(r.Model)
	r.NodesBefore, r.NodesAfter = r.Before.Operators, r.After.Operators
	r.Seconds, r.PeakBytes = time.Since(start).Seconds(), procstat.Read().PeakRSS
	return r, nil
}

// finished tells the caller of a part that is finished.
func (o *Options) finished(part string) {
	if o.Finished != nil {
		o.Finished(part)
	}
}

// addSeconds adds the time since a start.
func addSeconds(sum *float64, start time.Time) { *sum += time.Since(start).Seconds() }

// opaque reports whether a graph has a node of which it is not known what it computes.
func opaque(g *graph.Graph) bool {
	for id := range g.Nodes() {
		if _, _, ok := g.Opaque(id); ok {
			return true
		}
	}
	return false
}

// costOf is the cost of what would run of a graph.
func costOf(g *graph.Graph, o *Options) (*cost.Breakdown, error) {
	plan, err := lower.Graph(g, o.Target, lower.Options{})
	if err != nil {
		return nil, err
	}
	return cost.GraphCost(plan, o.Cost)
}

// built is what a search has come to, as a model.
type built struct {
	by       *searching // nil: none
	d        *search.Derivation
	steps    []Step
	out      *model.Model // with what depends on weights only computed ahead
	unfolded *model.Model
	folded   int
	cleaned  bool // no step was made, and what is computed twice or for nothing is gone
	cost     cost.Seconds
	// The file of it, and what is read from that.
	path      string
	read      *model.Model
	changes   *onnx.Changes
	unwritten error // why it is none
	// assumed is what the proof for all sizes takes for granted that the file leaves open.
	assumed []assume.Name
}

// changed reports whether it is another model than the one that was given.
func (b *built) changed() bool { return len(b.steps) > 0 || b.cleaned }

// build makes the moves of a search once more; nil: there are none. It is done once for
// a search.
func (r *Result) build(o *Options, found *searching) (b *built, err error) {
	if found != nil && found.built != nil {
		return found.built, nil
	}
	defer func() {
		if found != nil && err == nil {
			found.built = b
		}
	}()
	d, steps, err := o.derive(found)
	if err != nil {
		return nil, err
	}
	b = &built{by: found, d: d, steps: steps}
	if b.unfolded, err = o.Model.WithGraph(d.To); err != nil {
		return nil, err
	}
	worth := fold.Worth(b.unfolded.Graph, fold.Limits{Keep: func(id graph.NodeID) bool { return !d.Made[id] }})
	if b.out, err = fold.Model(b.unfolded, func(id graph.NodeID) bool { return worth[id] }); err != nil {
		return nil, err
	}
	b.folded = len(worth)
	if len(steps) == 0 {
		b.cleaned = found != nil && o.cleans(b.unfolded)
		if b.out, b.cost = o.Model, r.CostBefore; !b.cleaned {
			return b, nil
		}
		b.out, b.folded = b.unfolded, 0
	}
	after, err := costOf(b.out.Graph, o)
	if err != nil {
		return nil, err
	}
	b.cost = after.Total
	return b, nil
}

// cleans reports whether a network in which nothing is computed twice has fewer operators
// than the model, or the file has nodes that compute nothing.
func (o *Options) cleans(net *model.Model) bool {
	switch {
	case o.KeepDead:
		return false
	case o.Source == nil:
		return sizeOf(net).Operators < sizeOf(o.Model).Operators
	}
	return sizeOf(net).Operators < sizeOf(o.Model).Operators || o.Folder != "" && o.Source.Cleanable()
}

// settle proves what a search has led to, and checks it. A result that costs no less,
// because the order of kernels, which only the plan of the whole knows, ate it up, is
// dropped: the model is its own result then, as it is for nil. refused says why a result
// that is right is of no use.
func (r *Result) settle(ctx context.Context, o *Options, b *built) (refused, err error) {
	if b == nil || len(b.steps) > 0 && b.cost >= r.CostBefore || b.cost > r.CostBefore {
		if b, err = r.build(o, nil); err != nil {
			return nil, err
		}
	}
	r.Unfolded = b.unfolded
	for _, m := range []*model.Model{b.out, b.unfolded} {
		if m != nil && m != o.Model {
			m.Filled = o.Model.Filled // those of its nodes that are still there
		}
	}
	r.Model, r.CostAfter, r.Steps, r.StepCount = b.out, b.cost, b.steps, len(b.steps)
	r.Folded, r.File, r.Cleaned = b.folded, "", b.cleaned
	r.Model, refused = r.deliver(ctx, o, b)
	if err := ctx.Err(); err != nil || refused != nil {
		return refused, err
	}
	if c := r.Changes; b.cleaned && c != nil && (c.Dropped <= c.Written || len(c.Fixed) > 0) {
		return r.settle(ctx, o, nil) // such as two outputs that are the same, which keep their names; or sizes would be fixed
	}
	r.mark(o.Model, b.d)
	if refused, err = r.check(ctx, o, b); refused != nil && !b.changed() {
		return nil, refused
	}
	return refused, err
}

// check proves what was built and compares it with the model.
func (r *Result) check(ctx context.Context, o *Options, b *built) (refused, err error) {
	defer addSeconds(&r.ProofSeconds, time.Now())
	if err = r.prove(ctx, o, b.d); r.ProofChecked && r.Changes != nil && len(r.Changes.Open) > 0 {
		r.Checked.Assumptions = assume.Join(r.Checked.Assumptions, b.assumed)
	}
	var about *Rejected
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, network.ErrRounding):
		// A weight that was computed ahead is not what it is by exact arithmetic.
		return err, nil
	case b.changed() && errors.As(err, &about):
		return fmt.Errorf("the proof is not accepted: %w", about.Why), nil
	case err != nil:
		return nil, err
	}
	if r.ProofChecked {
		o.finished(fmt.Sprintf("proof (%d instances, accepted by the checker)", r.Checked.Steps))
	}
	if o.NoVerify && r.ProofChecked {
		return nil, nil
	}
	err = r.compare(ctx, o, b.unfolded)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if differs := (*Differs)(nil); errors.As(err, &differs) && differs.Exact {
		// Equal in exact arithmetic, and not in this one: large numbers cancel. Such a
		// result is right and of no use.
		return err, nil
	}
	if err != nil {
		return nil, err
	}
	refused, err = r.compareFed(ctx, o)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if refused == nil && err == nil {
		o.finished("comparison")
	}
	return refused, err
}

// prove writes the certificate of a result and checks it. There is none if a law was
// used that is not known to be true.
func (r *Result) prove(ctx context.Context, o *Options, d *search.Derivation) (err error) {
	r.Proof, r.Checked, r.ProofChecked, r.UnprovedUsed = nil, nil, false, nil
	used := usedLaws(d)
	for _, u := range r.Unproved {
		if used[u.Law] != nil {
			r.UnprovedUsed = append(r.UnprovedUsed, u.Law)
		}
	}
	if len(r.UnprovedUsed) > 0 {
		return nil
	}
	var cert bytes.Buffer
	if err := WriteProof(ctx, &cert, d, o.Proofs); err != nil {
		return err
	}
	r.Proof = cert.Bytes()
	if r.Checked, err = CheckProof(ctx, bytes.NewReader(r.Proof), "proof", o.Model, r.Model, false); err != nil {
		return fmt.Errorf("the proof of the result is not accepted: %w", err)
	}
	r.ProofChecked = true
	return nil
}

// derive is what a search has come to, with the instances that show it.
func (o *Options) derive(found *searching) (*search.Derivation, []Step, error) {
	n, steps, err := o.replay(found)
	if err != nil {
		return nil, nil, err
	}
	d, err := n.Derivation()
	return d, steps, err
}

// replay makes the moves of a search on a network of its own, with the instances that
// show them.
func (o *Options) replay(found *searching) (n *search.Network, steps []Step, err error) {
	if found != nil {
		n = found.from
	}
	if n == nil {
		if n, err = search.NewNetworkReal(o.Model.Graph, nil, o.weights); err != nil {
			return nil, nil, err
		}
	}
	exchanges, err := exchanges()
	if err != nil {
		return nil, nil, err
	}
	n.SwapBy(exchanges)
	steps = saturated(n)
	if len(steps) > 0 {
		start, _, err := bank.FromReal(o.Model.Graph, nil, o.weights)
		if err != nil {
			return nil, nil, err
		}
		for i, net := range []*bank.Bank{start, n.Net} {
			p := search.NewPricer(net, o.Target, cost.Picoseconds{Model: o.Cost})
			c := cost.Seconds(float64(p.Cost()) * unit)
			if i == 0 {
				steps[0].Before = c
			} else {
				steps[len(steps)-1].After = c
			}
		}
	}
	if found == nil {
		return n, steps, nil
	}
	path := found.path
	rw := search.NewRewriter(n.Net, found.rules)
	p := search.NewPricer(n.Net, o.Target, cost.Picoseconds{Model: o.Cost})
	for i := range path {
		s := stepOf(&path[i])
		s.Before = cost.Seconds(float64(p.Cost()) * unit)
		mark := n.Net.Mark()
		var made error
		if !rw.Find(&path[i], func(m *search.Match) { made = n.Make(rw, m) }) {
			made = errors.New("it is not there")
		}
		if made != nil {
			return nil, nil, fmt.Errorf("step %d, law %s: %w", i+1, s.Law, made)
		}
		p.Update(mark)
		s.changed(n.Net, mark)
		n.Net.Keep(mark)
		p.Keep()
		s.After = cost.Seconds(float64(p.Cost()) * unit)
		steps = append(steps, s)
	}
	return n, steps, nil
}

// Differs is the error of a result that does not compute what the model does.
type Differs struct {
	Proved bool // its proof is accepted: a mistake in the program, unless
	Exact  bool // both are equal modulo the prime as well
	Report *verifymodels.Report
}

// Error says where they differ.
func (d *Differs) Error() string {
	if d.Proved {
		return fmt.Sprintf("the result differs from the model although the proof is accepted; this is a mistake in the program:\n%s", d.Report)
	}
	return fmt.Sprintf("the result of laws without a proof differs from the model; it is dropped:\n%s", d.Report)
}

// compare runs the model and the result: exactly, modulo a prime and for any weights,
// before weights were computed ahead, and then in floating point as it is.
func (r *Result) compare(ctx context.Context, o *Options, unfolded *model.Model) error {
	flops, most := o.ExactFLOPs, o.ExactFLOPs
	if flops == 0 {
		flops, most = 5e8, 2e9
	}
	reports, residues := []*verifymodels.Report{}, false
	r.Exact = string(verifymodels.NotRun)
	if o.Model.FLOPs() <= flops {
		exact, err := verifymodels.Run(ctx, verifymodels.Options{A: o.Model, B: unfolded, Seed: o.Seed, Progress: o.Progress, MaxFLOPs: flops, NoNumbers: true})
		if err != nil {
			return err
		}
		r.Exact, residues = string(exact.Exact.Verdict), exact.Exact.Verdict == verifymodels.Equal || exact.Exact.FewBits
		reports = append(reports, exact)
	}
	numbers, err := verifymodels.Run(ctx, verifymodels.Options{A: o.Model, B: r.Model, Seed: o.Seed, Progress: o.Progress,
		Backend: o.Numbers, MaxFLOPs: most, NoExact: true, NoSearch: true})
	if err != nil {
		return err
	}
	r.Numbers = string(numbers.Verdict)
	reports = append(reports, numbers)
	for _, out := range numbers.Numbers.Outputs {
		r.MaxRelError = max(r.MaxRelError, out.Relative)
	}
	for _, rep := range reports {
		if rep.Verdict == verifymodels.ModelsDiffer {
			return &Differs{Proved: r.ProofChecked, Exact: r.ProofChecked && residues, Report: rep}
		}
	}
	return nil
}
