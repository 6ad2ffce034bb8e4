package backends

import (
	"errors"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Known is nil if what a node computes is known, and its tensors are of types
// that backends compute with: float32, and int64 for what only moves or is a
// position. Otherwise it is an *Unsupported of the backend of that name.
func Known(backend string, g *graph.Graph, id graph.NodeID) error {
	name := g.Name(id)
	types := func(what, op string, ints bool, t graph.TensorType) error {
		if t.DType == graph.Float32 || ints && t.DType == graph.Int64 {
			return nil
		}
		return &Unsupported{Backend: backend, Node: name, Op: op, Why: fmt.Sprintf("%s is %s", what, t)}
	}
	op := g.Op(id)
	if op == nil {
		return types("an input", "input", true, g.Type(id.Out(0)))
	}
	if kind, _, ok := g.Opaque(id); ok {
		return &Unsupported{Backend: backend, Node: name, Op: kind, Why: "its meaning is not known"}
	}
	if op.In == 0 {
		return types("a constant", op.Name, true, g.Type(id.Out(0)))
	}
	for i, t := range g.Operands(id) {
		places := op.Places != nil && i > 0 // positions, and keys
		if err := types(fmt.Sprintf("operand %d", i), op.Name, op.Moves || places, g.Type(t)); err != nil {
			return err
		}
	}
	for i := range g.NumOut(id) {
		if err := types("its result", op.Name, op.Moves, g.Type(id.Out(i))); err != nil {
			return err
		}
	}
	return nil
}

// Needed are the nodes that a graph's outputs depend on. The error names each
// of them that b does not support.
func Needed(b Backend, g *graph.Graph) (map[graph.NodeID]bool, error) {
	needed := map[graph.NodeID]bool{}
	for t := range lower.Uses(g) {
		needed[t.Node] = true
	}
	var errs []error
	for id := range g.Nodes() {
		if needed[id] {
			if err := b.Supports(g, id); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return needed, errors.Join(errs...)
}
