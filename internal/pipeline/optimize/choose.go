package optimize

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/runmodel"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/search"
)

// Measured is a candidate that was run.
type Measured struct {
	Name    string       `json:"name"` // model, cheapest or plain
	Cost    cost.Seconds `json:"cost"`
	Seconds cost.Seconds `json:"seconds"` // the best of the rounds' medians
	Rounds  int          `json:"rounds"`
	Kept    bool         `json:"kept"`
	// Difference is how much longer it takes than the model, by the differences within
	// rounds; in 19 of 20 cases by no more than Spread off.
	Difference cost.Seconds `json:"difference"`
	Spread     cost.Seconds `json:"spread"`
}

// JudgedCandidate is a candidate that was judged.
type JudgedCandidate struct {
	Name  string       `json:"name"` // plain, cheapest or simplified
	Cost  cost.Seconds `json:"cost"`
	Steps int          `json:"steps"`
}

// Names of candidates.
const (
	asItWas  = "model"
	cheapest = "cheapest"
	// plainest is what the search with plain prices came to.
	plainest = "plain"
	// simplest is what the laws that only simplify lead to.
	simplest = "simplified"
)

// promising is the part of the cost that has to be gained where no difference is seen.
const promising = 0.02

// turnSeconds is how long the runs of a turn take; one run may take longer.
const turnSeconds = 0.25

// plainTries is the part of the tries that the search with plain prices has.
const plainTries = 4

// plain are prices that promise less of the machine at hand: no caches, and parts of
// tensors are copies. By size alone, halves of a tensor that each fit into a cache seem
// cheaper than the whole, although both are read from where the whole lies; and a part is
// free only where kernels read it as it lies. What is cheaper by plain prices has less to
// compute or to move, whatever runs it. Costs that are no machine's stay as they are.
func plain(m cost.Model) search.Prices {
	x, ok := m.(*cost.Machine)
	if !ok {
		return cost.Picoseconds{Model: m}
	}
	y := *x
	y.Caches = nil
	return plainPrices{cost.Picoseconds{Model: &y}, &y}
}

// plainPrices are those of a machine on which parts of tensors are copies.
type plainPrices struct {
	cost.Picoseconds
	machine *cost.Machine
}

// Alone is that of the model, but for views of a part.
func (p plainPrices) Alone(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) (alone, view int64, err error) {
	if !lower.IsView(op) || len(out) == 1 && graph.NumElements(out[0].Sizes) >= graph.NumElements(in[0].Sizes) {
		return p.Picoseconds.Alone(op, a, in, out)
	}
	w := cost.Work{Class: cost.Copy}
	for _, t := range out {
		n := int64(graph.NumElements(t.Sizes) * t.DType.Bytes())
		w.Read, w.Write = w.Read+n, w.Write+n
	}
	c := int64(p.machine.Time(w, out[0].DType) / unit)
	return c, c, nil
}

