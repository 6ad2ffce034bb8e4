package verifymodels

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// numbers compares in floating point.
func numbers(ctx context.Context, o Options, ins []input, res *Numbers) error {
	res.Tolerance = o.Tolerance
	work := max(o.A.FLOPs(), o.B.FLOPs())
	switch {
	case o.NoNumbers:
		res.Why = "not asked for"
		return nil
	case o.Backend == nil && work > o.MaxFLOPs:
		res.Why = fmt.Sprintf("%.3g FLOP are more than the limit of %.3g for the reference evaluator", float64(work), float64(o.MaxFLOPs))
		return nil
	}
	res.By = "float64 reference"
	if o.Backend != nil {
		res.By = "float32, " + o.Backend.Info().String()
	}
	for i, t := range o.A.Graph.Outputs() {
		res.Outputs = append(res.Outputs, Output{
			NameA: outputName(o.A.Graph, i), NameB: outputName(o.B.Graph, i), Sizes: o.A.Graph.Sizes(t)})
	}
	stage := o.Progress.Stage("numbers", int64(o.Runs)*nodes(o))
	defer stage.Done()
	run := func(m *model.Model, in []interp.Tensor[float64]) ([]interp.Tensor[float64], error) {
		if o.Backend == nil {
			return evaluate(ctx, floats{}, m, in, func() { stage.Add(1) })
		}
		out, err := onBackend(ctx, o.Backend, m, in)
		stage.Add(int64(side(m).Operators))
		return out, err
	}
	for k := 0; k < o.Runs; k++ {
		inA, inB := feed(ins, func(in input, i int) float64 {
			bits := draw(o.Seed, k, in, i)
			if in.typ.DType.IsFloat() {
				return unit(bits)
			}
			return float64(bits % uint64(in.below))
		})
		outA, err := run(o.A, inA)
		if err != nil {
			return res.notRun(ctx, o, o.A, err)
		}
		outB, err := run(o.B, inB)
		if err != nil {
			return res.notRun(ctx, o, o.B, err)
		}
		res.compare(outA, outB)
	}
	return nil
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

// onBackend runs a model once.
func onBackend(ctx context.Context, b backends.Backend, m *model.Model, in []interp.Tensor[float64]) (_ []interp.Tensor[float64], err error) {
	plan, err := b.Compile(ctx, m, backends.CompileOptions{})
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	feed := make([]backends.Tensor, len(in))
	for i, id := range m.Inputs() {
		if feed[i], err = backends.Zeros(m.Graph.Type(id.Out(0))); err != nil {
			return nil, fmt.Errorf("input %s: %w", m.Graph.Name(id), err)
		}
		for j, x := range in[i].Data {
			if feed[i].DType == graph.Int64 {
				feed[i].I64[j] = int64(x)
			} else {
				feed[i].F32[j] = float32(x)
			}
		}
	}
	res, err := plan.Run(ctx, feed)
	if err != nil {
		return nil, err
	}
	out := make([]interp.Tensor[float64], len(res))
	for i, t := range res {
		out[i] = interp.Tensor[float64]{Sizes: t.Sizes, Data: make([]float64, graph.NumElements(t.Sizes))}
		for j := range out[i].Data {
			if t.DType == graph.Int64 {
				out[i].Data[j] = float64(t.I64[j])
			} else {
				out[i].Data[j] = float64(t.F32[j])
			}
		}
	}
	return out, nil
}
