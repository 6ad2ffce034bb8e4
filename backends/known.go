package backends

import (
	"errors"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Known is nil if what a node computes is known and, with computes, its tensors are of
// types that a device computes with, unless they only move or are positions. nil:
// it computes with all types. Otherwise it is an *Unsupported of the backend of that
// name.
func Known(backend string, g *graph.Graph, id graph.NodeID, computes func(graph.DType) bool) error {
	op, name := g.Op(id), g.Name(id)
	if kind, _, ok := g.Opaque(id); ok {
		return &Unsupported{Backend: backend, Node: name, Op: kind, Why: "its meaning is not known"}
	}
	if computes == nil || op == nil || op.In == 0 || op.Moves {
		return nil
	}
	why := func(what string, t graph.TensorType) error {
		if computes(t.DType) {
			return nil
		}
		return &Unsupported{Backend: backend, Node: name, Op: op.Name, Why: fmt.Sprintf("%s is %s, with which it does not compute", what, t)}
	}
	for i, t := range g.Operands(id) {
		if op.Places != nil && i > 0 && !g.DType(t).IsFloat() {
			continue // positions, and keys
		}
		if err := why(fmt.Sprintf("operand %d", i), g.Type(t)); err != nil {
			return err
		}
	}
	for i := range g.NumOut(id) {
		if op.Counts {
			break
		}
		if err := why("its result", g.Type(id.Out(i))); err != nil {
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
