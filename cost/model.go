package cost

import (
	"errors"
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Model gives the cost of applications. Implementations may be used by any
// number of goroutines.
type Model interface {
	// Cost is the time of one application and where it comes from; op nil is
	// an opaque operator. The time is above zero for every operator. An error
	// names the application that the model does not know; for a [Table] it is
	// a *MissingError.
	Cost(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) (Seconds, Source, error)
}

// MissingError is the error of a model that has no time for an application.
type MissingError struct{ Key Key }

// Error names the key.
func (e *MissingError) Error() string { return "no time recorded for " + e.Key.String() }

// NodeCost is the cost of one node of a graph.
type NodeCost struct {
	ID      graph.NodeID
	Name    string // the node's
	Op      string // the operator's, or the kind of an opaque node
	Class   Class
	Seconds Seconds
	Source  Source
	// Once: the node depends on weights only, so it is computed before the
	// first run and not in each.
	Once bool
}

// Breakdown is the cost of a graph.
type Breakdown struct {
	// Total is the time of one run: the sum over all nodes but those computed
	// once.
	Total Seconds
	// Once is the time of what is computed before the first run.
	Once Seconds
	// Nodes are all nodes but the inputs, operands before their users.
	Nodes []NodeCost
	// Opaque counts the opaque nodes. A machine prices only their traffic, so
	// that Total is too low where it is not 0.
	Opaque int
	// By is the part of Total that comes from each source.
	By [numSources]Seconds
}

// ByClass is the part of Total in each class.
func (b *Breakdown) ByClass() map[Class]Seconds {
	m := map[Class]Seconds{}
	for _, n := range b.Nodes {
		if !n.Once {
			m[n.Class] += n.Seconds
		}
	}
	return m
}

// Source is the least trusted source that Total has a part from.
func (b *Breakdown) Source() Source {
	for s, t := range b.By {
		if t > 0 {
			return Source(s)
		}
	}
	return Measured
}

// maxMissing bounds how many unknown applications one error lists.
const maxMissing = 10

// GraphCost is the sum of the costs of a graph's nodes, dead ones included.
// Where the model does not know applications, the error names the nodes with
// them, at most ten.
func GraphCost(g *graph.Graph, m Model) (*Breakdown, error) {
	b := &Breakdown{}
	once := OnceNodes(g)
	var errs []error
	failed := 0
	for id := range g.Nodes() {
		kind, _, opaque := g.Opaque(id)
		op := g.Op(id)
		if op == nil && !opaque {
			continue // an input
		}
		n := NodeCost{ID: id, Name: g.Name(id), Op: kind, Once: once[id]}
		if opaque {
			op = nil
			b.Opaque++
		} else {
			n.Op = op.Name
		}
		in, out := Types(g, id)
		n.Class = WorkOf(op, g.Attrs(id), in, out).Class
		s, from, err := m.Cost(op, g.Attrs(id), in, out)
		if err == nil && !(s.Valid() && s > 0) {
			err = fmt.Errorf("cost %v is not a time above zero", float64(s))
		}
		if err != nil {
			if failed++; failed <= maxMissing {
				errs = append(errs, fmt.Errorf("cost of node %q: %w", n.Name, err))
			}
			continue
		}
		n.Seconds, n.Source = s, from
		b.Nodes = append(b.Nodes, n)
		if n.Once {
			b.Once += s
			continue
		}
		b.Total += s
		b.By[from] += s
	}
	if failed > maxMissing {
		errs = append(errs, fmt.Errorf("and of %d more nodes", failed-maxMissing))
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	return b, nil
}

// OnceNodes says for each node, indexed by its id, whether it is an operator
// that depends on weights and constants only.
func OnceNodes(g *graph.Graph) []bool {
	fixed := make([]bool, g.Len()+1) // weights included
	once := make([]bool, g.Len()+1)
	for id := range g.Nodes() {
		_, _, opaque := g.Opaque(id)
		if g.Op(id) == nil && !opaque {
			fixed[id] = g.IsWeight(id)
			continue
		}
		all := !opaque // what an opaque node depends on we do not know
		for _, t := range g.Operands(id) {
			all = all && fixed[t.Node]
		}
		fixed[id], once[id] = all, all
	}
	return once
}

// WithFallback asks first and, where that has no time, second: measured times
// where there are any, and modelled ones elsewhere. The source of each time
// says which it was.
func WithFallback(first, second Model) Model { return fallback{first, second} }

type fallback struct{ first, second Model }

func (f fallback) Cost(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) (Seconds, Source, error) {
	s, from, err := f.first.Cost(op, a, in, out)
	var missing *MissingError
	if errors.As(err, &missing) {
		return f.second.Cost(op, a, in, out)
	}
	return s, from, err
}
