package verifymodels

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// numbers compares in floating point. Where it is the only evidence (decisive),
// inputs have two scales, and every position that can be read is read, as far as
// the limit on the work allows; what is not reached then is said in unreached.
func numbers(ctx context.Context, o Options, c *comparison, decisive bool, res *Numbers) (unreached []string, err error) {
	res.Tolerance = o.Tolerance
	work := max(o.A.FLOPs(), o.B.FLOPs())
	switch {
	case o.NoNumbers:
		res.Why = "not asked for"
		return nil, nil
	case o.Backend == nil && work > o.MaxFLOPs:
		res.Why = fmt.Sprintf("%.3g FLOP are more than the limit of %.3g for the reference evaluator", float64(work), float64(o.MaxFLOPs))
		return nil, nil
	}
	res.By = "float64 reference"
	if o.Backend != nil {
		res.By = backends.Arithmetic(o.A.Graph, o.B.Graph) + ", " + o.Backend.Info().String()
	}
	for i, t := range o.A.Graph.Outputs() {
		out := Output{NameA: outputName(o.A.Graph, i), NameB: outputName(o.B.Graph, c.outs[i]), Sizes: o.A.Graph.Sizes(t), Tolerance: o.Tolerance}
		if o.Tolerance == 0 {
			var narrow graph.DType
			out.Tolerance, narrow = backends.OutputTolerance([]*graph.Graph{o.A.Graph, o.B.Graph}, []graph.Tensor{t, o.B.Graph.Outputs()[c.outs[i]]})
			if narrow != graph.Float32 {
				out.Type = narrow.String()
			}
		}
		res.Tolerance = max(res.Tolerance, out.Tolerance)
		res.Outputs = append(res.Outputs, out)
	}
	res.Runs = o.Runs
	if decisive {
		rows, computed := c.apart()
		for _, name := range computed {
			unreached = append(unreached, "the rows that "+name+" reads are computed: which of them were read is not known")
		}
		all := max(c.values(rows), 2) // two scales
		if res.Runs = c.runs(o, rows); res.Runs < all {
			unreached = append(unreached, fmt.Sprintf("%d of %d runs that would read every row at every position", res.Runs, all))
		}
	}
	// A backend may stop at a position that a table does not have.
	beyond := decisive && o.Backend == nil
	for _, in := range c.ins {
		if in.computed && decisive && !beyond {
			unreached = append(unreached, fmt.Sprintf("integers of input %s, from which positions are computed, that are not 0 to %d", in.name, in.below-1))
		}
	}
	total := res.Runs
	if decisive && c.fedFloats() {
		total++ // with what is no number
	}
	stage := o.Progress.Stage("numbers", int64(total)*nodes(o))
	defer stage.Done()
	strange := func(in input, k int) bool {
		return decisive && !in.index && in.typ.DType.IsInt() && k%3 == 2 || beyond && in.computed && k == res.Runs-1
	}
	// skip says after an error whether a run is left out: not every integer makes sense, and
	// a backend stops where there is no such position. Then it is said so.
	skipped := make([]bool, total)
	skip := func(k int, err error) bool {
		if k == res.Runs && ctx.Err() == nil {
			skipped[k] = true // what is no number cannot be computed with everywhere, as for positions
			return true
		}
		if ctx.Err() != nil || !slices.ContainsFunc(c.ins, func(in input) bool { return strange(in, k) }) {
			return false
		}
		if !slices.Contains(skipped, true) {
			unreached = append(unreached, fmt.Sprintf("integers that may make no sense: %v", err))
		}
		skipped[k] = true
		return true
	}
	inputs := func(k int) (inA, inB []interp.Tensor[float64]) {
		wide := decisive && k%2 == 1
		return fill(c.ins, func(in input, i int) float64 {
			switch {
			case in.typ.DType.IsFloat() && k == res.Runs:
				return in.sometimes(o.Seed, k, i)
			case in.typ.DType.IsFloat() && decisive && c.atHalves(k):
				return in.half(o.Seed, k, i, c.constants)
			case in.typ.DType.IsFloat() && wide:
				return wideScale * unit(draw(o.Seed, k, in, i))
			case in.typ.DType.IsFloat():
				return unit(draw(o.Seed, k, in, i))
			case strange(in, k):
				return float64(in.wide(o.Seed, k, i))
			}
			return float64(in.integer(o.Seed, k, i))
		})
	}
	// One model after the other, so that the weights of one are in memory at a time,
	// unless outputs of many runs would take more.
	a, err := newRunner(ctx, o.Backend, o.A, func(n int64) { stage.Add(n) })
	if err != nil {
		return nil, err
	}
	closeA := sync.OnceValue(a.close)
	defer func() { err = errors.Join(err, closeA()) }()
	outputs := int64(0)
	for _, t := range o.A.Graph.Outputs() {
		outputs += int64(graph.NumElements(o.A.Graph.Sizes(t)))
	}
	var outsA [][]interp.Tensor[float64]
	if outputs*int64(total) <= keptOutputs {
		for k := range total {
			in, _ := inputs(k)
			out, err := a.run(ctx, in)
			if err != nil && !skip(k, err) {
				return nil, res.notRun(ctx, o, o.A, err)
			}
			outsA = append(outsA, out)
		}
		a.kept = nil
		if err := closeA(); err != nil {
			return nil, err
		}
	}
	b, err := newRunner(ctx, o.Backend, o.B, func(n int64) { stage.Add(n) })
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	seen := make([]sight, len(res.Outputs))
	edge := Numbers{Outputs: slices.Clone(res.Outputs)} // where functions jump
	var fed []interp.Tensor[float64]                    // to A, where functions jump
	for k := range total {
		inA, inB := inputs(k)
		var outA []interp.Tensor[float64]
		if outsA != nil {
			outA = outsA[k]
		} else if outA, err = a.run(ctx, inA); err != nil && !skip(k, err) {
			return nil, res.notRun(ctx, o, o.A, err)
		}
		if skipped[k] {
			continue
		}
		outB, err := b.run(ctx, inB)
		if err != nil && !skip(k, err) {
			return nil, res.notRun(ctx, o, o.B, err)
		}
		if skipped[k] {
			continue
		}
		placed := make([]interp.Tensor[float64], len(outA))
		for i, j := range c.outs {
			placed[i] = outB[j]
			if k < res.Runs {
				seen[i].look(outA[i].Data, placed[i].Data)
			}
		}
		switch {
		case k == res.Runs:
			res.beyond = c.beyond(res.Outputs, inA, outA, placed)
		case decisive && c.atHalves(k):
			fed = inA
			edge.compare(outA, placed)
		default:
			res.compare(outA, placed)
		}
	}
	if !decisive {
		return nil, nil
	}
	depends := dependent(o.A.Graph)
	for i := range seen {
		if c.outputEqual(i, c.numA, c.numB) {
			continue // proved
		}
		name := res.Outputs[i].NameA
		if out := edge.Outputs[i]; !out.Agrees() {
			unreached = append(unreached, fmt.Sprintf("output %s where functions jump, which rounding decides: of multiples of a half and the models' own numbers element %v is %.7g and %.7g%s", name, out.At, out.A, out.B, c.fedAt(out, fed)))
		}
		if n := seen[i].blind(); n > 0 {
			unreached = append(unreached, fmt.Sprintf("output %s: %d of %d elements are a finite number in no run", name, n, len(seen[i].finite)))
		} else if !seen[i].varied && depends[o.A.Graph.Outputs()[i].Node] {
			unreached = append(unreached, fmt.Sprintf("output %s: the same in every run, whatever is fed", name))
		}
	}
	return unreached, nil
}

