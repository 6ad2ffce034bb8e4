package selftest

import (
	"context"
	"fmt"
	"math"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/feed"
)

// Model is a model compared with the reference.
type Model struct {
	Name string `json:"name"`
	// Reference is what computed the numbers that are right: "interpreter, float64", or
	// the CPU backend.
	Reference string `json:"reference"`
	// Deviation is the largest one of an output from the reference, relative to the largest
	// element of that output; Tolerance the one that is taken for rounding.
	Deviation float64 `json:"deviation"`
	Tolerance float64 `json:"tolerance"`
	Agrees    bool    `json:"agrees"`
	// Error is why the model did not run, "" if it did.
	Error string `json:"error,omitempty"`
}

const defaultMaxFLOPs = 1e9

// models compares whole models.
func (r *Report) models(ctx context.Context, o *Options) error {
	stage := o.Progress.Stage("models", int64(len(o.Models)))
	defer stage.Done()
	for _, m := range o.Models {
		res, err := r.model(ctx, o, m)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			res.Agrees, res.Error = false, err.Error()
		}
		r.Models = append(r.Models, res)
		stage.Add(1)
	}
	return nil
}

func (r *Report) model(ctx context.Context, o *Options, m *model.Model) (res Model, err error) {
	res = Model{Name: m.Name}
	fed, err := feed.Make(feed.Of(m), nil, o.Seed)
	if err != nil {
		return res, err
	}
	var in []backends.Tensor
	for i, t := range fed {
		x, err := backends.FromBytes(m.Graph.Type(m.Inputs()[i].Out(0)), t.Raw)
		if err != nil {
			return res, err
		}
		in = append(in, x)
	}
	limit := o.MaxFLOPs
	if limit == 0 {
		limit = defaultMaxFLOPs
	}
	var want [][]float64
	if m.FLOPs() <= limit {
		res.Reference = "interpreter, float64"
		want, err = interpreted(ctx, m, in)
	} else {
		var b backends.Backend
		if b, err = cpu.New(cpu.Options{}); err == nil {
			res.Reference = b.Info().String()
			want, err = once(ctx, b, m, in)
			b.Close()
		}
	}
	if err != nil {
		return res, fmt.Errorf("reference: %w", err)
	}
	got, err := once(ctx, o.Backend, m, in)
	if err != nil {
		return res, err
	}
	res.Tolerance, _ = backends.Tolerance(m.Graph)
	// A mode that rounds operands is held to what its suite is held to.
	if r.Math != "" {
		res.Tolerance = max(res.Tolerance, r.Tolerance)
	}
	res.Agrees = true
	for i := range want {
		d := deviation(got[i], want[i])
		if math.IsInf(d, 1) {
			return res, fmt.Errorf("output %d is not a number, infinite or of another size where the reference is not", i)
		}
		if res.Deviation = max(res.Deviation, d); !(d <= res.Tolerance) {
			res.Agrees = false
		}
	}
	return res, nil
}

// deviation is the largest difference, relative to the largest right number; infinite where
// one is NaN or infinite and the other is not.
func deviation(got, want []float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	largest, off := 0.0, 0.0
	for i, w := range want {
		g := got[i]
		switch {
		case g == w || math.IsNaN(g) && math.IsNaN(w):
		case math.IsNaN(g-w) || math.IsInf(g-w, 0):
			return math.Inf(1)
		default:
			off = max(off, math.Abs(g-w))
		}
		if !math.IsNaN(w) && !math.IsInf(w, 0) {
			largest = max(largest, math.Abs(w))
		}
	}
	if largest == 0 { // all zeros are right: no number is near, relatively
		return off
	}
	return off / largest
}

// once runs a model once.
func once(ctx context.Context, b backends.Backend, m *model.Model, in []backends.Tensor) (out [][]float64, err error) {
	p, err := b.Compile(ctx, m, backends.CompileOptions{})
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := p.Close(); err == nil {
			err = closed
		}
	}()
	ts, err := p.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	for _, t := range ts {
		out = append(out, t.Float64s())
	}
	return out, nil
}

// interpreted evaluates a model over float64.
func interpreted(ctx context.Context, m *model.Model, in []backends.Tensor) ([][]float64, error) {
	fed := map[graph.NodeID]backends.Tensor{}
	for i, id := range m.Inputs() {
		fed[id] = in[i]
	}
	e := interp.Evaluator[float64]{Ring: interp.Float{}, Input: func(id graph.NodeID) (interp.Tensor[float64], error) {
		typ := m.Graph.Type(id.Out(0))
		x, ok := fed[id]
		if !ok {
			raw, err := m.Weights[id].Read()
			if err != nil {
				return interp.Tensor[float64]{}, err
			}
			if x, err = backends.FromBytes(typ, raw); err != nil {
				return interp.Tensor[float64]{}, err
			}
		}
		return interp.Tensor[float64]{Sizes: typ.Sizes, Data: x.Float64s()}, nil
	}}
	ts, err := e.Run(ctx, m.Graph)
	if err != nil {
		return nil, err
	}
	var out [][]float64
	for _, t := range ts {
		out = append(out, t.Data)
	}
	return out, nil
}
