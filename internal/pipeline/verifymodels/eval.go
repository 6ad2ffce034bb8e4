package verifymodels

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// field is the arithmetic in which a model is evaluated.
type field[T any] interface {
	interp.Ring[T]
	interp.Functions[T]
	interp.Integers[T]
	// dot is the sum of x[i]*y[i]; the slices have the same length.
	dot(x, y []T) T
	// fromFloat is the image of a number; an error for NaN and infinities where
	// they have none.
	fromFloat(x float64) (T, error)
	fromInt(x int64) T
	// spread is the weights of the n rows of a table in what a gather reads at a
	// position that is the number of no row; nil if there are none.
	spread(at T, n int) []T
	// opaque evaluates a node of which nothing is known.
	opaque(g *graph.Graph, id graph.NodeID, in []interp.Tensor[T]) ([]interp.Tensor[T], error)
	// apply evaluates an operator that has no kernel here.
	apply(op *graph.Op, a graph.Attrs, in []interp.Tensor[T]) ([]interp.Tensor[T], error)
}

// evaluate runs a model on one tensor for each of its inputs that is no
// weight. step is called after each node.
func evaluate[T any](ctx context.Context, f field[T], m *model.Model, in []interp.Tensor[T], step func()) ([]interp.Tensor[T], error) {
	return evaluateWith(ctx, f, m, in, step, func(id graph.NodeID) (interp.Tensor[T], error) {
		return loadWeight(f, m.Weights[id])
	})
}

// evaluateWith is evaluate with weights from elsewhere.
func evaluateWith[T any](ctx context.Context, f field[T], m *model.Model, in []interp.Tensor[T], step func(),
	weight func(graph.NodeID) (interp.Tensor[T], error)) ([]interp.Tensor[T], error) {
	g := m.Graph
	uses := readers(g)
	val := make([][]interp.Tensor[T], g.Len()+1)
	for i, id := range m.Inputs() {
		val[id] = in[i : i+1]
	}
	get := func(t graph.Tensor) (interp.Tensor[T], error) {
		if val[t.Node] == nil && g.IsWeight(t.Node) {
			w, err := weight(t.Node)
			if err != nil {
				return interp.Tensor[T]{}, fmt.Errorf("weight %s: %w", g.Name(t.Node), err)
			}
			val[t.Node] = []interp.Tensor[T]{w}
		}
		return val[t.Node][t.Out], nil
	}
	for id := range g.Nodes() {
		op := g.Op(id)
		if op == nil || uses[id] == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		args := make([]interp.Tensor[T], op.In)
		for i, t := range g.Operands(id) {
			var err error
			if args[i], err = get(t); err != nil {
				return nil, err
			}
		}
		var out []interp.Tensor[T]
		var err error
		if isOpaque(g, id) {
			out, err = f.opaque(g, id, args)
		} else {
			out, err = applyNode(f, op, g.Attrs(id), args, g.Sizes(id.Out(0)))
		}
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", g.Name(id), err)
		}
		val[id] = out
		for _, t := range g.Operands(id) {
			if uses[t.Node]--; uses[t.Node] == 0 {
				val[t.Node] = nil
			}
		}
		step()
	}
	out := make([]interp.Tensor[T], len(g.Outputs()))
	for i, t := range g.Outputs() {
		var err error
		if out[i], err = get(t); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readers counts the operators and outputs that read each node and are needed.
func readers(g *graph.Graph) []int {
	uses := make([]int, g.Len()+1)
	for _, t := range g.Outputs() {
		uses[t.Node]++
	}
	for id := graph.NodeID(g.Len()); id > 0; id-- {
		if uses[id] > 0 {
			for _, t := range g.Operands(id) {
				uses[t.Node]++
			}
		}
	}
	return uses
}

func loadWeight[T any](f field[T], w *model.Weight) (interp.Tensor[T], error) {
	n := w.Elements()
	t := interp.Tensor[T]{Sizes: w.Sizes, Data: make([]T, n)}
	switch w.DType {
	case graph.Float32:
		xs, err := w.Float32s()
		if err != nil {
			return t, err
		}
		for i, x := range xs {
			if t.Data[i], err = f.fromFloat(float64(x)); err != nil {
				return t, fmt.Errorf("element %d: %w", i, err)
			}
		}
	case graph.Int64:
		xs, err := w.Int64s()
		if err != nil {
			return t, err
		}
		for i, x := range xs {
			t.Data[i] = f.fromInt(x)
		}
	default:
		return t, fmt.Errorf("elements of type %s are not evaluated", w.DType)
	}
	return t, nil
}

func applyNode[T any](f field[T], op *graph.Op, a graph.Attrs, in []interp.Tensor[T], out []int) ([]interp.Tensor[T], error) {
	switch op.Name {
	case "conv2d":
		return conv2d(f, op, a, in[0], in[1], out)
	case "gather":
		return gather(f, op, a, in[0], in[1], out)
	case "matmul":
		return []interp.Tensor[T]{matmul(f, in[0], in[1], out)}, nil
	}
	return f.apply(op, a, in)
}
