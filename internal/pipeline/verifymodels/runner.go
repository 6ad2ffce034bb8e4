package verifymodels

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// runner runs one model in floating point.
type runner struct {
	m    *model.Model
	plan backends.Plan // nil: the reference evaluator
	step func(int64)
	kept kept[float64]
	// watch, if not nil, sees what the reference evaluator computes.
	watch *watch
	// Samples in which the watch saw what float64 does not hold, and something infinite.
	overflow, infinite map[int]bool
}

func newRunner(ctx context.Context, b backends.Backend, m *model.Model, step func(int64)) (*runner, error) {
	r := &runner{m: m, step: step, kept: kept[float64]{}, overflow: map[int]bool{}, infinite: map[int]bool{}}
	if b != nil {
		if m.WeightBytes() > largeWeights {
			// A plan holds the weights once more: garbage goes first.
			debug.FreeOSMemory()
		}
		var err error
		if r.plan, err = b.Compile(ctx, m, backends.CompileOptions{}); err != nil {
			return nil, fmt.Errorf("run %s: compile: %w", m.Name, err)
		}
	}
	return r, nil
}

// largeWeights is the bytes of weights from which it matters how much memory is held
// beside them.
const largeWeights = 1 << 28

func (r *runner) close() error {
	if r.plan == nil {
		return nil
	}
	return r.plan.Close()
}

func (r *runner) run(ctx context.Context, in []interp.Tensor[float64]) ([]interp.Tensor[float64], error) {
	if r.plan != nil {
		out, err := onPlan(ctx, r.plan, r.m, in)
		r.step(int64(side(r.m).Operators))
		return out, err
	}
	return r.evaluate(ctx, floats{}, in, nil)
}

// sample makes run k of the samples.
func (r *runner) sample(ctx context.Context, s samples, k int, in []interp.Tensor[float64]) ([]interp.Tensor[float64], error) {
	if w := r.watch; w != nil {
		w.begin(-1 - k)
		if s.notNumbers(k) { // of which no side is compared
			r.watch = nil
			defer func() { r.watch = w }()
		} else {
			defer func() { r.overflow[k], r.infinite[k] = w.overflow, w.infinite }()
		}
	}
	return r.run(ctx, in)
}

// evaluate runs the reference evaluator. If there is a watch, it sees all nodes that it is
// about; after is called behind it.
func (r *runner) evaluate(ctx context.Context, f field[float64], in []interp.Tensor[float64], after func(id graph.NodeID, operands, out []interp.Tensor[float64])) ([]interp.Tensor[float64], error) {
	g, held := r.m.Graph, map[graph.Tensor]interp.Tensor[float64]{}
	for i, id := range r.m.Inputs() {
		held[id.Out(0)] = in[i]
	}
	return evaluate(ctx, f, r.m, in, func(id graph.NodeID, out []interp.Tensor[float64]) {
		r.step(1)
		if r.watch == nil {
			return
		}
		for k := range out {
			if t := id.Out(k); r.watch.holds[t] || r.watch.once[t] {
				held[t] = out[k]
			}
		}
		var operand interp.Tensor[float64]
		if r.watch.positive[id] {
			t := g.Operands(id)[0]
			if operand = held[t]; !r.watch.holds[t] {
				delete(held, t)
			}
		}
		r.watch.result(id, operand, out)
		r.watch.note(id, out)
		if r.watch.at[id] == nil && r.watch.places[id] == nil && r.watch.ties[id] == nil {
			return
		}
		operands := make([]interp.Tensor[float64], len(g.Operands(id)))
		for i, t := range g.Operands(id) {
			operands[i] = held[t]
		}
		r.watch.see(id, operands, out)
		if after != nil {
			after(id, operands, out)
		}
	}, func(id graph.NodeID) (interp.Tensor[float64], error) {
		w, err := r.kept.load(floats{}, r.m, id, true)
		if r.watch != nil && r.watch.holds[id.Out(0)] {
			held[id.Out(0)] = w
		}
		return w, err
	})
}

// notRun makes what the reference evaluator cannot do a reason. What a backend
// cannot do is an error: it was asked for.
func (n *Numbers) notRun(ctx context.Context, o Options, m *model.Model, err error) error {
	if o.Backend != nil || ctx.Err() != nil {
		return fmt.Errorf("run %s: %w", m.Name, err)
	}
	n.Why, n.By, n.Outputs = fmt.Sprintf("model %s: %v", m.Name, err), "", nil
	return nil
}

// onPlan runs a compiled model once.
func onPlan(ctx context.Context, plan backends.Plan, m *model.Model, in []interp.Tensor[float64]) (_ []interp.Tensor[float64], err error) {
	fed := make([]backends.Tensor, len(in))
	for i, id := range m.Inputs() {
		if fed[i], err = backends.Numbers(m.Graph.Type(id.Out(0)), in[i].Data); err != nil {
			return nil, fmt.Errorf("input %s: %w", m.Graph.Name(id), err)
		}
	}
	res, err := plan.Run(ctx, fed)
	if err != nil {
		return nil, err
	}
	out := make([]interp.Tensor[float64], len(res))
	for i, t := range res {
		out[i] = interp.Tensor[float64]{Sizes: t.Sizes, Data: t.Float64s()}
	}
	return out, nil
}
