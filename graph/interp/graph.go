package interp

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// EvalGraph evaluates a graph over any ring: in holds a tensor for each of the
// graph's inputs, in their order; the result one for each of its outputs.
// Element types play no part: the ring's arithmetic is used throughout. Dead
// operators are not evaluated, and a tensor is dropped after its last use. The
// error of a cancelled context is returned between two operators.
func EvalGraph[T any](ctx context.Context, r Ring[T], g *graph.Graph, in []Tensor[T]) ([]Tensor[T], error) {
	if len(in) != len(g.Inputs()) {
		return nil, fmt.Errorf("evaluate graph: %d inputs, want %d", len(in), len(g.Inputs()))
	}
	// uses counts the readers of a node: operators that are evaluated, outputs.
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
	val := make([][]Tensor[T], g.Len()+1)
	for i, id := range g.Inputs() {
		want := g.Sizes(id.Out(0))
		if !slices.Equal(in[i].Sizes, want) {
			return nil, fmt.Errorf("evaluate graph: input %s has sizes %v, want %v", g.Name(id), in[i].Sizes, want)
		}
		if err := in[i].check(); err != nil {
			return nil, fmt.Errorf("evaluate graph: input %s: %w", g.Name(id), err)
		}
		val[id] = in[i : i+1]
	}
	for id := range g.Nodes() {
		op := g.Op(id)
		if op == nil || uses[id] == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("evaluate graph: %w", err)
		}
		args := make([]Tensor[T], op.In)
		for i, t := range g.Operands(id) {
			args[i] = val[t.Node][t.Out]
		}
		out, err := Apply(r, op, g.Attrs(id), args)
		if err != nil {
			return nil, fmt.Errorf("evaluate graph: node %s: %w", g.Name(id), err)
		}
		val[id] = out
		for _, t := range g.Operands(id) {
			if uses[t.Node]--; uses[t.Node] == 0 {
				val[t.Node] = nil
			}
		}
	}
	out := make([]Tensor[T], len(g.Outputs()))
	for i, t := range g.Outputs() {
		out[i] = val[t.Node][t.Out]
	}
	return out, nil
}
