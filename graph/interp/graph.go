package interp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Evaluator evaluates graphs over a ring. Element types play no part, except that a ring
// which is [Typed] computes with integers as such: the ring's arithmetic is used throughout. Dead operators are not evaluated, a tensor is made
// when it is first read, and dropped after its last use.
type Evaluator[T any] struct {
	Ring Ring[T]
	// Input is the tensor of an input of the graph, asked for when it is first read.
	Input func(id graph.NodeID) (Tensor[T], error)
	// Opaque evaluates an opaque node; nil: that is an error.
	Opaque func(g *graph.Graph, id graph.NodeID, in []Tensor[T]) ([]Tensor[T], error)
	// Done, if not nil, is called after each operator with its results.
	Done func(id graph.NodeID, out []Tensor[T])
}

// EvalGraph evaluates a graph over any ring: in holds a tensor for each of the
// graph's inputs, in their order; the result one for each of its outputs. The
// error of a cancelled context is returned between two operators.
func EvalGraph[T any](ctx context.Context, r Ring[T], g *graph.Graph, in []Tensor[T]) ([]Tensor[T], error) {
	if len(in) != len(g.Inputs()) {
		return nil, fmt.Errorf("evaluate graph: %d inputs, want %d", len(in), len(g.Inputs()))
	}
	given := map[graph.NodeID]Tensor[T]{}
	for i, id := range g.Inputs() {
		want := g.Sizes(id.Out(0))
		if !slices.Equal(in[i].Sizes, want) {
			return nil, fmt.Errorf("evaluate graph: input %s has sizes %v, want %v", g.Name(id), in[i].Sizes, want)
		}
		if err := in[i].check(); err != nil {
			return nil, fmt.Errorf("evaluate graph: input %s: %w", g.Name(id), err)
		}
		given[id] = in[i]
	}
	e := Evaluator[T]{Ring: r, Input: func(id graph.NodeID) (Tensor[T], error) { return given[id], nil }}
	out, err := e.Run(ctx, g)
	if err != nil {
		return nil, fmt.Errorf("evaluate graph: %w", err)
	}
	return out, nil
}

// Run evaluates a graph: one tensor for each of its outputs. The error of a
// cancelled context is returned between two operators.
func (e *Evaluator[T]) Run(ctx context.Context, g *graph.Graph) ([]Tensor[T], error) {
	return walk(ctx, g, e.Input, func(id graph.NodeID, in []Tensor[T]) ([]Tensor[T], error) {
		out, err := e.apply(g, id, in)
		if err == nil && e.Done != nil {
			e.Done(id, out)
		}
		return out, err
	})
}

// walk applies the operators that outputs of a graph depend on, in order. Values are dropped
// after their last use.
func walk[V any](ctx context.Context, g *graph.Graph, input func(graph.NodeID) (V, error), apply func(id graph.NodeID, in []V) ([]V, error)) ([]V, error) {
	uses := Readers(g)
	val := make([][]V, g.Len()+1)
	get := func(t graph.Tensor) (x V, err error) {
		if val[t.Node] == nil {
			if x, err = input(t.Node); err != nil {
				return x, err
			}
			val[t.Node] = []V{x}
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
		args := make([]V, op.In)
		for i, t := range g.Operands(id) {
			var err error
			if args[i], err = get(t); err != nil {
				return nil, err
			}
		}
		out, err := apply(id, args)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", g.Name(id), err)
		}
		val[id] = out
		for _, t := range g.Operands(id) {
			if uses[t.Node]--; uses[t.Node] == 0 {
				val[t.Node] = nil
			}
		}
	}
	out := make([]V, len(g.Outputs()))
	for i, t := range g.Outputs() {
		var err error
		if out[i], err = get(t); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (e *Evaluator[T]) apply(g *graph.Graph, id graph.NodeID, in []Tensor[T]) ([]Tensor[T], error) {
	if _, _, ok := g.Opaque(id); !ok {
		op, to := g.Op(id), results(g, id)
		var from []graph.DType
		for _, t := range g.Operands(id) {
			from = append(from, g.DType(t))
		}
		if r, ok := e.Ring.(Typed[T]); ok && onInts(op, from, to) {
			return r.ApplyInts(op, g.Attrs(id), in, from, to)
		}
		return Apply(e.Ring, op, g.Attrs(id), in)
	}
	if e.Opaque == nil {
		return nil, errors.New("operator opaque: what an opaque node computes is not known")
	}
	return e.Opaque(g, id, in)
}

// results are the element types of what a node computes.
func results(g *graph.Graph, id graph.NodeID) (types []graph.DType) {
	for k := range g.NumOut(id) {
		types = append(types, g.DType(id.Out(k)))
	}
	return types
}

// Readers counts the operators and outputs that read each node and that an output
// depends on.
func Readers(g *graph.Graph) []int { return ReadersFor(g, g.Outputs()...) }

// ReadersFor is [Readers] for some tensors in the place of the outputs.
func ReadersFor(g *graph.Graph, outs ...graph.Tensor) []int {
	uses := make([]int, g.Len()+1)
	for _, t := range outs {
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
