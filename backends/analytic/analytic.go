package analytic

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// Version changes when the formula does.
const Version = "1"

// Backend is a [backends.Backend] over a machine description.
type Backend struct{ m *cost.Machine }

var _ backends.Backend = (*Backend)(nil)

// New is the backend of a machine, which must not change afterwards. It reports
// what is wrong with the description.
func New(m *cost.Machine) (*Backend, error) {
	if m == nil {
		return nil, errors.New("analytic backend: no machine")
	}
	if err := m.Check(); err != nil {
		return nil, fmt.Errorf("analytic backend: machine %s: %w", m.Name, err)
	}
	return &Backend{m}, nil
}

// Machine is the description.
func (b *Backend) Machine() *cost.Machine { return b.m }

// Info names the machine as the device.
func (b *Backend) Info() backends.Info {
	return backends.Info{Name: "analytic", Device: b.m.Name, Version: Version, Threads: 1}
}

// Supports is nil for every node that is an operator.
func (b *Backend) Supports(g *graph.Graph, id graph.NodeID) error {
	if g.Op(id) == nil {
		return &backends.Unsupported{Backend: "analytic", Node: g.Name(id), Op: "input", Why: "it is no operator"}
	}
	return nil
}

// Compile always fails with [backends.ErrNoRun].
func (b *Backend) Compile(context.Context, *model.Model, backends.CompileOptions) (backends.Plan, error) {
	return nil, fmt.Errorf("analytic backend for %s: %w", b.m.Name, backends.ErrNoRun)
}

// Target is that of the CPU backend: there is no other description yet.
func (b *Backend) Target() *lower.Target { return lower.CPU() }

// Measure is what the machine's roofline says; the options do not matter.
func (b *Backend) Measure(ctx context.Context, a cost.Application, _ backends.MeasureOptions) (cost.Sample, error) {
	if err := ctx.Err(); err != nil {
		return cost.Sample{}, err
	}
	op, in, out := a.Op, a.In, a.Out
	if op == nil {
		return cost.Sample{}, &backends.Unsupported{Backend: "analytic", Op: "input", Why: "it is no operator"}
	}
	if len(in) != op.In || len(out) != op.Out || len(a.Attrs) != len(op.Params) {
		return cost.Sample{}, &backends.Unsupported{Backend: "analytic", Op: op.Name,
			Why: fmt.Sprintf("%d inputs, %d outputs and %d attributes, want %d, %d and %d", len(in), len(out), len(a.Attrs), op.In, op.Out, len(op.Params))}
	}
	s, source, err := b.m.Cost(a)
	if err != nil {
		return cost.Sample{}, err
	}
	return cost.Sample{Seconds: s, Source: source}, nil
}

// Close does nothing.
func (b *Backend) Close() error { return nil }