// choose builds what the searches came to, and, if asked to, measures which of it to
// keep; nil: the model.
//
// The cost is a formula, and the result runs elsewhere too. What is cheaper by plain prices
// is therefore preferred to what is cheapest by the formula, unless the latter is
// faster, and to the model, unless that is faster. What is cheapest by the formula is
// preferred to a model that is as fast only if the formula promises much.
func (r *Result) choose(ctx context.Context, o *Options, found *searching) (*built, error) {
	r.Measured, r.MeasuredBefore, r.MeasuredAfter, r.Slower, r.Dropped = nil, 0, 0, false, 0
	b, err := r.build(o, found)
	if err != nil {
		return nil, err
	}
	if o.Judge == nil {
		if where, err := o.losesAt(b); err != nil {
			return nil, err
		} else if where != "" {
			r.drop(fmt.Errorf("it costs more than the model at %s", where))
			return nil, nil
		}
	}
	if !o.Measure && o.Judge == nil {
		return b, nil
	}
	list := []*built{{out: o.Model, cost: r.CostBefore}}
	names := []string{asItWas}
	add := func(name string, b *built) {
		if (len(b.steps) > 0 && b.cost < r.CostBefore || b.cleaned && b.cost <= r.CostBefore) &&
			!slices.ContainsFunc(list, func(x *built) bool { return x.out.Graph.Hash() == b.out.Graph.Hash() && !b.cleaned }) {
			list, names = append(list, b), append(names, name)
		}
	}
	for _, name := range []string{plainest, cheapest, simplest} {
		if name == cheapest {
			add(name, b)
		}
		for _, s := range o.apart {
			if s.apart != name {
				continue
			}
			b, err := r.build(o, s)
			if err != nil {
				return nil, err
			}
			add(name, b)
		}
	}
	if o.Judge != nil {
		return r.judge(ctx, o, list, names)
	}
	defer addSeconds(&r.MeasureSeconds, time.Now())
	runs := 0
	c, err := hold(ctx, len(list), func(ctx context.Context, i int) (took, spent cost.Seconds, err error) {
		took, err = o.turn(ctx, list[i].out, max(1, runs))
		if spent = took * cost.Seconds(1+max(1, runs)); runs == 0 && err == nil { // the first time of all
			runs = min(max(1, int(turnSeconds/max(took, 1e-9))), (o.Repeat+leastRounds-1)/leastRounds)
		}
		return took, spent, err
	})
	if err != nil {
		return nil, err
	}
	o.finished(fmt.Sprintf("measurement (%d rounds)", len(c.times[0])))
	doubtful := make([]bool, len(list))
	for i, x := range list {
		doubtful[i] = names[i] == cheapest && x.cost > (1-promising)*r.CostBefore
	}
	kept := c.winner(doubtful)
	for i, x := range list {
		m := Measured{Name: names[i], Cost: x.cost, Seconds: c.least(i), Rounds: len(c.times[i]), Kept: i == kept}
		m.Difference, m.Spread = c.difference(i, 0)
		r.Measured = append(r.Measured, m)
	}
	r.MeasuredBefore, r.MeasuredAfter = c.least(0), c.least(kept)
	if last := len(list) - 1; last > 0 && kept == 0 {
		r.Slower, r.Dropped = c.compare(last, 0) > 0, c.least(last)
	}
	if kept == 0 {
		return nil, nil
	}
	return list[kept], nil
}

// losesAt is the first of CostSizes at which the result costs more than the model; "": none is.
func (o *Options) losesAt(b *built) (string, error) {
	if !b.changed() || b.out.Graph.Sizing() == nil {
		return "", nil
	}
	for _, sizes := range o.CostSizes {
		var costs [2]cost.Seconds
		for i, m := range []*model.Model{o.Model, b.out} {
			at, err := m.At(sizes)
			if err != nil {
				return "", err
			}
			c, err := costOf(at.Graph, o)
			if err != nil {
				return "", err
			}
			costs[i] = c.Total
		}
		if costs[1] > costs[0] {
			return o.Model.Graph.Sizing().Text(sizes), nil
		}
	}
	return "", nil
}

// judge asks which candidate replaces the model, the first of the list; nil: none.
func (r *Result) judge(ctx context.Context, o *Options, list []*built, names []string) (kept *built, err error) {
	var candidates []Candidate
	var of []*built
	r.Candidates = nil
	for i, b := range list[1:] {
		m, refused := r.deliver(ctx, o, b)
		if refused != nil { // it is no file, so there is nothing to judge
			r.drop(refused)
			continue
		}
		candidates, of = append(candidates, Candidate{Model: m, File: b.path}), append(of, b)
		r.Candidates = append(r.Candidates, JudgedCandidate{Name: names[i+1], Cost: b.cost, Steps: len(b.steps)})
	}
	start := time.Now()
	r.Judged, err = o.Judge(ctx, candidates)
	addSeconds(&r.MeasureSeconds, start)
	if r.Judged != nil && errors.Is(err, context.Canceled) {
		r.Interrupted, r.Why, o.NoVerify = true, "interrupted", true
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o.finished(fmt.Sprintf("measurement (%.1f s)", r.MeasureSeconds))
	if r.Judged.Winner == 0 {
		return nil, nil
	}
	return of[r.Judged.Winner-1], nil
}

// turn runs a model once to warm up and then a few times, and returns the median.
func (o *Options) turn(ctx context.Context, m *model.Model, runs int) (cost.Seconds, error) {
	rep, err := runmodel.Run(ctx, runmodel.Options{Backend: o.Runner, Model: m, Feed: o.Feed, Seed: o.Seed + 1, Repeat: runs, Warmup: 1, Progress: o.Progress})
	if err != nil {
		return 0, err
	}
	return rep.Calm.Seconds, nil
}