// keptOutputs is how many elements of outputs are kept of one model until the other
// one is run.
const keptOutputs = 1 << 25

// wideScale is by how much the inputs of every other run are larger where numbers
// decide: functions such as clip are not the same below and above some bound.
const wideScale = 8

// sight is what the runs saw of an output.
type sight struct {
	first  []float64
	varied bool   // not all runs gave the same
	finite []bool // of elements: a number in a run
}

func (s *sight) look(a, b []float64) {
	if s.first == nil {
		s.first, s.finite = a, make([]bool, len(a))
	}
	for i, x := range a {
		s.finite[i] = s.finite[i] || finite(x) && finite(b[i])
		s.varied = s.varied || x != s.first[i] && finite(x)
	}
}

func (s *sight) blind() (n int) {
	for _, ok := range s.finite {
		if !ok {
			n++
		}
	}
	return n
}

// dependent says which nodes an input that is fed has a path to.
func dependent(g *graph.Graph) []bool {
	fed := make([]bool, g.Len()+1)
	for id := range g.Nodes() {
		fed[id] = g.Op(id) == nil && !g.IsWeight(id)
		for _, t := range g.Operands(id) {
			fed[id] = fed[id] || fed[t.Node]
		}
	}
	return fed
}

// runner runs one model in floating point.
type runner struct {
	m    *model.Model
	plan backends.Plan // nil: the reference evaluator
	step func(int64)
	kept kept[float64]
}

func newRunner(ctx context.Context, b backends.Backend, m *model.Model, step func(int64)) (*runner, error) {
	r := &runner{m: m, step: step, kept: kept[float64]{}}
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
	return evaluate(ctx, floats{}, r.m, in, func() { r.step(1) }, func(id graph.NodeID) (interp.Tensor[float64], error) {
		return r.kept.load(floats{}, r.m, id, true)
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
