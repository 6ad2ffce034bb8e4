package verifymodels

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// field is the arithmetic in which a model is evaluated. It is an [interp.Tables]:
// products of matrices are dot products of rows.
type field[T any] interface {
	interp.Ring[T]
	interp.Tables[T]
	// fromFloat is the image of a number; an error for NaN and infinities where
	// they have none.
	fromFloat(x float64) (T, error)
	fromInt(x int64) T
	// opaque evaluates a node of which nothing is known.
	opaque(g *graph.Graph, id graph.NodeID, in []interp.Tensor[T]) ([]interp.Tensor[T], error)
	// made is told what an operator gave.
	made(op *graph.Op, out []interp.Tensor[T])
}

// evaluate runs a model on one tensor for each of its inputs that is no weight.
// Weights are loaded when they are first read; step is called after each node with its
// results.
func evaluate[T any](ctx context.Context, f field[T], m *model.Model, in []interp.Tensor[T], step func(id graph.NodeID, out []interp.Tensor[T]),
	weight func(graph.NodeID) (interp.Tensor[T], error)) ([]interp.Tensor[T], error) {
	fed := map[graph.NodeID]interp.Tensor[T]{}
	for i, id := range m.Inputs() {
		fed[id] = in[i]
	}
	done := func(id graph.NodeID, out []interp.Tensor[T]) {
		f.made(m.Graph.Op(id), out)
		step(id, out)
	}
	e := interp.Evaluator[T]{Ring: f, Opaque: f.opaque, Done: done, Input: func(id graph.NodeID) (interp.Tensor[T], error) {
		if x, ok := fed[id]; ok {
			return x, nil
		}
		x, err := weight(id)
		if err != nil {
			return x, fmt.Errorf("weight %s: %w", m.Graph.Name(id), err)
		}
		return x, nil
	}}
	return e.Run(ctx, m.Graph)
}

func loadWeight[T any](f field[T], w *model.Weight) (interp.Tensor[T], error) {
	n := w.Elements()
	t := interp.Tensor[T]{Sizes: w.Sizes, Data: make([]T, n)}
	raw, err := w.Read()
	if err != nil {
		return t, err
	}
	x, err := backends.FromBytes(graph.TensorType{DType: w.DType, Sizes: w.Sizes}, raw)
	if err != nil {
		return t, err
	}
	rounding, rounds := any(f).(interp.Rounding)
	rounds = rounds && rounding.Rounds()
	for i := range t.Data {
		switch {
		case rounds && !w.DType.IsFloat() && (x.I64[i] > 1<<53 || x.I64[i] < -1<<53 || w.DType == graph.Uint64 && x.I64[i] < 0):
			return t, fmt.Errorf("element %d is an integer beyond 2^53, which float64 arithmetic does not hold", i)
		case w.DType.IsFloat():
			if t.Data[i], err = f.fromFloat(x.Number(i)); err != nil {
				return t, fmt.Errorf("element %d: %w", i, err)
			}
		case w.DType == graph.Uint64: // of 2^63 and more, the half twice, and the last bit
			n := uint64(x.I64[i])
			half := f.fromInt(int64(n >> 1))
			t.Data[i] = f.Add(f.Add(half, half), f.fromInt(int64(n&1)))
		default:
			t.Data[i] = f.fromInt(x.I64[i])
		}
	}
	return t, nil
}

// kept are weights that are loaded once for many runs.
type kept[T any] map[graph.NodeID]interp.Tensor[T]

// maxKept bounds the elements of a weight that is kept.
const maxKept = 1 << 24

// load is a weight of a model, kept if it is to be and not too large.
func (k kept[T]) load(f field[T], m *model.Model, id graph.NodeID, keep bool) (interp.Tensor[T], error) {
	if t, ok := k[id]; ok {
		return t, nil
	}
	t, err := loadWeight(f, m.Weights[id])
	if err == nil && keep && len(t.Data) <= maxKept {
		k[id] = t
	}
	return t, err
}
