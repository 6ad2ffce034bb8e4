package cost

import (
	"errors"
	"fmt"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Model gives the cost of applications. Implementations may be used by any
// number of goroutines.
type Model interface {
	// Cost is the time of one application and where it comes from. The time is
	// above zero for every operator. An error names the application that the
	// model does not know; for a [Table] it is a *MissingError.
	Cost(Application) (Seconds, Source, error)
	// Fused is what an elementwise operator adds to the time of the kernel that it
	// is fused into, t being the type of the running value; not below zero.
	Fused(f Fused, t graph.TensorType) (Seconds, Source, error)
}

// ofParts is the cost of a group as that of its root and what each fused operator
// adds. It is modelled, whatever its parts are.
func ofParts(m Model, a Application) (Seconds, Source, error) {
	tail := a.Tail
	a.Tail = nil
	sum, _, err := m.Cost(a)
	for _, f := range tail {
		if err != nil {
			break
		}
		var s Seconds
		s, _, err = m.Fused(f, a.Out[0])
		sum += s
	}
	return sum, Modelled, err
}

// MissingError is the error of a model that has no time for an application.
type MissingError struct{ Key Key }

// Error names the key.
func (e *MissingError) Error() string { return "no time recorded for " + e.Key.String() }

// NodeCost is the cost of one group of nodes of a graph, or of a view.
type NodeCost struct {
	ID   graph.NodeID // of the root
	Name string       // the root's
	Op   string       // the root's operator, or the kind of an opaque node
	// Fused are the operators that run in its kernel.
	Fused   []string
	Class   Class
	Seconds Seconds
	Source  Source
	// Once: it depends on weights only, so it is computed before the first run
	// and not in each.
	Once bool
}

// Kernel is the root's operator with what is fused into it: conv2d+ewadd+relu.
func (n *NodeCost) Kernel() string { return strings.Join(append([]string{n.Op}, n.Fused...), "+") }

// Breakdown is the cost of a graph.
type Breakdown struct {
	// Total is the time of one run: the sum over all groups and views but those
	// computed once.
	Total Seconds
	// Once is the time of what is computed before the first run.
	Once Seconds
	// Nodes are the groups and views of the plan, operands before their users.
	Nodes []NodeCost
	// Opaque counts the opaque nodes. A machine prices only their traffic, so
	// that Total is too low where it is not 0.
	Opaque int
	// By is the part of Total that comes from each source.
	By [numSources]Seconds
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

// GraphCost is the sum of the costs of what a plan runs: kernels with all that is
// fused into them, and the views, which cost their dispatch. Nodes that no output
// depends on cost nothing. Where the model does not know applications, the error
// names the nodes with them, at most ten.
func GraphCost(p *lower.Plan, m Model) (*Breakdown, error) {
	b := &Breakdown{}
	var errs []error
	failed := 0
	for _, g := range Groups(p) {
		n := NodeCost{ID: g.ID, Name: p.Graph.Name(g.ID), Once: g.Once, Class: WorkOf(g.Application).Class}
		if kind, _, opaque := p.Graph.Opaque(g.ID); opaque {
			n.Op = kind
			b.Opaque++
		} else {
			n.Op = g.Op.Name
		}
		for _, f := range g.Tail {
			n.Fused = append(n.Fused, f.Op.Name)
		}
		s, from, err := m.Cost(g.Application)
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

// WithFallback asks first and, where that has no time, second: measured times
// where there are any, and modelled ones elsewhere. The source of each time
// says which it was.
func WithFallback(first, second Model) Model { return fallback{first, second} }

type fallback struct{ first, second Model }

func (f fallback) Cost(a Application) (Seconds, Source, error) {
	s, from, err := f.first.Cost(a)
	var missing *MissingError
	if errors.As(err, &missing) {
		return f.second.Cost(a)
	}
	return s, from, err
}

func (m fallback) Fused(f Fused, t graph.TensorType) (Seconds, Source, error) {
	s, from, err := m.first.Fused(f, t)
	var missing *MissingError
	if errors.As(err, &missing) {
		return m.second.Fused(f, t)
	}
	return s, from, err
}
